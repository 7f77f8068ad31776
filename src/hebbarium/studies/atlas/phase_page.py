"""A phase diagram as one page: a map whose cells lead to the best rules of their points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hebbarium.rules.words import family
from hebbarium.show.pages import (
    Cell,
    Markup,
    bullets,
    element,
    figure,
    header,
    heat_map,
    page,
    paragraph,
    rule_signs,
    section,
    table,
)
from hebbarium.studies.atlas.table import span
from hebbarium.tools.errors import option_name, shown_setting

if TYPE_CHECKING:
    from hebbarium.studies.atlas.phases import Phases, Point

TOP = 10
"""Rules shown of each point."""
BACKS = ("good-back", "near-back", "bad-back", "winter", "stronger-back", "weaker-back", "summer")
"""Colours of families, the most frequent first; further ones share the last."""
STYLE = "".join(f".family-{place}{{background:var(--{back})}}" for place, back in enumerate(BACKS)) + (
    ".unsure{background:var(--line)}td.phase a{display:block;color:inherit;text-decoration:none;white-space:nowrap}"
    "td.phase{text-align:center}td.phase small{display:block}.swatch{padding:.1em .5em;margin-right:.4em}"
)


def phases_html(found: Phases) -> str:
    """The page of a diagram: maps of the best rules and their fitness, and a table for each point."""
    names = [option_name(name) for name in found.over]
    title = f"Phase diagram of {found.task.label}: the best rule over {' and '.join(names)}"
    first = found.points[0].atlas
    lifetimes = sum(point.atlas.about["lifetimes"] for point in found.points)
    about = (
        f"{len(found.points)} points, seed {first.about['seed']}. At each, all rules were screened in short lives; the "
        f"best {len(first)} got an atlas of their own, {lifetimes:,} lifetimes in all."
    )
    across, *more = found.over.values()
    down = more[0] if more else [""]  # a single setting is one row
    means = np.array([point.best["fitness"] for point in found.points]).reshape(len(across), len(down)).T
    heat = heat_map(
        means,
        title="Mean fitness of the best rule",
        x_label=names[0],
        y_label=names[1] if more else "",
        x_names=[*map(shown_setting, across)],
        y_names=[*map(shown_setting, down)],
        low=float(min(0, means.min())),
        high=float(means.max()),
        show="{:z.1f}",
    )
    certain = [point.families[0] for point in found.points if len(point.families) == 1]
    families = sorted(set(certain), key=lambda name: (-certain.count(name), name))
    looks = {name: f"family-{min(place, len(BACKS) - 1)}" for place, name in enumerate(families)}
    cells = []
    for number, point in enumerate(found.points):
        best, others = point.best, len(point.leaders) - 1
        notes = f"{best['fitness']:z.1f} at eta {best['eta']:.2g}"
        further = f"or {others} other{'s' if others > 1 else ''}" if others else "for certain"
        lines = (rule_signs(best["rule"]), element("small", notes), element("small", further))
        kind = looks[point.families[0]] if len(point.families) == 1 else "unsure"
        cells.append(Cell(element("a", *lines, href=f"#p{number}"), f"phase {kind}"))
    rows = [
        [shown_setting(value) or names[0], *(cells[column * len(down) + row] for column in range(len(across)))]
        for row, value in enumerate(down)
    ]
    head = [f"{names[1]} \\ {names[0]}" if more else "", *map(shown_setting, across)]
    legend = [
        element("span", element("span", "\N{NO-BREAK SPACE}", class_=f"swatch {look}"), name)
        for name, look in (looks | {"the family is not certain": "unsure"}).items()
    ]
    sure = "A rule is certain where it is better than all others at the 95 % level, on the same lifetimes."
    return page(
        title,
        header(title, about, "Click a cell for the best rules there."),
        element(
            "main",
            section(
                "What is best where", table(head, rows, caption="The best rule at each point"), bullets([*legend, sure])
            ),
            section("How good the best rule is", figure([heat])),
            section("Do neighbours know?", paragraph(prediction_words(found.prediction()))),
            *(_point(found, number, point) for number, point in enumerate(found.points)),
        ),
        style=STYLE,
    )


def prediction_words(figures: dict[str, Any]) -> str:
    """The test on points kept out, as one paragraph."""
    losses = figures["losses"]
    if not figures["predicted"]:
        return "There is no point where the best family is certain and its neighbours agree on one."
    words = (
        f"The best family is certain at {figures['certain']} of {figures['points']} points. Each of these was kept out "
        f"in turn and guessed from its neighbours on the map: {figures['predicted']} have neighbours that agree, and "
        f"{figures['family_right']} of these guesses are right. Always guessing the most frequent family "
        f"({figures['most_frequent_family']}) is right at {figures['most_frequent_right']} of them. "
    )
    if losses:
        words += (
            f"The neighbours' best rule is the best one at {figures['rule_right']}; where it was measured, it scores "
            f"{np.mean(losses):.1f} below the best on average, {max(losses):.1f} at most."
        )
    return words


def _point(found: Phases, number: int, point: Point) -> Markup:
    rows = []
    for place in point.scored[:TOP]:
        row = point.atlas.row(place)
        fitness = f"{row['fitness']:z.2f} ± {row['sem']:.2f}"
        rule, words = rule_signs(row["rule"]), family(point.atlas.rule(place))
        rows.append((span(*row["rank_interval"]), rule, f"{row['eta']:.3g}", fitness, row["lifetimes"], words))
    columns = ("rank range", "rule", "eta", "fitness ± s.e.", "lifetimes", "family")
    return section(
        found.name(point).replace(",", ", ").replace("=", " "),
        table(columns, rows, words=(1, 5)),
        paragraph(element("small", f"The whole table: {point.folder.name}/atlas.npz")),
        id=f"p{number}",
    )
