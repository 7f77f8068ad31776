"""Seasons that come when they come, and the cue: exact against a slow twin, and refused where they make no sense."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

import naive_learners
from hebbarium.agents.registry import make_agent
from hebbarium.brains.base import Brain
from hebbarium.executors.base import run
from hebbarium.gym.steps import Worlds
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.studies.lifelong.study import lifelong
from hebbarium.studies.live import live, live_agent
from hebbarium.studies.trace import trace
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.registry import WORLDS, make_world
from hebbarium.worlds.seasons import calendar_of
from hebbarium.worlds.t_maze import TMaze
from naive_learners import Settings, SlowForaging
from naive_life import live as live_slowly
from naive_seasons import Cued, calendar, in_places
from naive_t_maze import SlowTMaze

RULES = [Rule("00+-/0000", 0.0375), Rule("0-+0/+-00", 0.1)]


def slow_life(world, seed, trial):
    """A slow world with its cue, and its seasons."""
    slow = SlowForaging(world, seed, trial) if isinstance(world, Foraging) else SlowTMaze(world)
    if world.cue:
        slow = Cued(slow, list(world.kinds), world.cue, seed, trial)
    names = [name.rstrip("0123456789") for name in world.season_names]
    shuffled, cut = world.schedule == "random", world.season_lengths == "random"
    return slow, names, calendar(names, world.steps, seed, trial, shuffled=shuffled, cut=cut)


def worlds(chance):
    life = {
        "random_action": chance.choice([0.0, 0.02, 0.3]),
        "season_steps": chance.choice([1, 2, 97, 200]),
        "seasons": chance.choice([1, 4, 7]),
        "season_lengths": chance.choice(["fixed", "random", "random"]),
        "cue": chance.choice([0.0, 0.0, 1.0, 0.8, 0.5]),
    }
    own = chance.random() < 0.3
    yield Foraging(grid_size=14, green=12, blue=9, schedule="summer" if own else "random", **life)
    yield TMaze(corridor=chance.choice([1, 3]), arm=2, schedule="right,left,left" if own else "random", **life)


@pytest.mark.parametrize("number", range(24))
def test_lives_are_their_twins_lives(number):
    chance = random.Random(number)
    for world in worlds(chance):
        rule = chance.choice(RULES)
        hidden = chance.choice([1, 5, 20])
        counts = run(2, world, Brain.of(world, hidden), Jobs.of_rule(rule, 3, number)).counts
        sizes = (world.all_inputs, hidden, world.outputs)
        for trial in range(3):
            slow, names, seasons = slow_life(world, number, trial)
            twin = live_slowly(
                slow, seasons, None, sizes, world.random_action, (tuple(rule.entries), rule.eta), number, trial
            )
            lived = [(name, counted) for (name, _), counted in zip(seasons, twin.counts, strict=True)]
            assert counts[trial].tolist() == in_places(names, lived)


@pytest.mark.parametrize("name", ["tabular", "linear"])
def test_learners_have_them_too(name):
    chance = random.Random(5)
    for world in worlds(chance):
        counts = make_agent(name).live(world, 3, seed=5)
        for trial in range(3):
            slow, names, seasons = slow_life(world, 5, trial)
            sizes, settings = (world.all_inputs, world.outputs), Settings(name, 0.5, 0.0, None)
            twin = naive_learners.live(slow, seasons, sizes, world.random_action, settings, 5, trial)
            lived = [(kind, counted) for (kind, _), counted in zip(seasons, twin, strict=True)]
            assert counts[trial].tolist() == in_places(names, lived)


def test_a_random_schedule_has_each_kind_as_often_and_any_order():
    world = make_world("foraging", schedule="random", seasons=4)
    assert world.season_names == ("summer1", "winter1", "summer2", "winter2")
    orders = Counter(calendar_of(world, 7, trial).places for trial in range(600))
    assert len(orders) == 6
    assert min(orders.values()) > 60
    assert all(places.index(0) < places.index(2) and places.index(1) < places.index(3) for places in orders)


def test_random_lengths_have_the_mean_and_change_at_any_step():
    world = make_world("foraging", season_lengths="random", seasons=4, season_steps=50)
    ends = np.array([calendar_of(world, 7, trial).ends for trial in range(2000)])
    assert (ends[:, -1] == world.steps).all()
    lengths = np.diff(ends, axis=1, prepend=0)
    assert lengths.min() >= 1
    assert np.allclose(lengths.mean(axis=0), 50, atol=3)
    assert np.histogram(ends[:, :-1], bins=10, range=(0, 200))[0].min() > 500


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_has_them_and_other_lives_stay_as_they_are(name):
    life = {"lifetimes": 3, "seed": 9, "seasons": 4, "season_steps": 60}
    usual = live(name, "00+-/0000@0.04", **life)
    own = live(name, "00+-/0000@0.04", schedule="random", season_lengths="random", **life)
    assert own.digest != usual.digest
    assert (
        own.digest == live(name, "00+-/0000@0.04", schedule="random", season_lengths="random", threads=1, **life).digest
    )
    assert live(name, "00+-/0000@0.04", season_lengths="fixed", cue=0, **life).digest == usual.digest
    if len(make_world(name).kinds) > 1:
        assert live(name, "00+-/0000@0.04", cue=0.9, **life).digest != usual.digest


def test_a_life_led_from_outside_has_the_same_seasons_and_the_same_cue():
    world = make_world("foraging", schedule="random", season_lengths="random", season_steps=50, cue=0.8)
    life = trace(world, "00+-/0000@0.04", seed=3, trial=2)
    led = Worlds(world, 1)
    senses = led.begin(np.array([0]), np.array([3], np.uint64), np.array([2], np.uint64))
    for step in range(world.steps):
        assert np.array_equal(senses[0], life.steps.senses[step])
        told = led.step(life.steps.action[step : step + 1].astype(np.int64))
        assert told.reward[0] == life.steps.reinforcement[step]
        senses = told.senses
    assert told.truncated[0]


def test_a_cue_lets_a_table_keep_both_seasons():
    scores = [
        live_agent("foraging", "tabular", lifetimes=40, seed=3, cue=cue).fitness.mean(axis=0) for cue in (0.0, 1.0)
    ]
    assert scores[1][2:].mean() > scores[0][2:].mean() + 5


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"schedule": "summer,random"}, "schedule is 'random'"),
        ({"schedule": "rando"}, "random"),
        ({"season_lengths": "randm"}, "season-lengths is 'randm'.*random"),
        ({"cue": 1.5}, "cue is 1.5"),
        ({"cue": 0.5, "random_where": "nothing-sensed"}, "random-where must be 'always'"),
    ],
)
def test_nonsense_is_refused(settings, words):
    with pytest.raises(BadInput, match=words):
        make_world("foraging", **settings)


def test_what_needs_the_same_seasons_for_all_says_so():
    with pytest.raises(BadInput, match="one kind of season"):
        make_world("association", cue=0.9)
    with pytest.raises(BadInput, match="season-lengths is random, but lifelong needs the same seasons"):
        lifelong("foraging", "foraging:1", lifetimes=2, season_lengths="random")
    with pytest.raises(BadInput, match="schedule is random, but hill climbing"):
        live_agent("foraging", "hill-climbing", lifetimes=1, schedule="random")
