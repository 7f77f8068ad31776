"""A traced life is the very life that `live` lives, and its parts agree with each other."""

from __future__ import annotations

import numpy as np
import pytest

import hebbarium as hb
from lives import some_rule


@pytest.mark.parametrize("task", sorted(hb.WORLDS))
@pytest.mark.parametrize("every", [7, 60, 1000])
def test_counts_and_networks_are_those_of_live(task: str, every: int) -> None:
    settings = {"rule": some_rule(task), "hidden": 6, "seed": 5, "season_steps": 60, "seasons": 3}
    lives = hb.live(task, lifetimes=3, keep_networks=True, **settings)
    life = hb.trace(task, trial=2, every=every, **settings)
    assert life.counts[-1].tolist() == lives.counts[2].sum(axis=0).tolist()
    assert life.distinct_hidden[-1] == lives.distinct_hidden[2]
    assert np.array_equal(life.hidden_weights[-1], lives.networks.hidden[2])
    assert np.array_equal(life.output_weights[-1], lives.networks.output[2])
    assert life.lived.tolist() == [*range(0, 180, every), 180]
    assert life.steps.action.shape == (180,)


def test_a_frozen_life_keeps_its_weights() -> None:
    life = hb.trace("foraging", frozen=True, season_steps=100)
    assert (life.hidden_weights == life.hidden_weights[0]).all()


def test_foragings_counts_follow_from_its_steps() -> None:
    life = hb.trace("foraging", "foraging:1", season_steps=1500, seasons=1, every=1500)
    entered = life.steps.sensed[np.arange(1500), life.steps.action]
    assert [(entered == thing).sum() for thing in (2, 1, 3)] == life.counts[-1].tolist()


def test_parts_may_be_left_out() -> None:
    life = hb.trace("foraging", "foraging:1", season_steps=50, keep_steps=False, keep_weights=False)
    assert vars(life.steps) == {}
    assert life.hidden_weights is life.output_weights is None
    assert life.counts.shape == (5, 3)


def test_a_trace_beyond_memory_is_refused_at_once() -> None:
    with pytest.raises(hb.BadInput, match="would not fit in memory"):
        hb.trace("foraging", "foraging:1", season_steps=10**9, seasons=100_000)


@pytest.mark.parametrize(
    "bad",
    [
        *({"trial": -1}, {"every": 0}, {"every": 10**30}, {"seed": 2**63}, {"eta": 1.0}),
        *({"networks": 0}, {"frozen": 2}, {"keep_steps": None}, {"keep_weights": "no"}),
    ],
)
def test_bad_arguments(bad: dict[str, object]) -> None:
    with pytest.raises(hb.BadInput):
        hb.trace("foraging", "foraging:1", **bad)
