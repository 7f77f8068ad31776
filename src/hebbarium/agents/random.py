"""An agent that takes one of the actions at random, each as likely."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from hebbarium.agents.base import Agent
from hebbarium.brains.base import Brain
from hebbarium.executors.base import Done, Executor, run
from hebbarium.life import batch
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.worlds.base import World


class RandomAgent(Agent):
    name: ClassVar[str] = "random"
    words: ClassVar[str] = "Takes one of the actions at random at every step."

    def prepare(self, world: World) -> None:
        batch.prepare(always_random(world))

    def is_compiled(self, world: World) -> bool:
        return batch.is_compiled(always_random(world))

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
        world = always_random(world)
        jobs = Jobs.of_rule(FROZEN, lifetimes, seed, first_trial)
        return run(executor, world, Brain.of(world, 1), jobs, done=done).counts


def always_random(world: World) -> World:
    return dataclasses.replace(world, random_action=1.0, random_kind="any", random_where="always")
