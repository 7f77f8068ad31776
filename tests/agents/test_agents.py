"""Agents that do not learn by a rule: what they reach, and that they are the same on any number of threads."""

from __future__ import annotations

import subprocess
import sys

import numba
import numpy as np
import pytest
from scipy import stats

from hebbarium.agents.hill_climbing import HillClimbing
from hebbarium.agents.living import live_agent
from hebbarium.agents.perfect import KERNELS
from hebbarium.agents.registry import AGENTS, make_agent
from hebbarium.core.hill_climbing import open_climbs
from hebbarium.core.normal import draw_normal
from hebbarium.errors import BadInput
from hebbarium.lifetime import Jobs, live_jobs
from hebbarium.rule import Rule
from hebbarium.tasks.registry import TASKS, make_task

SMALL = {"season_steps": 200, "seasons": 2}


def quick(name):
    """The agent by name; hill climbing with few iterations."""
    return HillClimbing(iterations=8) if name == "hill-climbing" else make_agent(name)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", AGENTS)
def test_counts_are_the_same_for_any_threads_and_any_part_of_the_trials(name, task):
    agent, world = quick(name), make_task(task, **SMALL)
    together = agent.live(world, 6, seed=5, threads=1)
    assert together.shape == (6, 2, len(world.counts))
    assert together.dtype == np.int64
    assert np.array_equal(together, agent.live(world, 6, seed=5, threads=3))
    assert np.array_equal(together[4:], agent.live(world, 2, seed=5, first_trial=4, threads=2))
    assert not np.array_equal(together, agent.live(world, 6, seed=6, threads=1))


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_a_perfect_agent_that_beats_chance(task):
    assert task in KERNELS
    world = make_task(task, season_steps=2000, seasons=2)
    perfect = world.life_fitness(make_agent("perfect").live(world, 20))
    chance = world.life_fitness(make_agent("random").live(world, 20))
    assert perfect.min() > chance.max()


def test_perfect_forager_scores_as_published():
    world = make_task("foraging")
    fitness = world.fitness(make_agent("perfect").live(world, 100, seed=2))
    assert 64 < fitness.mean() < 70
    assert 7 < fitness.std(ddof=1) < 11


def test_random_forager_scores_nothing_and_hits_walls():
    world = make_task("foraging")
    counts = make_agent("random").live(world, 40)
    assert abs(world.life_fitness(counts).mean()) < 1


def test_climbs_never_get_worse_within_a_season_and_fall_when_it_changes():
    world = make_task("foraging", seasons=2, season_steps=2000)
    climbs = HillClimbing(iterations=60).climb(world, 12, seed=3)
    assert (np.diff(climbs.fitness, axis=2) >= 0).all()
    assert climbs.fitness[:, 0, -1].mean() > climbs.fitness[:, 0, 0].mean() + 5
    assert climbs.fitness[:, 1, 0].mean() < -3
    assert np.array_equal(climbs.fitness[:, :, -1], world.fitness(climbs.at(60)))


def test_kept_networks_score_what_was_measured_when_they_won():
    """The first iteration of a climb is its newborn network's life in the first world; lived again, it is the same."""
    world = make_task("foraging", seasons=1, season_steps=1000)
    climbs = HillClimbing(iterations=1).climb(world, 5, seed=9)
    trials = [(1 << 32) + run for run in range(5)]
    jobs = Jobs.of([Rule("0000/0000", 0.0)] * 5, [9] * 5, trials)
    again = live_jobs(world, 20, jobs, networks=climbs.networks[0])
    assert np.array_equal(climbs.at(1), again.counts)


def test_candidates_have_unit_length():
    climbs = HillClimbing(iterations=30).climb(make_task("foraging", seasons=1, season_steps=500), 6)
    for weights in (climbs.networks[0].hidden, climbs.networks[0].output):
        assert np.allclose((weights**2).sum(axis=2), 1)


PREPARED = """
from hebbarium.agents.registry import AGENTS, make_agent
from hebbarium.lifetime import core_of
from hebbarium.tasks.registry import TASKS, make_task

for task in (make_task(name, season_steps=3, seasons=2) for name in TASKS):
    for agent in map(make_agent, AGENTS):
        vars(agent).update(iterations=3)  # of hill climbing, a few are enough
        agent.prepare(task)
        kernels = [core_of(task).begin, core_of(task).advance, *agent.kernels(task)]
        before = [list(kernel.signatures) for kernel in kernels]
        agent.live(task, 9, threads=2)
        assert before == [list(kernel.signatures) for kernel in kernels], (task.name, agent.name)
        assert all(before) and agent.is_compiled(task)
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
        HillClimbing(iterations=10**6).climb(make_task("foraging"), 10**6)


def test_an_unknown_agent_is_refused_with_the_nearest():
    with pytest.raises(BadInput, match="hill-climbing"):
        make_agent("hillclimbing")


@numba.njit
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
