"""Prey-predator's kernels: sense, act, be reinforced; then the objects move and the weights change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.core import objects
from hebbarium.core.compile import creating, inlined, kernel
from hebbarium.core.network import Brains, activate, bear, change, scale, step_function
from hebbarium.core.objects import Board, Rules
from hebbarium.core.random import WORLD, draw_below, draw_gap, gap_table, open_stream
from hebbarium.core.trace import Steps
from hebbarium.tasks.grid import EMPTY, STRAIGHT, WALL
from hebbarium.tasks.prey_predator import MOVES, PreyPredator, nears, reinforcement

_COLLECTED, _CAUGHT, _WALLS_COUNT = range(3)
_POSITION, _DIRECTION = range(2)


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
    nears: np.ndarray
    """int8 [sensed cell, action]: 1 where the action aims at a cell nearer to it."""
    survival: np.ndarray
    """float64 [GAPS + 1]: see `random.gap_table`."""
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
        nears=np.array([[nears(cell, action) for action in MOVES] for cell in task.view], np.int8),
        survival=gap_table(task.random_action),
        reinforcement=signals,
        association=ids,
    )


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
        close_square=max(task.notice_square, 2),
        notice_probability=float(task.notice_probability),
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
    """One lifetime's board. It hands arrays back, so it and its callers must count references to them."""
    return Board(worlds.cells[i], worlds.objects[i], worlds.shared[i], worlds.stream[i])


@kernel
def begin(constants: Constants, worlds: Worlds, brains: Brains, seeds, trials) -> None:
    """Newborn brains in fresh worlds. seeds, trials: uint64 [lifetime]."""
    for i in range(seeds.shape[0]):
        open_stream(worlds.stream[i], seeds[i], trials[i], WORLD)
        _furnish(constants, worlds, i)
        bear(brains, i, seeds[i], trials[i], constants.survival)


@creating
def _furnish(constants, worlds, i):
    """The wall, the agent on a random free cell in a random direction, then the green and the blue objects."""
    board = board_of(worlds, i)
    objects.furnish(constants.rules, board)
    agent = objects.random_cell(constants.rules, board.stream)
    worlds.agent[i, _POSITION] = agent
    worlds.agent[i, _DIRECTION] = draw_below(board.stream, 4)
    for number in range(constants.rules.objects):
        objects.place(constants.rules, board, number, objects.empty_cell(constants.rules, board, agent))


@kernel
def advance(constants: Constants, worlds: Worlds, brains: Brains, season, steps, counts, trace) -> None:
    """Let every lifetime live on for `steps` steps of one season.

    season: SUMMER or WINTER. counts: int64 [lifetime, count], added to.
    trace: None, or the Steps of lifetime 0.
    """
    for i in range(counts.shape[0]):
        _live(constants, worlds, brains, i, season, steps, counts[i], trace)


@inlined
def sense(constants, cells, agent, sensed):
    """sensed: uint8 [sensed cell], what each cell in view holds."""
    seen = constants.seen[agent[_DIRECTION]]
    for cell in range(sensed.shape[0]):
        sensed[cell] = cells[agent[_POSITION] + seen[cell]]


@inlined
def closest(constants, sensed, stream):
    """The sensed cell of the closest thing, or -1; ties at random, but objects before the wall."""
    best, ties, found = -1, 0, -1
    for cell in range(sensed.shape[0]):
        if sensed[cell] != EMPTY:
            rank = 2 * constants.seen_square[cell] + (sensed[cell] == WALL)
            if ties == 0 or rank < best:
                best, ties, found = rank, 1, cell
            elif rank == best:
                ties += 1
    if ties < 2:
        return found
    chosen = draw_below(stream, ties)
    for cell in range(found, sensed.shape[0]):
        if sensed[cell] != EMPTY and 2 * constants.seen_square[cell] + (sensed[cell] == WALL) == best:
            if chosen == 0:
                return cell
            chosen -= 1
    return found


