"""Foraging's kernels.

There are only 64 sensory states, and two ways of living fast, bit-identical to each other:

`_live_alone`, for lives whose weights change rarely (the rule's reward half is all `0`, or the network
is frozen): the action of each state is remembered until a weight changes, and a straight run over empty
cells is jumped in one go.

`_live_together`, for lives whose weights change at nearly every step: eight lives run in the eight
lanes of vector instructions, each with its own rule (see `core/lanes.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.core import lanes
from hebbarium.core.bits import leading_zeros, trailing_zeros
from hebbarium.core.compile import inlined, kernel
from hebbarium.core.lanes import LANES
from hebbarium.core.network import Brains, activate, bear, change, first_largest, scale, step_function
from hebbarium.core.random import WORLD, draw_below, draw_gap, gap_table, open_stream
from hebbarium.core.trace import Steps
from hebbarium.tasks.foraging import STATES, Foraging, reinforcement
from hebbarium.tasks.grid import BLUE, EMPTY, GREEN, STRAIGHT, WALL

_GREEN_COUNT, _BLUE_COUNT, _WALLS_COUNT = range(3)
_POSITION, _DIRECTION = range(2)
_SENSES = 6


class Constants(NamedTuple):
    """What never changes in a life."""

    side: int
    """Cells along each side, the wall included."""
    free: int
    """Free cells along each side."""
    green: int
    blue: int
    turn_at_wall: bool
    ahead: np.ndarray
    """int64 [direction]: what one cell ahead adds to a position."""
    survival: np.ndarray
    """float64 [GAPS + 1]: see `random.gap_table`."""
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


def constants(task: Foraging) -> Constants:
    signals, ids = reinforcement(task.priority)
    return Constants(
        side=task.full_side,
        free=task.free_side,
        green=int(task.green),
        blue=int(task.blue),
        turn_at_wall=bool(task.turn_at_wall),
        ahead=np.array([-task.full_side, 1, task.full_side, -1]),
        survival=gap_table(task.random_action),
        reinforcement=signals,
        association=ids,
    )


def new_worlds(constants: Constants, lifetimes: int) -> Worlds:
    side, words = constants.side, (constants.side + 63) // 64
    return Worlds(
        cells=np.zeros((lifetimes, side * side), np.uint8),
        rows=np.zeros((lifetimes, side, words), np.uint64),
        columns=np.zeros((lifetimes, side, words), np.uint64),
        agent=np.zeros((lifetimes, 2), np.int64),
        stream=np.zeros((lifetimes, 2), np.uint64),
    )


@kernel
def begin(constants: Constants, worlds: Worlds, brains: Brains, seeds, trials) -> None:
    """Newborn brains in fresh worlds. seeds, trials: uint64 [lifetime]."""
    for i in range(seeds.shape[0]):
        open_stream(worlds.stream[i], seeds[i], trials[i], WORLD)
        _furnish(constants, worlds, i)
        bear(brains, i, seeds[i], trials[i], constants.survival)


@kernel
def advance(constants: Constants, worlds: Worlds, brains: Brains, season, steps, counts, trace) -> None:
    """Let every lifetime live on for `steps` steps of one season.

    season: SUMMER or WINTER. counts: int64 [lifetime, count], added to.
    trace: None, or the Steps of lifetime 0, which then lives alone.
    """
    group = np.empty(LANES, np.int64)
    size = 0
    for i in range(counts.shape[0]):
        if trace is not None or not brains.plastic[i, 1]:
            _live_alone(constants, worlds, brains, i, season, steps, counts, trace)
            continue
        group[size] = i
        size += 1
        if size == LANES:
            _live_together(constants, worlds, brains, group, season, steps, counts)
            size = 0
    if size > 0:
        _live_together(constants, worlds, brains, group[:size], season, steps, counts)


@inlined
def _furnish(constants, worlds, i):
    """The wall, the agent on a random free cell in a random direction, then the green and the blue items."""
    side = constants.side
    for place in range(side):
        for edge in (place, place * side, place * side + side - 1, (side - 1) * side + place):
            _put(constants, worlds, i, edge, WALL)
    stream = worlds.stream[i]
    worlds.agent[i, _POSITION] = _random_cell(constants, stream)
    worlds.agent[i, _DIRECTION] = draw_below(stream, 4)
    for item in range(constants.green + constants.blue):
        _place_item(constants, worlds, i, GREEN if item < constants.green else BLUE)


@inlined
def _random_cell(constants, stream):
    """The position of a random free or occupied cell inside the wall."""
    cell = draw_below(stream, constants.free * constants.free)
    return (cell // constants.free + 1) * constants.side + cell % constants.free + 1


@inlined
def _place_item(constants, worlds, i, item):
    """On a random empty cell that is not the agent's."""
    while True:
        cell = _random_cell(constants, worlds.stream[i])
        if worlds.cells[i, cell] == EMPTY and cell != worlds.agent[i, _POSITION]:
            _put(constants, worlds, i, cell, item)
            return


