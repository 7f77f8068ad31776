"""What there is to run: frozen descriptions, each of which knows how to do itself.

A work's description is what it is found by in the store, so a work done once is never done again. Works that
take long come in pieces, each stored as soon as it is done.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from hebbarium.agents.registry import make_agent
from hebbarium.brains.base import Brain
from hebbarium.brains.network_files import Networks
from hebbarium.executors.base import Executor, Outcome, run
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.life.observers import AtTheEnd, Curves, Observer, Room, Snapshots, append, every
from hebbarium.paper.readings import READINGS, TEXT
from hebbarium.rules.layered import read_rule
from hebbarium.store.kept_arrays import Piece
from hebbarium.studies.engine import Work
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class PaperWork(ABC):
    task: str
    seed: int = 1
    reading: str = TEXT
    settings: tuple[tuple[str, Any], ...] | None = None
    """The world's settings that differ from the paper's."""

    kind: ClassVar[str]
    """Its name in the store, which stays the same if the class is renamed."""

    @property
    def piece(self) -> Piece:
        """Where its arrays are kept: named by every field, so two items that need the same lives share them. The
        text's reading is left out of the name, because it was once the only one."""
        return Piece.of(self.kind, {**vars(self), "reading": None if self.reading == TEXT else self.reading})

    @property
    def world(self) -> World:
        world, wanted = make_world(self.task), READINGS[self.reading].world
        known = {name: wanted[name] for name in wanted if hasattr(world, name)}
        return dataclasses.replace(world, **known, **dict(self.settings or ()))

    def brain(self, hidden: int | None = None) -> Brain:
        return Brain.of(self.world, hidden, **READINGS[self.reading].brain)

    @property
    @abstractmethod
    def cost(self) -> float:
        """Roughly how many seconds it takes on two cores."""

    def pieces(self) -> Sequence[PaperWork]:
        """What is done and stored at a time; the arrays of the pieces are joined along their first axis."""
        return (self,)

    @abstractmethod
    def do(self, executor: Executor | int | None) -> Arrays: ...

    def work(self, share: float) -> Work:
        """For the engine. share: of the whole for each second."""
        return Work(self.piece, lambda executor, done: self.do(executor), self.cost * share, 0)


@dataclass(frozen=True, kw_only=True)
class ManyLives(PaperWork):
    """Some trials of one seed."""

    seconds: ClassVar[float]
    """Roughly how long a life takes on two cores."""
    lifetimes: int
    first_trial: int = 0

    @property
    def cost(self) -> float:
        return self.lifetimes * self.seconds

    def parts(self, size: int) -> Sequence[Self]:
        return [
            dataclasses.replace(self, lifetimes=min(size, self.lifetimes - start), first_trial=start)
            for start in range(0, self.lifetimes, size)
        ]


@dataclass(frozen=True, kw_only=True)
class OfRule(ManyLives):
    """Lives under one rule."""

    rule: str

    def lived(self, executor: Executor | int | None, observer: Observer, hidden: int | None = None) -> Outcome:
        rule = READINGS[self.reading].rule(read_rule(self.rule))
        jobs = Jobs.of_rule(rule, self.lifetimes, self.seed, self.first_trial)
        return run(executor, self.world, self.brain(hidden), jobs, [observer])


@dataclass(frozen=True, kw_only=True)
class RuleLives(OfRule):
    """What lives under one rule count. counts: [life, season, count], distinct: [life]."""

    kind = "Lives"
    hidden: int | None = None

    @property
    def cost(self) -> float:
        return self.lifetimes * (0.014 if self.task == "prey-predator" else 0.001)

    def do(self, executor: Executor | int | None) -> Arrays:
        outcome = self.lived(executor, AtTheEnd(), self.hidden)
        return {"counts": outcome.counts, "distinct": outcome.seen[0]["distinct"]}


@dataclass(frozen=True, kw_only=True)
class AgentLives(ManyLives):
    """Lives of an agent without a rule. counts: [life, season, count]"""

    kind = "AgentLives"
    agent: str

    @property
    def cost(self) -> float:
        return self.lifetimes * (0.05 if self.task == "prey-predator" else 0.003)

    def do(self, executor: Executor | int | None) -> Arrays:
        agent = make_agent(self.agent)
        counts = agent.live(self.world, self.lifetimes, seed=self.seed, first_trial=self.first_trial, executor=executor)
        return {"counts": counts}