@creating
def act(constants, worlds, i, season, action, counts):
    """Turn and move; bump into the wall, or collect the prey that is there, which reappears elsewhere."""
    agent, rules = worlds.agent[i], constants.rules
    direction = (agent[_DIRECTION] + action + 3) & 3
    target = agent[_POSITION] + constants.ahead[direction]
    thing = worlds.cells[i, target]
    if thing == WALL:
        counts[_WALLS_COUNT] += 1
        if constants.turn_at_wall:
            agent[_DIRECTION] = direction
        return
    agent[_POSITION] = target
    agent[_DIRECTION] = direction
    if thing == EMPTY:
        return
    board = board_of(worlds, i)
    for number in range(rules.objects):
        if board.objects[number] == target:
            if objects.is_prey(rules, number, season):
                counts[_COLLECTED] += 1
                objects.replace(rules, board, number, objects.empty_cell(rules, board, target))
            elif constants.stepping_counts:
                counts[_CAUGHT] += 1


@inlined
def largest(sums, stream):
    """The output that acts; among equals a random one."""
    best, ties = 0, 1
    for i in range(1, sums.shape[0]):
        if sums[i] > sums[best]:
            best, ties = i, 1
        elif sums[i] == sums[best]:
            ties += 1
    if ties == 1:
        return best
    chosen = draw_below(stream, ties)
    for i in range(best, sums.shape[0]):
        if sums[i] == sums[best]:
            if chosen == 0:
                return i
            chosen -= 1
    return best


@creating
def _live(constants, worlds, brains, i, season, steps, counts, trace):
    hidden, output = brains.hidden[i], brains.output[i]
    neurons = hidden.shape[1]
    cells = constants.seen_square.shape[0]
    sensed, senses = np.empty(cells, np.uint8), np.empty(2 * cells + 1, np.uint8)
    active, winner = np.empty(neurons + 1, np.uint8), np.zeros(output.shape[1], np.uint8)
    sums, outputs = np.empty(neurons), np.empty(output.shape[1])
    senses[2 * cells] = 1
    board = board_of(worlds, i)
    for t in range(steps):
        sense(constants, board.cells, worlds.agent[i], sensed)
        for cell in range(cells):
            senses[2 * cell] = sensed[cell] >> 1
            senses[2 * cell + 1] = sensed[cell] & 1
        random = brains.gap[i] == 0
        if random:
            action = draw_below(brains.stream[i], 3)
            brains.gap[i] = draw_gap(brains.stream[i], constants.survival)
        else:
            brains.gap[i] -= 1
            activate(hidden, senses, sums)
            step_function(sums, active)
            activate(output, active, outputs)
            action = np.int64(largest(outputs, brains.stream[i]))
        cell = closest(constants, sensed, board.stream)
        thing = EMPTY if cell < 0 else sensed[cell]
        behaviour = np.int64(action != STRAIGHT) if cell < 0 else np.int64(constants.nears[cell, action])
        signal = constants.reinforcement[season, thing, behaviour]
        if trace is not None:
            _write_step(constants, worlds, i, sensed, action, random, trace, t)
            trace.reinforcement[t] = signal
            trace.association[t] = constants.association[thing, behaviour]
        act(constants, worlds, i, season, action, counts)
        counts[_CAUGHT] += objects.move_all(constants.rules, board, worlds.agent[i, _POSITION], season)
        half = 0 if signal < 0 else 1
        if signal != 0 and not random and brains.plastic[i, half]:
            winner[:] = 0
            winner[action] = 1
            change(hidden, brains.delta[i, half], senses, active)
            scale(hidden, sums)
            change(output, brains.delta[i, half], active, winner)
            scale(output, outputs)


@inlined
def _write_step(constants, worlds, i, sensed, action, random, trace: Steps, t):
    position, rules = worlds.agent[i, _POSITION], constants.rules
    trace.position[t, 0] = (position >> rules.shift) - rules.border + 1
    trace.position[t, 1] = (position & ((1 << rules.shift) - 1)) - rules.border + 1
    trace.direction[t] = worlds.agent[i, _DIRECTION]
    for cell in range(sensed.shape[0]):
        trace.sensed[t, cell] = sensed[cell]
    trace.action[t] = action
    trace.random[t] = random
