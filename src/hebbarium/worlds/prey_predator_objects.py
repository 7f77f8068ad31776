"""Prey and predators: where they stand and how they move.

Things stand on a board of cells, row by row, with walls around the free area as thick as the agent can
see, so that nothing ever looks beyond the board. A row is a power of two long: a position's row and
column are its high and low bits.

Objects are numbered, green before blue, and move in that order. Two never share a cell, except that
several predators may stand on the agent's. Such a cell shows who came last, and when one of them leaves,
the first of those who remain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.kernels.compile import called, inlined
from hebbarium.kernels.random import draw_below, draw_unit, draw_word
from hebbarium.worlds.grid import BLUE, EMPTY, GREEN, WALL, WINTER


class Rules(NamedTuple):
    """What never changes in a life about the board and its objects."""

    free: int
    """Free cells along each side."""
    border: int
    """Cells of wall before the first free row and column."""
    shift: int
    """A row of the board is 2 ** shift cells long."""
    green: int
    """Objects numbered below this are green."""
    objects: int
    notice_square: int
    """Squared distance to the agent up to which objects may flee or chase."""
    notice_probability: float
    move_probability: float
    """How often objects move at all."""
    close: int
    """Rows and columns from the agent's within which an object may notice it or reach its cell."""
    close_square: int
    """The same as a squared distance."""
    around: np.ndarray
    """int64 [neighbour]: what a move to each neighbouring cell adds to a position."""
    choice_bits: int
    """Bits of a random word that choose a neighbour."""


class Board(NamedTuple):
    """What changes, of one lifetime."""

    cells: np.ndarray
    """uint8 [position]"""
    objects: np.ndarray
    """int32 [object]: their positions."""
    shared: np.ndarray
    """int64 [1]: objects that stand where another stands too."""
    stream: np.ndarray
    """uint64 [2]"""


@inlined
def furnish(rules, board):
    """Wall around free cells."""
    board.cells[:] = WALL
    for row in range(rules.border, rules.border + rules.free):
        start = (row << rules.shift) + rules.border
        board.cells[start : start + rules.free] = EMPTY
    board.shared[0] = 0


