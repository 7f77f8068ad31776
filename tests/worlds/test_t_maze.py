"""The T-maze: what agents score there, what the settings mean, and what it looks like."""

from __future__ import annotations

import time

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.brains.base import Brain
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.worlds.picture import text_of
from hebbarium.worlds.t_maze import TMaze

SINGLE = """\
H.l
 .
 ^
"""
DOUBLE = """\
H   l
.   .
.....
. . .
l . l
  ^
"""


@pytest.mark.parametrize("settings", [{}, {"arm": 3}, {"maze": "double"}, {"maze": "double", "arm": 2, "corridor": 5}])
def test_chance_is_0_and_perfect_nearly_100(settings: dict[str, object]) -> None:
    chance = hb.live_agent("t-maze", "random", lifetimes=60, **settings).life_fitness
    assert abs(chance.mean()) < 4 * chance.std() / np.sqrt(60)
    perfect = hb.live_agent("t-maze", "perfect", lifetimes=20, **settings).life_fitness
    assert 95 < perfect.mean() <= 100
    never_at_random = hb.live_agent("t-maze", "perfect", lifetimes=2, random_action=0, season_steps=1980, **settings)
    assert never_at_random.counts[:, :, 1:].sum() == 0


def test_a_plain_rule_learns_each_swap() -> None:
    lives = hb.live("t-maze", "00+-/0000@0.04", lifetimes=20)
    assert (lives.fitness.mean(axis=0) > 90).all()


def test_bumps_that_are_ignored_teach_nothing() -> None:
    lives = hb.live("t-maze", "00+-/0000@0.04", lifetimes=20, bumps="ignored")
    assert lives.life_fitness.mean() < 20


def test_a_late_reward_is_learned_better_with_eligibility() -> None:
    layered = "00+-/0000@0.005,00+-/0000@0.08"
    without, with_it = (
        hb.live("t-maze", layered, lifetimes=60, arm=2, eligibility=weights).life_fitness.mean()
        for weights in ({}, {"low": 3.0})
    )
    assert with_it > without + 3


@pytest.mark.parametrize(
    ("settings", "expected"), [({}, SINGLE), ({"maze": "double", "arm": 2, "corridor": 3}, DOUBLE)]
)
def test_the_picture(settings: dict[str, object], expected: str) -> None:
    world = TMaze(season_steps=3, schedule="left", **settings)
    batch = Batch(world, Brain.of(world, 1), Jobs.of_rule(FROZEN, 1, 1), kind="perfect")
    batch.advance(1)
    batch.state.walked[0] = 0
    drawn = text_of(batch.picture(), world.legend)
    assert [line.rstrip() for line in drawn.splitlines()] == expected.splitlines()


def test_the_agent_is_always_on_the_path() -> None:
    world = TMaze(maze="double", arm=3, corridor=1, random_action=1.0)
    batch = Batch(world, Brain.of(world, 1), Jobs.of_rule(FROZEN, 1, 4))
    for _ in range(200):
        batch.advance(1)
        picture = batch.picture()
        assert picture.agent is not None
        assert picture.cells[picture.agent] == 1


def test_the_largest_maze_is_drawn_in_no_time() -> None:
    """A viewer draws many a second; this one took a quarter of a second."""
    world = TMaze(maze="double", arm=100, corridor=100)
    state = world.new_state(1)
    world.picture(world.constants(), state, 0)
    start = time.perf_counter()
    for _ in range(20):
        picture = world.picture(world.constants(), state, 0)
    assert time.perf_counter() - start < 1
    picture.cells[:] = 0
    assert world.picture(world.constants(), state, 0).cells.any()  # each is its own
