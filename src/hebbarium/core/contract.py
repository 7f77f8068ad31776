"""What a task's kernel module offers to `lifetime.py`, and where that module is found.

A module in `core/` for a task has:

- `constants(task)`: what never changes in a life, a NamedTuple of scalars and arrays;
- `new_worlds(constants, lifetimes)`: room for what changes, a NamedTuple of arrays with one row per lifetime;
- `begin(constants, worlds, brains, seeds, trials)`: newborn brains in fresh worlds;
- `advance(constants, worlds, brains, season, steps, counts, trace)`: live on for some steps of one season.

The last two are compiled, hold no global lock and know nothing of threads: a batch of lifetimes is
theirs alone while they run. What a life becomes depends on its seed, trial, rule and task only.
"""

from __future__ import annotations

import importlib
from typing import Any, Protocol, cast

import numpy as np

from hebbarium.core.network import Brains
from hebbarium.core.trace import Steps


class Core(Protocol):
    def constants(self, task: Any) -> Any: ...

    def new_worlds(self, constants: Any, lifetimes: int) -> Any: ...

    def begin(self, constants: Any, worlds: Any, brains: Brains, seeds: np.ndarray, trials: np.ndarray) -> None: ...

    def advance(
        self,
        constants: Any,
        worlds: Any,
        brains: Brains,
        season: int,
        steps: int,
        counts: np.ndarray,
        trace: Steps | None,
    ) -> None: ...


def core_of(task: Any) -> Core:
    """The kernel module that bears the same name as the task's own module."""
    return cast(Core, importlib.import_module(f"hebbarium.core.{type(task).__module__.rpartition('.')[2]}"))
