"""A phase diagram: which rule is best where. A coarse atlas at each value of a setting, or at each pair of two.

A full atlas at each point would take a day. So all rules are *screened* first: each lives one life of short seasons at
each of a few etas, and the best of them go on to an atlas of their own at the point. Each atlas is a run in a folder
below the diagram's, so a diagram that was stopped resumes with the point it was at.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.executors.base import Executor
from hebbarium.experiment import WAYS, suggesting
from hebbarium.rules.rule import RULES
from hebbarium.rules.words import family
from hebbarium.show import pages
from hebbarium.show.pages.skeleton import notebook
from hebbarium.studies.atlas.finished_atlas import Atlas, span
from hebbarium.studies.atlas.making import AtlasStudy, Making
from hebbarium.studies.atlas.stages import best_of, make_plan, means
from hebbarium.studies.engine import Lab, Place, carry_out
from hebbarium.studies.sweep import Value, check_over, listed_over
from hebbarium.tools.data_frames import frame_of_rows
from hebbarium.tools.errors import BadInput, check_integer, option_name, shown_setting
from hebbarium.tools.fields import take
from hebbarium.tools.files import write_text
from hebbarium.tools.progress import Report, report_of
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

PAGE = "phases.html"
KEPT = 150
"""Rules that get an atlas at a point."""
SHORT = 2000
"""Steps of a season while rules are screened: enough for good rules to stand out, whatever the season's length."""
MOST_POINTS = 100


@dataclass(frozen=True)
class Screening(AtlasStudy):
    """The survey of all rules, and nothing of an atlas beyond it."""

    doing = "screening"
    has_interventions = False

    def reduce(self, lab: Lab) -> Any:
        """int64 [rule]: all rules by what their screening showed, the best first."""
        making = Making(self.plan, lab)
        making.live()
        return np.argsort(-best_of(means(making.lives)).mean, kind="stable")

    def recall(self, lab: Lab) -> None:
        return None

    def publish(self, result: Any, lab: Lab) -> None:
        lab.save(results={"lifetimes": self.plan.surveyed})


@dataclass(frozen=True)
class Point:
    """One point of a phase diagram, with its atlas."""

    values: tuple[Value, ...]
    atlas: Atlas
    folder: Path

    @property
    def scored(self) -> list[int]:
        """Rows of the rules that lived as often as any, the best first: a few lives can be luck."""
        most = self.atlas.lifetimes.max()
        return [int(row) for row in self.atlas.order if self.atlas.lifetimes[row] == most]

    @property
    def leaders(self) -> list[int]:
        """Rows of those of them that none is certainly better than."""
        first, *others = self.scored
        return [first, *(row for row in others if self.atlas.rank_first[row] == 1)]

    @property
    def best(self) -> dict[str, Any]:
        return self.atlas.row(self.leaders[0])

    @property
    def families(self) -> list[str]:
        """The families of the leaders, that of the best first."""
        return list(dict.fromkeys(family(self.atlas.rule(row)) for row in self.leaders))

    def loss(self, rule: str) -> float | None:
        """How far a rule stays below the best, each at its best eta here; None where it was not measured."""
        rows = [row for row in range(len(self.atlas)) if self.atlas.rule(row).notation == rule]
        return self.best["fitness"] - float(self.atlas.mean[rows[0]]) if rows else None


