"""What there is to run: frozen descriptions, each of which knows how to do itself.

A work's description is its name in the store, so two items that need the same lives share them, and a work
done once is never done again. Works that take long come in pieces, each stored as soon as it is done.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from hebbarium.agents.hill_climbing import MARKS, HillClimbing
from hebbarium.agents.registry import make_agent
from hebbarium.lifetime import Batch, Jobs, live_jobs
from hebbarium.networks import Networks
from hebbarium.rule import Rule
from hebbarium.tasks.base import Task
from hebbarium.tasks.grid import SEASONS
from hebbarium.tasks.registry import make_task

Arrays = dict[str, np.ndarray]
FROZEN = Rule("0000/0000", 0.0)


@dataclass(frozen=True, kw_only=True)
class Work(ABC):
    task: str
    seed: int = 1

    @property
    def name(self) -> str:
        return repr(self)

    @property
    @abstractmethod
    def cost(self) -> float:
        """Roughly how many seconds it takes on two cores."""

    def pieces(self) -> Sequence[Work]:
        """What is done and stored at a time; the arrays of the pieces are joined along their first axis."""
        return (self,)

    @abstractmethod
    def do(self, threads: int | None) -> Arrays: ...


@dataclass(frozen=True, kw_only=True)
class ManyLives(Work):
    """Some trials of one seed."""

    lifetimes: int
    first_trial: int = 0

    def parts(self, size: int) -> Sequence[Self]:
        starts = range(0, self.lifetimes, size)
        return [
            dataclasses.replace(self, lifetimes=min(size, self.lifetimes - start), first_trial=start)
            for start in starts
        ]

    @property
    def world(self) -> Task:
        return make_task(self.task)

    def jobs(self, rule: str) -> Jobs:
        return Jobs.of_rule(Rule(rule), self.lifetimes, self.seed, self.first_trial)


@dataclass(frozen=True, kw_only=True)
class Lives(ManyLives):
    """Lives under one rule. counts: [life, season, count], distinct: [life]."""

    rule: str
    hidden: int | None = None

    @property
    def cost(self) -> float:
        return self.lifetimes * (0.014 if self.task == "prey-predator" else 0.001)

    def do(self, threads: int | None) -> Arrays:
        hidden = self.hidden or self.world.default_hidden
        outcome = live_jobs(self.world, hidden, self.jobs(self.rule), threads=threads, distinct=True)
        assert outcome.distinct_hidden is not None
        return {"counts": outcome.counts, "distinct": outcome.distinct_hidden}


@dataclass(frozen=True, kw_only=True)
class AgentLives(ManyLives):
    """Lives of an agent without a rule. counts: [life, season, count]"""

    agent: str

    @property
    def cost(self) -> float:
        return self.lifetimes * (0.05 if self.task == "prey-predator" else 0.003)

    def do(self, threads: int | None) -> Arrays:
        agent = make_agent(self.agent)
        counts = agent.live(self.world, self.lifetimes, seed=self.seed, first_trial=self.first_trial, threads=threads)
        return {"counts": counts}


@dataclass(frozen=True, kw_only=True)
class Climbs(ManyLives):
    """Hill climbing. marks: [run, season, mark, count], fitness: [run, season, iteration],
    again: [run, season, test], the kept networks' scores when tested again in fresh worlds."""

    iterations: int = 1000
    tests: int = 10

    @property
    def cost(self) -> float:
        return self.lifetimes * self.iterations * (0.004 if self.task == "prey-predator" else 0.0004)

    def pieces(self) -> Sequence[Work]:
        return self.parts(10)

    def do(self, threads: int | None) -> Arrays:
        world = self.world
        climbing = HillClimbing(self.iterations)
        climbs = climbing.climb(world, self.lifetimes, seed=self.seed, first_trial=self.first_trial, threads=threads)
        return {
            "marks": np.stack([climbs.at(mark) for mark in MARKS], axis=2),
            "fitness": climbs.fitness.astype(np.float32),
            "again": np.stack(
                [
                    self._test_again(networks, world.season_kinds[season], threads)
                    for season, networks in enumerate(climbs.networks)
                ],
                axis=1,
            ),
        }

    def _test_again(self, networks: Networks, season: int, threads: int | None) -> np.ndarray:
        """float64 [run, test]"""
        test = Frozen(self.world, season, self.seed + 1, threads)
        trials = (self.first_trial + np.arange(self.lifetimes)) * self.tests
        return np.stack([test.fitness(networks, trials + number) for number in range(self.tests)], axis=1)


