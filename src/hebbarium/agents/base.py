"""What every agent without a rule is. To add one: a class here in `agents/` and one line in the registry.

An agent gives counts like those of lives under a rule, so whatever compares lives compares it too.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from hebbarium.brains.base import Brain
from hebbarium.brains.sizes import Hidden
from hebbarium.executors.base import Done, Executor, run
from hebbarium.life import batch
from hebbarium.life.dispatch import Kind
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.worlds.base import World


class Agent:
    """One that learns nothing, unless it lives in a way of its own."""

    name: ClassVar[str]
    words: ClassVar[str]
    """What it does, for a reader."""
    network: ClassVar[bool] = False
    """Whether it acts by a network, so that a number of hidden neurons means anything."""

    @property
    def kind(self) -> Kind:
        """The kind of mind that the agent has."""
        return "network"

    @property
    def settings(self) -> dict[str, Any]:
        """The agent's own settings, by name."""
        return {}

    @property
    def tries(self) -> int:
        """How often each season is lived; only one of them is counted."""
        return 1

    def own(self, world: World) -> World:
        """The world as it is for this agent."""
        return world

    def check(self, world: World) -> None:
        """Refuse a world that it cannot live in."""

    def prepare(self, world: World) -> None:
        """Compile, or load from the cache, what the agent needs; later calls cost nothing."""
        batch.prepare(self.own(world), kind=self.kind)

    def is_compiled(self, world: World) -> bool:
        """Whether `prepare` will find everything compiled already."""
        return batch.is_compiled(self.own(world), kind=self.kind)

    def live(
        self,
        world: World,
        lifetimes: int,
        *,
        seed: int = 1,
        first_trial: int = 0,
        hidden: Hidden | None = None,
        executor: Executor | int | None = None,
        done: Done | None = None,
    ) -> np.ndarray:
        """Counts int64 [lifetime, season, count], the same on every executor.

        done: called with the number of lifetimes that are over since the last call.
        """
        world = self.own(world)
        # It has a network of one neuron that is never asked: random streams go on after its birth.
        jobs = Jobs.of_rule(FROZEN, lifetimes, seed, first_trial)
        return run(executor, world, Brain.of(world, 1), jobs, kind=self.kind, done=done).counts
