"""Hill climbing, the paper's appendix B: a network without plasticity, optimised season by season.

Each season has 1000 iterations. The first measures the kept network in the new season; each later one makes a
candidate by adding N(0, 0.1) to all weights and scaling every neuron's incoming weights to unit length, lets it
live one season in a fresh world, and keeps it where it scored better. The kept network's score is the one
measured when it won: it is not measured again before the season changes.

The appendix does not speak of scaling. Unscaled climbing takes it at its word: weights begin in [-1, 1), and no weight
is ever scaled. A change of 0.1 is then small beside a neuron's weights, where it is as large as they are in a network
of unit length with many inputs.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hebbarium.agents.base import Agent
from hebbarium.agents.hill_climbing_kernels import draw_weights, open_climbs, perturb
from hebbarium.brains.base import Brain
from hebbarium.brains.network_files import Networks
from hebbarium.brains.sizes import Hidden
from hebbarium.executors.base import Done, Executor
from hebbarium.executors.memory import check_fits, check_hidden, room
from hebbarium.executors.threads import executor_of
from hebbarium.life import batch
from hebbarium.life.batch import Batch
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.tools.errors import BadInput, check_integer, check_number, check_switch, shown
from hebbarium.worlds.base import World
from hebbarium.worlds.seasons import calendar_of

MARKS = (10, 500, 1000)
"""Iterations of a season at which the paper's table looks at the kept network."""
_NEXT_ITERATION = 1 << 32
"""Trials of a run's evaluations lie this far apart, so that no two runs ever meet the same world."""
_TOGETHER = 64
"""Climbs that go in step with each other."""


@dataclass(frozen=True)
class Climbs:
    """What became of some hill climbs."""

    counts: np.ndarray
    """int64 [run, season, iteration, count]: what the kept network counted when it was measured."""
    fitness: np.ndarray
    """float64 [run, season, iteration]: the kept network's score."""
    networks: tuple[Networks, ...]
    """The kept networks at the end of each season."""

    @classmethod
    def joined(cls, parts: list[Climbs]) -> Climbs:
        """One after the other."""
        return cls(
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.fitness for part in parts]),
            tuple(Networks.joined(some) for some in zip(*(part.networks for part in parts), strict=True)),
        )

    def at(self, iteration: int) -> np.ndarray:
        """int64 [run, season, count]: at an iteration, counted from 1, or at the last where there are fewer."""
        last = self.counts.shape[2]
        return self.counts[:, :, min(iteration, last) - 1]


@dataclass(frozen=True)
class Reading:
    """How the climb goes where the paper is silent."""

    scaled: bool
    ties_win: bool
    measured_anew: bool


