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

from hebbarium.agents.hill_climbing import MARKS, HillClimbing, UnscaledClimbing
from hebbarium.agents.registry import make_agent
from hebbarium.brains.base import Brain
from hebbarium.brains.network_files import Networks
from hebbarium.executors.base import Executor, Outcome, run
from hebbarium.experiment import Ways
from hebbarium.life.batch import Batch, TraceRoom
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.life.observers import AtTheEnd, Curves, Observer, Room, Snapshots, every
from hebbarium.paper.printed_numbers import POOLED
from hebbarium.paper.readings import READINGS, TEXT
from hebbarium.rules.layered import read_rule
from hebbarium.rules.shape import LAYERS, layer_names
from hebbarium.search.registry import make_search
from hebbarium.store.kept_arrays import Piece
from hebbarium.studies.engine import Work
from hebbarium.studies.evolve.one_search import Lifetimes, Lineage
from hebbarium.studies.evolve.study import lived
from hebbarium.worlds.base import World
from hebbarium.worlds.grid import BLUE, GREEN, STRAIGHT
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
    """A work that is some trials of one seed."""

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
    """A work that is lives under one rule."""

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
        return self.world.steps / self.every * (0.0005 + 0.0001 * self.lifetimes)

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


_LAYERS = layer_names(LAYERS)
_TOGETHER = 50
"""The tests of at most so many moments are lived at once: their networks have to be kept until then."""


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
        """Networks of one season wait for each other: many short lives at once are quicker."""
        for name, weights in batch.networks().by_name().items():
            room[f"{name} at {batch.step}"] = weights
        following = min(batch.step + self.every, batch.world.steps)
        is_last = batch.step == following or batch.season_at(following - 1)[0] != batch.season
        if is_last or batch.step % (_TOGETHER * self.every) == 0:
            self._test(batch, [step for step in self.moments(batch.world) if f"hidden at {step}" in room], room)

    def _test(self, batch: Batch, steps: Sequence[int], room: Room) -> None:
        """Test what has waited since these steps of a season."""
        world, lives = batch.world, np.arange(len(batch.jobs))
        # [life, moment, post, pre]
        waiting = {name: np.stack([room.pop(f"{name} at {step}") for step in steps], axis=1) for name in _LAYERS}
        test = Frozen(world, world.season_kinds[batch.season], self.seed)
        trials = batch.jobs.trial[:, None] * np.uint64(world.steps) + np.array(steps, np.uint64)
        networks = Networks(world.name, *(weights.reshape(-1, *weights.shape[2:]) for weights in waiting.values()))
        counts = test.counts(networks, trials.ravel(), 1)
        fitness = test.fitness(counts).reshape(trials.shape)
        tests = counts.reshape(*trials.shape, -1)
        room["tests"] = np.concatenate([room["tests"], tests], axis=1) if "tests" in room else tests
        for kind in range(len(world.kinds)):  # a kind that was never tested has the first network
            room.setdefault(f"best {kind}", np.full(len(lives), -np.inf))
            for name, weights in waiting.items():
                room.setdefault(f"{name} {kind}", weights[:, 0].copy())
        place = fitness.argmax(axis=1)
        better = fitness[lives, place] > room[f"best {test.kind}"]
        some = lives[better], place[better]
        room[f"best {test.kind}"][better] = fitness[some]
        for name, weights in waiting.items():
            room[f"{name} {test.kind}"][better] = weights[some]


@dataclass(frozen=True, kw_only=True)
class Weights(OfRule):
    """Networks at birth and after each season. hidden: [life, moment, post, pre], output: the same."""

    kind = "Weights"
    seconds = 0.01

    def do(self, executor: Executor | int | None) -> Arrays:
        moments = tuple(range(0, self.world.steps + 1, self.world.season_steps))
        return self.lived(executor, Snapshots(moments)).seen[0]


# Single lives looked at closely: where an agent goes, what it does, what its world looks like.

REWARDED, PUNISHED, STRAIGHT_ON, DIAGONAL = range(4)
"""What a trace is summed up as: shares of a life's steps."""


