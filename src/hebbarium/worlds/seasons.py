"""When a life's seasons come, and which: as scheduled, or drawn from a random stream of its own.

In any order, a life has the seasons that its world names (`season_names`), and as many steps in all. A random schedule
has each kind as often as the others: the first summer that comes is summer1. Random lengths cut the life at random
moments, so a change is as likely at any step.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hebbarium.kernels.random import WORLD, draw_unit, mix, open_stream

if TYPE_CHECKING:
    from hebbarium.worlds.base import World

_SEASONS = np.uint64(0x5EA50)
"""Makes this stream differ from the life's others."""

FEWEST_LIVES = 3
"""From so many on, what random lengths of seasons add or take away is left out: two lives have no slope."""


@dataclass(frozen=True)
class Calendar:
    """The seasons of one life, in the order in which they come."""

    places: tuple[int, ...]
    """Of each season in the world's `season_names`."""
    ends: tuple[int, ...]
    """Steps since birth at which each is over."""

    def at(self, step: int) -> tuple[int, int, int]:
        """The place of the season that a step is in, how many of its steps are over, and how many are left."""
        number = bisect.bisect_right(self.ends, step)
        start = self.ends[number - 1] if number else 0
        return self.places[number], step - start, self.ends[number] - step

    def spans(self) -> list[tuple[int, int, int]]:
        """Place, first step and end of each."""
        return list(zip(self.places, (0, *self.ends), self.ends, strict=False))


def calendar_of(world: World, seed: int, trial: int) -> Calendar:
    stream = np.zeros(2, np.uint64)
    with np.errstate(over="ignore"):
        open_stream(stream, mix(np.uint64(seed) ^ _SEASONS), np.uint64(trial), WORLD)
        order = _order(world, stream) if world.schedule == "random" else range(world.seasons)
        ends = (
            _ends(world, stream)
            if world.season_lengths == "random"
            else range(world.season_steps, world.steps + 1, world.season_steps)
        )
    return Calendar(tuple(order), tuple(ends))


def orders_and_lengths(world: World, seeds: Iterable[int], trials: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
    """Of some lives, both int64 [life, season]: places in the order in which seasons came, and steps by place."""
    lives = [(int(seed), int(trial)) for seed, trial in zip(seeds, trials, strict=True)]
    some = lives if world.own_seasons else lives[:1]  # else all have the same
    calendars = [calendar_of(world, *life) for life in some] * (len(lives) // max(1, len(some)))
    order = np.array([calendar.places for calendar in calendars])
    return order, in_places(order, np.diff([calendar.ends for calendar in calendars], axis=1, prepend=0))


def as_usual(world: World, values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """What seasons of random lengths brought, as if each had its usual length: analysis of covariance, with a slope
    over the steps for each kind of season and a mean for each season. Where all have that length, or lives are too few
    for a slope, no different.

    values: float64 [life, season]; lengths: int64 [life, season], steps."""
    more, kinds = lengths - world.season_steps, np.array(world.season_kinds)
    changed = np.array(values, np.float64)
    for kind in set(world.season_kinds):
        steps = more[:, kinds == kind]
        centred = steps - steps.mean(axis=0)
        squares = float((centred**2).sum())
        if squares and len(values) >= FEWEST_LIVES:
            changed[:, kinds == kind] -= float((centred * values[:, kinds == kind]).sum()) / squares * steps
    return changed


def in_places(order: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values of seasons as they came, each in its season's place. Both: [life, season]"""
    placed = np.empty_like(values)
    np.put_along_axis(placed, order, values, axis=1)
    return placed


def _below(stream: np.ndarray, n: int) -> int:
    """A whole number from 0 to n - 1; n may be larger than 2^32."""
    return int(float(draw_unit(stream)) * n)


def _order(world: World, stream: np.ndarray) -> list[int]:
    """A shuffle of the kinds; each then stands for the next season of its kind."""
    kinds = list(world.season_kinds)
    for last in range(len(kinds) - 1, 0, -1):
        other = _below(stream, last + 1)
        kinds[last], kinds[other] = kinds[other], kinds[last]
    places = {kind: iter([p for p, own in enumerate(world.season_kinds) if own == kind]) for kind in set(kinds)}
    return [next(places[kind]) for kind in kinds]


def _ends(world: World, stream: np.ndarray) -> list[int]:
    """The last step, and as many different ones before it as there are changes, each set as likely (Floyd 1987)."""
    cuts: set[int] = set()
    for step in range(world.steps - world.seasons + 1, world.steps):
        drawn = 1 + _below(stream, step)
        cuts.add(step if drawn in cuts else drawn)
    return [*sorted(cuts), world.steps]
