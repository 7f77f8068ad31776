"""The arrays of one subject's lives, as fitness and rates; and what cannot have been learned, to compare with."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.life.jobs import Jobs
from hebbarium.store.kept_arrays import Arrays
from hebbarium.studies.engine import Work
from hebbarium.studies.lifelong import recovery, works
from hebbarium.studies.lifelong.subjects import Subject
from hebbarium.studies.lifelong.works import WINDOW
from hebbarium.tools.statistics import estimate_mean
from hebbarium.worlds.base import World
from hebbarium.worlds.seasons import calendar_of

PER_STEPS = 5000
"""What tempo's fitness is given for."""


@dataclass(frozen=True)
class Seasons:
    """What was collected in the seasons of some lives, each in its place in the world's `season_names`."""

    fitness: np.ndarray
    """float64 [life, season]"""
    rates: np.ndarray
    """float64 [life, season, window]: fitness per step; nan in windows that a season was too short for"""
    order: np.ndarray
    """int64 [life, season]: places, in the order in which each life's seasons came"""

    @classmethod
    def of(cls, world: World, jobs: Jobs, counts: np.ndarray, **changes: Any) -> Seasons:
        """counts: [life, season, window, count]; changes: settings of the world that differed"""
        world = dataclasses.replace(world, seasons=counts.shape[1], **changes)
        widths = recovery.window_widths(world.season_steps, WINDOW)
        calendars = [
            calendar_of(world, int(seed), int(trial)) for seed, trial in zip(jobs.seed, jobs.trial, strict=True)
        ]
        order = np.array([calendar.places for calendar in calendars])
        lengths = in_places(order, np.diff([calendar.ends for calendar in calendars], axis=1, prepend=0))
        windows = np.stack([world.fitness(counts[:, :, window]) for window in range(counts.shape[2])], axis=2)
        reached = lengths[..., None] >= np.cumsum(widths)
        return cls(windows.sum(axis=2), np.where(reached, windows[..., : len(widths)] / widths, np.nan), order)


def in_places(order: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values of seasons as they came, each in its season's place. Both: [life, season]"""
    placed = np.empty_like(values)
    np.put_along_axis(placed, order, values, axis=1)
    return placed


@dataclass(frozen=True)
class Lived:
    """Long lives."""

    seasons: Seasons
    kinds: np.ndarray
    """int64 [life, season]: of the seasons as they came"""
    punished: np.ndarray
    """int64 [life, season]: punished choices"""
    fading: np.ndarray
    """float64 [life, moment, measure]: at birth and after each season that came; see `observers.FADING`"""
    tests: np.ndarray
    """float64 [life, moment, kind]: fitness of the frozen network"""
    alone: Mapping[int, Seasons]
    """By kind, a life of that season alone"""
    tempo: Mapping[int, np.ndarray]
    """By the length of a season, float64 [life]: fitness per 5,000 steps"""

    @classmethod
    def of(cls, subject: Subject, fetch: Callable[[Work], Arrays]) -> Lived:
        world, jobs, life = subject.world, subject.jobs, fetch(works.life(subject))
        seasons, tempo = Seasons.of(world, jobs, life["counts"]), {}
        alone = {
            kind: Seasons.of(world, jobs, fetch(work)["counts"], schedule=world.kinds[kind])
            for kind, work in works.alone(subject).items()
        }
        for length, work in works.tempo(subject).items():
            counts = fetch(work)["counts"]
            same = dataclasses.replace(world, season_steps=length, seasons=counts.shape[1])
            tempo[length] = same.fitness(counts).sum(axis=1) * PER_STEPS / same.steps
        punished = in_places(seasons.order, np.diff(life["punished"], axis=1, prepend=0))
        kinds = np.array(world.season_kinds)[seasons.order]
        return cls(seasons, kinds, punished, life["fading"], life["tests"], alone, tempo)

    @property
    def fitness(self) -> np.ndarray:
        """float64 [life, season]"""
        return self.seasons.fitness


@dataclass(frozen=True)
class Unlearned:
    """Lives in which nothing is learned, up to the first season of each kind: float64 [life, season, window], rates,
    nan in windows that a season was too short for."""

    random: np.ndarray
    """Of the random agent."""
    newborn: np.ndarray
    """Of the newborn networks, frozen."""
    widths: np.ndarray
    """int64 [window]: steps"""

    @classmethod
    def of(cls, world: World, jobs: Jobs, random: Arrays, newborn: Arrays) -> Unlearned:
        of_random, of_newborn = (Seasons.of(world, jobs, arrays["counts"]).rates for arrays in (random, newborn))
        return cls(of_random, of_newborn, recovery.window_widths(world.season_steps, WINDOW))

    def random_rate(self, season: int) -> np.ndarray:
        """float64 [life]: the random agent's mean rate in a season."""
        return recovery.mean_rate(self.random[:, season], self.widths)

    def learned(self, rates: np.ndarray, season: int) -> bool:
        """Whether late rates differ from those without learning. rates: float64 [life, window], of that season.

        The same trials are compared, so lives without learning differ from these in nothing."""
        late = recovery.late_rate(rates, self.widths)
        others = (recovery.late_rate(other[:, season], self.widths) for other in (self.random, self.newborn))
        known = (difference[~np.isnan(difference)] for difference in (late - other for other in others))
        return all(len(some) and estimate_mean(some).low > 0 for some in known)
