"""A world as a user might write it, in a file of their own: a fish in a round pond follows the light."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from hebbarium.kernels.compile import compiled
from hebbarium.kernels.random import draw_below
from hebbarium.worlds.base import Association, World
from hebbarium.worlds.picture import Picture, Thing


@dataclass(frozen=True, kw_only=True)
class Pond(World):
    """A fish sees on which side the light is; by day it shall swim there, by night away."""

    name: ClassVar[str] = "pond"
    actions: ClassVar[tuple[str, ...]] = ("left", "right")
    counts: ClassVar[tuple[str, ...]] = ("right_way", "wrong_way")
    kinds: ClassVar[tuple[str, ...]] = ("day", "night")
    associations: ClassVar[tuple[Association, ...]] = (
        Association(1, "the light", "towards it", (1, -1)),
        Association(2, "the light", "away from it", (-1, 1)),
    )
    default_hidden: ClassVar[int] = 5
    legend: ClassVar[tuple[Thing, ...]] = (Thing("water", "", "~"), Thing("light", "#e0b000", "*"))

    schedule: str = "day,night"
    """The order of seasons."""
    width: int = 12
    """Cells around the pond."""

    @property
    def inputs(self) -> int:
        return 2

    def constants(self) -> Constants:
        return Constants(self.width)

    def new_state(self, lifetimes: int) -> State:
        return State(np.zeros((lifetimes, 2), np.int64))

    def fitness(self, counts: np.ndarray) -> np.ndarray:
        return (counts[:, :, 0] - counts[:, :, 1]).astype(np.float64)

    def picture(self, constants: Constants, state: State, i: int) -> Picture:
        cells = np.zeros((1, constants.width), np.uint8)
        fish, light = state.places[i]
        cells[0, light] = 1
        return Picture(cells, agent=(0, int(fish)), caption=f"the light is at {light}")


class Constants(NamedTuple):
    width: int


class State(NamedTuple):
    places: np.ndarray
    """int64 [lifetime, 2]: the fish and the light."""


@compiled
def begin(constants, state, i, stream):
    state.places[i, 0] = draw_below(stream, constants.width)
    state.places[i, 1] = draw_below(stream, constants.width)


@compiled
def light_right(constants, state, i):
    ahead = (state.places[i, 1] - state.places[i, 0]) % constants.width
    return 2 * ahead < constants.width


@compiled
def sense(constants, state, i, senses):
    right = light_right(constants, state, i)
    senses[0], senses[1] = not right, right


@compiled
def judge(constants, state, i, season, action, stream):
    towards = (action == 1) == light_right(constants, state, i)
    good = towards if season == 0 else not towards
    return np.int64(1 if good else -1), np.int64(1 if towards else 2)


@compiled
def act(constants, state, i, season, action, counts, stream):
    towards = (action == 1) == light_right(constants, state, i)
    counts[0 if towards == (season == 0) else 1] += 1
    state.places[i, 0] = (state.places[i, 0] + (1 if action == 1 else constants.width - 1)) % constants.width
    if state.places[i, 0] == state.places[i, 1]:
        state.places[i, 1] = draw_below(stream, constants.width)