@dataclass(frozen=True, kw_only=True)
class Behaviours(OfRule):
    """Shares of the steps of a life that are rewarded, punished, straight on after straight on, and diagonal.

    A step is diagonal when it turns one way right after a turn the other way. shares: [life, 4]; learnt: [life, 2], the
    shares of steps that are punished and rewarded and not random, so that a rule may change weights.
    """

    kind = "Behaviours"
    seconds = 0.2

    def pieces(self) -> Sequence[PaperWork]:
        return self.parts(10)

    def do(self, executor: Executor | int | None) -> Arrays:
        return self.lived(executor, Shares()).seen[0]


class _Traced(Observer):
    """Traces one life between its two moments, and then sums it up."""

    alone = True

    def see(self, batch: Batch, room: Room) -> None:
        if batch.trace is None:
            start, end = self.moments(batch.world)
            batch.trace = TraceRoom(batch.world, start, end - start)
        else:
            self.sum_up(batch, batch.trace, room)

    @abstractmethod
    def sum_up(self, batch: Batch, trace: TraceRoom, room: Room) -> None: ...


@dataclass(frozen=True)
class Shares(_Traced):
    """What a life did, see `Behaviours`."""

    def moments(self, world: World) -> Sequence[int]:
        return 0, world.steps

    def sum_up(self, batch: Batch, trace: TraceRoom, room: Room) -> None:
        steps = trace.steps
        before, now = steps.action[:-1], steps.action[1:]
        straight = (before == STRAIGHT) & (now == STRAIGHT)
        diagonal = (before != STRAIGHT) & (now != STRAIGHT) & (before != now)
        signals = (steps.reinforcement == 1, steps.reinforcement == -1)
        room["shares"] = np.array([[np.mean(one) for one in (*signals, straight, diagonal)]])
        room["learnt"] = np.array([[np.mean((steps.reinforcement == sign) & ~steps.random) for sign in (-1, 1)]])


@dataclass(frozen=True, kw_only=True)
class Roaming(OfRule):
    """Where a life goes in its last steps. cells: [life], different cells it stood on; beside_walls: [life], the share
    of steps beside a wall; counts: [life, season, count]."""

    kind = "Roaming"
    seconds = 0.004
    tail: int

    def do(self, executor: Executor | int | None) -> Arrays:
        outcome = self.lived(executor, _Ground(self.tail))
        return {**outcome.seen[0], "counts": outcome.counts}


@dataclass(frozen=True)
class _Ground(_Traced):
    """Where a life went in its last steps."""

    tail: int

    def moments(self, world: World) -> Sequence[int]:
        return world.steps - self.tail, world.steps

    def sum_up(self, batch: Batch, trace: TraceRoom, room: Room) -> None:
        places, last = trace.notes.position, len(batch.picture().cells) - 2
        row, column = places.T
        room["cells"] = np.array([len(np.unique(row * (last + 2) + column))])
        room["beside_walls"] = np.array([((places == 1) | (places == last)).any(axis=1).mean()])


@dataclass(frozen=True, kw_only=True)
class Snapshot(OfRule):
    """A world with its agent after some steps. things: [1, thing, 3], row, column and what it is;
    path: [1, step, 2], where the agent came from; direction: [1]."""

    kind = "Snapshot"
    seconds = 0.1
    steps: int
    tail: int
    lifetimes: int = 1

    def do(self, executor: Executor | int | None) -> Arrays:
        return self.lived(executor, _Portrait(self.steps, self.tail)).seen[0]


@dataclass(frozen=True)
class _Portrait(_Traced):
    steps: int
    tail: int

    def moments(self, world: World) -> Sequence[int]:
        return self.steps - self.tail, self.steps

    def sum_up(self, batch: Batch, trace: TraceRoom, room: Room) -> None:
        picture = batch.picture()
        rows, columns = np.nonzero((picture.cells == GREEN) | (picture.cells == BLUE))  # the wall's corner is 0, 0
        things = np.stack([rows, columns, picture.cells[rows, columns]], axis=1)
        room["things"] = things[None].astype(np.int64)
        room["path"] = trace.notes.position[None]
        room["direction"] = np.array([picture.direction])
        batch.trace = None  # tracing is slow, and the rest of the life is not looked at


