"""One foraging life on its own, for when weights change rarely.

The rule's reward half is all `0`, or the network is frozen, or the life is traced. The action of each of
the 64 sensory states is remembered until a weight changes, and a straight run over empty cells is
jumped in one go. States are thought about eight at a time, since sooner or later most of the eight are
met: then a lane of a vector is a state. When the network learns, a lane is a neuron.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.core import lanes
from hebbarium.core.compile import called, creating, inlined
from hebbarium.core.foraging_world import DIRECTION, INPUTS, POSITION, SENSES, act, open_run, sense, write_step
from hebbarium.core.lanes import LANES
from hebbarium.core.random import draw_below, draw_gap
from hebbarium.core.vectors import bits_of, choose, fill, load, mask_of, spread, store
from hebbarium.tasks.foraging import STATES
from hebbarium.tasks.grid import EMPTY, STRAIGHT, WALL


def _rarity(state: int) -> tuple[int, int, int]:
    """Most of a life nothing is in view, then one wall, then one item."""
    cells = [state >> 4, state >> 2 & 3, state & 3]
    return sum(cell != EMPTY for cell in cells), -cells.count(WALL), -state


_STATES = np.array(sorted(range(STATES), key=_rarity)).reshape(-1, LANES)
"""int64 [group, lane]: which eight states are thought about together."""
_GROUPS = np.argsort(_STATES.ravel()) // LANES
"""int64 [state]: its group."""
_SENSED = np.array(
    [[(states >> SENSES - 1 - j & 1) @ (1 << np.arange(LANES)) for j in range(SENSES)] for states in _STATES]
)
"""int64 [group, sense]: in which of the group's lanes the sensor is active."""


class Scratch(NamedTuple):
    """Room for a life while it runs."""

    hidden: np.ndarray
    """float64 [block of eight neurons, pre, lane], flat: weights from the inputs to the hidden neurons."""
    output: np.ndarray
    """float64 [pre, lane], flat: weights from the hidden neurons to the outputs."""
    changes: np.ndarray
    """float64 [pre active, lane], flat: what the outputs' weights change by."""
    remembered: np.ndarray
    """int8 [state]: the action of each state, -1 where not known."""


