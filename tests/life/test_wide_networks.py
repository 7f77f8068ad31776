"""Networks of any width agree with the twin, up to 4,096 hidden neurons."""

from __future__ import annotations

import numpy as np
import pytest

import naive_foraging
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.worlds.foraging import Foraging
from lives import live_jobs


@pytest.mark.parametrize(("hidden", "steps"), [(7, 2500), (9, 2500), (63, 800), (257, 200), (4096, 12)])
@pytest.mark.parametrize("name", ["foraging:1", "foraging:6"])
def test_wide_networks_are_their_twins(hidden: int, steps: int, name: str) -> None:
    task, rule = Foraging(season_steps=steps // 2, seasons=2, grid_size=12, green=9, blue=9), Rule(name)
    twin = naive_foraging.live(task, hidden, rule.entries, rule.eta or 0.0, 5, 1)
    lives = live_jobs(task, hidden, Jobs.of([rule] * 3, [4, 5, 6], [1, 1, 1]))
    assert lives.counts[1].tolist() == twin.counts
    assert lives.networks is not None
    assert lives.networks.hidden[1].tobytes() == np.array(twin.hidden).tobytes()
    assert lives.networks.output[1].tobytes() == np.array(twin.output).tobytes()
