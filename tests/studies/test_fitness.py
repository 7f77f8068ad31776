"""Fitness alone, of many rules in one call: the same lives as those of `live`."""

from __future__ import annotations

import numpy as np
import pytest

import hebbarium as hb


def test_it_is_what_live_says_of_each_rule() -> None:
    rules = ["foraging:1", "foraging:6", "frozen,000-/000+@0.03"]
    scores = hb.fitness(rules, "foraging", lifetimes=3, seed=5, season_steps=300, hidden=7)
    for rule, row in zip(rules, scores, strict=True):
        lives = hb.live("foraging", rule, lifetimes=3, seed=5, season_steps=300, hidden=7)
        assert np.array_equal(row, lives.life_fitness)
    later = hb.fitness(rules, "foraging", lifetimes=2, seed=5, first_trial=1, season_steps=300, hidden=7)
    assert np.array_equal(later, scores[:, 1:])


def test_it_takes_every_setting_of_a_life() -> None:
    usual = {"lifetimes": 3, "seed": 5, "season_steps": 300, "hidden": 6}
    own = usual | {"weight_noise": 0.1, "blame": {"missed": 0.5}, "eligibility": {"taken": 0.2}}
    scores = hb.fitness(["foraging:6"], **own)
    assert np.array_equal(scores[0], hb.live("foraging", "foraging:6", **own).life_fitness)
    assert not np.array_equal(scores, hb.fitness(["foraging:6"], **usual))


def test_none_is_none_and_one_is_a_list_of_one() -> None:
    assert hb.fitness([], lifetimes=4).shape == (0, 4)
    with pytest.raises(hb.BadInput, match="must be a list of rules"):
        hb.fitness("foraging:1")
    with pytest.raises(hb.BadInput, match="needs an eta"):
        hb.fitness(["00+-/0000"])