# Hill climbing as a work.

CLIMBERS = {climber.name: climber for climber in (HillClimbing, UnscaledClimbing)}


@dataclass(frozen=True, kw_only=True)
class HillClimbs(ManyLives):
    """Hill climbing. marks: [run, season, mark, count], fitness: [run, season, iteration],
    again: [run, season, test], the kept networks' scores when tested again in fresh worlds;
    shares: [run, season, 4], how they move in the first of these tests (see `Behaviours`)."""

    kind = "Climbs"
    iterations: int = 1000
    tests: int = 10

    @property
    def cost(self) -> float:
        return self.lifetimes * self.iterations * (0.004 if self.task == "prey-predator" else 0.0004)

    def pieces(self) -> Sequence[PaperWork]:
        return self.parts(10)

    def do(self, executor: Executor | int | None) -> Arrays:
        world = self.world
        climbing = CLIMBERS[READINGS[self.reading].agent](self.iterations)
        climbs = climbing.climb(world, self.lifetimes, seed=self.seed, first_trial=self.first_trial, executor=executor)
        trials = (self.first_trial + np.arange(self.lifetimes)) * self.tests
        again, shares = [], []
        for kind, networks in zip(world.season_kinds, climbs.networks, strict=True):
            test = Frozen(world, kind, self.seed + 1)
            scores = [test.fitness(test.counts(networks, trials + number, executor)) for number in range(self.tests)]
            again.append(np.stack(scores, axis=1))
            shares.append(test.live(networks, trials, executor, [Shares()]).seen[0]["shares"])
        return {
            "marks": np.stack([climbs.at(mark) for mark in MARKS], axis=2),
            "fitness": climbs.fitness.astype(np.float32),
            "again": np.stack(again, axis=1),
            "shares": np.stack(shares, axis=1),
        }


# The paper's searches as works: runs of the genetic algorithm, their best rules scored on fresh lives.

_NEXT_RUN = 1 << 32
"""Trials of one run's lifetimes lie this far from the next one's."""


@dataclass(frozen=True, kw_only=True)
class Evolutions(PaperWork):
    """Runs of the genetic algorithm. entries: [instance, 8], eta: [instance], scores: [instance, life], the ten
    best of each run's last population scored on fresh lives; generations: [run]."""

    kind = "Evolutions"
    runs: int
    first_run: int = 0
    max_generations: int | None = None
    rescored: int = 100

    @property
    def cost(self) -> float:
        generations = self.max_generations or 80
        life = 0.018 if self.task == "prey-predator" else 0.0027
        return self.runs * life * (100 * generations + POOLED * self.rescored)

    def pieces(self) -> Sequence[PaperWork]:
        runs = range(self.first_run, self.first_run + self.runs)
        return [dataclasses.replace(self, first_run=run, runs=1) for run in runs]

    def do(self, executor: Executor | int | None) -> Arrays:
        reading = READINGS[self.reading]
        settings = {"max_generations": self.max_generations, **reading.search.get(self.task, {})}
        search = make_search("genetic", self.seed, self.first_run, **settings)
        # All of one seed, each run's trials far from the next one's.
        lifetimes = Lifetimes(self.seed + 3, self.seed + 3, _NEXT_RUN * self.first_run)
        lineage = Lineage(search, self.first_run, lifetimes, POOLED, self.rescored)
        ways = Ways(world=self.world, brain=self.brain())
        while wanted := lineage.waiting():
            rules = [reading.rule(one.rule) for one in wanted]
            for record in lived(ways, wanted, executor, rules):
                lineage.take(record)
        best = lineage.instances()
        return {
            "entries": np.array([one.individual.rule.layers[-1].entries for one in best], np.int8),
            "eta": np.array([one.individual.rule.eta for one in best]),
            "scores": np.array([one.record.scores for one in best if one.record is not None]),
            "generations": np.array([search.generation]),
        }
