"""An agent that takes one of the three actions at random, each as likely."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from hebbarium.agents.base import Agent, Done
from hebbarium.lifetime import FROZEN, Jobs, live_jobs
from hebbarium.tasks.base import Task


class RandomAgent(Agent):
    name: ClassVar[str] = "random"
    words: ClassVar[str] = "Takes one of the three actions at random at every step."

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
        always = dataclasses.replace(task, random_action=1.0)
        jobs = Jobs.of_rule(FROZEN, lifetimes, seed, first_trial)
        return live_jobs(always, 1, jobs, threads=threads, done=done).counts