@creating
def new_scratch(neurons):
    return Scratch(
        lanes.aligned_zeros((neurons + LANES - 1) // LANES * INPUTS * LANES),
        lanes.aligned_zeros((neurons + 1) * LANES),
        lanes.aligned_zeros(2 * LANES),
        np.zeros(STATES, np.int8),
    )


@inlined
def live_alone(constants, worlds, brains, i, season, steps, counts, trace, scratch):
    """One life. Position, direction and gap are held in registers and written back at the end."""
    neurons = brains.hidden.shape[2]
    hidden, output, remembered = scratch.hidden, scratch.output, scratch.remembered
    remembered[:] = -1
    _load_blocks(hidden, brains.hidden[i])
    _load_blocks(output, brains.output[i])
    gap, position, direction = brains.gap[i], worlds.agent[i, POSITION], worlds.agent[i, DIRECTION]
    may_jump = trace is None and not brains.plastic[i, 1]
    # One bit for each signal, -1, 0 and 1: whether the network learns from it.
    learns = np.int64(brains.plastic[i, 0]) | np.int64(brains.plastic[i, 1]) << 2
    t = 0
    while t < steps:
        state = sense(constants, worlds, i, position, direction)
        random = gap == 0
        if random:
            action = draw_below(brains.stream[i], 3)
            gap = draw_gap(brains.stream[i], constants.gaps)
        else:
            action = np.int64(remembered[state])
            if action < 0:
                _decide(hidden, output, neurons, _GROUPS[state], remembered)
                action = np.int64(remembered[state])
            if may_jump and state == 0 and action == STRAIGHT:
                run = min(open_run(constants, worlds, i, position, direction), steps - t, gap)
                position += run * constants.ahead[direction]
                gap -= run
                t += run
                continue
            gap -= 1
        signal = constants.reinforcement[season, state, action]
        if trace is not None:
            write_step(constants, position, direction, season, state, action, random, trace, t)
        position, direction = act(constants, worlds, i, position, direction, action, counts)
        if learns >> (signal + 1) & 1 and not random:
            _learn(hidden, output, neurons, state, action, brains.delta[i, 0 if signal < 0 else 1], scratch.changes)
            remembered[:] = -1
        t += 1
    brains.gap[i], worlds.agent[i, POSITION], worlds.agent[i, DIRECTION] = gap, position, direction
    _unload_blocks(hidden, brains.hidden[i])
    _unload_blocks(output, brains.output[i])


@inlined
def _load_blocks(blocks, weights):
    """weights: float64 [pre, post]; lanes beyond the last neuron feed nothing."""
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            blocks[(post // LANES * inputs + j) * LANES + post % LANES] = weights[j, post]


@inlined
def _unload_blocks(blocks, weights):
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            weights[j, post] = blocks[(post // LANES * inputs + j) * LANES + post % LANES]


@called
def _decide(hidden, output, neurons, group, remembered):
    """Remember what the network does in each of a group's eight states. A lane is a state here.

    An inactive neuron adds nothing to a sum, so lanes where it is inactive are left as they are.
    """
    nothing = fill(0.0)
    left, straight, right = nothing, nothing, nothing
    sensed = _SENSED[group]
    for first in range(0, neurons, LANES):
        for lane in range(min(LANES, neurons - first)):
            weight = first * INPUTS + lane
            sums = nothing
            for j in range(SENSES):
                sums = choose(mask_of(sensed[j]), sums + spread(hidden, weight + j * LANES), sums)
            fires = sums + spread(hidden, weight + SENSES * LANES) > nothing
            out = (first + lane) * LANES
            left = choose(fires, left + spread(output, out), left)
            straight = choose(fires, straight + spread(output, out + 1), straight)
            right = choose(fires, right + spread(output, out + 2), right)
    bias = neurons * LANES
    left = left + spread(output, bias)
    straight = straight + spread(output, bias + 1)
    right = right + spread(output, bias + 2)
    not_left = straight > left
    is_right = bits_of(right > choose(not_left, straight, left))
    not_left_bits = bits_of(not_left)
    for lane in range(LANES):
        remembered[_STATES[group, lane]] = 2 if is_right >> lane & 1 else not_left_bits >> lane & 1


@called
def _learn(hidden, output, neurons, state, action, delta, changes):
    """Change both layers after `action` in `state`, in one pass over the hidden neurons.

    delta: float64 [pre active, post active]. changes: float64 [pre active, lane], scratch.
    """
    nothing, everywhere, acted = fill(0.0), mask_of(0xFF), mask_of(1 << action)
    store(changes, 0, choose(acted, fill(delta[0, 1]), fill(delta[0, 0])))
    store(changes, LANES, choose(acted, fill(delta[1, 1]), fill(delta[1, 0])))
    squares = nothing
    for first in range(0, neurons, LANES):
        fires = bits_of(_learn_block(hidden, first * INPUTS, state, delta))
        for lane in range(min(LANES, neurons - first)):
            place = (first + lane) * LANES
            weight = load(output, place) + load(changes, (fires >> lane & 1) * LANES)
            store(output, place, weight)
            squares = squares + weight * weight
    weight = load(output, neurons * LANES) + load(changes, LANES)
    store(output, neurons * LANES, weight)
    factor = lanes.unit_length_factor(squares + weight * weight, everywhere)
    for j in range(neurons + 1):
        store(output, j * LANES, lanes.scaled(load(output, j * LANES), factor))


@inlined
def _learn_block(hidden, start, state, delta):
    """Change eight hidden neurons, whose weights begin at `start`; returns which of them were active."""
    nothing = fill(0.0)
    sums = nothing
    for j in range(INPUTS):
        sums = sums + load(hidden, start + j * LANES) * fill(np.float64(_active(state, j)))
    fires = sums > nothing
    squares = nothing
    for j in range(INPUTS):
        pre = _active(state, j)
        weight = load(hidden, start + j * LANES) + choose(fires, fill(delta[pre, 1]), fill(delta[pre, 0]))
        store(hidden, start + j * LANES, weight)
        squares = squares + weight * weight
    factor = lanes.unit_length_factor(squares, mask_of(0xFF))
    for j in range(INPUTS):
        store(hidden, start + j * LANES, lanes.scaled(load(hidden, start + j * LANES), factor))
    return fires


@inlined
def _active(state, j):
    """Whether input j is, as 0 or 1; the last is the bias."""
    return 1 if j == SENSES else state >> (SENSES - 1 - j) & 1
