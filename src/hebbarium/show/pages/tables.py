"""Tables: a head, rows, numbers to the right and words to the left, scrolling sideways where they must."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from hebbarium.show.pages.markup import Markup, element

LONG = 24
"""Characters."""
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Cell:
    content: object
    kind: str = ""
    """Its classes."""
    hint: str = ""
    span: int = 1
    """Columns."""


def table(
    columns: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    caption: str = "",
    kind: str = "",
    words: Collection[int] = (0,),
) -> Markup:
    """columns and rows hold text, Markup or Cells; words: the columns of words. The first cell of a row is its head."""
    head = element("tr", *(_cell("th", cell, place in words, "col") for place, cell in enumerate(columns)))
    body = (
        element(
            "tr",
            *(
                _cell("td" if place else "th", cell, place in words, None if place else "row")
                for place, cell in enumerate(row)
            ),
        )
        for row in rows
    )
    title = element("caption", caption) if caption else None
    whole = element("table", title, element("thead", head), element("tbody", *body), class_=kind)
    return element("div", whole, class_="wide", tabindex=0, role="group", aria_label=caption or "table")


def _cell(tag: str, cell: object, words: bool, scope: str | None) -> Markup:
    one = cell if isinstance(cell, Cell) else Cell(cell)
    # Only long words are wrapped, and not into a tall narrow column: a table that is too wide scrolls.
    seen = _TAG.sub("", one.content) if isinstance(one.content, Markup) else str(one.content)
    long = "long" if words and len(seen) > LONG else ""
    kinds = " ".join(filter(None, ("words" if words else "", long, one.kind)))
    span = one.span if one.span > 1 else None
    if one.content == "" and scope == "col":
        tag, scope = "td", None  # a corner names nothing
    return element(tag, one.content, class_=kinds, scope=scope, title=one.hint, colspan=span)
