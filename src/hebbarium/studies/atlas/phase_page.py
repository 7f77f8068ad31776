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
BACKS = ("good-back", "near-back", "bad-back", "winter", "summer", "stronger-back", "weaker-back")
"""Colours of families, the most frequent first; further ones share the last."""
STYLE = "".join(f".family-{place}{{background:var(--{back})}}" for place, back in enumerate(BACKS)) + (
    ".unsure{background:var(--line)}td.phase a{display:block;color:inherit;text-decoration:none;white-space:nowrap}"
    "td.phase{text-align:center}td.phase small{display:block}.swatch{padding:.1em .5em;margin-right:.4em}"
)


def phases_html(found: Phases) -> str:
    over = " and ".join(map(option_name, found.over))
    title = f"Phase diagram of {found.task.label}: the best rule over {over}"
    first = found.points[0].atlas.about
    lifetimes = sum(point.atlas.about["lifetimes"] for point in found.points)
    about = (
        f"{len(found.points)} points, seed {first['seed']}. At each, all rules were screened in short lives; the best "
        f"{len(found.points[0].atlas)} got an atlas of their own, {lifetimes:,} lifetimes in all."
    )
    return page(
        title,
        header(title, about, "Click a cell for the best rules there."),
        section("What is best where", _map(found), _legend(found)),
        section("How good the best rule is", figure([_heat(found)])),
        section("Do neighbours know?", paragraph(prediction_words(found.prediction()))),
        *(_point(found, number, point) for number, point in enumerate(found.points)),
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


def _families(found: Phases) -> list[str]:
    """Those that are best somewhere for certain, the most frequent first."""
    certain = [point.families[0] for point in found.points if len(point.families) == 1]
    return sorted(set(certain), key=lambda name: (-certain.count(name), name))


def _axes(found: Phases) -> tuple[list[Any], list[Any]]:
    """The values across, and those down; a single setting is one row."""
    across, *down = found.over.values()
    return across, down[0] if down else [""]


def _map(found: Phases) -> Markup:
    across, down = _axes(found)
    names = [option_name(name) for name in found.over]
    families = _families(found)
    cells = [_cell(number, point, families) for number, point in enumerate(found.points)]
    rows = [
        [shown_setting(value) or names[0], *(cells[column * len(down) + row] for column in range(len(across)))]
        for row, value in enumerate(down)
    ]
    corner = f"{names[1]} \\ {names[0]}" if len(names) > 1 else ""
    return table([corner, *map(shown_setting, across)], rows, caption="The best rule at each point")


def _cell(number: int, point: Point, families: list[str]) -> Cell:
    best, others = point.best, len(point.leaders) - 1
    kind = f"family-{min(families.index(point.families[0]), len(BACKS) - 1)}" if len(point.families) == 1 else "unsure"
    further = f"or {others} other{'s' if others > 1 else ''}" if others else "for certain"
    notes = f"{best['fitness']:z.1f} at eta {best['eta']:.2g}"
    link = element(
        "a", rule_signs(best["rule"]), element("small", notes), element("small", further), href=f"#p{number}"
    )
    return Cell(link, f"phase {kind}")


def _legend(found: Phases) -> Markup:
    shown = [
        element("span", element("span", "\N{NO-BREAK SPACE}", class_=f"swatch family-{min(n, len(BACKS) - 1)}"), name)
        for n, name in enumerate(_families(found))
    ]
    grey = element("span", element("span", "\N{NO-BREAK SPACE}", class_="swatch unsure"), "the family is not certain")
    sure = "A rule is certain where it is better than all others at the 95 % level, on the same lifetimes."
    return bullets([*shown, grey, sure])


def _heat(found: Phases) -> Markup:
    across, down = _axes(found)
    means = np.array([point.best["fitness"] for point in found.points]).reshape(len(across), len(down)).T
    names = [option_name(name) for name in found.over]
    return heat_map(
        means,
        title="Mean fitness of the best rule",
        x_label=names[0],
        y_label=names[1] if len(names) > 1 else "",
        x_names=[*map(shown_setting, across)],
        y_names=[*map(shown_setting, down)],
        low=float(min(0, means.min())),
        high=float(means.max()),
        show="{:z.1f}",
    )


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