@dataclass(frozen=True, repr=False)
class Phases:
    """A phase diagram: what is best where."""

    task: World
    over: dict[str, list[Value]]
    points: Sequence[Point]
    """The last setting varies fastest."""

    def __repr__(self) -> str:
        return f"Phases({self.task.label}, {len(self.points)} points over {' and '.join(self.over)})"

    def frame(self) -> Any:
        """A row for each point: its values, the best rule there, and its family where all leaders are of one."""
        rows = (
            dict(zip(self.over, point.values, strict=True))
            | {name: point.best[name] for name in ("rule", "eta", "fitness", "sem")}
            | {"family": point.families[0] if len(point.families) == 1 else None}
            for point in self.points
        )
        return frame_of_rows(rows, {"family": str})

    def _repr_html_(self) -> str:
        """What is best where."""
        rows = [
            (*map(shown_setting, point.values), point.best["rule"], f"{point.best['eta']:.3g}",
             f"{point.best['fitness']:z.1f} ± {point.best['sem']:.1f}", " or ".join(point.families))
            for point in self.points
        ]  # fmt: skip
        heads = (*map(option_name, self.over), "best rule", "eta", "fitness", "family")
        return notebook(f"{self.task.label}: what is best where", pages.table(heads, rows))

    def name(self, point: Point) -> str:
        return named(self.over, point.values)

    def neighbours(self, point: Point) -> list[Point]:
        """The points one step away in one setting."""

        def steps(other: Point) -> list[int]:
            pairs = zip(self.over.values(), point.values, other.values, strict=True)
            return [abs(values.index(one) - values.index(two)) for values, one, two in pairs]

        return [other for other in self.points if sum(steps(other)) == 1]

    def predicted(self, point: Point) -> tuple[str, str] | None:
        """The family and the rule that are best at most of its neighbours, the point itself being kept out; None where
        they do not agree on a family."""
        families = Counter(other.families[0] for other in self.neighbours(point) if len(other.families) == 1)
        if not families or list(families.values()).count(max(families.values())) > 1:
            return None
        chosen = families.most_common(1)[0][0]
        rules = Counter(o.best["rule"] for o in self.neighbours(point) if o.families == [chosen])
        return chosen, rules.most_common(1)[0][0]

    def prediction(self) -> dict[str, Any]:
        """How often neighbours know what is best at a point, and what it costs to follow them."""
        certain = [point for point in self.points if len(point.families) == 1]
        usual = Counter(point.families[0] for point in certain).most_common(1)
        guesses = [(point, guess) for point in certain if (guess := self.predicted(point)) is not None]
        losses = [loss for point, (_, rule) in guesses if (loss := point.loss(rule)) is not None]
        return {
            "points": len(self.points),
            "certain": len(certain),
            "predicted": len(guesses),
            "family_right": sum(point.families[0] == guess for point, (guess, _) in guesses),
            "most_frequent_family": usual[0][0] if usual else None,
            "most_frequent_right": sum(point.families[0] == usual[0][0] for point, _ in guesses) if usual else 0,
            "rule_right": sum(point.best["rule"] == rule for point, (_, rule) in guesses),
            "losses": losses,
        }

    def summary(self) -> dict[str, Any]:
        """What `hebbarium atlas --over --json` prints."""
        return {
            "task": self.task.label,
            "over": {option_name(name): values for name, values in self.over.items()},
            "points": [
                {
                    "values": list(point.values),
                    "best": point.best,
                    "family": point.families[0] if len(point.families) == 1 else None,
                    "leaders": [point.atlas.rule(row).notation for row in point.leaders],
                    "lifetimes": point.atlas.about["lifetimes"],
                    "digest": point.atlas.about["digest"],
                    "run": str(point.folder),
                }
                for point in self.points
            ],
            "prediction": self.prediction(),
        }


def named(over: Mapping[str, Any], values: Sequence[Value]) -> str:
    """A point, as it is typed; also the name of its folder."""
    pairs = zip(over, values, strict=True)
    return ",".join(f"{option_name(name)}={shown_setting(value)}".replace("/", "_") for name, value in pairs)


