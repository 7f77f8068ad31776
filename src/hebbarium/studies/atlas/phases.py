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
from hebbarium.show.frame_columns import of_rows
from hebbarium.show.pages import table
from hebbarium.show.pages.skeleton import notebook
from hebbarium.studies.atlas.phase_page import phases_html
from hebbarium.studies.atlas.plan import make_plan
from hebbarium.studies.atlas.requests import best_of
from hebbarium.studies.atlas.scores import means
from hebbarium.studies.atlas.study import AtlasStudy, Making
from hebbarium.studies.atlas.table import Atlas
from hebbarium.studies.engine import Lab, Place, carry_out
from hebbarium.studies.sweep import Value, check_over, listed_over
from hebbarium.tools.data_frames import data_frame
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
        """int64 [rule]: all rules, the best first."""
        making = Making(self.plan, lab)
        making.live()
        return np.argsort(-best_of(means(making.lives)).mean, kind="stable")

    def recall(self, lab: Lab) -> None:
        return None

    def publish(self, result: Any, lab: Lab) -> None:
        lab.save(results={"lifetimes": self.plan.surveyed})


@dataclass(frozen=True)
class Point:
    """One place of the diagram."""

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
        """Of the leaders; the best is of one of them."""
        return list(dict.fromkeys(family(self.atlas.rule(row)) for row in self.leaders))

    def loss(self, rule: str) -> float | None:
        """How far a rule stays below the best, each at its best eta here; None where it was not measured."""
        rows = [row for row in range(len(self.atlas)) if self.atlas.rule(row).notation == rule]
        return self.best["fitness"] - float(self.atlas.mean[rows[0]]) if rows else None


@dataclass(frozen=True, repr=False)
class Phases:
    """What is best where."""

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
        return data_frame(of_rows(rows), {"family": str})

    def _repr_html_(self) -> str:
        """What is best where."""
        rows = [
            (*map(shown_setting, point.values), point.best["rule"], f"{point.best['eta']:.3g}",
             f"{point.best['fitness']:z.1f} ± {point.best['sem']:.1f}", " or ".join(point.families))
            for point in self.points
        ]  # fmt: skip
        heads = (*map(option_name, self.over), "best rule", "eta", "fitness", "family")
        return notebook(f"{self.task.label}: what is best where", table(heads, rows))

    def name(self, point: Point) -> str:
        return named(self.over, point.values)

    def neighbours(self, point: Point) -> list[Point]:
        """One step away in one setting."""

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
