"""Eight foraging lives in the eight lanes of vector instructions, for when weights change at nearly every step.

Each lane has a rule, a world and random streams of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.core import lanes
from hebbarium.core.compile import creating, inlined
from hebbarium.core.foraging_world import INPUTS, SENSES, look, step
from hebbarium.core.lanes import LANES
from hebbarium.core.random import draw_below, draw_gap
from hebbarium.core.vectors import bits_of, choose, fill, load, mask_of, store
from hebbarium.tasks.foraging import STATES

_SPREAD = np.array([sum((state >> (5 - j) & 1) << 8 * j for j in range(6)) for state in range(STATES)], np.uint64)
"""Each state's six sensor bits, one to a byte: eight lanes' states shifted together give each sensor's mask."""


class Scratch(NamedTuple):
    """Room for eight lives while they run."""

    hidden: lanes.Layer
    output: lanes.Layer
    deltas: np.ndarray
    """float64 [half, pre active, post active, lane], flat: eta times the rule's entry."""
    states: np.ndarray
    """int64 [lane]: what each life senses."""
    winners: np.ndarray
    """int64 [lane]: the output that acts."""


@creating
def new_scratch(neurons, outputs):
    return Scratch(
        lanes.new_layer(neurons, INPUTS),
        lanes.new_layer(outputs, neurons + 1),
        lanes.aligned_zeros(8 * LANES),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
    )


@inlined
def live_together(constants, worlds, brains, group, season, steps, counts, scratch):
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
        states[lane] = look(constants, worlds, i)
    _think(hidden, output, neurons, states, winners)
    for _ in range(steps):
        punished, rewarded = 0, 0
        for lane in range(group.shape[0]):
            i = group[lane]
            action = winners[lane]
            if brains.gap[i] == 0:
                action = draw_below(brains.stream[i], 3)
                brains.gap[i] = draw_gap(brains.stream[i], constants.gaps)
            else:
                brains.gap[i] -= 1
                signal = constants.reinforcement[season, states[lane], action]
                punished |= (signal < 0 and brains.plastic[i, 0]) << lane
                rewarded |= (signal > 0 and brains.plastic[i, 1]) << lane
            step(constants, worlds, i, action, counts)
            states[lane] = look(constants, worlds, i)
        if punished | rewarded:
            _learn(hidden, output, neurons, states, winners, deltas, punished, rewarded)
        else:
            _think(hidden, output, neurons, states, winners)
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
def _set_senses(hidden, states):
    word = np.uint64(0)
    for lane in range(LANES):
        word |= _SPREAD[states[lane]] << np.uint64(lane)
    for j in range(SENSES):
        sensed = mask_of(np.int64(word >> np.uint64(8 * j)))
        store(hidden.pre, j * LANES, choose(sensed, fill(1.0), fill(0.0)))


@inlined
def _think(hidden, output, neurons, states, winners):
    """Activate both layers of all lanes."""
    _set_senses(hidden, states)
    for i in range(neurons):
        active = lanes.step_function(lanes.activation(hidden, i, INPUTS))
        store(hidden.post, i * LANES, active)
        store(output.pre, i * LANES, active)
    left = lanes.activation(output, 0, neurons + 1)
    straight = lanes.activation(output, 1, neurons + 1)
    right = lanes.activation(output, 2, neurons + 1)
    _decide(left, straight, right, output, winners)


@inlined
def _learn(hidden, output, neurons, states, winners, deltas, punished, rewarded):
    """Change both layers of the lanes that were punished or rewarded, and activate them all.

    punished, rewarded: one bit per lane. deltas: flat float64 [half, pre active, post active, lane].
    """
    bad, good, nothing = mask_of(punished), mask_of(rewarded), fill(0.0)
    neither = choose(good, load(deltas, 4 * LANES), choose(bad, load(deltas, 0), nothing))
    only_post = choose(good, load(deltas, 5 * LANES), choose(bad, load(deltas, LANES), nothing))
    only_pre = choose(good, load(deltas, 6 * LANES), choose(bad, load(deltas, 2 * LANES), nothing))
    both = choose(good, load(deltas, 7 * LANES), choose(bad, load(deltas, 3 * LANES), nothing))
    changes = mask_of(punished | rewarded)
    lanes.set_changes(hidden, INPUTS, neither, only_post, only_pre, both)
    lanes.set_changes(output, neurons + 1, neither, only_post, only_pre, both)
    _set_senses(hidden, states)
    for i in range(neurons):
        active = lanes.step_function(lanes.change_and_scale(hidden, i, INPUTS, changes))
        store(hidden.post, i * LANES, active)
        store(output.pre, i * LANES, active)
    left = lanes.change_and_scale(output, 0, neurons + 1, changes)
    straight = lanes.change_and_scale(output, 1, neurons + 1, changes)
    right = lanes.change_and_scale(output, 2, neurons + 1, changes)
    _decide(left, straight, right, output, winners)


@inlined
def _decide(left, straight, right, output, winners):
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