@inlined
def _put(constants, worlds, i, cell, thing):
    """Write a thing, or EMPTY, on the cells and on both bit boards."""
    row, column = cell // constants.side, cell % constants.side
    worlds.cells[i, cell] = thing
    in_row, in_column = np.uint64(1) << np.uint64(column & 63), np.uint64(1) << np.uint64(row & 63)
    if thing == EMPTY:
        worlds.rows[i, row, column >> 6] &= ~in_row
        worlds.columns[i, column, row >> 6] &= ~in_column
    else:
        worlds.rows[i, row, column >> 6] |= in_row
        worlds.columns[i, column, row >> 6] |= in_column


@inlined
def _sense(constants, worlds, i):
    """The sensory state 0..63: left, front and right cell, two bits each."""
    position, direction = worlds.agent[i, _POSITION], worlds.agent[i, _DIRECTION]
    left = np.int64(worlds.cells[i, position + constants.ahead[(direction + 3) & 3]])
    front = np.int64(worlds.cells[i, position + constants.ahead[direction]])
    right = np.int64(worlds.cells[i, position + constants.ahead[(direction + 1) & 3]])
    return left << 4 | front << 2 | right


@inlined
def _act(constants, worlds, i, action, counts):
    """Turn and move; bump into the wall or collect what is there, which reappears elsewhere."""
    agent = worlds.agent[i]
    direction = (agent[_DIRECTION] + action + 3) & 3
    target = agent[_POSITION] + constants.ahead[direction]
    thing = worlds.cells[i, target]
    if thing == WALL:
        counts[i, _WALLS_COUNT] += 1
        if constants.turn_at_wall:
            agent[_DIRECTION] = direction
        return
    agent[_POSITION] = target
    agent[_DIRECTION] = direction
    if thing != EMPTY:
        counts[i, _GREEN_COUNT if thing == GREEN else _BLUE_COUNT] += 1
        _put(constants, worlds, i, target, EMPTY)
        _place_item(constants, worlds, i, thing)


@inlined
def _open_run(constants, worlds, i):
    """Straight steps until something comes into view, where nothing is in view now; at least one.

    Going along line `l` of a bit board, something is in view from place p when a bit of the lines
    beside it is set at p, or one of its own at the place after p. The wall ends every run.
    """
    position, direction = worlds.agent[i, _POSITION], worlds.agent[i, _DIRECTION]
    line, place = position // constants.side, position % constants.side
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
def _set_senses(state, senses):
    """The six sensor bits of a state; the bias behind them stays active."""
    for j in range(_SENSES):
        senses[j] = state >> (_SENSES - 1 - j) & 1
    senses[_SENSES] = 1


