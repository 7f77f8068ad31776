"""The paper's "perfect agent": controlled by hand-coded rules, it knows the world from the beginning."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from hebbarium.agents.base import Agent
from hebbarium.brains.base import Brain
from hebbarium.executors.base import Done, Executor, run
from hebbarium.life import batch
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.worlds.base import World


class PerfectAgent(Agent):
    name: ClassVar[str] = "perfect"
    words: ClassVar[str] = (
        "It knows what is good in each season (the world's function choose), has no memory, and takes random actions "
        "like every other agent."
    )

    def prepare(self, world: World) -> None:
        batch.prepare(world, kind="perfect")

    def is_compiled(self, world: World) -> bool:
        return batch.is_compiled(world, kind="perfect")

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
        # It has a network of one neuron that is never asked: random streams go on after its birth.
        jobs = Jobs.of_rule(FROZEN, lifetimes, seed, first_trial)
        return run(executor, world, Brain.of(world, 1), jobs, kind="perfect", done=done).counts
