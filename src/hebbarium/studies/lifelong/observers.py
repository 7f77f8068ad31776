"""Observers of long lives: what was counted window by window, what fades, and what a network still knows."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.life.observers import Observer, Room, append

if TYPE_CHECKING:
    from hebbarium.life.batch import Batch
    from hebbarium.worlds.base import World

FADING = ("hidden_norm", "hidden_bias", "output_norm", "output_bias", "distinct_hidden", "kinds_of_hidden")
"""What is measured of a network; see `Fading`."""
_TESTS = 1 << 40
"""What is added to a life's trial for its tests: worlds that no life has met."""


@dataclass(frozen=True)
class Windows(Observer):
    """counts: int32 [lifetime, season, window, count], what was counted in each window of each season.

    The last window of a season is shorter where the season is no multiple of it. Where lengths are random, one window
    more holds what was counted in a season after the usual length of one.
    """

    steps: int

    def windows(self, world: World) -> int:
        return -(-world.season_steps // self.steps) + (world.season_lengths == "random")

    def due(self, batch: Batch) -> Sequence[int]:
        usual, starts = batch.world.season_steps, (0, *batch.season_ends)
        return [
            moment
            for start, end in itertools.pairwise(starts)
            for moment in sorted({*range(start + self.steps, min(start + usual, end), self.steps), start + usual, end})
            if moment <= end
        ]

    def see(self, batch: Batch, room: Room) -> None:
        world, windows = batch.world, self.windows(batch.world)
        if not room:
            room["counts"] = np.zeros((len(batch.jobs), world.seasons, windows, len(world.counts)), np.int32)
        season, within, left = batch.season_at(batch.step - 1)
        window = within // self.steps if within < world.season_steps else windows - 1
        counts = room["counts"][:, season]
        counts[:, window] = batch.counts[season]
        if left == 1:  # the season is over: until now each window had all that was counted since it began
            counts[:, 1 : window + 1] = np.diff(counts[:, : window + 1], axis=1)


@dataclass(frozen=True)
class Punished(Observer):
    """punished: int64 [lifetime, season], choices punished since birth by the end of each season that came."""

    def due(self, batch: Batch) -> Sequence[int]:
        return batch.season_ends

    def see(self, batch: Batch, room: Room) -> None:
        append(room, punished=batch.brains.punished.copy())


@dataclass(frozen=True)
class Fading(Observer):
    """fading: float64 [lifetime, moment, measure], the measures of FADING at birth and after each season.

    A layer's norm is the root mean square, over its neurons, of the length of their weights without the bias; its bias
    the root mean square of their biases.
    """

    def due(self, batch: Batch) -> Sequence[int]:
        return [0, *batch.season_ends]

    def see(self, batch: Batch, room: Room) -> None:
        layers = (batch.brains.hidden, batch.brains.output)
        sizes = [size for weights in layers for size in (norm(weights), bias(weights))]
        neurons = [batch.distinct_hidden(), batch.kinds_of_hidden()]
        append(room, fading=np.stack([*sizes, *neurons], axis=1))


def norm(weights: np.ndarray) -> np.ndarray:
    """float64 [lifetime]. weights: float64 [lifetime, pre, post], the bias being the last of pre"""
    if not weights.shape[2]:
        return np.zeros(len(weights))
    lengths: np.ndarray = np.sqrt((weights[:, :-1] ** 2).sum(axis=1).mean(axis=1))
    return lengths


def bias(weights: np.ndarray) -> np.ndarray:
    if not weights.shape[2]:  # there is no hidden layer
        return np.zeros(len(weights))
    sizes: np.ndarray = np.sqrt((weights[:, -1] ** 2).mean(axis=1))
    return sizes


@dataclass(frozen=True)
class Tests(Observer):
    """tests: float64 [lifetime, moment, kind], the fitness of the network, frozen, in one season of each kind.

    At birth and after each season. A life is always tested in the same fresh worlds, so that what differs is its
    network; the life itself goes on as if nothing had been.
    """

    def due(self, batch: Batch) -> Sequence[int]:
        return [0, *batch.season_ends]

    def see(self, batch: Batch, room: Room) -> None:
        jobs, networks, fitness = batch.jobs, batch.networks(), []
        one = Jobs.of([FROZEN], [0], [0], batch.brain.layers)
        frozen = dataclasses.replace(one.repeated([len(jobs)], jobs.trial + np.uint64(_TESTS)), seed=jobs.seed)
        # How a frozen network acts does not depend on how it would change.
        brain = dataclasses.replace(batch.brain, hidden_bias="plastic", output_bias="plastic", weight_noise=0.0)
        for kind in range(len(batch.world.kinds)):
            world = batch.world.one_season(kind)
            test = type(batch)(world, brain, frozen, networks, batch.kind)
            if not isinstance(batch.kind, str):
                test.extras = batch.kind.frozen(batch.extras)
            test.live()
            fitness.append(world.fitness(test.counts.swapaxes(0, 1))[:, 0])
        append(room, tests=np.stack(fitness, axis=1))
