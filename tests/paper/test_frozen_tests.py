"""Networks that are tested within a life wait for each other; what is found out is as if each was tested at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hebbarium.brains.base import Brain
from hebbarium.executors.base import run
from hebbarium.life.jobs import Jobs
from hebbarium.paper import works
from hebbarium.rules.rule import Rule
from hebbarium.worlds.registry import make_world


@pytest.mark.parametrize(
    ("every", "settings"),
    [
        (20, {}),
        (70, {}),  # which does not divide a season
        (300, {}),  # which is longer than one
        (70, {"schedule": "random", "seasons": 8}),
        (70, {"season_lengths": "random"}),
    ],
)
def test_networks_that_wait_are_tested_as_one_by_one(
    monkeypatch: pytest.MonkeyPatch, every: int, settings: dict[str, Any]
) -> None:
    world = make_world("foraging", **{"season_steps": 200, "seasons": 4, "grid_size": 20, **settings})
    rooms = []
    for together in (1, 3):
        monkeypatch.setattr(works, "_TOGETHER", together)
        jobs = Jobs.of_rule(Rule("foraging:1"), 5, 1)
        rooms += run(1, world, Brain.of(world, 5), jobs, [works._Tester(every, 2)]).seen
    one_by_one, waiting = rooms
    assert one_by_one.keys() == waiting.keys()
    for name, array in one_by_one.items():
        assert np.array_equal(array, waiting[name]), name
    assert waiting["tests"].shape[1] == len(works._Tester(every, 2).moments(world))
