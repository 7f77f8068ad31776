"""The frame of a page, its parts that are not tables or charts, and what a notebook shows of them."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hebbarium.show.pages import colours
from hebbarium.show.pages.charts import standalone
from hebbarium.show.pages.markup import Markup, element

STYLE = Path(__file__).with_name("kit.css")


def page(title: str, *body: object, style: str = "", script: str = "", data: Any = None, allow: str = "") -> str:
    """A whole page that needs nothing outside itself, light or dark as the reader likes.

    style, script: what this page has beside the kit's own. data: given to the script as JSON in the element `data`.
    allow: more directives of the content-security policy, for a page that is served.
    """
    style = colours.style_sheet() + STYLE.read_text(encoding="utf-8") + style
    # Only this very style and script may be used, and nothing from elsewhere.
    policy = ["default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"]
    for name, text in (("style", style), ("script", script)):
        if text:
            hashed = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            policy.append(f"{name}-src 'sha256-{hashed}'")
    policy += [allow] if allow else []
    parts: list[object] = [
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content="; ".join(policy)),
        element("link", rel="icon", href="data:,"),
        element("title", title),
        element("style", Markup(style)),
    ]
    ends: list[object] = []
    if data is not None:
        # `<` is the one character that could end the element.
        text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
        ends.append(element("script", Markup(text), id="data", type="application/json"))
    if script:
        ends.append(element("script", Markup(script)))
    whole = element("html", element("head", *parts), element("body", *body, *ends), lang="en")
    return f"<!doctype html>{whole}\n"


def header(title: object, *lines: object) -> Markup:
    return element("header", element("h1", title), *(paragraph(line) for line in lines if line))


def contents(entries: Iterable[tuple[str, str, str]]) -> Markup:
    """Links beside the page, and on a phone short ones above it. entries: id, short name, title."""
    links = (
        element("li", element("a", element("b", name), " ", element("span", title), href=f"#{id_}"))
        for id_, name, title in entries
    )
    return element("nav", element("ol", *links), aria_label="Contents")


def section(title: str, *parts: object, id: str = "") -> Markup:
    return element("section", element("h2", title), *parts, id=id)


def paragraph(text: object, kind: str = "") -> Markup:
    return element("p", text, class_=kind)


def bullets(items: Sequence[object]) -> Markup:
    return element("ul", *(element("li", item) for item in items)) if items else Markup("")


def details(summary: str, *parts: object) -> Markup:
    """What only some will want to read, folded away."""
    return element("details", element("summary", summary), *parts)


def cards(entries: Iterable[tuple[object, object, object]]) -> Markup:
    """Figures that matter most. entries: name, value, note."""
    whole = (
        element("div", element("dt", name), element("dd", value, element("small", note)))
        for name, value, note in entries
    )
    return element("dl", *whole, class_="cards")


def command(text: str) -> Markup:
    """To be typed; on a narrow screen it breaks between words only."""
    words = (element("span", word) for word in text.split(" "))
    return element("code", Markup(" ".join(words)), class_="command")


def figure(panels: Sequence[object], title: str = "", caption: str = "", kind: str = "") -> Markup:
    """Charts side by side where there is room, in rows without gaps. kind: `wide` or `narrow` panels."""
    grid = element("div", *panels, class_=f"panels of-{len(panels)} {kind}".strip())
    return element(
        "figure",
        element("h3", title) if title else None,
        grid,
        element("figcaption", caption) if caption else None,
    )


ENLARGED = 1.2
"""Notebooks are wider than the columns of our pages."""


def notebook(title: object, *parts: object) -> str:
    """A title in bold, and tables and pictures below it."""
    return str(element("div", element("b", title), *parts))


def picture(chart: Markup, title: str) -> Markup:
    """A chart as a picture of its own, with its colours in it, on white also where the notebook is dark."""
    data = base64.b64encode(standalone(chart).encode()).decode()
    width = float(chart.partition('viewBox="0 0 ')[2].partition(" ")[0])
    look = f"background:#fff;width:{ENLARGED * width:.0f}px;max-width:100%"
    return element("p", element("img", src=f"data:image/svg+xml;base64,{data}", alt=title, style=look))
