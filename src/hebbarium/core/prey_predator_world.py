"""The prey-predator world: what the agent senses, what its actions do, and what it is told about them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hebbarium.core import objects
from hebbarium.core.compile import creating, inlined
from hebbarium.core.objects import Board, Rules
from hebbarium.core.random import GapTable, draw_below, gap_table
from hebbarium.tasks.grid import EMPTY, STRAIGHT, WALL
from hebbarium.tasks.prey_predator import MOVES, PreyPredator, nears, reinforcement

COLLECTED, CAUGHT, WALLS = range(3)
POSITION, DIRECTION = range(2)


class Constants(NamedTuple):
    """What never changes in a life."""

    rules: Rules
    turn_at_wall: bool
    stepping_counts: bool
    ahead: np.ndarray
    """int64 [direction]: what one cell ahead adds to a position."""
    seen: np.ndarray
    """int64 [direction, sensed cell]: what each sensed cell's position is from the agent's."""
    seen_from: np.ndarray
    """int64 [sensed cell, 2]: cells ahead and to the right."""
    seen_square: np.ndarray
    """int64 [sensed cell]: its squared distance."""
    window: np.ndarray
    """int64 [direction, 4]: the view's first row and column from the agent's, and how many it has of each."""
    nears: np.ndarray
    """int8 [sensed cell, action]: 1 where the action aims at a cell nearer to it."""
    gaps: GapTable
    reinforcement: np.ndarray
    """int8 [season, closest thing, behaviour]"""
    association: np.ndarray
    """int8 [closest thing, behaviour]"""


class Worlds(NamedTuple):
    """What changes: one row per lifetime."""

    cells: np.ndarray
    """uint8 [lifetime, position]: what each cell holds; see `core/objects.py`."""
    objects: np.ndarray
    """int32 [lifetime, object]: positions, the green ones first."""
    shared: np.ndarray
    """int64 [lifetime, 1]: objects that stand where another stands too."""
    agent: np.ndarray
    """int64 [lifetime, 2]: position and direction."""
    stream: np.ndarray
    """uint64 [lifetime, 2]: where things appear and move, and which of several closest things counts."""


def constants(task: PreyPredator) -> Constants:
    signals, ids = reinforcement()
    rules = _rules(task)
    row = 1 << rules.shift
    ahead = np.array([-row, 1, row, -1])
    forth, aside = np.array(task.view).T
    return Constants(
        rules=rules,
        turn_at_wall=bool(task.turn_at_wall),
        stepping_counts=bool(task.stepping_counts),
        ahead=ahead,
        seen=forth * ahead[:, None] + aside * np.roll(ahead, -1)[:, None],
        seen_from=np.array(task.view),
        seen_square=forth**2 + aside**2,
        window=_window(task.view_depth, task.view_width),
        nears=np.array([[nears(cell, action) for action in MOVES] for cell in task.view], np.int8),
        gaps=gap_table(task.random_action),
        reinforcement=signals,
        association=ids,
    )


def _window(depth: int, width: int) -> np.ndarray:
    side = width // 2
    north, east = (1 - depth, -side, depth, width), (-side, 0, width, depth)
    south, west = (0, -side, depth, width), (-side, 1 - depth, width, depth)
    return np.array([north, east, south, west])


def _rules(task: PreyPredator) -> Rules:
    row_cells = task.free_side + 2 * task.reach
    row = 1 << (row_cells - 1).bit_length()
    straight, diagonal = [-row, 1, row, -1], [1 - row, 1 + row, row - 1, -row - 1]
    return Rules(
        free=task.free_side,
        border=task.reach,
        shift=row.bit_length() - 1,
        green=int(task.green),
        objects=int(task.green) + int(task.blue),
        notice_square=task.notice_square,
        notice_probability=float(task.notice_probability),
        close=max(math.isqrt(task.notice_square), 1),
        close_square=max(task.notice_square, 2),
        around=np.array(straight if task.neighbourhood == 4 else straight + diagonal),
        choice_bits=2 if task.neighbourhood == 4 else 3,
    )


def new_worlds(constants: Constants, lifetimes: int) -> Worlds:
    rules = constants.rules
    cells = (rules.free + 2 * rules.border) << rules.shift
    return Worlds(
        cells=np.zeros((lifetimes, cells), np.uint8),
        objects=np.zeros((lifetimes, rules.objects), np.int32),
        shared=np.zeros((lifetimes, 1), np.int64),
        agent=np.zeros((lifetimes, 2), np.int64),
        stream=np.zeros((lifetimes, 2), np.uint64),
    )


@creating
def board_of(worlds, i):
    """One lifetime's board."""
    return Board(worlds.cells[i], worlds.objects[i], worlds.shared[i], worlds.stream[i])


