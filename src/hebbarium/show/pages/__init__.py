"""One kit for every page: the HTML frame, tables, charts, colours and the escaping of everything shown.

    text = page("Title", header("Title", "One line about it."), section("Results", table(...), line_chart(...)))

A part of a page is `Markup`. Anything else that is given to a part is text, and is escaped, so that a page cannot be
broken by what it shows. `element` makes any tag, `fill` fills a template.

- frame: `page` (content-security policy, light and dark), `header`, `contents`, `section`, `paragraph`, `bullets`,
  `details`, `cards`, `command`, `figure`;
- tables: `table`, and `Cell` where a cell wants a class, a hint or several columns;
- rules: `rule_table`, the eight entries as 2 x 4 cells, and `rule_signs`, the notation in colour;
- charts, as SVG that follows the page's colours: `line_chart` of `Line` with bands and seasons, `histogram`,
  `scatter`, `bar_chart`, `stacked_bar`, `dot_plot` of `Mark`, `heat_map`; `standalone` makes a file of one.

Colours are names of the palette in `colours.py`, which the matplotlib plots share: `+` is `stronger`, `-` is `weaker`,
items are `green` and `blue`, lines that mean nothing of the kind take `first`, `second` and so on.
"""

from hebbarium.show.pages.charts import (
    Line,
    Mark,
    bar_chart,
    dot_plot,
    heat_map,
    histogram,
    line_chart,
    scatter,
    stacked_bar,
    standalone,
)
from hebbarium.show.pages.markup import Markup, element, escape, fill, join
from hebbarium.show.pages.rules import rule_signs, rule_table
from hebbarium.show.pages.skeleton import (
    bullets,
    cards,
    command,
    contents,
    details,
    figure,
    header,
    page,
    paragraph,
    section,
)
from hebbarium.show.pages.tables import Cell, table

__all__ = [
    "Cell",
    "Line",
    "Mark",
    "Markup",
    "bar_chart",
    "bullets",
    "cards",
    "command",
    "contents",
    "details",
    "dot_plot",
    "element",
    "escape",
    "figure",
    "fill",
    "header",
    "heat_map",
    "histogram",
    "join",
    "line_chart",
    "page",
    "paragraph",
    "rule_signs",
    "rule_table",
    "scatter",
    "section",
    "stacked_bar",
    "standalone",
    "table",
]
