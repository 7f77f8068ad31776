"""Eight lives in the eight lanes of vector instructions, in any world: for lives that learn at nearly every step.

The generic loop, to the same bits. Each lane has rules, a world and random streams of its own; the world's functions
are called for one life after the other, as always; what comes next is sensed in the same turn. While weights change,
what will be heard next is added up as well (`plain_in_lanes.py`); where these sums leave open what fires or which
output wins, they are made again as they should be.

Hidden neurons that have become the same, bit for bit, are computed once (`alike_in_lanes.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast import alike_in_lanes as alike
from hebbarium.brains.fast import plain_in_lanes as lanes
from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.kernels.bits import natural
from hebbarium.kernels.compile import creating, inlined, kernel, opened
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.kernels.stack import stacked
from hebbarium.kernels.vectors import bit_set, bits_of, choose, fill, load, magnitude, mask_of, store
from hebbarium.life.fast.any_world_remembering import ROOM, sense_word
from hebbarium.life.fast.sizes import outputs_of, rows_of
from hebbarium.life.loop import act, judge, sense

_LOOK = 64
"""Steps from one look whether hidden neurons have become the same to the next."""


class Scratch(NamedTuple):
    """Room for eight lives while they run."""

    hidden: lanes.LaneLayer
    places: alike.Places
    output: lanes.LaneLayer
    senses: np.ndarray
    """uint8 [lane, input], where inputs are many."""
    words: np.ndarray
    """int64 [lane]: the same as a number, bit j for input j, where they are few."""
    winners: np.ndarray
    """float64 [lane]: the output that acts."""
    deltas: np.ndarray
    """float64 [layer, half, pre active, post active, lane], flat: what weights change by."""
    plastic: np.ndarray
    """int64 [layer, half]: the lanes whose rule has something to say."""


@creating
def _new_scratch(inputs, neurons, outputs):
    return Scratch(
        lanes.new_layer(neurons, inputs, np.zeros(2 * inputs, np.uint8)),
        alike.new_places(neurons, inputs),
        lanes.new_layer(outputs, neurons + 1, np.zeros(2 * (neurons + 1), np.uint8)),
        np.zeros((LANES, inputs - 1), np.uint8),
        np.zeros(LANES, np.int64),
        lanes.aligned_zeros(LANES),
        lanes.aligned_zeros(2 * lanes.HALVES * 4 * LANES),
        np.zeros((2, lanes.HALVES), np.int64),
    )


@opened
def sense_lane(constants, state, i, scratch, lane, room, inputs):
    """Write down what a life senses. room: uint8 [ROOM], 0 at first, for worlds to write to; inputs: with the bias"""


@opened
def sees(scratch, lane):
    """Whether it senses anything."""


@opened
def set_senses(scratch, inputs):
    """Tell the networks what was written down."""


@kernel
def advance_together(constants, state, streams, brains, season, steps, counts, lives):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    scratch = _new_scratch(brains.hidden.shape[1], brains.hidden.shape[2], brains.output.shape[2])
    for start in range(0, lives.shape[0], LANES):
        group = lives[start : start + LANES]
        _take(brains, group, scratch)
        computed = _live(constants, state, streams, brains, group, season, steps, counts, scratch)
        for lane in range(group.shape[0]):
            alike.give_back(scratch.places, scratch.hidden, computed, brains.hidden[group[lane]], lane)
            lanes.give_back(scratch.output, brains.output[group[lane]], lane)


@inlined
def _take(brains, group, scratch):
    hidden, output = scratch.hidden, scratch.output
    if group.shape[0] < LANES:
        hidden.weights[:], output.weights[:] = 0.0, 0.0  # in lanes without a life
    hidden.factor[:], output.factor[:], hidden.spared[:], output.spared[:] = 1.0, 1.0, 1.0, 1.0
    scratch.plastic[:] = 0
    for lane in range(group.shape[0]):
        i = group[lane]
        lanes.take(hidden, brains.hidden[i], lane)
        lanes.take(output, brains.output[i], lane)
        for entry in range(2 * lanes.HALVES * 4):
            table = brains.delta[i, entry >> 3, entry >> 2 & 1]
            scratch.deltas[entry * LANES + lane] = table[entry >> 1 & 1, entry & 1]
            plastic = brains.plastic[i, entry >> 3, entry >> 2 & 1]
            scratch.plastic[entry >> 3, entry >> 2 & 1] |= np.int64(plastic) << lane
            spared = hidden.spared if entry < lanes.HALVES * 4 else output.spared
            spared[lane] = min(spared[lane], lanes.least_sum(table))
    store(hidden.least, 0, lanes.least_size(hidden.weights, hidden.weights.shape[0]))
    store(output.least, 0, lanes.least_size(output.weights, output.weights.shape[0]))


@inlined
def _live(constants, state, streams, brains, group, season, steps, counts, scratch):
    """Up to eight lives, one in each lane. Returns how many places of hidden neurons were computed in the end."""
    inputs, neurons, outputs = rows_of(brains), brains.hidden.shape[2], outputs_of(brains)
    computed = neurons
    room = stacked(scratch.senses, ROOM, ROOM)
    for j in range(ROOM):
        room[j] = 0
    lived = (1 << group.shape[0]) - 1
    hidden_alone, output_alone = lanes.active_alone(scratch.deltas, 0), lanes.active_alone(scratch.deltas, 1)
    for t in range(steps + 1):  # at first they only sense, at last they only act
        if t % _LOOK == 1 and computed > 1:
            computed = alike.look(scratch.places, scratch.hidden, inputs, computed)
        punished, rewarded = np.int64(0), np.int64(0)
        for lane in range(group.shape[0]):
            i = natural(group[lane])
            if t > 0:
                free = not (brains.only_unseeing and sees(scratch, lane))
                random = free and brains.gap[i] == 0
                if random:
                    action = brains.choices[draw_below(brains.stream[i], brains.choices.shape[0])]
                    brains.gap[i] = draw_gap(brains.stream[i], brains.gaps)
                else:
                    brains.gap[i] -= free
                    action = np.int64(scratch.winners[lane])
                action = natural(action)
                signal, _ = judge(constants, state, i, season, action, streams[i])
                act(constants, state, i, season, action, counts[i], streams[i])
                if not random:
                    brains.punished[i] += signal < 0
                    punished |= np.int64(signal < 0) << lane
                    rewarded |= np.int64(signal > 0) << lane
            if t < steps:
                sense_lane(constants, state, i, scratch, lane, room, inputs)
        hidden_changes = (punished & scratch.plastic[0, 0]) | (rewarded & scratch.plastic[0, 1])
        output_changes = (punished & scratch.plastic[1, 0]) | (rewarded & scratch.plastic[1, 1])
        lanes.hear(scratch.hidden, inputs)
        lanes.hear(scratch.output, neurons + 1)
        set_senses(scratch, inputs)
        certain = np.int64(0)
        if hidden_changes:
            lanes.set_table(scratch.hidden, scratch.deltas, 0, punished, rewarded)
            margin = lanes.change(scratch.hidden, computed, inputs, mask_of(hidden_changes), False, hidden_alone)
            certain = _clear(scratch.hidden, computed, margin)
        if certain & lived == lived:
            _tell(scratch, neurons, computed)
        else:
            _feel(scratch, inputs, neurons, computed)
        certain = np.int64(0)
        if output_changes:
            lanes.set_table(scratch.output, scratch.deltas, 1, punished, rewarded)
            margin = lanes.change(scratch.output, outputs, neurons + 1, mask_of(output_changes), True, output_alone)
            certain = _set_winners(scratch, outputs, margin)
        if certain & lived != lived:
            _think(scratch, neurons, outputs)
    return computed


@inlined
def sense_few(constants, state, i, scratch, lane, room, inputs):
    scratch.words[lane] = sense_word(constants, state, i, room, inputs - 1)


@inlined
def sees_few(scratch, lane):
    return scratch.words[lane] != 0


@inlined
def set_few_senses(scratch, inputs):
    for j in range(inputs - 1):
        lanes.set_bits(scratch.hidden.heard, j, bit_set(scratch.words, j))


@inlined
def sense_many(constants, state, i, scratch, lane, room, inputs):
    sense(constants, state, i, scratch.senses[lane])


@inlined
def sees_many(scratch, lane):
    return scratch.senses[lane].any()


@inlined
def set_many_senses(scratch, inputs):
    for j in range(inputs - 1):
        sensed = np.int64(0)
        for lane in range(LANES):  # as bits first: a vector cannot be loaded while its parts are being stored
            sensed |= np.int64(scratch.senses[lane, j] > 0) << lane
        scratch.hidden.heard[j] = sensed


@inlined
def _feel(scratch, inputs, neurons, computed):
    """Activate the hidden layer. computed: how many places of it"""
    hidden = scratch.hidden
    lanes.activate(hidden, computed, inputs)
    for place in range(computed):
        lanes.set_bits(hidden.fires, place, load(hidden.sums, place * LANES) > fill(0.0))
    _tell(scratch, neurons, computed)


@inlined
def _clear(layer, blocks, margin):
    """Which neurons fire, as sums say that were made to a rounding. Returns the lanes, as bits, where no sum is so near
    to 0 that this is not certain."""
    nearest = fill(np.inf)
    for block in range(blocks):
        sums = load(layer.sums, block * LANES)
        lanes.set_bits(layer.fires, block, sums > fill(0.0))
        nearest = lanes.smaller(nearest, magnitude(sums))
    return bits_of(nearest > margin)


@inlined
def _tell(scratch, neurons, computed):
    """Tell the outputs which hidden neurons fire."""
    fires, heard = scratch.hidden.fires, scratch.output.heard
    if computed == neurons:  # then each has its own place
        for neuron in range(neurons):
            heard[neuron] = fires[neuron]
    else:
        active = nothing = fill(np.uint64(0))
        for place in range(computed):
            bit = fill(np.uint64(1) << np.uint64(place))
            active = choose(lanes.mask_at(fires, place), active | bit, active)
        for neuron in range(neurons):
            lanes.set_bits(heard, neuron, (active & load(scratch.places.bit, neuron * LANES)) > nothing)


@inlined
def _think(scratch, neurons, outputs):
    lanes.activate(scratch.output, outputs, neurons + 1)
    _set_winners(scratch, outputs, fill(0.0))


@inlined
def _set_winners(scratch, outputs, margin):
    """In each lane the first of the outputs with the largest sum acts, and alone is active. Returns the lanes, as bits,
    where that sum is larger than all others by more than the margin."""
    output = scratch.output
    best, second, winners = load(output.sums, 0), fill(-np.inf), fill(0.0)
    for number in range(1, outputs):
        sums = load(output.sums, number * LANES)
        second = lanes.larger(second, lanes.smaller(best, sums))
        winners = choose(sums > best, fill(np.float64(number)), winners)
        best = choose(sums > best, sums, best)
    store(scratch.winners, 0, winners)
    for number in range(outputs):
        lanes.set_bits(output.fires, number, winners == fill(np.float64(number)))
    return bits_of(best - second > margin)
