"""Foraging's world: cells, bit boards, and what happens in a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.core.bits import leading_zeros, trailing_zeros
from hebbarium.core.compile import inlined
from hebbarium.core.random import GapTable, draw_below
from hebbarium.core.trace import Steps
from hebbarium.tasks.grid import BLUE, EMPTY, GREEN, WALL

SENSES = 6
INPUTS = SENSES + 1
"""With the bias."""
POSITION, DIRECTION = range(2)
LARGEST_SIDE = 16000
_ROW_SHIFT = 42
_GREEN_COUNT, _BLUE_COUNT, _WALLS_COUNT = range(3)


class Constants(NamedTuple):
    """What never changes in a life."""

    side: int
    """Cells along each side, the wall included."""
    free: int
    """Free cells along each side."""
    row_factor: np.uint64
    """See `row_of`."""
    green: int
    blue: int
    turn_at_wall: bool
    ahead: np.ndarray
    """int64 [direction]: what one cell ahead adds to a position."""
    gaps: GapTable
    reinforcement: np.ndarray
    """int8 [season, state, action]"""
    association: np.ndarray
    """int8 [season, state, action]"""


class Worlds(NamedTuple):
    """What changes: one row per lifetime."""

    cells: np.ndarray
    """uint8 [lifetime, position]: what each cell holds, position = row * side + column."""
    rows: np.ndarray
    """uint64 [lifetime, row, word]: bit c is set where column c of the row is not empty."""
    columns: np.ndarray
    """uint64 [lifetime, column, word]: bit r is set where row r of the column is not empty."""
    agent: np.ndarray
    """int64 [lifetime, 2]: position and direction."""
    stream: np.ndarray
    """uint64 [lifetime, 2]: where things appear."""


@inlined
def furnish(constants, worlds, i):
    """The agent on a random free cell in a random direction, then the green and the blue items."""
    stream = worlds.stream[i]
    position = random_cell(constants, stream)
    worlds.agent[i, POSITION] = position
    worlds.agent[i, DIRECTION] = draw_below(stream, 4)
    for item in range(constants.green + constants.blue):
        place_item(constants, worlds, i, position, GREEN if item < constants.green else BLUE)


@inlined
def random_cell(constants, stream):
    """The position of a random free or occupied cell inside the wall."""
    cell = draw_below(stream, constants.free * constants.free)
    # Unsigned, because Python's signed division is much slower.
    row = np.int64(np.uint64(cell) // np.uint64(constants.free))
    return (row + 1) * constants.side + cell - row * constants.free + 1


@inlined
def place_item(constants, worlds, i, position, item):
    """On a random empty cell that is not the agent's position."""
    while True:
        cell = random_cell(constants, worlds.stream[i])
        if _cell(worlds, i, cell) == EMPTY and cell != position:
            _put(constants, worlds, i, cell, item)
            return


