"""Hill climbing, the paper's appendix B: a network without plasticity, optimised season by season.

Each season has 1000 iterations. The first measures the kept network in the new season; each later one makes a
candidate by adding N(0, 0.1) to all weights and scaling every neuron's incoming weights to unit length, lets it
live one season in a fresh world, and keeps it where it scored better. The kept network's score is the one
measured when it won: it is not measured again before the season changes.
"""

from __future__ import annotations

import dataclasses
import threading
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hebbarium.agents.base import Agent, Done, Kernel, share
from hebbarium.core.hill_climbing import open_climbs, perturb
from hebbarium.errors import BadInput, check_integer, check_number
from hebbarium.lifetime import Batch, Jobs, check_hidden, total_memory
from hebbarium.networks import Networks
from hebbarium.tasks.base import Task
from hebbarium.tasks.grid import SEASONS

MARKS = (10, 500, 1000)
"""Iterations of a season at which the paper's table looks at the kept network."""
_NEXT_ITERATION = 1 << 32
"""Trials of a run's evaluations lie this far apart, so that no two runs ever meet the same world."""


@dataclass(frozen=True)
class Climbs:
    """What became of some climbs."""

    counts: np.ndarray
    """int64 [run, season, iteration, count]: what the kept network counted when it was measured."""
    fitness: np.ndarray
    """float64 [run, season, iteration]: the kept network's score."""
    networks: tuple[Networks, ...]
    """The kept networks at the end of each season."""

    def at(self, iteration: int) -> np.ndarray:
        """int64 [run, season, count]: at an iteration, counted from 1, or at the last where there are fewer."""
        last = self.counts.shape[2]
        return self.counts[:, :, min(iteration, last) - 1]


class HillClimbing(Agent):
    name: ClassVar[str] = "hill-climbing"
    network: ClassVar[bool] = True
    words: ClassVar[str] = (
        "A network without plasticity, optimised for 1000 iterations a season: all weights are changed a little, and "
        "the change is kept where it scores better. What is counted is the kept network's score when it won."
    )

    def __init__(self, iterations: int = 1000, deviation: float = 0.1) -> None:
        self.iterations = check_integer("iterations", iterations, 1, 10**6)
        self.deviation = check_number("deviation", deviation, 0, 10)

    @property
    def tries(self) -> int:
        return self.iterations

    def kernels(self, task: Task) -> tuple[Kernel, ...]:
        return (open_climbs, perturb)

    def prepare(self, task: Task) -> None:
        super().prepare(task)
        climb = _Climb(dataclasses.replace(task, season_steps=1), 1, 0, np.zeros(1, np.uint64), self.deviation)
        for first in (True, False):
            climb.iterate(0, threading.Event(), first=first)

    def live(
        self,
        task: Task,
        lifetimes: int,
        *,
        seed: int = 1,
        first_trial: int = 0,
        hidden: int | None = None,
        threads: int | None = None,
        done: Done | None = None,
    ) -> np.ndarray:
        climbs = self.climb(
            task, lifetimes, seed=seed, first_trial=first_trial, hidden=hidden, threads=threads, done=done
        )
        return climbs.at(self.iterations)

    def climb(
        self,
        task: Task,
        runs: int,
        *,
        seed: int = 1,
        first_trial: int = 0,
        hidden: int | None = None,
        threads: int | None = None,
        done: Done | None = None,
    ) -> Climbs:
        """Independent climbs through all seasons of the task, the same for any number of threads."""
        hidden = hidden or task.default_hidden
        check_hidden(task, hidden, 2 * runs)
        self._check_memory(task, runs)
        self.prepare(task)
        counts = np.zeros((runs, task.seasons, self.iterations, len(task.counts)), np.int64)
        fitness = np.zeros((runs, task.seasons, self.iterations))
        kept = [_room(task, hidden, runs) for _ in range(task.seasons)]

        def climb_some(rows: slice, stop: threading.Event) -> None:
            trials = np.arange(first_trial + rows.start, first_trial + rows.stop, dtype=np.uint64)
            climb = _Climb(task, hidden, seed, trials, self.deviation)
            for season in range(task.seasons):
                for iteration in range(self.iterations):
                    climb.iterate(task.season_kinds[season], stop, first=iteration == 0)
                    if stop.is_set():
                        return
                    counts[rows, season, iteration], fitness[rows, season, iteration] = climb.counts, climb.fitness
                kept[season].hidden[rows], kept[season].output[rows] = climb.kept.hidden, climb.kept.output

        share(runs, threads, climb_some, done)
        return Climbs(counts, fitness, tuple(kept))

    def _check_memory(self, task: Task, runs: int) -> None:
        """Every iteration of every climb is kept."""
        memory = total_memory()
        if memory is not None:
            most = int(memory * 0.5 / (8 * task.seasons * self.iterations * (len(task.counts) + 1)))
            if runs > most:
                raise BadInput(f"lifetimes is {runs}, which would not fit in memory; the nearest that fits is {most}.")


def _room(task: Task, hidden: int, runs: int) -> Networks:
    return Networks(task.name, np.zeros((runs, hidden, task.inputs + 1)), np.zeros((runs, task.outputs, hidden + 1)))


class _Climb:
    """Some climbs in step with each other, on one thread."""

    def __init__(self, task: Task, hidden: int, seed: int, trials: np.ndarray, deviation: float) -> None:
        self.task, self.hidden, self.seed, self.trials, self.deviation = task, hidden, seed, trials, deviation
        self.streams = np.zeros((len(trials), 2), np.uint64)
        open_climbs(self.streams, seed, trials)
        self.kept = Batch(task, hidden, self._jobs()).networks()
        self.candidates = _room(task, hidden, len(trials))
        self.counts = np.zeros((len(trials), len(task.counts)), np.int64)
        self.fitness = np.zeros(len(trials))
        self.evaluations = 0

    def iterate(self, season: int, stop: threading.Event, *, first: bool) -> None:
        """One iteration; broken off, its scores mean nothing, once `stop` is set."""
        if first:
            self.counts, self.fitness = self._evaluate(self.kept, season, stop)
            return
        perturb(self.streams, self.kept.hidden, self.candidates.hidden, self.deviation)
        perturb(self.streams, self.kept.output, self.candidates.output, self.deviation)
        counts, fitness = self._evaluate(self.candidates, season, stop)
        better = fitness > self.fitness
        self.counts[better], self.fitness[better] = counts[better], fitness[better]
        self.kept.hidden[better] = self.candidates.hidden[better]
        self.kept.output[better] = self.candidates.output[better]

    def _evaluate(self, networks: Networks, season: int, stop: threading.Event) -> tuple[np.ndarray, np.ndarray]:
        """Counts [run, count] and fitness [run] of one season in a fresh world."""
        self.evaluations += 1
        one_season = dataclasses.replace(self.task, seasons=1, schedule=SEASONS[season])
        lives = Batch(one_season, self.hidden, self._jobs(), networks)
        lives.live(stop)
        counts = lives.counts.swapaxes(0, 1)
        return counts[:, 0], one_season.fitness(counts)[:, 0]

    def _jobs(self) -> Jobs:
        """One life for each climb, without plasticity; birth is evaluation 0's."""
        runs = len(self.trials)
        started = getattr(self, "evaluations", 0)
        trials = self.trials + np.uint64(_NEXT_ITERATION * started)
        seeds = np.full(runs, self.seed, np.uint64)
        return Jobs(np.zeros((runs, 8), np.int8), np.zeros(runs), seeds, trials)
