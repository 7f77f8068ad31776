"""Eight foraging lives in eight lanes whose hidden layers never change: an acceleration, to the same bits.

What a hidden neuron does is then a constant of each of the 64 sensory states. It is computed once, and kept so that the
states of eight lives give the mask of lanes in which a neuron fires with one load a life for eight neurons.

While weights change, what the outputs will hear next is added up as well, before the weights are scaled. Sums of scaled
weights differ from scaled sums only by rounding, so that these tell who wins, unless it is a close race. Then, in 2 %
of the steps with 200 hidden neurons, the sums are made again as they should be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast import plain_in_lanes as lanes
from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.kernels.compile import called, creating, inlined, kernel
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.kernels.vectors import bits_of, choose, fill, load, mask_of, store
from hebbarium.life.fast.foraging_network import BYTES, OUTPUTS, PLACES, Network, feel, new_network, take_hidden
from hebbarium.worlds.foraging import STATES, act, look


class Scratch(NamedTuple):
    """Room for eight lives while they run."""

    output: lanes.LaneLayer
    """A block is an output. What is active before is in `masks` instead."""
    firing: np.ndarray
    """uint64 [lane, state, block of eight neurons], flat: bit `lane` of byte k is set where neuron k fires; the bias
    always does. The blocks are rounded up to whole vectors."""
    words: np.ndarray
    """uint64 [moment, block], flat: the same for the states that the lanes are in; then for those they acted in."""
    masks: np.ndarray
    """uint8 [moment, neuron], flat: the same again, since it is the same memory."""
    deltas: np.ndarray
    """float64 [half, pre active, post active, lane], flat: eta times the rule's entry."""
    states: np.ndarray
    """int64 [lane]: what each life senses."""
    winners: np.ndarray
    """int64 [lane]: the output that acts."""
    alone: Network
    """Room to find out what fires."""