def row_factor(side: int) -> np.uint64:
    if side > LARGEST_SIDE:
        raise ValueError(f"rows of {side} cells are too long to be told apart; at most {LARGEST_SIDE} are possible")
    return np.uint64(2**_ROW_SHIFT // side + 1)


@inlined
def row_of(constants, position):
    """position // side, by multiplication: this is asked at every turn. Exact up to a side of LARGEST_SIDE."""
    return np.int64((np.uint64(position) * constants.row_factor) >> np.uint64(_ROW_SHIFT))


@inlined
def _cell(worlds, i, position):
    """What lies there. An unsigned index spares the question whether it counts from the end."""
    return np.int64(worlds.cells[i, np.uint64(position)])


@inlined
def _put(constants, worlds, i, cell, thing):
    """Write a thing, or EMPTY, on the cells and on both bit boards."""
    row = row_of(constants, cell)
    column = cell - row * constants.side
    worlds.cells[i, cell] = thing
    in_row, in_column = np.uint64(1) << np.uint64(column & 63), np.uint64(1) << np.uint64(row & 63)
    if thing == EMPTY:
        worlds.rows[i, row, column >> 6] &= ~in_row
        worlds.columns[i, column, row >> 6] &= ~in_column
    else:
        worlds.rows[i, row, column >> 6] |= in_row
        worlds.columns[i, column, row >> 6] |= in_column


@inlined
def sense(constants, worlds, i, position, direction):
    """The sensory state 0..63: left, front and right cell, two bits each."""
    left = _cell(worlds, i, position + constants.ahead[(direction + 3) & 3])
    front = _cell(worlds, i, position + constants.ahead[direction & 3])
    right = _cell(worlds, i, position + constants.ahead[(direction + 1) & 3])
    return left << 4 | front << 2 | right


@inlined
def act(constants, worlds, i, position, direction, action, counts):
    """Turn and move; bump into the wall or collect what is there, which reappears elsewhere.

    Returns the new position and direction.
    """
    turned = (direction + action + 3) & 3
    target = position + constants.ahead[turned]
    thing = _cell(worlds, i, target)
    if thing == WALL:
        counts[i, _WALLS_COUNT] += 1
        return position, (turned if constants.turn_at_wall else direction)
    if thing != EMPTY:
        counts[i, _GREEN_COUNT if thing == GREEN else _BLUE_COUNT] += 1
        _put(constants, worlds, i, target, EMPTY)
        place_item(constants, worlds, i, target, thing)
    return target, turned


@inlined
def look(constants, worlds, i):
    """`sense` from where the agent is."""
    return sense(constants, worlds, i, worlds.agent[i, POSITION], worlds.agent[i, DIRECTION])


@inlined
def step(constants, worlds, i, action, counts):
    """`act`, the agent being moved in its world."""
    agent = worlds.agent[i]
    agent[POSITION], agent[DIRECTION] = act(constants, worlds, i, agent[POSITION], agent[DIRECTION], action, counts)


@inlined
def open_run(constants, worlds, i, position, direction):
    """Straight steps until something comes into view, where nothing is in view now; at least one.

    Going along line `l` of a bit board, something is in view from place p when a bit of the lines
    beside it is set at p, or one of its own at the place after p. The wall ends every run.
    """
    line = row_of(constants, position)
    place = position - line * constants.side
    board = worlds.rows[i]
    if direction & 1 == 0:
        line, place = place, line
        board = worlds.columns[i]
    before, own, after = board[line - 1], board[line], board[line + 1]
    last = board.shape[1] - 1
    one, top = np.uint64(1), np.uint64(63)
    if direction == 1 or direction == 2:
        word = (place + 1) >> 6
        beyond = ~np.uint64(0) << np.uint64((place + 1) & 63)
        while True:
            next_own = own[word] >> one
            if word < last:
                next_own |= own[word + 1] << top
            view = (before[word] | after[word] | next_own) & beyond
            if view != np.uint64(0):
                return (word << 6) + trailing_zeros(view) - place
            word += 1
            beyond = ~np.uint64(0)
    word = (place - 1) >> 6
    beyond = ~np.uint64(0) >> np.uint64(63 - ((place - 1) & 63))
    while True:
        next_own = own[word] << one
        if word > 0:
            next_own |= own[word - 1] >> top
        view = (before[word] | after[word] | next_own) & beyond
        if view != np.uint64(0):
            return place - ((word << 6) + 63 - leading_zeros(view))
        word -= 1
        beyond = ~np.uint64(0)


@inlined
def write_step(constants, position, direction, season, state, action, random, trace: Steps, t):
    trace.position[t, 0], trace.position[t, 1] = position // constants.side, position % constants.side
    trace.direction[t] = direction
    for cell in range(3):
        trace.sensed[t, cell] = state >> (4 - 2 * cell) & 3
    trace.action[t] = action
    trace.random[t] = random
    trace.reinforcement[t] = constants.reinforcement[season, state, action]
    trace.association[t] = constants.association[season, state, action]