@inlined
def _live_alone(constants, worlds, brains, i, season, steps, counts, trace):
    hidden, output = brains.hidden[i], brains.output[i]
    neurons = hidden.shape[1]
    senses, active = np.empty(_SENSES + 1, np.uint8), np.empty(neurons + 1, np.uint8)
    sums, outputs = np.empty(neurons), np.empty(output.shape[1])
    winner = np.zeros(output.shape[1], np.uint8)
    remembered = np.full(STATES, -1, np.int8)
    gap = brains.gap[i]
    may_jump = trace is None and not brains.plastic[i, 1]
    t = 0
    state = _sense(constants, worlds, i)
    while t < steps:
        random = gap == 0
        if random:
            action = draw_below(brains.stream[i], 3)
            gap = draw_gap(brains.stream[i], constants.survival)
        else:
            action = np.int64(remembered[state])
            if action < 0:
                _set_senses(state, senses)
                activate(hidden, senses, sums)
                step_function(sums, active)
                activate(output, active, outputs)
                action = np.int64(first_largest(outputs))
                remembered[state] = action
            if may_jump and state == 0 and action == STRAIGHT:
                run = min(_open_run(constants, worlds, i), steps - t, gap)
                worlds.agent[i, _POSITION] += run * constants.ahead[worlds.agent[i, _DIRECTION]]
                gap -= run
                t += run
                state = _sense(constants, worlds, i)
                continue
            gap -= 1
        signal = constants.reinforcement[season, state, action]
        if trace is not None:
            _write_step(constants, worlds, i, season, state, action, random, trace, t)
        _act(constants, worlds, i, action, counts)
        half = 0 if signal < 0 else 1
        if signal != 0 and not random and brains.plastic[i, half]:
            _set_senses(state, senses)
            activate(hidden, senses, sums)
            step_function(sums, active)
            winner[:] = 0
            winner[action] = 1
            change(hidden, brains.delta[i, half], senses, active)
            scale(hidden, sums)
            change(output, brains.delta[i, half], active, winner)
            scale(output, outputs)
            remembered[:] = -1
        state = _sense(constants, worlds, i)
        t += 1
    brains.gap[i] = gap


@inlined
def _write_step(constants, worlds, i, season, state, action, random, trace: Steps, t):
    position = worlds.agent[i, _POSITION]
    trace.position[t, 0], trace.position[t, 1] = position // constants.side, position % constants.side
    trace.direction[t] = worlds.agent[i, _DIRECTION]
    for cell in range(3):
        trace.sensed[t, cell] = state >> (4 - 2 * cell) & 3
    trace.action[t] = action
    trace.random[t] = random
    trace.reinforcement[t] = constants.reinforcement[season, state, action]
    trace.association[t] = constants.association[season, state, action]


@inlined
def _live_together(constants, worlds, brains, group, season, steps, counts):
    """group: int64 [up to LANES], the lifetimes in the lanes; lanes beyond them idle."""
    size = group.shape[0]
    network = lanes.new_network(_SENSES + 1, brains.hidden.shape[2], brains.output.shape[2])
    states, halves = np.zeros(LANES, np.int64), np.full(LANES, -1)
    senses = np.zeros((_SENSES + 1, LANES))
    deltas = np.zeros((LANES, 2, 2, 2))
    for lane in range(size):
        i = group[lane]
        deltas[lane] = brains.delta[i]
        lanes.load(network, lane, brains.hidden[i], brains.output[i])
        states[lane] = _sense(constants, worlds, i)
    _set_lane_senses(states, senses)
    lanes.first_activation(network, senses)
    for _ in range(steps):
        for lane in range(size):
            i = group[lane]
            halves[lane] = -1
            action = network.winner[lane]
            if brains.gap[i] == 0:
                action = draw_below(brains.stream[i], 3)
                brains.gap[i] = draw_gap(brains.stream[i], constants.survival)
            else:
                brains.gap[i] -= 1
                signal = constants.reinforcement[season, states[lane], action]
                half = 0 if signal < 0 else 1
                if signal != 0 and brains.plastic[i, half]:
                    halves[lane] = half
            _act(constants, worlds, i, action, counts)
            states[lane] = _sense(constants, worlds, i)
        lanes.set_deltas(network, halves, deltas, senses)
        _set_lane_senses(states, senses)
        lanes.update(network, senses)
    for lane in range(size):
        lanes.unload(network, lane, brains.hidden[group[lane]], brains.output[group[lane]])


@inlined
def _set_lane_senses(states, senses):
    """senses: float64 [pre, lane], 1.0 where active."""
    for j in range(_SENSES):
        for lane in range(LANES):
            senses[j, lane] = states[lane] >> (_SENSES - 1 - j) & 1
    senses[_SENSES] = 1.0