@inlined
def furnish(constants, board, agent):
    """The wall, the agent on a random free cell in a random direction, then the green and the blue objects."""
    rules = constants.rules
    objects.furnish(rules, board)
    agent[POSITION] = objects.random_cell(rules, board.stream)
    agent[DIRECTION] = draw_below(board.stream, 4)
    for number in range(rules.objects):
        objects.place(rules, board, number, objects.empty_cell(rules, board, agent[POSITION]))


@inlined
def may_see(constants, board, agent):
    """Whether wall or objects may be in view: most often not, and then no cell needs to be looked at."""
    rules, window, direction = constants.rules, constants.window, agent[DIRECTION]
    top = (agent[POSITION] >> rules.shift) + window[direction, 0]
    left = (agent[POSITION] & ((1 << rules.shift) - 1)) + window[direction, 1]
    rows, columns, end = window[direction, 2], window[direction, 3], rules.border + rules.free
    if top < rules.border or left < rules.border or top + rows > end or left + columns > end:
        return True
    return objects.any_within(rules, board, top, left, rows, columns)


@inlined
def sense(constants, board, agent, sensed, found):
    """Look at every cell in view; returns how many are not empty.

    sensed: uint8 [sensed cell], what it holds. found: int64 [sensed cell], those that are not empty.
    """
    cells, seen, position, direction = board.cells, constants.seen, agent[POSITION], agent[DIRECTION]
    things = 0
    for cell in range(sensed.shape[0]):
        thing = cells[np.uint64(position + seen[direction, cell])]
        sensed[cell] = thing
        if thing != EMPTY:
            found[things] = cell
            things += 1
    return things


@inlined
def list_inputs(sensed, found, things, inputs):
    """The active inputs in their order, the bias last; returns how many. things: how many cells were found."""
    count = 0
    for place in range(things):
        cell, thing = found[place], int(sensed[found[place]])
        inputs[count] = 2 * cell
        count += thing >> 1
        inputs[count] = 2 * cell + 1
        count += thing & 1
    inputs[count] = 2 * sensed.shape[0]
    return count + 1


@inlined
def closest(constants, sensed, found, things, stream):
    """The sensed cell of the closest thing, of one at least; ties at random, but objects before the wall."""
    best, ties, nearest = 0, 0, 0
    for place in range(things):
        rank = _rank(constants, sensed, found[place])
        if ties == 0 or rank < best:
            best, ties, nearest = rank, 1, found[place]
        elif rank == best:
            ties += 1
    if ties < 2:
        return nearest
    chosen = draw_below(stream, ties)
    for place in range(things):
        if _rank(constants, sensed, found[place]) == best:
            if chosen == 0:
                return found[place]
            chosen -= 1
    return nearest


@inlined
def _rank(constants, sensed, cell):
    return 2 * constants.seen_square[cell] + (sensed[cell] == WALL)


@inlined
def judge(constants, sensed, found, things, action, stream):
    """The closest thing in view, and how an action behaves towards it: indices of the reinforcement table."""
    if things == 0:
        return EMPTY, np.int64(action != STRAIGHT)
    cell = closest(constants, sensed, found, things, stream)
    return np.int64(sensed[cell]), np.int64(constants.nears[cell, action])


@inlined
def act(constants, board, agent, season, action, counts):
    """Turn and move; bump into the wall, or collect the prey that is there, which reappears elsewhere."""
    direction = (agent[DIRECTION] + action + 3) & 3
    target = agent[POSITION] + constants.ahead[direction]
    thing = board.cells[target]
    if thing == WALL:
        counts[WALLS] += 1
        if constants.turn_at_wall:
            agent[DIRECTION] = direction
        return
    agent[POSITION], agent[DIRECTION] = target, direction
    if thing != EMPTY:
        _meet(constants, board, season, target, counts)


@inlined
def _meet(constants, board, season, cell, counts):
    """What happens to the objects on the cell the agent has entered."""
    rules = constants.rules
    for number in range(rules.objects):
        if board.objects[number] == cell:
            if objects.is_prey(rules, number, season):
                counts[COLLECTED] += 1
                objects.replace(rules, board, number, objects.empty_cell(rules, board, cell))
            elif constants.stepping_counts:
                counts[CAUGHT] += 1
