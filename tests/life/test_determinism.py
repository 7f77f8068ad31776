"""A life is fixed by its task, size, rule, eta, seed and trial: not by threads, batches, slices or company."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest

from hebbarium.brains.network_files import Networks
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import PAPER_RULES, RULES, Rule
from hebbarium.worlds.base import World
from hebbarium.worlds.grid import GridWorld
from hebbarium.worlds.registry import WORLDS, make_world
from lives import batch_of, live_jobs

HIDDEN = 6
ALL_TASKS = pytest.mark.parametrize("name", sorted(WORLDS))


def task_of(name: str) -> World:
    smaller = {"grid_size": 20} if issubclass(WORLDS[name], GridWorld) else {}
    return make_world(name, season_steps=90, seasons=3, random_action=0.05, **smaller)


def mixed_jobs(count: int, seed: int = 1) -> Jobs:
    """Rules that punish only, reward, do nothing; seeds and trials of all sizes."""
    chance = random.Random(seed)
    paper = [Rule(name) for name in PAPER_RULES]
    rules = [
        chance.choice(paper)
        if chance.random() < 0.6
        else Rule(chance.choice([chance.randrange(RULES), "0000/0000"]), chance.random())
        for _ in range(count)
    ]
    return Jobs.of(rules, [chance.choice([5, 2**63, chance.getrandbits(64)]) for _ in rules], range(count))


def rows(jobs: Jobs, some: list[int]) -> Jobs:
    return Jobs(jobs.entries[some], jobs.eta[some], jobs.seed[some], jobs.trial[some])


def same(ours: Networks | None, theirs: Networks | None) -> bool:
    assert ours is not None
    assert theirs is not None
    return ours.hidden.tobytes() == theirs.hidden.tobytes() and ours.output.tobytes() == theirs.output.tobytes()


@ALL_TASKS
def test_any_threads_and_batches(name: str) -> None:
    task, jobs = task_of(name), mixed_jobs(70)
    expected = live_jobs(task, HIDDEN, jobs, threads=1)
    assert expected.counts.sum() > 0
    for threads, batch in [(1, 1), (1, 64), (2, None), (2, 3), (3, 8), (3, 64), (8, None), (8, 1), (8, 5)]:
        outcome = live_jobs(task, HIDDEN, jobs, threads=threads, batch=batch)
        assert np.array_equal(outcome.counts, expected.counts), (threads, batch)
        assert np.array_equal(outcome.distinct_hidden, expected.distinct_hidden), (threads, batch)
        assert same(outcome.networks, expected.networks), (threads, batch)


@ALL_TASKS
def test_alone_or_among_a_thousand_others(name: str) -> None:
    task, jobs = task_of(name), mixed_jobs(1001)
    together = live_jobs(task, HIDDEN, jobs)
    assert together.networks is not None
    for life in [0, 7, 8, 63, 64, 500, 999, 1000]:
        alone = live_jobs(task, HIDDEN, rows(jobs, [life]))
        assert np.array_equal(alone.counts[0], together.counts[life]), life
        assert same(
            alone.networks,
            Networks(task.name, together.networks.hidden[[life]], together.networks.output[[life]]),
        ), life


@ALL_TASKS
def test_any_order(name: str) -> None:
    task, jobs = task_of(name), mixed_jobs(50)
    expected = live_jobs(task, HIDDEN, jobs).counts
    order = random.Random(3).sample(range(50), 50)
    assert np.array_equal(live_jobs(task, HIDDEN, rows(jobs, order)).counts, expected[order])


@ALL_TASKS
@pytest.mark.parametrize("slices", [[1], [2, 1, 7], [89, 2], [90], [91], [13, 200], [1000]], ids=str)
def test_slices_of_any_length(name: str, slices: list[int]) -> None:
    task, jobs = task_of(name), mixed_jobs(19)
    whole, sliced = batch_of(task, HIDDEN, jobs), batch_of(task, HIDDEN, jobs)
    whole.advance(task.steps)
    turn = 0
    while sliced.step < task.steps:
        sliced.advance(slices[turn % len(slices)])
        turn += 1
    sliced.advance(5)  # life is over: nothing happens
    assert sliced.step == task.steps
    assert np.array_equal(sliced.counts, whole.counts)
    assert same(sliced.networks(), whole.networks())


@ALL_TASKS
def test_a_seed_and_trial_are_the_same_birth_whatever_the_rule(name: str) -> None:
    """Two rules meet the same newborn brains and the same worlds, so that they can be compared in pairs."""
    task = task_of(name)
    one, other = (batch_of(task, HIDDEN, Jobs.of_rule(Rule(rule, 0.1), 9, 4)) for rule in (17, 6000))
    assert same(one.networks(), other.networks())
    for ours, theirs in zip(one.state, other.state, strict=True):
        assert np.array_equal(ours, theirs)


@ALL_TASKS
def test_seeds_and_trials_matter(name: str) -> None:
    task = task_of(name)
    births = [
        batch_of(task, HIDDEN, Jobs.of([Rule("foraging:1")], [seed], [trial])).networks().hidden.tobytes()
        for seed in range(10)
        for trial in range(10)
    ]
    assert len(set(births)) == 100


@ALL_TASKS
def test_lives_that_are_born_again_are_those_of_a_new_batch(name: str) -> None:
    task, jobs = task_of(name), mixed_jobs(9)
    again = batch_of(task, HIDDEN, jobs)
    networks = batch_of(task, HIDDEN, mixed_jobs(9, 2)).networks()
    again.live()
    again.be_born_again(jobs.trial + np.uint64(100), networks)
    new = batch_of(task, HIDDEN, dataclasses.replace(jobs, trial=jobs.trial + np.uint64(100)), networks)
    again.live()
    new.live()
    assert np.array_equal(again.counts, new.counts)
    assert same(again.networks(), new.networks())
    assert np.array_equal(again.streams, new.streams)
    assert np.array_equal(again.brains.stream, new.brains.stream)


@ALL_TASKS
def test_networks_live_on(name: str) -> None:
    """Saved and loaded networks begin as they were, frozen ones end so too, and their lives depend on nothing else."""
    task, jobs = task_of(name), mixed_jobs(11)
    grown = live_jobs(task, HIDDEN, jobs).networks
    assert grown is not None
    frozen = Jobs.of([Rule("0000/0000", 0.5)] * 11, [3] * 11, range(11))
    after = live_jobs(task, HIDDEN, frozen, networks=grown, batch=4)
    assert same(after.networks, grown)
    again = live_jobs(task, HIDDEN, jobs, networks=grown, threads=3, batch=2)
    assert np.array_equal(again.counts, live_jobs(task, HIDDEN, jobs, networks=grown, batch=11).counts)


@ALL_TASKS
def test_rules_may_change_within_a_life(name: str) -> None:
    """What a life becomes does not depend on whether it shares its batch, even when its rule is changed."""
    task, jobs, others = task_of(name), mixed_jobs(12), mixed_jobs(12, seed=2)
    together = batch_of(task, HIDDEN, jobs)
    together.advance(100)
    together.set_rules(others.entries, others.eta)
    together.advance(task.steps)
    for life in (0, 5, 11):
        alone = batch_of(task, HIDDEN, rows(jobs, [life]))
        alone.advance(100)
        alone.set_rules(others.entries[[life]], others.eta[[life]])
        alone.advance(task.steps)
        assert np.array_equal(alone.counts[:, 0], together.counts[:, life])
        assert alone.networks().hidden[0].tobytes() == together.networks().hidden[life].tobytes()
