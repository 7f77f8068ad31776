"""What Jupyter shows: parts of a page that do not need our style sheet."""

from __future__ import annotations

import base64

from hebbarium.show.pages.markup import Markup, element
from hebbarium.show.pages.svg import standalone

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
