"""Let agents without a rule live, and sum up their lives like those under a rule."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.agents.registry import make_agent
from hebbarium.errors import check_integer, check_seed
from hebbarium.lifetime import FROZEN
from hebbarium.living import Lives, check_life
from hebbarium.tasks.base import Task
from hebbarium.tasks.registry import make_task


@dataclass(frozen=True, repr=False)
class AgentLives(Lives):
    """What became of some lifetimes of an agent without a rule."""

    agent: str = ""
    steps_lived: int = 0

    @property
    def steps(self) -> int:
        """Steps lived in all, those of every candidate included."""
        return self.steps_lived

    def _who(self) -> str:
        return f"{self.agent} agent"

    def summary(self) -> dict[str, Any]:
        """What `hebbarium live --agent --json` prints: no rule, no eta, no neurons to count."""
        return {
            **super().summary(),
            "agent": self.agent,
            "rule": None,
            "eta": None,
            "hidden": self.hidden if make_agent(self.agent).network else None,
            "distinct_hidden": None,
        }


def live_agent(
    task: str | Task,
    agent: str,
    *,
    hidden: int | None = None,
    lifetimes: int = 100,
    seed: int = 1,
    threads: int | None = None,
    done: Callable[[int], None] | None = None,
    **settings: Any,
) -> AgentLives:
    """Lives of `perfect`, `hill-climbing` or `random`; a climb counts what its kept network scored in each season."""
    world = make_task(task, **settings)
    maker = make_agent(agent)
    hidden = world.default_hidden if hidden is None else check_integer("hidden", hidden, 1)
    lifetimes, seed = check_integer("lifetimes", lifetimes, 1), check_seed(seed)
    check_life(world, hidden, lifetimes, seed, threads)
    maker.prepare(world)
    start = time.perf_counter()
    counts = maker.live(world, lifetimes, seed=seed, hidden=hidden, threads=threads, done=done)
    seconds = time.perf_counter() - start
    return AgentLives(
        world,
        FROZEN,
        hidden,
        seed,
        True,
        counts,
        np.zeros(lifetimes, np.int64),
        seconds,
        agent=agent,
        steps_lived=lifetimes * world.steps * maker.tries,
    )
