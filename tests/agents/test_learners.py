"""Learners without a network: the same lives as their slow twin's, and what they make of what they are told."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hebbarium.agents.learners import Linear, Tabular, worth_of
from hebbarium.agents.registry import LEARNERS, make_agent
from hebbarium.brains.base import Brain
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.studies.compare import compare
from hebbarium.studies.lifelong.study import lifelong
from hebbarium.studies.live import live_agent
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.association import AssociationWorld
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.registry import make_world
from hebbarium.worlds.t_maze import TMaze
from naive import WORLD, Stream
from naive_association import SlowAssociation
from naive_learners import Settings, SlowForaging, live
from naive_t_maze import SlowTMaze

WORTH = {
    "foraging": {"summer": [1.0, -1.0, 0.0], "winter": [-1.0, 1.0, 0.0]},
    "t-maze": {"left": [1.0, -1.0, 0.0], "right": [1.0, -1.0, 0.0]},
    "association": {"season": [1.0, -0.5]},
}


def slow(world, seed, trial):
    if isinstance(world, Foraging):
        return SlowForaging(world, seed, trial)
    return SlowTMaze(world) if isinstance(world, TMaze) else SlowAssociation(world, Stream(seed, trial, WORLD))


def worlds(chance):
    life = {"random_action": chance.choice([0.0, 0.02, 0.3]), "season_steps": chance.choice([1, 97, 300]), "seasons": 4}
    yield Foraging(grid_size=chance.choice([9, 14, 100]), green=12, blue=9, **life)
    yield TMaze(corridor=chance.choice([1, 3]), arm=2, **life)
    yield AssociationWorld(bits=chance.choice([3, 6]), stimuli=5, **life)


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_lives_the_life_of_its_twin(name, number):
    chance = random.Random(number)
    step_size, discount = chance.choice([1.0, 0.5, 0.07]), chance.choice([0.0, 0.5, 0.93])
    told = chance.choice(["signal", "counts"])
    for world in worlds(chance):
        agent = make_agent(name, step_size=step_size, discount=discount, told=told)
        counts = agent.live(world, 3, seed=number)
        worth = WORTH[world.name] if told == "counts" else None
        seasons = [(kind.rstrip("0123456789"), world.season_steps) for kind in world.season_names]
        for trial in range(3):
            twin = live(
                slow(world, number, trial),
                seasons,
                (world.inputs, world.outputs),
                world.random_action,
                Settings(name, step_size, discount, worth),
                number,
                trial,
            )
            assert counts[trial].tolist() == twin


def test_how_lives_are_cut_into_slices_changes_nothing():
    world = make_world("prey-predator", season_steps=120)
    jobs, agent = Jobs.of_rule(FROZEN, 2, 5), Linear(step_size=0.3, discount=0.5)
    whole, cut = (Batch(world, Brain.of(world, 1), jobs, kind=agent) for _ in range(2))
    whole.advance(world.steps)
    for steps in (1, 50, 69, 1, 119):
        cut.advance(steps)
    assert np.array_equal(whole.counts, cut.counts)
    assert np.array_equal(whole.extras.values, cut.extras.values)


def test_learners_meet_the_worlds_that_networks_meet():
    world = make_world("foraging", season_steps=3)
    learner, network = (
        Batch(world, Brain.of(world, 1), Jobs.of_rule(FROZEN, 2, 5), kind=kind) for kind in (Tabular(), "network")
    )
    assert np.array_equal(learner.state.cells, network.state.cells)


def test_a_table_learns_foraging_from_the_signal_and_little_from_the_items():
    signal, items = (
        live_agent("foraging", "tabular", lifetimes=40, seed=3, told=told) for told in ("signal", "counts")
    )
    assert signal.life_fitness.mean() > 45
    assert 0 < items.life_fitness.mean() < 15
    assert signal.summary()["agent"] == "tabular"
    assert signal.summary()["settings"] == Tabular().settings


def test_what_counts_is_worth_is_read_off_the_fitness():
    assert worth_of(make_world("foraging")).tolist() == [[1, -1, 0], [-1, 1, 0]]
    assert worth_of(make_world("prey-predator")).tolist() == [[1, -0.125, 0]] * 2
    assert worth_of(make_world("t-maze", season_steps=777))[0].tolist() == [1, -1, 0]


def test_learners_are_compared_and_live_long():
    result = compare("foraging", "foraging:1", agents=["linear"], lifetimes=4, season_steps=100, step_size=0.25)
    assert [contender.name for contender in result.contenders][1] == "linear agent"
    assert result.summary()["settings"]["step_size"] == 0.25
    study = lifelong("foraging", agents=["tabular"], lifetimes=4, seasons=4, season_steps=500)
    assert study[0].lived.fitness.shape == (4, 4)


def test_a_frozen_test_leaves_a_learner_as_it_is():
    """What the tests of a long life look at is knowledge: a table that learned summer keeps it through the test."""
    from hebbarium.studies.lifelong.observers import Tests

    world, jobs = make_world("foraging", seasons=2, season_steps=2000), Jobs.of_rule(FROZEN, 4, 5)
    watched, alone = (Batch(world, Brain.of(world, 1), jobs, kind=Tabular()) for _ in range(2))
    (seen,) = watched.live(observers=[Tests()])
    alone.live()
    assert np.array_equal(watched.counts, alone.counts)
    after_summer = seen["tests"][:, 1].mean(axis=0)
    assert after_summer[0] > 10 > -10 > after_summer[1]


@pytest.mark.parametrize(
    ("agent", "settings", "words"),
    [
        ("tabular", {"step_size": 1.5}, "step-size is 1.5"),
        ("linear", {"discount": -0.1}, "discount is -0.1"),
        ("linear", {"told": "item"}, "told is 'item'"),
        ("perfect", {"discount": 0.5}, "discount is for the agents tabular and linear, not for perfect"),
    ],
)
def test_bad_settings_are_refused(agent, settings, words):
    with pytest.raises(BadInput, match=words):
        make_agent(agent, **settings)


def test_a_world_with_too_many_states_has_no_table():
    with pytest.raises(BadInput, match=r"2\^88 sensory states of prey-predator.*nearest agent is linear"):
        live_agent("prey-predator", "tabular", lifetimes=1)
