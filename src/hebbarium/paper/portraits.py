"""Single lives looked at closely: where an agent goes, what it does, what its world looks like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.core.trace import Steps, new_steps
from hebbarium.lifetime import Batch, Jobs
from hebbarium.paper.works import Arrays, ManyLives, Work
from hebbarium.rule import Rule
from hebbarium.tasks.grid import BLUE, GREEN, STRAIGHT

REWARDED, PUNISHED, STRAIGHT_ON, DIAGONAL = range(4)
"""What a trace is summed up as: shares of a life's steps."""


@dataclass(frozen=True, kw_only=True)
class Behaviours(ManyLives):
    """Shares of the steps of a life that are rewarded, punished, straight on after straight on, and diagonal.

    A step is diagonal when it turns one way right after a turn the other way. shares: [life, 4]
    """

    rule: str

    @property
    def cost(self) -> float:
        return self.lifetimes * 0.2

    def pieces(self) -> Sequence[Work]:
        return self.parts(10)

    def do(self, threads: int | None) -> Arrays:
        trials = range(self.first_trial, self.first_trial + self.lifetimes)
        return {"shares": np.array([_shares(self._trace(trial)) for trial in trials])}

    def _trace(self, trial: int) -> Steps:
        world = self.world
        steps = new_steps(world.steps, world.sensed_cells)
        life = Batch(world, world.default_hidden, Jobs.of_rule(Rule(self.rule), 1, self.seed, trial))
        life.advance(world.steps, steps)
        return steps


def _shares(steps: Steps) -> list[float]:
    before, now = steps.action[:-1], steps.action[1:]
    straight = (before == STRAIGHT) & (now == STRAIGHT)
    diagonal = (before != STRAIGHT) & (now != STRAIGHT) & (before != now)
    return [
        float(np.mean(steps.reinforcement == 1)),
        float(np.mean(steps.reinforcement == -1)),
        float(straight.mean()),
        float(diagonal.mean()),
    ]


@dataclass(frozen=True, kw_only=True)
class Snapshot(ManyLives):
    """A world with its agent after some steps. things: [1, thing, 3], row, column and what it is;
    path: [1, step, 2], where the agent came from; direction: [1]."""

    rule: str
    steps: int
    tail: int
    lifetimes: int = 1

    @property
    def cost(self) -> float:
        return 0.1

    def do(self, threads: int | None) -> Arrays:
        world = self.world
        life = Batch(world, world.default_hidden, self.jobs(self.rule))
        life.advance(self.steps - self.tail)
        steps = new_steps(self.tail, world.sensed_cells)
        life.advance(self.tail, steps)
        return {
            "things": _things(life)[None],
            "path": steps.position[None],
            "direction": life.worlds.agent[:1, 1],
        }


def _things(life: Batch) -> np.ndarray:
    """int64 [thing, 3]: row, column, GREEN or BLUE; the wall's corner is 0, 0."""
    worlds: Any = life.worlds
    constants: Any = life.constants
    if not hasattr(worlds, "objects"):
        side = constants.side
        places = np.flatnonzero((worlds.cells[0] == GREEN) | (worlds.cells[0] == BLUE))
        return np.stack([places // side, places % side, worlds.cells[0][places]], axis=1).astype(np.int64)
    rules = constants.rules
    places = worlds.objects[0].astype(np.int64)
    rows, columns = places >> rules.shift, places & ((1 << rules.shift) - 1)
    colours = np.where(np.arange(len(places)) < rules.green, GREEN, BLUE)
    return np.stack([rows - rules.border + 1, columns - rules.border + 1, colours], axis=1)
