"""Agents that do not learn by a rule: what they reach, and that they are the same on any number of threads."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from hebbarium.agents.hill_climbing import HillClimbing, UnscaledClimbing
from hebbarium.agents.hill_climbing_kernels import open_climbs
from hebbarium.agents.registry import AGENTS, make_agent
from hebbarium.kernels.compile import Kernel
from hebbarium.kernels.normal import draw_normal
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.studies.live import live_agent
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.registry import WORLDS, make_world
from lives import live_jobs

SMALL = {"season_steps": 200, "seasons": 2}


def quick(name):
    """The agent by name; hill climbing with few iterations."""
    agent = make_agent(name)
    return type(agent)(iterations=8) if isinstance(agent, HillClimbing) else agent


@pytest.mark.parametrize(
    ("name", "task"),
    [(name, task) for name in AGENTS for task in WORLDS if (name, task) != ("tabular", "prey-predator")],
)
def test_counts_are_the_same_for_any_threads_and_any_part_of_the_trials(name, task):
    agent, world = quick(name), make_world(task, **SMALL)
    together = agent.live(world, 6, seed=5, executor=1)
    assert together.shape == (6, 2, len(world.counts))
    assert together.dtype == np.int64
    assert np.array_equal(together, agent.live(world, 6, seed=5, executor=3))
    assert np.array_equal(together[4:], agent.live(world, 2, seed=5, first_trial=4, executor=2))
    assert not np.array_equal(together, agent.live(world, 6, seed=6, executor=1))


@pytest.mark.parametrize("task", WORLDS)
def test_every_task_has_a_perfect_agent_that_beats_chance(task):
    world = make_world(task, season_steps=2000, seasons=2)
    perfect = world.life_fitness(make_agent("perfect").live(world, 20))
    chance = world.life_fitness(make_agent("random").live(world, 20))
    assert perfect.min() > chance.max()


def test_perfect_forager_scores_as_published():
    world = make_world("foraging")
    fitness = world.fitness(make_agent("perfect").live(world, 100, seed=2))
    assert 64 < fitness.mean() < 70
    assert 7 < fitness.std(ddof=1) < 11


def test_random_forager_scores_nothing_and_hits_walls():
    world = make_world("foraging")
    counts = make_agent("random").live(world, 40)
    assert abs(world.life_fitness(counts).mean()) < 1


def test_climbs_never_get_worse_within_a_season_and_fall_when_it_changes():
    world = make_world("foraging", seasons=2, season_steps=2000)
    climbs = HillClimbing(iterations=60).climb(world, 12, seed=3)
    assert (np.diff(climbs.fitness, axis=2) >= 0).all()
    assert climbs.fitness[:, 0, -1].mean() > climbs.fitness[:, 0, 0].mean() + 5
    assert climbs.fitness[:, 1, 0].mean() < -3
    assert np.array_equal(climbs.fitness[:, :, -1], world.fitness(climbs.at(60)))


def test_kept_networks_score_what_was_measured_when_they_won():
    """The first iteration of a climb is its newborn network's life in the first world; lived again, it is the same."""
    world = make_world("foraging", seasons=1, season_steps=1000)
    climbs = HillClimbing(iterations=1).climb(world, 5, seed=9)
    trials = [(1 << 32) + run for run in range(5)]
    jobs = Jobs.of([Rule("0000/0000", 0.0)] * 5, [9] * 5, trials)
    again = live_jobs(world, 20, jobs, networks=climbs.networks[0])
    assert np.array_equal(climbs.at(1), again.counts)


def test_candidates_have_unit_length():
    climbs = HillClimbing(iterations=30).climb(make_world("foraging", seasons=1, season_steps=500), 6)
    for weights in (climbs.networks[0].hidden, climbs.networks[0].output):
        assert np.allclose((weights**2).sum(axis=2), 1)


def test_unscaled_climbs_begin_between_minus_one_and_one_and_are_never_scaled():
    world = make_world("foraging", seasons=2, season_steps=300)
    born = UnscaledClimbing(iterations=1, measured_anew=False).climb(world, 6).networks[0]
    for weights in (born.hidden, born.output):
        assert -1 <= weights.min() < -0.9 < 0.9 < weights.max() < 1
        assert abs((weights**2).mean() - 1 / 3) < 0.1
    grown = UnscaledClimbing(iterations=40).climb(world, 6, seed=3).networks[1]
    lengths = (grown.hidden**2).sum(axis=2)
    assert lengths.std() > 0.3


def test_what_wins_and_what_is_measured_again_can_be_read_otherwise():
    world = make_world("foraging", seasons=2, season_steps=40)  # so short that most lives score the same
    usual, ties, kept = (
        HillClimbing(iterations=12, **reading).climb(world, 8, seed=4)
        for reading in ({}, {"ties_win": True}, {"measured_anew": False})
    )
    assert not np.array_equal(usual.networks[0].hidden, ties.networks[0].hidden)
    assert np.array_equal(usual.networks[0].hidden, kept.networks[0].hidden)
    fitness = kept.fitness.reshape(8, -1)
    assert (np.diff(fitness, axis=1) >= 0).all()
    assert (np.diff(usual.fitness.reshape(8, -1), axis=1) < 0).any()


PREPARED = """
import sys
import numba.core.dispatcher
from hebbarium.agents.registry import AGENTS, make_agent
from hebbarium.worlds.registry import WORLDS, make_world

made = []
compile = numba.core.dispatcher.Dispatcher.compile
def noticed(self, signature):
    made.append((self.py_func.__name__, signature))
    return compile(self, signature)

for task in (make_world(name, season_steps=3, seasons=2) for name in WORLDS):
    for agent in map(make_agent, AGENTS):
        if (agent.name, task.name) == ("tabular", "prey-predator"):
            continue
        vars(agent).update(iterations=3)  # of hill climbing, a few are enough
        agent.prepare(task)
        numba.core.dispatcher.Dispatcher.compile = noticed
        agent.live(task, 9, executor=2)
        numba.core.dispatcher.Dispatcher.compile = compile
        assert not made, (task.name, agent.name, made)
        assert agent.is_compiled(task)
"""


def test_nothing_is_left_to_compile_once_an_agent_is_prepared():
    """So that compiling is announced, and no part of the time that lives take."""
    done = subprocess.run([sys.executable, "-c", PREPARED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("lifetimes", [0, -5, "3", 2.5, None, 10**12])
@pytest.mark.parametrize("name", AGENTS)
def test_lifetimes_are_checked(name, lifetimes):
    with pytest.raises(BadInput, match="lifetimes is"):
        live_agent("foraging", name, lifetimes=lifetimes)


def test_climbs_that_would_not_fit_in_memory_are_refused():
    with pytest.raises(BadInput, match="fit in memory"):
        HillClimbing(iterations=10**6).climb(make_world("foraging"), 10**6)


def test_an_unknown_agent_is_refused_with_the_nearest():
    with pytest.raises(BadInput, match="hill-climbing"):
        make_agent("hillclimbing")


@Kernel
def _normals(stream, size):
    values = np.empty(size)
    for i in range(size):
        values[i] = draw_normal(stream)
    return values


def test_normal_deviates_are_normal():
    streams = np.zeros((1, 2), np.uint64)
    open_climbs(streams, 11, np.zeros(1, np.uint64))
    values = _normals(streams[0], 200_000)
    assert stats.kstest(values, "norm").pvalue > 0.01
    assert abs(values.mean()) < 0.01
    assert values.std() == pytest.approx(1, abs=0.01)
    assert (np.abs(values) > 3).mean() == pytest.approx(0.0027, rel=0.25)
    assert abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 0.01
