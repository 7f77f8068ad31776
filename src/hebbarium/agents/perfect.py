"""The paper's "perfect agent": controlled by hand-coded rules, it knows the task from the beginning."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from hebbarium.agents.base import Agent, Done, Kernel, share
from hebbarium.core import perfect
from hebbarium.errors import BadInput
from hebbarium.lifetime import FROZEN, Batch, Jobs
from hebbarium.tasks.base import Task

KERNELS: dict[str, Any] = {"foraging": perfect.forage, "prey-predator": perfect.hunt}
"""What acts in each task, in place of the task's own `advance`."""


class PerfectAgent(Agent):
    name: ClassVar[str] = "perfect"
    words: ClassVar[str] = (
        "Knows what each season wants. In foraging it takes a wanted item in front of it, on its left or on its right, "
        "in that order; else it goes straight on, tossing a coin at each step beside the wall whether to turn away "
        "from it; before a wall or an unwanted item it turns to a free side. In prey-predator it "
        "sees what a network would see, goes nowhere beside a predator where it can help it, and else "
        "moves towards the nearest prey, or straight on. It has no memory, and takes random actions like everybody."
    )

    def kernels(self, task: Task) -> tuple[Kernel, ...]:
        if task.name not in KERNELS:
            raise BadInput(f"there is no perfect agent for {task.name}; there is one for {', '.join(KERNELS)}.")
        return (KERNELS[task.name],)

    def prepare(self, task: Task) -> None:
        super().prepare(task)
        (kernel,) = self.kernels(task)
        _born(task, kernel, Jobs.of_rule(FROZEN, 1, 0)).advance(1)

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
        (kernel,) = self.kernels(task)
        jobs = Jobs.of_rule(FROZEN, lifetimes, seed, first_trial)
        counts = np.zeros((lifetimes, task.seasons, len(task.counts)), np.int64)

        def live_some(rows: slice, stop: threading.Event) -> None:
            lives = _born(task, kernel, jobs[rows])
            while lives.step < task.steps and not stop.is_set():
                lives.advance(5000)
            counts[rows] = lives.counts.swapaxes(0, 1)

        share(lifetimes, threads, live_some, done)
        return counts


def _born(task: Task, kernel: Kernel, jobs: Jobs) -> Batch:
    """Lives in which the kernel acts."""
    lives = Batch(task, 1, jobs)
    lives.core = SimpleNamespace(advance=kernel)
    return lives