@inlined
def random_cell(rules, stream):
    """The position of a random cell inside the wall, empty or not."""
    cell = draw_below(stream, rules.free * rules.free)
    return ((cell // rules.free + rules.border) << rules.shift) + cell % rules.free + rules.border


@inlined
def empty_cell(rules, board, agent):
    """The position of a random empty cell that is not the agent's."""
    while True:
        cell = random_cell(rules, board.stream)
        if board.cells[cell] == EMPTY and cell != agent:
            return cell


@inlined
def is_prey(rules, number, season):
    return (number < rules.green) == (season != WINTER)


@inlined
def _colour(rules, number):
    return GREEN if number < rules.green else BLUE


@inlined
def place(rules, board, number, cell):
    """Put an object that stands nowhere on a cell."""
    if board.cells[cell] != EMPTY:
        board.shared[0] += 1
    board.objects[number] = cell
    board.cells[cell] = _colour(rules, number)


@inlined
def replace(rules, board, number, cell):
    """Take an object from where it stands to another cell."""
    left = board.objects[number]
    board.cells[left] = EMPTY
    if board.shared[0] > 0:
        for other in range(rules.objects):
            if other != number and board.objects[other] == left:
                board.cells[left] = _colour(rules, other)
                board.shared[0] -= 1
                break
    place(rules, board, number, cell)


@inlined
def any_near(rules, board, agent, distance):
    """Whether an object stands within so many rows and columns from the agent's."""
    positions, mask, size = board.objects, (1 << rules.shift) - 1, np.uint32(2 * distance + 1)
    top, left, found = (agent >> rules.shift) - distance, (agent & mask) - distance, np.uint32(0)
    # Unsigned, so that what lies before the square is far behind it; in 32 bits, so that eight are asked at once.
    for number in range(positions.shape[0]):
        row = np.uint32((positions[number] >> rules.shift) - top)
        column = np.uint32((positions[number] & mask) - left)
        found |= np.uint32((row < size) & (column < size))
    return found != np.uint32(0)


@inlined
def move_all(rules, board, agent, season):
    """Each object moves one cell, in their order. Returns how often a predator moved onto the agent.

    One random word chooses a neighbour for as many objects as it has bits for. (Places are unsigned where it counts:
    numba lets a signed one be negative, and asks each time.)
    """
    if rules.move_probability < 1.0 and draw_unit(board.stream) >= rules.move_probability:
        return 0
    cells, positions, around = board.cells, board.objects, rules.around
    mask, bits = np.uint64(around.shape[0] - 1), np.uint64(rules.choice_bits)
    careful = board.shared[0] > 0 or any_near(rules, board, agent, rules.close)
    caught, start, in_word = 0, 0, 64 // rules.choice_bits
    while start < rules.objects:
        word = draw_word(board.stream)
        for number in range(start, min(start + in_word, rules.objects)):
            choice = word & mask
            word >>= bits
            here = np.int64(positions[np.uint64(number)])
            there = here + around[choice]
            if cells[np.uint64(there)] != EMPTY or (careful and _is_close(rules, board, here, agent)):
                caught += _move_otherwise(rules, board, number, choice, season, agent)
            else:  # what nearly every move is
                cells[np.uint64(here)] = EMPTY
                cells[np.uint64(there)] = _colour(rules, number)
                positions[np.uint64(number)] = there
        start += in_word
    return caught


@called
def _move_otherwise(rules, board, number, choice, season, agent):
    """The same for an object that finds its choice taken, or may notice the agent: rare, so apart from the loop.

    Returns whether a predator moved onto the agent, as 0 or 1.
    """
    here, prey = np.int64(board.objects[number]), is_prey(rules, number, season)
    there = destination(rules, _is_empty, board.cells, here, choice, prey, agent, board.stream)
    if there == here:
        return 0
    replace(rules, board, number, there)
    return np.int64(there == agent)


@inlined
def _is_close(rules, board, here, agent):
    """Whether an object may notice the agent, reach its cell or share its own."""
    return _square(rules, here, agent) <= rules.close_square or board.shared[0] > 0


@inlined
def _is_empty(rules, cells, cell):
    return cells[cell] == EMPTY


@inlined
def destination(rules, is_empty, cells, here, choice, prey, agent, stream):
    """Where an object goes: one step, or its own cell if no other is free. choice: a random neighbour.

    is_empty: a function of rules, cells and a cell; cells: all that it needs to know"""
    if _square(rules, here, agent) <= rules.notice_square and draw_unit(stream) < rules.notice_probability:
        return _best_neighbour(rules, is_empty, cells, here, prey, agent, stream)
    there = here + rules.around[choice]
    if _is_free(rules, is_empty, cells, there, prey, agent):
        return there
    return _any_neighbour(rules, is_empty, cells, here, prey, agent, stream)


@inlined
def _square(rules, cell, agent):
    """The squared distance of two positions."""
    mask = (1 << rules.shift) - 1
    rows = (cell >> rules.shift) - (agent >> rules.shift)
    columns = (cell & mask) - (agent & mask)
    return rows * rows + columns * columns


@inlined
def _is_free(rules, is_empty, cells, cell, prey, agent):
    """Only predators enter the agent's cell, whatever stands there."""
    return (not prey) if cell == agent else is_empty(rules, cells, cell)


@inlined
def _any_neighbour(rules, is_empty, cells, here, prey, agent, stream):
    """A random free neighbour. After a first choice among all was not free, this makes all free ones equally likely."""
    free = several = np.int64(0)
    for choice in range(rules.around.shape[0]):
        one = np.int64(_is_free(rules, is_empty, cells, here + rules.around[choice], prey, agent))
        free |= one << choice
        several += one
    chosen, there = draw_below(stream, several) if several > 1 else 0, here
    for choice in range(rules.around.shape[0]):  # without branches, which could not be foreseen
        there += rules.around[choice] * (free & np.int64(chosen == 0))
        chosen -= free & 1
        free >>= 1
    return there


@inlined
def _gain(rules, cell, prey, agent):
    """What prey want much of: distance from the agent; and predators little."""
    return _square(rules, cell, agent) if prey else -_square(rules, cell, agent)


@inlined
def _best_neighbour(rules, is_empty, cells, here, prey, agent, stream):
    """The free neighbour farthest from the agent for prey, nearest to it for predators; ties at random."""
    best, ties, there = 0, 0, here
    for step in rules.around:
        if _is_free(rules, is_empty, cells, here + step, prey, agent):
            gain = _gain(rules, here + step, prey, agent)
            if ties == 0 or gain > best:
                best, ties, there = gain, 1, here + step
            elif gain == best:
                ties += 1
    if ties < 2:
        return there
    chosen = draw_below(stream, ties)
    for step in rules.around:
        free = _is_free(rules, is_empty, cells, here + step, prey, agent)
        if free and _gain(rules, here + step, prey, agent) == best:
            if chosen == 0:
                return here + step
            chosen -= 1
    return there