class HillClimbing(Agent):
    name: ClassVar[str] = "hill-climbing"
    network: ClassVar[bool] = True
    words: ClassVar[str] = (
        "A network without plasticity, optimised for 1000 iterations a season: all weights are changed a little, and "
        "the change is kept where it scores better. The score is that of the evaluation in which the kept network was "
        "chosen."
    )

    scaled: ClassVar[bool] = True

    def __init__(
        self,
        iterations: int = 1000,
        deviation: float = 0.1,
        *,
        scaled: bool | None = None,
        ties_win: bool = False,
        measured_anew: bool = True,
    ) -> None:
        """scaled: whether networks have unit length; without it, as this agent's name says. ties_win: whether a
        candidate that scored as much is kept, too. measured_anew: whether the kept network is measured when the season
        changes; if not, its old score stands."""
        self.iterations = check_integer("iterations", iterations, 1, 10**6)
        self.deviation = check_number("deviation", deviation, 0, 10)
        self.reading = Reading(
            type(self).scaled if scaled is None else check_switch("scaled", scaled),
            check_switch("ties_win", ties_win),
            check_switch("measured_anew", measured_anew),
        )

    @property
    def tries(self) -> int:
        return self.iterations

    def prepare(self, world: World) -> None:
        batch.prepare(world)
        streams = np.zeros((0, 2), np.uint64)
        open_climbs(streams, 0, np.zeros(0, np.uint64))
        perturb(streams, np.zeros((0, 1, 1)), np.zeros((0, 1, 1)), self.deviation, True)
        draw_weights(streams, np.zeros((0, 1, 1)))

    def is_compiled(self, world: World) -> bool:
        return batch.is_compiled(world) and all(one.is_kept for one in (open_climbs, perturb, draw_weights))

    def live(
        self,
        world: World,
        lifetimes: int,
        *,
        seed: int = 1,
        first_trial: int = 0,
        hidden: Hidden | None = None,
        executor: Executor | int | None = None,
        done: Done | None = None,
    ) -> np.ndarray:
        climbs = self.climb(
            world, lifetimes, seed=seed, first_trial=first_trial, hidden=hidden, executor=executor, done=done
        )
        return climbs.at(self.iterations)

    def climb(
        self,
        world: World,
        runs: int,
        *,
        seed: int = 1,
        first_trial: int = 0,
        hidden: Hidden | None = None,
        executor: Executor | int | None = None,
        done: Done | None = None,
    ) -> Climbs:
        """Independent climbs through all seasons of the world, the same on every executor."""
        brain = Brain.of(world, hidden)
        if len(brain.sizes) != 1:
            raise BadInput(f"hidden is {shown(brain.hidden)}, but hill climbing has one hidden layer; give one number.")
        check_hidden(world, brain.hidden, 2 * runs)
        # Every iteration of every climb is kept.
        check_fits("lifetimes", runs, room() / (8 * world.seasons * self.iterations * (len(world.counts) + 1)))
        self.prepare(world)
        executor = executor_of(executor)
        together = 1 if world.own_seasons else _TOGETHER
        size = max(1, min(together, -(-runs // executor.hands)))
        trials = np.arange(first_trial, first_trial + runs, dtype=np.uint64)
        pieces = [
            _Piece(world, brain, seed, trials[start : start + size], self.iterations, self.deviation, self.reading)
            for start in range(0, runs, size)
        ]
        return Climbs.joined(executor.run(pieces, done))


class UnscaledClimbing(HillClimbing):
    name: ClassVar[str] = "unscaled-climbing"
    words: ClassVar[str] = (
        "Hill climbing with the paper's appendix taken literally: weights start in [-1, 1) and are never scaled to "
        "unit length."
    )
    scaled: ClassVar[bool] = False


@dataclass(frozen=True)
class _Piece:
    """Some climbs in step with each other."""

    world: World
    brain: Brain
    seed: int
    trials: np.ndarray
    iterations: int
    deviation: float
    reading: Reading

    @property
    def like(self) -> Hashable:
        return self.world, self.brain, self.iterations

    def __len__(self) -> int:
        return len(self.trials)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """As in `LivesPiece`."""
        each = (len(self), self.world.seasons, self.iterations)
        return {"counts": (*each, len(self.world.counts)), "fitness": each}

    def live(self, stop: threading.Event) -> Climbs:
        counts, fitness = np.zeros(self.shapes["counts"], np.int64), np.zeros(self.shapes["fitness"])
        kept = {}
        climb = _Climb(self)
        # All of them have the seasons of the first: those with seasons of their own climb one by one.
        for season, start, end in calendar_of(self.world, self.seed, int(self.trials[0])).spans():
            one = self.world.one_season(self.world.season_kinds[season], end - start)
            for iteration in range(self.iterations):
                climb.iterate(one, stop, first=iteration == 0)
                if stop.is_set():
                    break
                counts[:, season, iteration], fitness[:, season, iteration] = climb.counts, climb.fitness
            kept[season] = climb.kept.copy()
        return Climbs(counts, fitness, tuple(network for _, network in sorted(kept.items())))


class _Climb:
    """Climbs in progress."""

    def __init__(self, piece: _Piece) -> None:
        self.piece = piece
        runs = len(piece)
        # One life for each climb, without plasticity; each evaluation has trials of its own.
        self.jobs = Jobs.of([FROZEN], [piece.seed], [0]).repeated([runs], piece.trials)
        self.streams = np.zeros((runs, 2), np.uint64)
        open_climbs(self.streams, piece.seed, piece.trials)
        self.evaluations = 0
        self.lives = Batch.of(piece.world.one_season(0), piece.brain, self.jobs)
        self.kept = self.lives.networks()
        if not piece.reading.scaled:
            draw_weights(self.streams, self.kept.hidden)
            draw_weights(self.streams, self.kept.output)
        self.candidates = self.kept.copy()
        self.counts = np.zeros((runs, len(piece.world.counts)), np.int64)
        self.fitness = np.zeros(runs)

    def iterate(self, season: World, stop: threading.Event, *, first: bool) -> None:
        """One iteration of a world's only season; broken off, its scores mean nothing, once `stop` is set."""
        reading = self.piece.reading
        if first and (self.evaluations == 0 or reading.measured_anew):
            self.counts, self.fitness = self._evaluate(self.kept, season, stop)
            return
        deviation, scaled = self.piece.deviation, reading.scaled
        perturb(self.streams, self.kept.hidden, self.candidates.hidden, deviation, scaled)
        perturb(self.streams, self.kept.output, self.candidates.output, deviation, scaled)
        counts, fitness = self._evaluate(self.candidates, season, stop)
        better = fitness >= self.fitness if reading.ties_win else fitness > self.fitness
        self.counts[better], self.fitness[better] = counts[better], fitness[better]
        self.kept.hidden[better] = self.candidates.hidden[better]
        self.kept.output[better] = self.candidates.output[better]

    def _evaluate(self, networks: Networks, season: World, stop: threading.Event) -> tuple[np.ndarray, np.ndarray]:
        """Counts [run, count] and fitness [run] of one season in a fresh world."""
        self.evaluations += 1
        trials = self.piece.trials + np.uint64(_NEXT_ITERATION * self.evaluations)  # birth is evaluation 0's
        if season is self.lives.world:
            self.lives.be_born_again(trials, networks)
        else:
            self.lives = Batch.of(season, self.piece.brain, dataclasses.replace(self.jobs, trial=trials), networks)
        self.lives.live(stop)
        counts = self.lives.counts.swapaxes(0, 1)
        return counts[:, 0], season.fitness(counts)[:, 0]
