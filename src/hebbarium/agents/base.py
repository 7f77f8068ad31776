"""What every agent without a rule is. To add one: a class here in `agents/` and one line in the registry.

An agent gives counts like those of lives under a rule, so whatever compares lives compares it too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from hebbarium.executors.base import Done, Executor
from hebbarium.worlds.base import World


class Agent(ABC):
    name: ClassVar[str]
    words: ClassVar[str]
    """What it does, for a reader."""
    network: ClassVar[bool] = False
    """Whether it acts by a network, so that a number of hidden neurons means anything."""

    @property
    def tries(self) -> int:
        """How often each season is lived; only one of them is counted."""
        return 1

    @abstractmethod
    def prepare(self, world: World) -> None:
        """Compile, or load from the cache, what the agent needs; later calls cost nothing."""

    @abstractmethod
    def is_compiled(self, world: World) -> bool:
        """Whether `prepare` will find everything compiled already."""

    @abstractmethod
    def live(
        self,
        world: World,
        lifetimes: int,
        *,
        seed: int = 1,
        first_trial: int = 0,
        hidden: int | None = None,
        executor: Executor | int | None = None,
        done: Done | None = None,
    ) -> np.ndarray:
        """Counts int64 [lifetime, season, count], the same whoever lives them.

        `done` is told how many more lifetimes are over.
        """
