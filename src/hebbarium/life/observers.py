"""Who looks at a life while it is lived, or takes a hand in it: curves, snapshots, frozen tests, interventions.

An observer says at which moments it wants to look, in steps since birth (0 is birth), and what it does then. What it
sees goes into a `room`: arrays with one row per lifetime, by name, which are joined over batches. An observer is a
frozen description and keeps nothing itself, so it can be sent to another thread or machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hebbarium.brains.network_files import Networks

if TYPE_CHECKING:
    from hebbarium.life.batch import Batch
    from hebbarium.worlds.base import World

Room = dict[str, np.ndarray]


def every(steps: int, world: World) -> list[int]:
    """Every so many steps, and the end of life."""
    return [*range(steps, world.steps, steps), world.steps]


class Observer(ABC):
    alone = False
    """Whether it looks at one life at a time."""

    def due(self, batch: Batch) -> Sequence[int]:
        """When it looks at these lives. For those who look when seasons end, which each life may have of its own."""
        return self.moments(batch.world)

    def moments(self, world: World) -> Sequence[int]:
        """When it looks at any life in this world."""
        raise NotImplementedError

    @abstractmethod
    def see(self, batch: Batch, room: Room) -> None: ...


def append(room: Room, **columns: np.ndarray) -> None:
    """Put what was seen now beside what was seen before. columns: [lifetime, ...] -> [lifetime, moment, ...]"""
    for name, column in columns.items():
        seen = column[:, None]
        room[name] = np.concatenate([room[name], seen], axis=1) if name in room else seen


@dataclass(frozen=True)
class AtTheEnd(Observer):
    """distinct: int64 [lifetime], hidden neurons that differ; with `networks` also the weights by layer; signals, where
    a batch counts them."""

    networks: bool = False

    def moments(self, world: World) -> Sequence[int]:
        return (world.steps,)

    def see(self, batch: Batch, room: Room) -> None:
        room["distinct"] = batch.distinct_hidden()
        if batch.signals is not None:
            room["signals"] = batch.signals
        if self.networks:
            room.update(batch.networks().by_name())


@dataclass(frozen=True)
class Curves(Observer):
    """counts: int64 [lifetime, moment, count], everything counted since birth, after every so many steps."""

    every: int

    def moments(self, world: World) -> Sequence[int]:
        return every(self.every, world)

    def see(self, batch: Batch, room: Room) -> None:
        append(room, counts=batch.counts.sum(axis=0))


@dataclass(frozen=True)
class Snapshots(Observer):
    """hidden, output, or by whatever names the layers have: float64 [lifetime, moment, post, pre], the weights."""

    at: tuple[int, ...]

    def moments(self, world: World) -> Sequence[int]:
        return self.at

    def see(self, batch: Batch, room: Room) -> None:
        append(room, **batch.networks().by_name())


@dataclass(frozen=True)
class Kinds(Observer):
    """kinds: int64 [lifetime, moment], kinds of hidden neurons at some moments."""

    at: tuple[int, ...]

    def moments(self, world: World) -> Sequence[int]:
        return self.at

    def see(self, batch: Batch, room: Room) -> None:
        append(room, kinds=batch.kinds_of_hidden())


@dataclass(frozen=True)
class HiddenNoise(Observer):
    """Now and then the neurons of the (first) hidden layer get noise in their weights, which are scaled to unit length
    again."""

    every: int
    size: float
    """Standard deviation of each weight's noise; a neuron's weights together have length 1."""
    seed: int
    shared: bool
    """One and the same noise for all neurons of a network: it cannot part them."""

    def moments(self, world: World) -> Sequence[int]:
        return range(self.every, world.steps, self.every)

    def see(self, batch: Batch, room: Room) -> None:
        networks = batch.networks()
        for row, trial in enumerate(batch.jobs.trial):
            random = np.random.default_rng([self.seed, int(trial), batch.step])
            # The same draws in both cases, so that only sharing differs.
            noise = random.normal(0.0, self.size, networks.hidden.shape[1:])
            networks.hidden[row] += noise[:1] if self.shared else noise
        lengths = np.sqrt((networks.hidden**2).sum(axis=2, keepdims=True))
        batch.set_networks(Networks(networks.task, networks.hidden / lengths, *networks.layers[1:]))