@suggesting
def make_phases(
    task: str | World,
    folder: str | os.PathLike[str],
    over: Mapping[str, Sequence[Value]],
    *,
    limit: int | None = None,
    etas: Sequence[float] | None = None,
    threads: Place | Executor | int | None = None,
    report: Report | None = None,
    **settings: Any,
) -> Phases:
    """Make a phase diagram in a folder, or resume it. The folder then holds an atlas for each point and `phases.html`.

    over: one or two settings and their values, {"season_steps": [500, 5000], "hidden": [5, 20]}.
    limit: how many rules get an atlas at a point, the best of a screening of all (150).
    etas: of the survey of these atlases; without them half of the task's usual ones.
    threads, report: as in `make_atlas`. settings: what is the same at all points, as in `make_atlas`.
    Returns what is best at each point.
    """
    ways = take(settings, (*WAYS, "seed", "effort", "layers"))
    world, folder, report = make_world(task, **settings), Path(folder), report_of(report)
    over = listed_over(over)
    check_over(world, over, {"eta": "searched for", **ways})
    kept = KEPT if limit is None else check_integer("limit", limit, 2, RULES)
    if not 1 <= len(over) <= 2:
        raise BadInput(f"over has {len(over)} settings, but a phase diagram takes one or two.")
    for name, listed in over.items():
        twice = [value for place, value in enumerate(listed) if value in listed[:place]]
        if twice:
            raise BadInput(f"over has {option_name(name)} {shown_setting(twice[0])} twice; leave one of them out.")
    count = int(np.prod([len(values) for values in over.values()]))
    if count > MOST_POINTS:
        raise BadInput(f"over has {count} points, but at most {MOST_POINTS} are allowed.")
    lives = []
    for values in itertools.product(*over.values()):  # nonsense is refused before anything is lived
        here: dict[str, Any] = dict(zip(over, values, strict=True))
        own = ways | take(here, WAYS)
        there = make_world(world, **here)
        AtlasStudy(make_plan(there, rules=[0], etas=etas, **own))
        lives.append((values, there, own))
    points = []
    for number, (values, there, own) in enumerate(lives, 1):
        report.say(f"Point {number} of {count}: {named(over, values)}")
        short = make_world(there, season_steps=min(there.season_steps, SHORT))
        screen = Screening(make_plan(short, stages="screen", etas=there.survey_etas[2::4], **own))
        # Points that differ only in how long their long seasons are share a screening.
        same = [
            short.season_steps if name == "season_steps" else value for name, value in zip(over, values, strict=True)
        ]
        order: Any = carry_out(screen, folder / f"screening-{named(over, same)}", threads=threads, report=report)
        rules = [int(rule) for rule in order[:kept]]
        plan = make_plan(there, stages="coarse", rules=rules, etas=etas or there.survey_etas[::2], **own)
        place = folder / named(over, values)
        points.append(Point(values, carry_out(AtlasStudy(plan), place, threads=threads, report=report), place))
    made = Phases(world, dict(over), points)
    write_text(folder / PAGE, phases_html(made))
    return made


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
    heat = pages.heat_map(
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
        lines = (pages.rule_signs(best["rule"]), pages.element("small", notes), pages.element("small", further))
        kind = looks[point.families[0]] if len(point.families) == 1 else "unsure"
        cells.append(pages.Cell(pages.element("a", *lines, href=f"#p{number}"), f"phase {kind}"))
    rows = [
        [shown_setting(value) or names[0], *(cells[column * len(down) + row] for column in range(len(across)))]
        for row, value in enumerate(down)
    ]
    head = [f"{names[1]} \\ {names[0]}" if more else "", *map(shown_setting, across)]
    legend = [
        pages.element("span", pages.element("span", "\N{NO-BREAK SPACE}", class_=f"swatch {look}"), name)
        for name, look in (looks | {"the family is not certain": "unsure"}).items()
    ]
    sure = "A rule is certain where it is better than all others at the 95 % level, on the same lifetimes."
    return pages.page(
        title,
        pages.header(title, about, "Click a cell for the best rules there."),
        pages.element(
            "main",
            pages.section(
                "What is best where",
                pages.table(head, rows, caption="The best rule at each point"),
                pages.bullets([*legend, sure]),
            ),
            pages.section("How good the best rule is", pages.figure([heat])),
            pages.section("Do neighbours know?", pages.paragraph(prediction_words(found.prediction()))),
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


def _point(found: Phases, number: int, point: Point) -> pages.Markup:
    """The section of one point: its best rules."""
    rows = []
    for place in point.scored[:TOP]:
        row = point.atlas.row(place)
        fitness = f"{row['fitness']:z.2f} ± {row['sem']:.2f}"
        rule, words = pages.rule_signs(row["rule"]), family(point.atlas.rule(place))
        rows.append((span(*row["rank_interval"]), rule, f"{row['eta']:.3g}", fitness, row["lifetimes"], words))
    columns = ("rank range", "rule", "eta", "fitness ± s.e.", "lifetimes", "family")
    return pages.section(
        found.name(point).replace(",", ", ").replace("=", " "),
        pages.table(columns, rows, words=(1, 5)),
        pages.paragraph(pages.element("small", f"The whole table: {point.folder.name}/atlas.npz")),
        id=f"p{number}",
    )
