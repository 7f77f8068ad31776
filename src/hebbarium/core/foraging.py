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
from hebbarium.core.compile import creating, inlined, kernel
from hebbarium.core.lanes import LANES
from hebbarium.core.network import Brains, bear, first_largest
from hebbarium.core.random import WORLD, draw_below, draw_gap, gap_table, open_stream
from hebbarium.core.trace import Steps
from hebbarium.core.vectors import bits_of, choose, fill, load, mask_of, store
from hebbarium.tasks.foraging import STATES, Foraging, reinforcement
from hebbarium.tasks.grid import BLUE, EMPTY, GREEN, STRAIGHT, WALL

_GREEN_COUNT, _BLUE_COUNT, _WALLS_COUNT = range(3)
_POSITION, _DIRECTION = range(2)
_SENSES = 6
_INPUTS = _SENSES + 1
_SPREAD = np.array([sum((state >> (5 - j) & 1) << 8 * j for j in range(6)) for state in range(STATES)], np.uint64)
"""Each state's six sensor bits, one to a byte: eight lanes' states shifted together give each sensor's mask."""


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
    neurons, outputs = brains.hidden.shape[2], brains.output.shape[2]
    alone = _new_scratch((neurons + LANES - 1) // LANES, 1, neurons)
    together = _new_scratch(neurons, outputs, neurons)
    group = np.empty(LANES, np.int64)
    size = 0
    for i in range(counts.shape[0]):
        if trace is not None or not brains.plastic[i, 1]:
            _live_alone(constants, worlds, brains, i, season, steps, counts, trace, alone)
            continue
        group[size] = i
        size += 1
        if size == LANES:
            _live_together(constants, worlds, brains, group, season, steps, counts, together)
            size = 0
    if size > 0:
        _live_together(constants, worlds, brains, group[:size], season, steps, counts, together)


class _Scratch(NamedTuple):
    """Room for a life, or eight, while it runs."""

    hidden: lanes.Layer
    output: lanes.Layer
    sums: np.ndarray
    """float64 [lane]"""
    remembered: np.ndarray
    """int8 [state]: the action of each state, -1 where not known."""
    deltas: np.ndarray
    """float64 [half, pre active, post active, lane], flat"""
    states: np.ndarray
    """int64 [lane]"""
    winners: np.ndarray
    """int64 [lane]"""


@creating
def _new_scratch(hidden_blocks, output_blocks, neurons):
    return _Scratch(
        lanes.new_layer(hidden_blocks, _INPUTS),
        lanes.new_layer(output_blocks, neurons + 1),
        lanes.aligned_zeros(LANES),
        np.zeros(STATES, np.int8),
        lanes.aligned_zeros(8 * LANES),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
    )


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
def _live_alone(constants, worlds, brains, i, season, steps, counts, trace, scratch):
    """One life, eight of its neurons at a time."""
    neurons, outputs = brains.hidden.shape[2], brains.output.shape[2]
    hidden, output, sums, remembered = scratch.hidden, scratch.output, scratch.sums, scratch.remembered
    remembered[:] = -1
    _load_blocks(hidden, brains.hidden[i])
    _load_blocks(output, brains.output[i])
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
                _think(hidden, output, neurons, state)
                store(sums, 0, lanes.activation(output, 0, neurons + 1))
                action = first_largest(sums[:outputs])
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
            _think(hidden, output, neurons, state)
            output.post[:] = 0.0
            output.post[action] = 1.0
            _learn_alone(hidden, output, neurons, brains.delta[i, half])
            remembered[:] = -1
        state = _sense(constants, worlds, i)
        t += 1
    brains.gap[i] = gap
    _unload_blocks(hidden, brains.hidden[i])
    _unload_blocks(output, brains.output[i])


@inlined
def _load_blocks(layer, weights):
    """weights: float64 [pre, post]; lanes beyond the last neuron stay zero and feed nothing."""
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            layer.weights[(post // LANES * inputs + j) * LANES + post % LANES] = weights[j, post]


@inlined
def _unload_blocks(layer, weights):
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            weights[j, post] = layer.weights[(post // LANES * inputs + j) * LANES + post % LANES]


@inlined
def _think(hidden, output, neurons, state):
    """Set every activity that the state gives rise to, up to the hidden neurons'."""
    for j in range(_SENSES):
        store(hidden.pre, j * LANES, fill(np.float64(state >> (_SENSES - 1 - j) & 1)))
    for block in range((neurons + LANES - 1) // LANES):
        store(hidden.post, block * LANES, lanes.step_function(lanes.activation(hidden, block, _INPUTS)))
    for j in range(neurons):
        store(output.pre, j * LANES, fill(hidden.post[j]))


@inlined
def _learn_alone(hidden, output, neurons, delta):
    """delta: float64 [pre active, post active]."""
    neither, only_post, only_pre, both = fill(delta[0, 0]), fill(delta[0, 1]), fill(delta[1, 0]), fill(delta[1, 1])
    everywhere = mask_of(0xFF)
    lanes.set_changes(hidden, _INPUTS, neither, only_post, only_pre, both)
    for block in range((neurons + LANES - 1) // LANES):
        lanes.change_and_scale(hidden, block, _INPUTS, everywhere)
    lanes.set_changes(output, neurons + 1, neither, only_post, only_pre, both)
    lanes.change_and_scale(output, 0, neurons + 1, everywhere)


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
def _live_together(constants, worlds, brains, group, season, steps, counts, scratch):
    """Up to eight lives, one in each lane. group: int64 [up to LANES], which; lanes beyond them idle."""
    neurons = brains.hidden.shape[2]
    hidden, output, deltas = scratch.hidden, scratch.output, scratch.deltas
    states, winners = scratch.states, scratch.winners
    for lane in range(group.shape[0]):
        i = group[lane]
        _load_lane(hidden, brains.hidden[i], lane)
        _load_lane(output, brains.output[i], lane)
        for entry in range(8):
            deltas[entry * LANES + lane] = brains.delta[i, entry >> 2, entry >> 1 & 1, entry & 1]
        states[lane] = _sense(constants, worlds, i)
    _think_together(hidden, output, neurons, states, winners)
    for _ in range(steps):
        punished, rewarded = 0, 0
        for lane in range(group.shape[0]):
            i = group[lane]
            action = winners[lane]
            if brains.gap[i] == 0:
                action = draw_below(brains.stream[i], 3)
                brains.gap[i] = draw_gap(brains.stream[i], constants.survival)
            else:
                brains.gap[i] -= 1
                signal = constants.reinforcement[season, states[lane], action]
                punished |= (signal < 0 and brains.plastic[i, 0]) << lane
                rewarded |= (signal > 0 and brains.plastic[i, 1]) << lane
            _act(constants, worlds, i, action, counts)
            states[lane] = _sense(constants, worlds, i)
        if punished | rewarded:
            _learn_together(hidden, output, neurons, states, winners, deltas, punished, rewarded)
        else:
            _think_together(hidden, output, neurons, states, winners)
    for lane in range(group.shape[0]):
        _unload_lane(hidden, brains.hidden[group[lane]], lane)
        _unload_lane(output, brains.output[group[lane]], lane)


@inlined
def _load_lane(layer, weights, lane):
    """weights: float64 [pre, post]."""
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            layer.weights[(post * inputs + j) * LANES + lane] = weights[j, post]


@inlined
def _unload_lane(layer, weights, lane):
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            weights[j, post] = layer.weights[(post * inputs + j) * LANES + lane]


@inlined
def _set_senses_together(hidden, states):
    word = np.uint64(0)
    for lane in range(LANES):
        word |= _SPREAD[states[lane]] << np.uint64(lane)
    for j in range(_SENSES):
        sensed = mask_of(np.int64(word >> np.uint64(8 * j)))
        store(hidden.pre, j * LANES, choose(sensed, fill(1.0), fill(0.0)))


@inlined
def _think_together(hidden, output, neurons, states, winners):
    """Activate both layers of all lanes."""
    _set_senses_together(hidden, states)
    for i in range(neurons):
        active = lanes.step_function(lanes.activation(hidden, i, _INPUTS))
        store(hidden.post, i * LANES, active)
        store(output.pre, i * LANES, active)
    left = lanes.activation(output, 0, neurons + 1)
    straight = lanes.activation(output, 1, neurons + 1)
    right = lanes.activation(output, 2, neurons + 1)
    _decide_together(left, straight, right, output, winners)


@inlined
def _learn_together(hidden, output, neurons, states, winners, deltas, punished, rewarded):
    """Change both layers of the lanes that were punished or rewarded, and activate them all.

    punished, rewarded: one bit per lane. deltas: flat float64 [half, pre active, post active, lane].
    """
    bad, good, nothing = mask_of(punished), mask_of(rewarded), fill(0.0)
    neither = choose(good, load(deltas, 4 * LANES), choose(bad, load(deltas, 0), nothing))
    only_post = choose(good, load(deltas, 5 * LANES), choose(bad, load(deltas, LANES), nothing))
    only_pre = choose(good, load(deltas, 6 * LANES), choose(bad, load(deltas, 2 * LANES), nothing))
    both = choose(good, load(deltas, 7 * LANES), choose(bad, load(deltas, 3 * LANES), nothing))
    changes = mask_of(punished | rewarded)
    lanes.set_changes(hidden, _INPUTS, neither, only_post, only_pre, both)
    lanes.set_changes(output, neurons + 1, neither, only_post, only_pre, both)
    _set_senses_together(hidden, states)
    for i in range(neurons):
        active = lanes.step_function(lanes.change_and_scale(hidden, i, _INPUTS, changes))
        store(hidden.post, i * LANES, active)
        store(output.pre, i * LANES, active)
    left = lanes.change_and_scale(output, 0, neurons + 1, changes)
    straight = lanes.change_and_scale(output, 1, neurons + 1, changes)
    right = lanes.change_and_scale(output, 2, neurons + 1, changes)
    _decide_together(left, straight, right, output, winners)


@inlined
def _decide_together(left, straight, right, output, winners):
    """Each lane's winner is the first of its largest sums; it alone counts as active."""
    one, nothing = fill(1.0), fill(0.0)
    not_left = straight > left
    is_right = right > choose(not_left, straight, left)
    store(output.post, 2 * LANES, choose(is_right, one, nothing))
    store(output.post, LANES, choose(is_right, nothing, choose(not_left, one, nothing)))
    store(output.post, 0, choose(is_right, nothing, choose(not_left, nothing, one)))
    right_bits, not_left_bits = bits_of(is_right), bits_of(not_left)
    for lane in range(LANES):
        winners[lane] = 2 if right_bits >> lane & 1 else not_left_bits >> lane & 1
