"""Eight foraging lives in the eight lanes of vector instructions, for when weights change at nearly every step.

Each lane has rules, a world and random streams of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains import lanes
from hebbarium.brains.lanes import LANES
from hebbarium.kernels.compile import creating, inlined
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.kernels.vectors import bits_of, choose, fill, load, mask_of, store
from hebbarium.life.foraging_alone import INPUTS
from hebbarium.worlds.foraging import SENSES, STATES, act, look

_SPREAD = np.array([sum((state >> (5 - j) & 1) << 8 * j for j in range(6)) for state in range(STATES)], np.uint64)
"""Each state's six sensor bits, one to a byte: eight lanes' states shifted together give each sensor's mask."""


class Scratch(NamedTuple):
    """Room for eight lives while they run."""

    hidden: lanes.LaneLayer
    output: lanes.LaneLayer
    deltas: np.ndarray
    """float64 [layer, half, pre active, post active, lane], flat: eta times the rule's entry."""
    plastic: np.ndarray
    """int64 [layer, half]: one bit per lane, whether that half of the layer's rule has any entry but `0`."""
    states: np.ndarray
    """int64 [lane]: what each life senses."""
    winners: np.ndarray
    """int64 [lane]: the output that acts."""


@creating
def new_scratch(neurons, outputs):
    return Scratch(
        lanes.new_layer(neurons, INPUTS),
        lanes.new_layer(outputs, neurons + 1),
        lanes.aligned_zeros(16 * LANES),
        np.zeros((2, 2), np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
    )


@inlined
def live_together(constants, state, streams, brains, group, season, steps, counts, scratch):
    """Up to eight lives, one in each lane. group: int64 [up to LANES], which; lanes beyond them idle."""
    neurons = brains.hidden.shape[2]
    hidden, output, deltas, plastic = scratch.hidden, scratch.output, scratch.deltas, scratch.plastic
    states, winners = scratch.states, scratch.winners
    plastic[:] = 0
    for lane in range(group.shape[0]):
        i = group[lane]
        _load_lane(hidden, brains.hidden[i], lane)
        _load_lane(output, brains.output[i], lane)
        for entry in range(16):
            layer, half = entry >> 3, entry >> 2 & 1
            deltas[entry * LANES + lane] = brains.delta[i, layer, half, entry >> 1 & 1, entry & 1]
            plastic[layer, half] |= np.int64(brains.plastic[i, layer, half]) << lane
        states[lane] = look(constants, state, i)
    may_punish, may_reward = plastic[0, 0] | plastic[1, 0], plastic[0, 1] | plastic[1, 1]
    _think(hidden, output, neurons, states, winners)
    for _ in range(steps):
        punished, rewarded = 0, 0
        for lane in range(group.shape[0]):
            i = group[lane]
            action = winners[lane]
            free = states[lane] == 0 or not brains.only_unseeing
            if free and brains.gap[i] == 0:
                action = brains.choices[draw_below(brains.stream[i], brains.choices.shape[0])]
                brains.gap[i] = draw_gap(brains.stream[i], brains.gaps)
            else:
                brains.gap[i] -= free
                signal = constants.reinforcement[season, states[lane], action]
                brains.punished[i] += signal < 0
                punished |= (signal < 0) << lane
                rewarded |= (signal > 0) << lane
            act(constants, state, i, season, action, counts[i], streams[i])
            states[lane] = look(constants, state, i)
        if punished & may_punish | rewarded & may_reward:
            _learn(hidden, output, neurons, states, winners, deltas, plastic, punished, rewarded)
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
def _learn(hidden, output, neurons, states, winners, deltas, plastic, punished, rewarded):
    """Change the layers of the lanes that were punished or rewarded, as far as they are plastic, and activate all.

    punished, rewarded: one bit per lane. deltas: flat float64 [layer, half, pre active, post active, lane].
    """
    bad, good = punished & plastic[0, 0], rewarded & plastic[0, 1]
    changes = mask_of(bad | good)
    _set_changes(hidden, INPUTS, deltas, 0, bad, good)
    _set_senses(hidden, states)
    bad, good = punished & plastic[1, 0], rewarded & plastic[1, 1]
    output_changes = mask_of(bad | good)
    _set_changes(output, neurons + 1, deltas, 8 * LANES, bad, good)
    for i in range(neurons):
        active = lanes.step_function(lanes.change_and_scale(hidden, i, INPUTS, changes))
        store(hidden.post, i * LANES, active)
        store(output.pre, i * LANES, active)
    left = lanes.change_and_scale(output, 0, neurons + 1, output_changes)
    straight = lanes.change_and_scale(output, 1, neurons + 1, output_changes)
    right = lanes.change_and_scale(output, 2, neurons + 1, output_changes)
    _decide(left, straight, right, output, winners)


@inlined
def _set_changes(layer, inputs, deltas, start, punished, rewarded):
    """What the layer's weights change by in each lane. start: where its deltas begin."""
    bad, good, nothing = mask_of(punished), mask_of(rewarded), fill(0.0)
    neither = choose(good, load(deltas, start + 4 * LANES), choose(bad, load(deltas, start), nothing))
    only_post = choose(good, load(deltas, start + 5 * LANES), choose(bad, load(deltas, start + LANES), nothing))
    only_pre = choose(good, load(deltas, start + 6 * LANES), choose(bad, load(deltas, start + 2 * LANES), nothing))
    both = choose(good, load(deltas, start + 7 * LANES), choose(bad, load(deltas, start + 3 * LANES), nothing))
    lanes.set_changes(layer, inputs, neither, only_post, only_pre, both)


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
