"""Punished choices are counted in every loop alike: as many as a trace shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hebbarium.brains.base import Brain
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import read_rule
from hebbarium.worlds.registry import make_world
from lives import traced

CASES = [
    ("foraging", "foraging:1", {}),  # lives alone
    ("foraging", "foraging:6", {}),  # eight together
    ("foraging", "foraging:1", {"hidden_bias": "fixed"}),  # lives specially
    ("foraging", "0000/0000@0", {}),  # learns nothing, is punished all the same
    ("prey-predator", "prey-predator:1", {}),
    ("t-maze", "foraging:1", {}),  # remembers
    ("t-maze", "foraging:6", {}),
]


@pytest.mark.parametrize(("task", "rule", "settings"), CASES)
def test_the_fast_loops_count_what_a_trace_shows(task: str, rule: str, settings: dict[str, Any]) -> None:
    world = make_world(task, season_steps=700, seasons=2)
    jobs = Jobs.of_rule(read_rule(rule), 9, seed=3)
    brain = Brain.of(world, 6, **settings)
    fast = Batch(world, brain, jobs)
    fast.advance(world.steps)
    assert fast.accelerations
    for life in range(len(jobs)):
        slow = Batch(world, brain, jobs[life : life + 1])
        steps = traced(slow).steps
        seen = np.count_nonzero((steps.reinforcement < 0) & ~steps.random)
        assert seen > 0
        assert fast.brains.punished[life] == slow.brains.punished[0] == seen