@dataclass(frozen=True)
class Frozen:
    """Tests of networks without plasticity, each in a fresh world of one season."""

    task: Task
    season: int
    seed: int
    threads: int | None = None

    def counts(self, networks: Networks, trials: np.ndarray) -> np.ndarray:
        """int64 [network, count]"""
        world = dataclasses.replace(self.task, seasons=1, schedule=SEASONS[self.season])
        jobs = Jobs.of([FROZEN] * len(networks), [self.seed] * len(networks), [int(trial) for trial in trials])
        outcome = live_jobs(world, networks.neurons, jobs, networks=networks, threads=self.threads)
        return outcome.counts[:, 0]

    def fitness(self, networks: Networks, trials: np.ndarray) -> np.ndarray:
        """float64 [network]"""
        world = dataclasses.replace(self.task, seasons=1, schedule=SEASONS[self.season])
        return world.fitness(self.counts(networks, trials)[:, None])[:, 0]


@dataclass(frozen=True, kw_only=True)
class Course(ManyLives):
    """How lives go. counts: [life, moment, count], since birth, after every so many steps."""

    rule: str
    every: int

    @property
    def cost(self) -> float:
        return self.lifetimes * 0.002 + 0.1

    def do(self, threads: int | None) -> Arrays:
        world = self.world
        lives = Batch(world, world.default_hidden, self.jobs(self.rule))
        moments = []
        while lives.step < world.steps:
            lives.advance(self.every)
            moments.append(lives.counts.sum(axis=0))
        return {"counts": np.stack(moments, axis=1)}


@dataclass(frozen=True, kw_only=True)
class FrozenTests(ManyLives):
    """Every so many steps the network is frozen and tested for a season, apart from its life.

    tests: [life, moment, count]; again, again_quiet: [life, season kind, test, count], the best network of
    all summers' and of all winters' tests, tested again in fresh worlds with and without random actions.
    """

    rule: str
    every: int = 20
    retests: int = 0

    @property
    def cost(self) -> float:
        return self.world.steps / self.every * (0.002 + 0.0001 * self.lifetimes)

    def pieces(self) -> Sequence[Work]:
        return self.parts(10)

    def do(self, threads: int | None) -> Arrays:
        world = self.world
        lives = Batch(world, world.default_hidden, self.jobs(self.rule))
        best = _BestNetworks(lives.networks())
        tests = []
        while lives.step < world.steps:
            season = world.season_kinds[lives.step // world.season_steps]
            lives.advance(self.every)
            trials = (self.first_trial + np.arange(self.lifetimes)) * world.steps + lives.step
            networks = lives.networks()
            test = Frozen(world, season, self.seed + 1, threads)
            tests.append(test.counts(networks, trials))
            best.see(networks, season, _signed(tests[-1], season))
        arrays = {"tests": np.stack(tests, axis=1)}
        if self.retests:
            quiet = dataclasses.replace(world, random_action=0.0)
            arrays["again"] = self._retest(world, best, threads)
            arrays["again_quiet"] = self._retest(quiet, best, threads)
        return arrays

    def _retest(self, world: Task, best: _BestNetworks, threads: int | None) -> np.ndarray:
        trials = (self.first_trial + np.arange(self.lifetimes)) * self.retests
        kinds = []
        for season in range(len(SEASONS)):
            test = Frozen(world, season, self.seed + 2, threads)
            counts = [test.counts(best.networks[season], trials + number) for number in range(self.retests)]
            kinds.append(np.stack(counts, axis=1))
        return np.stack(kinds, axis=1)


def _signed(counts: np.ndarray, season: int) -> np.ndarray:
    """Wanted minus unwanted items of one foraging season. counts: [life, count]"""
    difference: np.ndarray = counts[:, 0] - counts[:, 1]
    return difference if season == 0 else -difference


class _BestNetworks:
    """The best network of each life so far, for each kind of season."""

    def __init__(self, born: Networks) -> None:
        self.networks = [Networks(born.task, born.hidden.copy(), born.output.copy()) for _ in SEASONS]
        self.fitness = np.full((len(SEASONS), len(born)), -np.inf)

    def see(self, networks: Networks, season: int, fitness: np.ndarray) -> None:
        better = fitness > self.fitness[season]
        self.fitness[season, better] = fitness[better]
        self.networks[season].hidden[better] = networks.hidden[better]
        self.networks[season].output[better] = networks.output[better]


@dataclass(frozen=True, kw_only=True)
class Weights(ManyLives):
    """Networks at birth and after each season. hidden: [life, moment, post, pre], output: the same."""

    rule: str

    @property
    def cost(self) -> float:
        return self.lifetimes * 0.01

    def do(self, threads: int | None) -> Arrays:
        world = self.world
        lives = Batch(world, world.default_hidden, self.jobs(self.rule))
        moments = [lives.networks()]
        for _ in range(world.seasons):
            lives.advance(world.season_steps)
            moments.append(lives.networks())
        return {
            "hidden": np.stack([networks.hidden for networks in moments], axis=1),
            "output": np.stack([networks.output for networks in moments], axis=1),
        }
