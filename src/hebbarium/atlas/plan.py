"""What an atlas measures: a survey of every rule, then ever more lifetimes for ever fewer rules.

Each stage keeps the rules that look best so far and settles their eta: it measures the best eta and one on
either side, until the best one has two lower neighbours (or stands at the end of what is allowed). The
last stages score the rules, at the eta chosen for them, on lifetimes that took no part in the choice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hebbarium.errors import BadInput, check_integer, check_number, check_seed
from hebbarium.rule import RULES
from hebbarium.tasks.base import Task

LOWEST_ETA, HIGHEST_ETA = 1e-4, 0.995

SURVEY_ETAS = {
    "foraging": (0.003, 0.0075, 0.019, 0.047, 0.12, 0.3),
    "prey-predator": (0.08, 0.13, 0.2, 0.33, 0.52, 0.83),
}
"""Log-spaced around the etas of the paper's rules."""
DEFAULT_ETAS = (0.005, 0.0125, 0.03, 0.08, 0.2, 0.5)


@dataclass(frozen=True)
class Stage:
    name: str
    rules: int
    """How many of all 6,561 rules are kept; of a smaller atlas its share of them, but at least LEAST."""
    lifetimes: int
    """Lifetimes that each (rule, eta) in question has in the end."""
    step: float = 0.0
    """Neighbouring etas are this factor apart; 0 in the survey and in the scoring stages."""


LEAST = 10

STAGES = {
    "foraging": (
        Stage("survey", RULES, 2),
        Stage("settle", RULES, 5, 2.5),
        Stage("bracket", 300, 24, 1.6),
        Stage("bracket", 110, 80, 1.25),
        Stage("bracket", 30, 500, 1.25),
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
            "stages": [[stage.name, stage.rules, stage.lifetimes, round(stage.step, 6)] for stage in self.stages],
            "world": self.task.settings(),
        }

    def expected_lifetimes(self) -> int:
        """Roughly how many lifetimes the whole atlas takes."""
        survey, *stages = self.stages
        total, done = float(self.surveyed), survey.lifetimes
        for stage in stages:
            # Settling an eta takes it and two neighbours, and now and then one or two further out.
            more = 3 * (stage.lifetimes - done) + 0.8 * stage.lifetimes if stage.step else stage.lifetimes
            total += self.kept(stage) * more
            done = stage.lifetimes
        return int(total)


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
        Stage(stage.name, stage.rules, max(2, round(stage.lifetimes * effort)), stage.step)
        for stage in STAGES.get(task.name, STAGES["foraging"])
    )
    grid = tuple(float(eta) for eta in etas) if etas is not None else SURVEY_ETAS.get(task.name, DEFAULT_ETAS)
    return Plan(task, task.default_hidden if hidden is None else hidden, seed, grid, limit, stages)
