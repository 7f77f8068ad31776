"""Text and markup distinguished by type, so that nothing shown can be taken for markup."""

from __future__ import annotations

import html
from string import Template

VOID = frozenset(("img", "input", "link", "meta"))
"""Tags that have no end."""


class Markup(str):
    """HTML or SVG as it is; any other text is escaped when it becomes part of a page."""

    __slots__ = ()


def escape(value: object) -> Markup:
    """
    >>> escape("<b>"), escape(Markup("<b>")), escape(None)
    ('&lt;b&gt;', '<b>', '')
    """
    if isinstance(value, Markup):
        return value
    return Markup("" if value is None else html.escape(str(value)))


def join(*parts: object) -> Markup:
    return Markup("".join(map(escape, parts)))


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """Attributes of None or "" are left out; a name loses its last underscore, and others become hyphens.

    >>> element("a", "x < y", class_="far", href="#it", data_rule=None)
    '<a class="far" href="#it">x &lt; y</a>'
    """
    named = ""
    for name, value in attributes.items():
        if value is not None and value != "":
            shown = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
            named += f" {name.removesuffix('_').replace('_', '-')}"
            named += "" if value is True else f'="{html.escape(shown)}"'
    return Markup(f"<{tag}{named}>" if tag in VOID else f"<{tag}{named}>{join(*children)}</{tag}>")


def fill(template: str, **values: object) -> Markup:
    """A template of ours, such as `<p>$text</p>`, with every value escaped."""
    return Markup(Template(template).substitute({name: escape(value) for name, value in values.items()}))
