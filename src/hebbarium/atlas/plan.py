"""What an atlas measures: a survey of every rule, then ever more lifetimes for ever fewer rules.

Each stage keeps the rules that look best so far. A rule's fitness may have several peaks in eta, some of
them narrow: so good rules are scanned over all of it, and the etas that look best are compared with more
lifetimes. Settling measures the best eta and one on either side, until the best one has two lower
neighbours (or stands at the end of what is allowed). The last stages score the rules, at the eta chosen for
them, on lifetimes that took no part in the choice.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hebbarium.errors import BadInput, check_integer, check_number, check_seed
from hebbarium.rule import RULES
from hebbarium.tasks.base import Task

LOWEST_ETA, HIGHEST_ETA = 1e-4, 0.995

SURVEY_ETAS = {
    "foraging": (0.0013, 0.002, 0.0032, 0.005, 0.008, 0.0125, 0.02, 0.032, 0.05, 0.08, 0.125, 0.2, 0.32, 0.5),
    "prey-predator": (0.08, 0.13, 0.2, 0.33, 0.52, 0.83),
}
"""Log-spaced around the etas of the paper's rules."""
DEFAULT_ETAS = (0.005, 0.0125, 0.03, 0.08, 0.2, 0.5)


@dataclass(frozen=True)
class Stage:
    name: str
    """What it does: survey, compare, scan, settle (and bracket, which is settling in finer steps), score."""
    rules: int
    """How many of all 6,561 rules are kept; of a smaller atlas its share of them, but at least LEAST."""
    lifetimes: int
    """Lifetimes that each (rule, eta) in question has in the end."""
    step: float = 0.0
    """Neighbouring etas are this factor apart, where the stage makes etas of its own."""
    etas: int = 0
    """How many of a rule's etas are compared."""


LEAST = 10

STAGES = {
    "foraging": (
        Stage("survey", RULES, 2),
        Stage("compare", RULES, 6, etas=4),
        Stage("settle", RULES, 6, 1.6),
        Stage("scan", 300, 6, 1.12),
        Stage("compare", 300, 30, etas=6),
        Stage("bracket", 110, 80, 1.12),
        Stage("bracket", 30, 500, 1.12),
        Stage("score all", RULES, 10),
        Stage("score good", 250, 60),
        Stage("score best", 105, 600),
    ),
    # One life says less here: its standard deviation is as large as the differences between good rules.
    "prey-predator": (
        Stage("survey", RULES, 3),
        Stage("settle", RULES, 8, 1.6),
        Stage("bracket", 300, 40, 1.3),
        Stage("bracket", 110, 160, 1.15),
        Stage("bracket", 30, 800, 1.15),
        Stage("score all", RULES, 12),
        Stage("score good", 250, 100),
        Stage("score best", 105, 1000),
    ),
}


@dataclass(frozen=True)
class Plan:
    """Everything that decides an atlas, so the same plan gives the same atlas to the last bit."""

    task: Task
    hidden: int
    seed: int
    etas: tuple[float, ...]
    limit: int = RULES
    """Only the first rules by index."""
    stages: tuple[Stage, ...] = field(default=STAGES["foraging"])

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", check_integer("hidden", self.hidden, 1))
        object.__setattr__(self, "limit", check_integer("limit", self.limit, 1, RULES))
        object.__setattr__(self, "seed", check_seed(self.seed))
        if not self.etas:
            raise BadInput("etas is empty, but an atlas needs at least one, such as 0.01,0.02,0.04.")
        for eta in self.etas:
            check_number("etas", eta, LOWEST_ETA, HIGHEST_ETA)
        if sorted(set(self.etas)) != list(self.etas):
            raise BadInput(f"etas is {','.join(map(str, self.etas))}, but must be ascending without repetition.")

    def kept(self, stage: Stage) -> int:
        """Rules kept by a stage of this atlas."""
        share = math.ceil(stage.rules * self.limit / RULES)
        return int(min(self.limit, max(LEAST, share)))

    @property
    def surveyed(self) -> int:
        """Lives of the survey, which come first."""
        return self.limit * len(self.etas) * self.stages[0].lifetimes

    def settings(self) -> dict[str, Any]:
        """Plain values for the run store; the threads are not among them, because they change nothing."""
        return {
            "task": self.task.name,
            "hidden": self.hidden,
            "seed": self.seed,
            "etas": list(self.etas),
            "limit": self.limit,
            "stages": [[s.name, s.rules, s.lifetimes, round(s.step, 6), s.etas] for s in self.stages],
            "world": self.task.settings(),
        }

    def expected_lifetimes(self) -> int:
        """Roughly how many lifetimes the whole atlas takes."""
        survey, *stages = self.stages
        total, done = float(self.surveyed), survey.lifetimes
        for stage in stages:
            total += self.kept(stage) * self._expected(stage, done)
            done = stage.lifetimes
        return int(total)

    def _expected(self, stage: Stage, done: int) -> float:
        """Lifetimes of each rule in a stage, when its etas in question have `done` already."""
        if stage.name == "scan":
            return len(self.scanned(stage)) * stage.lifetimes
        if stage.etas:
            return stage.etas * (stage.lifetimes - done)
        # Settling an eta takes it and two neighbours, and now and then one or two further out.
        return 3 * (stage.lifetimes - done) + 0.8 * stage.lifetimes if stage.step else stage.lifetimes

    def scanned(self, stage: Stage) -> list[float]:
        """Etas from below the survey's to above them, a step apart."""
        lowest, highest = max(self.etas[0] / 2, LOWEST_ETA), min(2 * self.etas[-1], HIGHEST_ETA)
        steps = math.floor(math.log(highest / lowest) / math.log(stage.step))
        return [float(f"{lowest * stage.step**step:.4g}") for step in range(steps + 1)]


def make_plan(
    task: Task,
    *,
    hidden: int | None = None,
    seed: int = 1,
    etas: Sequence[float] | None = None,
    limit: int = RULES,
    effort: float = 1.0,
) -> Plan:
    """The task's own plan. effort: a factor on the lifetimes of every stage."""
    check_number("effort", effort, 0.1, 100)
    stages = tuple(
        dataclasses.replace(stage, lifetimes=max(2, round(stage.lifetimes * effort)))
        for stage in STAGES.get(task.name, STAGES["foraging"])
    )
    grid = tuple(float(eta) for eta in etas) if etas is not None else SURVEY_ETAS.get(task.name, DEFAULT_ETAS)
    return Plan(task, task.default_hidden if hidden is None else hidden, seed, grid, limit, stages)
