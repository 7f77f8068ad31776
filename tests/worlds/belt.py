"""A tiny world with `coast`: a ring of cells of three kinds, on which an agent goes on or waits."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from hebbarium.world import Association, Picture, Thing, World, compiled, draw_below

WAIT, GO = range(2)


@dataclass(frozen=True, kw_only=True)
class Belt(World):
    """Stretches of equal cells."""

    name: ClassVar[str] = "belt"
    actions: ClassVar[tuple[str, ...]] = ("wait", "go")
    counts: ClassVar[tuple[str, ...]] = ("waited", "gone")
    default_hidden: ClassVar[int] = 4
    associations: ClassVar[tuple[Association, ...]] = (
        Association(1, "a cell", "go", (1, -1)),
        Association(2, "the last cell", "go", (0, 0)),
        Association(3, "a cell", "wait", (-1, 1)),
    )
    legend: ClassVar[tuple[Thing, ...]] = (Thing("a", "", "a"), Thing("b", "", "b"), Thing("c", "", "c"))

    season_steps: int = 300
    """Steps in a season."""
    cells: int = 12
    """Cells in the ring."""
    longest: int = 6
    """Cells of the longest stretch."""

    @property
    def inputs(self):
        return 2

    def constants(self):
        return Constants(self.cells, self.longest)

    def new_state(self, lifetimes):
        return State(
            np.zeros((lifetimes, self.cells), np.int64), np.zeros(lifetimes, np.int64), np.zeros(lifetimes, np.int64)
        )

    def fitness(self, counts):
        return 1.0 * counts[:, :, 1]

    def picture(self, constants, state, i):
        return Picture(state.kind[i][None].astype(np.uint8), agent=(0, int(state.place[i])))


class Constants(NamedTuple):
    cells: int
    longest: int


class State(NamedTuple):
    kind: np.ndarray
    place: np.ndarray
    age: np.ndarray


@compiled
def begin(constants, state, i, stream):
    state.place[i], end = 0, 0
    for place in range(constants.cells):
        if place == end:
            state.kind[i, place] = draw_below(stream, 3)
            end += 1 + draw_below(stream, constants.longest)
        else:
            state.kind[i, place] = state.kind[i, place - 1]


@compiled
def sense(constants, state, i, senses):
    kind = state.kind[i, state.place[i]]
    senses[0], senses[1] = kind & 1, kind >> 1


@compiled
def judge(constants, state, i, season, action, stream):
    if action == WAIT:
        return (-1, 3) if season == 0 else (1, 3)
    if state.place[i] == constants.cells - 1:
        return 0, 2
    return (1, 1) if season == 0 else (-1, 1)


@compiled
def act(constants, state, i, season, action, counts, stream):
    counts[action] += 1
    state.age[i] += 1
    if action == GO and state.place[i] == constants.cells - 1:
        begin(constants, state, i, stream)  # another ring
    elif action == GO:
        state.place[i] += 1


@compiled
def coast(constants, state, i, season, action, most, counts):
    """Wait as long as may be, or go on to the end of a stretch."""
    taken, place = 0, state.place[i]
    if action == WAIT:
        taken = most
    else:
        kind = state.kind[i, place]
        while taken < most and place < constants.cells - 1 and state.kind[i, place] == kind:
            place += 1
            taken += 1
        state.place[i] = place
    counts[action] += taken
    state.age[i] += taken
    return taken
