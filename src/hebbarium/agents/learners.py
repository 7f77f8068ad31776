"""Learners without a network: Q-learning, with a value for each sensory state and action, or linear in the input bits.

At each step the last action's value moves towards its reward plus the discounted value of the best action now; then the
action with the largest value is taken, a random one of several. Random actions come as they do to networks, and are
learnt from as well: the learner knows what it did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hebbarium.agents import learner_kernels as steps
from hebbarium.agents.base import Agent
from hebbarium.agents.learner_settings import Learning
from hebbarium.kernels.compile import Kernel
from hebbarium.life import loop
from hebbarium.life.dispatch import Kind
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.base import World

MOST_INPUTS = 16
"""Bits that a table may have a state for each pattern of."""


@dataclass(frozen=True, kw_only=True)
class Learner(Learning, Agent):
    """One whose mind is itself: it learns as its settings say."""

    advance: ClassVar[Kernel] = steps.advance
    evaluate: ClassVar[Callable[..., Any]]
    correct: ClassVar[Callable[..., Any]]

    @property
    def kind(self) -> Kind:
        return self

    @classmethod
    def parts(cls) -> Mapping[Any, Any]:
        """What the loop's open functions are filled with."""
        return {loop.think: steps.think_by_values, steps.evaluate: cls.evaluate, steps.correct: cls.correct}

    def rows(self, world: World) -> int:
        """How many rows each life's values have."""
        raise NotImplementedError

    def check(self, world: World) -> None:
        self.room(world, 0)

    def room(self, world: World, lifetimes: int) -> steps.Values:
        """What newborn learners know."""
        by_signal = self.told == "signal"
        return steps.Values(
            values=np.zeros((lifetimes, self.rows(world), world.outputs)),
            senses=np.ones((lifetimes, world.all_inputs + 1), np.uint8),
            action=np.full(lifetimes, -1),
            reward=np.zeros(lifetimes),
            worth=np.zeros((len(world.kinds), len(world.counts))) if by_signal else worth_of(world),
            by_signal=by_signal,
            step_size=self.step_size,
            discount=self.discount,
        )

    def frozen(self, room: steps.Values) -> steps.Values:
        """The same knowledge at a birth, and nothing learnt any more."""
        copies = {name: getattr(room, name).copy() for name in ("values", "senses", "reward")}
        return room._replace(**copies, action=np.full_like(room.action, -1), step_size=0.0)


class Tabular(Learner):
    name: ClassVar[str] = "tabular"
    words: ClassVar[str] = "Learns a value for each sensory state and action, and takes the action of the largest."
    evaluate, correct = staticmethod(steps.evaluate_table), staticmethod(steps.correct_table)

    def rows(self, world: World) -> int:
        if world.all_inputs > MOST_INPUTS:
            raise BadInput(
                f"the tabular agent needs a row for each of the 2^{world.all_inputs} sensory states of {world.label}, "
                f"but has room for at most 2^{MOST_INPUTS}; the nearest agent is linear."
            )
        return int(2**world.all_inputs)


class Linear(Learner):
    name: ClassVar[str] = "linear"
    words: ClassVar[str] = "Learns a value for each input and action, and takes the action with the largest sum."
    evaluate, correct = staticmethod(steps.evaluate_sum), staticmethod(steps.correct_sum)

    def rows(self, world: World) -> int:
        return world.all_inputs + 1


def worth_of(world: World) -> np.ndarray:
    """float64 [season kind, count]: what one of each thing counted adds to the fitness; the largest is 1 or -1."""
    ones = np.eye(len(world.counts), dtype=np.int64)[:, None]
    seasons = [world.one_season(kind) for kind in range(len(world.kinds))]
    with np.errstate(all="ignore"):
        once, twice = (np.array([season.life_fitness(times * ones) for season in seasons]) for times in (1, 2))
    if not np.array_equal(twice, 2 * once) or not once.any():
        raise BadInput(f"told is 'counts', but the fitness of {world.label} is no sum over its counts; choose signal.")
    scaled: np.ndarray = once / abs(once).max()
    return scaled