@dataclass(frozen=True)
class Frozen:
    """Tests of networks without plasticity, each in a fresh world of one kind of season."""

    world: World
    kind: int
    seed: int

    def live(
        self,
        networks: Networks,
        trials: np.ndarray,
        executor: Executor | int | None = None,
        observers: Sequence[Observer] = (),
    ) -> Outcome:
        world = self.world.one_season(self.kind)
        jobs = Jobs.of([FROZEN], [self.seed], [0]).repeated([len(networks)], trials.astype(np.uint64))
        return run(executor, world, Brain.of(world, networks.neurons), jobs, observers, networks=networks)

    def counts(self, networks: Networks, trials: np.ndarray, executor: Executor | int | None = None) -> np.ndarray:
        """int64 [network, count]"""
        return self.live(networks, trials, executor).counts[:, 0]

    def fitness(self, counts: np.ndarray) -> np.ndarray:
        """float64 [network]"""
        return self.world.one_season(self.kind).fitness(counts[:, None])[:, 0]


@dataclass(frozen=True, kw_only=True)
class Course(OfRule):
    """The course of lives. counts: [life, moment, count], since birth, every `every` steps."""

    kind = "Course"
    every: int

    @property
    def cost(self) -> float:
        return self.lifetimes * 0.002 + 0.1

    def do(self, executor: Executor | int | None) -> Arrays:
        return self.lived(executor, Curves(self.every)).seen[0]


@dataclass(frozen=True, kw_only=True)
class FrozenTests(OfRule):
    """Every `every` steps the network is frozen and tested for a season, apart from its life.

    tests: [life, moment, count]; again, again_quiet: [life, season kind, test, count], the best network of
    all summers' and of all winters' tests, tested again in fresh worlds with and without random actions.
    """

    kind = "FrozenTests"
    every: int = 20
    retests: int = 0

    @property
    def cost(self) -> float:
        return self.world.steps / self.every * (0.002 + 0.0001 * self.lifetimes)

    def pieces(self) -> Sequence[PaperWork]:
        return self.parts(10)

    def do(self, executor: Executor | int | None) -> Arrays:
        (seen,) = self.lived(executor, _Tester(self.every, self.seed + 1)).seen
        arrays = {"tests": seen["tests"]}
        if self.retests:
            quiet = dataclasses.replace(self.world, random_action=0.0)
            arrays["again"] = self._retest(self.world, seen, executor)
            arrays["again_quiet"] = self._retest(quiet, seen, executor)
        return arrays

    def _retest(self, world: World, best: Room, executor: Executor | int | None) -> np.ndarray:
        """int64 [life, season kind, test, count]"""
        trials = (self.first_trial + np.arange(self.lifetimes)) * self.retests
        kinds = []
        for kind in range(len(world.kinds)):
            test = Frozen(world, kind, self.seed + 2)
            networks = Networks(world.name, best[f"hidden {kind}"], best[f"output {kind}"])
            counts = [test.counts(networks, trials + number, executor) for number in range(self.retests)]
            kinds.append(np.stack(counts, axis=1))
        return np.stack(kinds, axis=1)


@dataclass(frozen=True)
class _Tester(Observer):
    """Every `every` steps the network is frozen and tested for a season, apart from its life.

    tests: [life, moment, count]; hidden and output of each kind of season: the best network of all its tests.
    """

    every: int
    seed: int

    def moments(self, world: World) -> Sequence[int]:
        return every(self.every, world)

    def see(self, batch: Batch, room: Room) -> None:
        world, networks = batch.world, batch.networks()
        test = Frozen(world, world.season_kinds[batch.season], self.seed)
        trials = batch.jobs.trial * np.uint64(world.steps) + np.uint64(batch.step)
        counts = test.counts(networks, trials, 1)
        append(room, tests=counts)
        for kind in range(len(world.kinds)):  # a kind that was never tested is the newborn network's
            room.setdefault(f"hidden {kind}", networks.hidden.copy())
            room.setdefault(f"output {kind}", networks.output.copy())
            room.setdefault(f"best {kind}", np.full(len(networks), -np.inf))
        fitness = test.fitness(counts)
        better = fitness > room[f"best {test.kind}"]
        room[f"best {test.kind}"][better] = fitness[better]
        room[f"hidden {test.kind}"][better] = networks.hidden[better]
        room[f"output {test.kind}"][better] = networks.output[better]


@dataclass(frozen=True, kw_only=True)
class Weights(OfRule):
    """Networks at birth and after each season. hidden: [life, moment, post, pre], output: the same."""

    kind = "Weights"
    seconds = 0.01

    def do(self, executor: Executor | int | None) -> Arrays:
        moments = tuple(range(0, self.world.steps + 1, self.world.season_steps))
        return self.lived(executor, Snapshots(moments)).seen[0]
