"""The arrays of one subject's lives, as fitness and rates; and what cannot have been learned, to compare with."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hebbarium.store.pieces import Arrays
from hebbarium.studies.lifelong import recovery
from hebbarium.studies.lifelong.works import WINDOW
from hebbarium.tools.statistics import estimate_mean
from hebbarium.worlds.base import World

PER_STEPS = 5000
"""What tempo's fitness is given for."""


@dataclass(frozen=True)
class Lived:
    """Long lives."""

    windows: np.ndarray
    """float64 [life, season, window]: fitness"""
    punished: np.ndarray
    """int64 [life, season]: punished choices"""
    fading: np.ndarray
    """float64 [life, moment, measure]: at birth and after each season; see `observers.FADING`"""
    tests: np.ndarray
    """float64 [life, moment, kind]: fitness of the frozen network"""
    alone: Mapping[int, np.ndarray]
    """By kind, float64 [life, season, window]: fitness in a life of that season alone"""
    tempo: Mapping[int, np.ndarray]
    """By the length of a season, float64 [life]: fitness per 5,000 steps"""

    @classmethod
    def of(cls, world: World, life: Arrays, alone: Mapping[int, Arrays], tempo: Mapping[int, Arrays]) -> Lived:
        return cls(
            fitness_of(world, world.season_kinds, life["counts"]),
            np.diff(life["punished"], axis=1, prepend=0),
            life["fading"],
            life["tests"],
            {
                kind: fitness_of(world, [kind] * arrays["counts"].shape[1], arrays["counts"])
                for kind, arrays in alone.items()
            },
            {length: _per_steps(world, length, arrays["counts"]) for length, arrays in tempo.items()},
        )

    @property
    def fitness(self) -> np.ndarray:
        """float64 [life, season]"""
        sums: np.ndarray = self.windows.sum(axis=2)
        return sums


@dataclass(frozen=True)
class Unlearned:
    """Lives in which nothing is learned, up to the first season of each kind: float64 [life, season, window], rates."""

    random: np.ndarray
    """Of the random agent."""
    newborn: np.ndarray
    """Of the newborn networks, frozen."""
    widths: np.ndarray
    """int64 [window]: steps"""

    @classmethod
    def of(cls, world: World, random: Arrays, newborn: Arrays) -> Unlearned:
        widths = recovery.window_widths(world.season_steps, WINDOW)
        of_random, of_newborn = (
            fitness_of(world, world.season_kinds, arrays["counts"]) / widths for arrays in (random, newborn)
        )
        return cls(of_random, of_newborn, widths)

    def random_rate(self, season: int) -> np.ndarray:
        """float64 [life]: the random agent's mean rate in a season."""
        return np.average(self.random[:, season], axis=1, weights=self.widths)

    def learned(self, rates: np.ndarray, season: int) -> bool:
        """Whether late rates differ from those without learning. rates: float64 [life, window], of that season.

        The same trials are compared, so lives without learning differ from these in nothing."""
        late = recovery.late_rate(rates, self.widths)
        others = (recovery.late_rate(other[:, season], self.widths) for other in (self.random, self.newborn))
        return all(estimate_mean(late - other).low > 0 for other in others)


def fitness_of(world: World, kinds: Sequence[int], counts: np.ndarray) -> np.ndarray:
    """float64 [life, season, window]. counts: [life, season, window, count]; kinds: of the seasons"""
    names = ",".join(world.kinds[kind] for kind in kinds[: counts.shape[1]])
    same = dataclasses.replace(world, schedule=names, seasons=counts.shape[1])
    return np.stack([same.fitness(counts[:, :, window]) for window in range(counts.shape[2])], axis=2)


def _per_steps(world: World, length: int, counts: np.ndarray) -> np.ndarray:
    same = dataclasses.replace(world, season_steps=length, seasons=counts.shape[1])
    total: np.ndarray = same.fitness(counts).sum(axis=1)
    return total * PER_STEPS / same.steps