@creating
def _new_scratch(neurons):
    blocks = (neurons // LANES + LANES) // LANES * LANES
    words = np.zeros(2 * blocks, np.uint64)
    return Scratch(
        lanes.new_layer(OUTPUTS, neurons + 1, lanes.aligned_zeros(OUTPUTS * LANES)),
        np.zeros(LANES * STATES * blocks, np.uint64),
        words,
        words.view(np.uint8),
        lanes.aligned_zeros(8 * LANES),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        new_network(neurons),
    )


@kernel
def advance_foraging_frozen(constants, state, streams, brains, season, steps, counts, lives):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    scratch = _new_scratch(brains.hidden.shape[2])
    output = scratch.output
    for start in range(0, lives.shape[0], LANES):
        group = lives[start : start + LANES]
        output.factor[:], output.spared[:] = 1.0, 1.0
        for lane in range(group.shape[0]):
            _prepare(brains, group[lane], lane, scratch)
        store(output.least, 0, lanes.least_size(output.weights, output.weights.shape[0]))
        _live(constants, state, streams, brains, group, season, steps, counts, scratch)
        for lane in range(group.shape[0]):
            lanes.give_back(output, brains.output[group[lane]], lane)


@called
def _prepare(brains, i, lane, scratch):
    """Take a life's weights, rule and constants into its lane."""
    neurons, alone, blocks = brains.hidden.shape[2], scratch.alone, scratch.words.shape[0] // 2
    lanes.take(scratch.output, brains.output[i], lane)
    for entry in range(8):
        scratch.deltas[entry * LANES + lane] = brains.delta[i, 1, entry >> 2, entry >> 1 & 1, entry & 1]
    for half in range(2):
        scratch.output.spared[lane] = min(scratch.output.spared[lane], lanes.least_sum(brains.delta[i, 1, half]))
    take_hidden(alone, brains.hidden[i])
    last = neurons // LANES
    for state in range(STATES):
        feel(alone, neurons, state)
        for block in range(last + 1):
            fires = np.int64(alone.fires[block * STATES + PLACES[state]]) if block * LANES < neurons else 0
            if block == last:
                fires |= 1 << (neurons - last * LANES)
            scratch.firing[(lane * STATES + state) * blocks + block] = BYTES[fires] << np.uint64(lane)


@inlined
def _live(constants, state, streams, brains, group, season, steps, counts, scratch):
    """Up to eight lives, one in each lane. group: int64 [up to LANES], which; lanes beyond them idle."""
    states, winners = scratch.states, scratch.winners
    rows, lived = brains.hidden.shape[2] + 1, (1 << group.shape[0]) - 1
    for lane in range(group.shape[0]):
        states[lane] = look(constants, state, group[lane])
    _feel(scratch)
    _think(scratch, rows)
    for _ in range(steps):
        punished, rewarded, acted = 0, 0, 0
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
                punished |= (signal < 0 and brains.plastic[i, 1, 0]) << lane
                rewarded |= (signal > 0) << lane
            acted |= 1 << (8 * action + lane)
            act(constants, state, i, season, action, counts[i], streams[i])
            states[lane] = look(constants, state, i)
        _feel(scratch)
        certain = 0
        if punished | rewarded:
            certain = _change(scratch, rows, punished, rewarded, acted)
        if certain & lived != lived:
            _think(scratch, rows)


@inlined
def _feel(scratch):
    """Which neurons fire in which lanes, by the states the lanes are in now; those that fired before are kept."""
    words, blocks = scratch.words, scratch.words.shape[0] // 2
    for block in range(0, blocks, LANES):
        store(words, blocks + block, load(words, block))
        fires = fill(np.uint64(0))
        for lane in range(LANES):
            fires = fires | load(scratch.firing, (lane * STATES + scratch.states[lane]) * blocks + block)
        store(words, block, fires)


@inlined
def _fires(masks, place):
    """The mask of lanes in which a pre-synaptic neuron fires, or fired."""
    return mask_of(np.int64(masks[np.uint64(place)]))


@inlined
def _think(scratch, rows):
    """Each lane's winner is the first of its largest sums."""
    weights, factor, row, nothing = scratch.output.weights, scratch.output.factor, rows * LANES, fill(0.0)
    to_left, to_straight, to_right = load(factor, 0), load(factor, LANES), load(factor, 2 * LANES)
    left = straight = right = nothing
    for j in range(rows):
        fires, at = _fires(scratch.masks, j), j * LANES
        left = left + choose(fires, load(weights, at) * to_left, nothing)
        straight = straight + choose(fires, load(weights, row + at) * to_straight, nothing)
        right = right + choose(fires, load(weights, 2 * row + at) * to_right, nothing)
    _set_winners(scratch, left, straight, right)


@inlined
def _set_winners(scratch, left, straight, right):
    not_left = straight > left
    right_bits, not_left_bits = bits_of(right > choose(not_left, straight, left)), bits_of(not_left)
    for lane in range(LANES):
        scratch.winners[lane] = 2 if right_bits >> lane & 1 else not_left_bits >> lane & 1


@inlined
def _change(scratch, rows, punished, rewarded, acted):
    """Change the weights of the lanes that learn, as `lanes.change` does. The last three: bits.

    Also sets winners. Returns the lanes in which they are certain, as bits. A sum of n scaled weights, made in either
    way, is wrong by at most n * 2**-53 times the sum of their sizes, which is at most the root of n times their length.
    Two sums made in one way are compared instead of two made in the other: four such errors. The margin is wider.
    """
    layer, nothing, learning = scratch.output, fill(0.0), mask_of(punished | rewarded)
    weights, row, acted_in = layer.weights, rows * LANES, scratch.masks.shape[0] // 2
    left_passive, left_active = _changes_of(scratch.deltas, punished, rewarded, acted)
    straight_passive, straight_active = _changes_of(scratch.deltas, punished, rewarded, acted >> 8)
    right_passive, right_active = _changes_of(scratch.deltas, punished, rewarded, acted >> 16)
    to_left, to_straight = load(layer.factor, 0), load(layer.factor, LANES)
    to_right = load(layer.factor, 2 * LANES)
    left_squares = straight_squares = right_squares = left_sum = straight_sum = right_sum = nothing
    for j in range(rows):
        fires, heard, at = _fires(scratch.masks, acted_in + j), _fires(scratch.masks, j), j * LANES
        left = load(weights, at) * to_left + choose(fires, left_active, left_passive)
        straight = load(weights, row + at) * to_straight + choose(fires, straight_active, straight_passive)
        right = load(weights, 2 * row + at) * to_right + choose(fires, right_active, right_passive)
        store(weights, at, left)
        store(weights, row + at, straight)
        store(weights, 2 * row + at, right)
        left_squares = left_squares + left * left
        straight_squares = straight_squares + straight * straight
        right_squares = right_squares + right * right
        left_sum = choose(heard, left_sum + left, left_sum)
        straight_sum = choose(heard, straight_sum + straight, straight_sum)
        right_sum = choose(heard, right_sum + right, right_sum)
    to_left = lanes.unit_length_factor(left_squares, learning)
    to_straight = lanes.unit_length_factor(straight_squares, learning)
    to_right = lanes.unit_length_factor(right_squares, learning)
    store(layer.factor, 0, to_left)
    store(layer.factor, LANES, to_straight)
    store(layer.factor, 2 * LANES, to_right)
    smallest = lanes.smaller(lanes.smaller(to_left, to_straight), lanes.smaller(to_right, fill(1.0)))
    lanes.heed_tiny(layer, OUTPUTS, rows, learning, smallest)
    left, straight, right = left_sum * to_left, straight_sum * to_straight, right_sum * to_right
    _set_winners(scratch, left, straight, right)
    margin = fill(rows * rows * 2.0**-50) * (fill(1.0) + left_squares + straight_squares + right_squares)
    return bits_of(lanes.lead(left, straight, right) > margin)


@inlined
def _changes_of(deltas, punished, rewarded, acted):
    """What weights from passive and from active neurons to an output change by. acted: whether it did, bits"""
    bad, good, nothing = mask_of(punished), mask_of(rewarded), fill(0.0)
    idle = choose(good, load(deltas, 4 * LANES), choose(bad, load(deltas, 0), nothing))
    won = choose(good, load(deltas, 5 * LANES), choose(bad, load(deltas, LANES), nothing))
    idle_active = choose(good, load(deltas, 6 * LANES), choose(bad, load(deltas, 2 * LANES), nothing))
    won_active = choose(good, load(deltas, 7 * LANES), choose(bad, load(deltas, 3 * LANES), nothing))
    return choose(mask_of(acted), won, idle), choose(mask_of(acted), won_active, idle_active)
