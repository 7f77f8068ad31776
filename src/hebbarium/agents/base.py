"""What every agent without a rule is. To add one: a class here in `agents/` and one line in the registry.

An agent gives counts like those of lives under a rule, so whatever compares lives compares it too.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, ClassVar

import numpy as np

from hebbarium.lifetime import check_threads, is_compiled, prepare
from hebbarium.tasks.base import Task

Done = Callable[[int], None]
Kernel = Any


class Agent(ABC):
    name: ClassVar[str]
    words: ClassVar[str]
    """What it does, for a reader."""
    network: ClassVar[bool] = False
    """Whether it acts by a network, so that a number of hidden neurons means anything."""
    lifetimes: ClassVar[int] = 100
    """How many to live where none are asked for."""

    @property
    def tries(self) -> int:
        """How often each season is lived; only one of them is counted."""
        return 1

    def kernels(self, task: Task) -> tuple[Kernel, ...]:
        """The agent's own kernels, beside those of the task."""
        return ()

    def prepare(self, task: Task) -> None:
        """Compile, or load from the cache, what the agent needs; later calls cost nothing."""
        prepare(task)

    def is_compiled(self, task: Task) -> bool:
        """Whether `prepare` will find everything compiled already."""
        return is_compiled(task, *self.kernels(task))

    @abstractmethod
    def live(
        self,
        task: Task,
        lifetimes: int,
        *,
        seed: int = 1,
        first_trial: int = 0,
        hidden: int | None = None,
        threads: int | None = None,
        done: Done | None = None,
    ) -> np.ndarray:
        """Counts int64 [lifetime, season, count], the same for any number of threads.

        `done` is told how many more lifetimes are over.
        """


Work = Callable[[slice, threading.Event], None]


def share(lifetimes: int, threads: int | None, work: Work, done: Done | None = None, size: int = 64) -> None:
    """Do `work(rows, stop)` for all lifetimes, some rows at a time, on several threads; Ctrl-C sets `stop`."""
    threads = check_threads(threads)
    size = max(1, min(size, -(-lifetimes // threads)))
    parts = [slice(start, min(start + size, lifetimes)) for start in range(0, lifetimes, size)]
    stop = threading.Event()
    with ThreadPoolExecutor(threads) as pool:
        try:  # from the first part on: an interrupt that comes while the others are handed out must stop it too
            futures = {pool.submit(work, rows, stop): rows.stop - rows.start for rows in parts}
            for future in as_completed(futures):
                future.result()
                if done is not None:
                    done(futures[future])
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
