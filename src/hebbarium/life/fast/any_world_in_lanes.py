"""Eight lives in the eight lanes of vector instructions, in any world: for lives that learn at nearly every step.

The generic loop, to the same bits. Each lane has rules, a world and random streams of its own; the world's functions
are called for one life after the other, as always; what comes next is sensed in the same turn.

Hidden neurons that have become the same, bit for bit, are computed once (`alike_in_lanes.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast import alike_in_lanes as alike
from hebbarium.brains.fast import plain_in_lanes as lanes
from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.kernels.compile import creating, inlined, kernel, opened
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.kernels.stack import stacked
from hebbarium.kernels.vectors import bit_set, choose, fill, load, mask_of, store
from hebbarium.life.fast.any_world_remembering import ROOM, sense_word
from hebbarium.life.fast.sizes import outputs_of, rows_of
from hebbarium.life.loop import act, judge, sense

_LOOK = 64
"""Steps from one look whether hidden neurons have become the same to the next."""
HALVES = 2
"""Of a rule: punishment, reward."""


class Scratch(NamedTuple):
    """Room for eight lives while they run."""

    hidden: lanes.LaneLayer
    places: alike.Places
    output: lanes.LaneLayer
    senses: np.ndarray
    """uint8 [lane, input], where inputs are many."""
    words: np.ndarray
    """int64 [lane]: the same as a number, bit j for input j, where they are few."""
    sums: np.ndarray
    """float64 [output, lane], flat."""
    winners: np.ndarray
    """float64 [lane]: the output that acts."""
    deltas: np.ndarray
    """float64 [layer, half, pre active, post active, lane], flat: what weights change by."""
    plastic: np.ndarray
    """int64 [layer, half]: the lanes whose rule has something to say."""


@creating
def _new_scratch(inputs, neurons, outputs):
    output = lanes.new_layer(outputs, neurons + 1, lanes.aligned_zeros(outputs * LANES))
    return Scratch(
        lanes.new_layer(neurons, inputs, lanes.aligned_zeros(neurons * LANES)),
        alike.new_places(neurons, inputs),
        output,
        np.zeros((LANES, inputs - 1), np.uint8),
        np.zeros(LANES, np.int64),
        lanes.aligned_zeros(outputs * LANES),
        lanes.aligned_zeros(LANES),
        lanes.aligned_zeros(2 * HALVES * 4 * LANES),
        np.zeros((2, HALVES), np.int64),
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
        _live(constants, state, streams, brains, group, season, steps, counts, scratch)
        for lane in range(group.shape[0]):
            alike.give_back(scratch.places, scratch.hidden, brains.hidden[group[lane]], lane)
            lanes.give_back(scratch.output, brains.output[group[lane]], lane)


@inlined
def _take(brains, group, scratch):
    hidden, output = scratch.hidden, scratch.output
    if group.shape[0] < LANES:
        hidden.weights[:], output.weights[:] = 0.0, 0.0  # in lanes without a life
    hidden.factor[:], output.factor[:], hidden.spared[:], output.spared[:] = 1.0, 1.0, 1.0, 1.0
    scratch.plastic[:] = 0
    alike.separate(scratch.places)
    for lane in range(group.shape[0]):
        i = group[lane]
        lanes.take(hidden, brains.hidden[i], lane)
        lanes.take(output, brains.output[i], lane)
        for entry in range(2 * HALVES * 4):
            table = brains.delta[i, entry >> 3, entry >> 2 & 1]
            scratch.deltas[entry * LANES + lane] = table[entry >> 1 & 1, entry & 1]
            plastic = brains.plastic[i, entry >> 3, entry >> 2 & 1]
            scratch.plastic[entry >> 3, entry >> 2 & 1] |= np.int64(plastic) << lane
            spared = hidden.spared if entry < HALVES * 4 else output.spared
            spared[lane] = min(spared[lane], lanes.least_sum(table))
    store(hidden.least, 0, lanes.least_size(hidden.weights, hidden.weights.shape[0]))
    store(output.least, 0, lanes.least_size(output.weights, output.weights.shape[0]))


@inlined
def _live(constants, state, streams, brains, group, season, steps, counts, scratch):
    """Up to eight lives, one in each lane."""
    inputs, neurons, outputs = rows_of(brains), brains.hidden.shape[2], outputs_of(brains)
    computed = neurons
    room = stacked(scratch.senses, ROOM, ROOM)
    for j in range(ROOM):
        room[j] = 0
    for lane in range(group.shape[0]):
        sense_lane(constants, state, group[lane], scratch, lane, room, inputs)
    for t in range(steps):
        if t % _LOOK == 0 and computed > 1:
            computed = alike.look(scratch.places, scratch.hidden, inputs, computed)
        set_senses(scratch, inputs)
        _think(scratch, inputs, neurons, outputs, computed)
        punished, rewarded = np.int64(0), np.int64(0)
        for lane in range(group.shape[0]):
            i = group[lane]
            free = not (brains.only_unseeing and sees(scratch, lane))
            random = free and brains.gap[i] == 0
            if random:
                action = brains.choices[draw_below(brains.stream[i], brains.choices.shape[0])]
                brains.gap[i] = draw_gap(brains.stream[i], brains.gaps)
            else:
                brains.gap[i] -= free
                action = np.int64(scratch.winners[lane])
            signal, _ = judge(constants, state, i, season, action, streams[i])
            act(constants, state, i, season, action, counts[i], streams[i])
            if not random:
                brains.punished[i] += signal < 0
                punished |= np.int64(signal < 0) << lane
                rewarded |= np.int64(signal > 0) << lane
            if t + 1 < steps:
                sense_lane(constants, state, i, scratch, lane, room, inputs)
        hidden_changes = (punished & scratch.plastic[0, 0]) | (rewarded & scratch.plastic[0, 1])
        output_changes = (punished & scratch.plastic[1, 0]) | (rewarded & scratch.plastic[1, 1])
        if hidden_changes | output_changes:
            _set_table(scratch.hidden.table, scratch.deltas, 0, punished, rewarded)
            _set_table(scratch.output.table, scratch.deltas, 1, punished, rewarded)
            lanes.change(scratch.output, outputs, neurons + 1, mask_of(output_changes))
            if hidden_changes:
                lanes.change(scratch.hidden, computed, inputs, mask_of(hidden_changes))


@inlined
def _set_table(table, deltas, layer, punished, rewarded):
    """What a layer's weights change by in the lanes of these bits; 0.0 in all others."""
    was_punished, was_rewarded = mask_of(punished), mask_of(rewarded)
    for at in range(0, 4 * LANES, LANES):
        if_punished = load(deltas, layer * HALVES * 4 * LANES + at)
        if_rewarded = load(deltas, (layer * HALVES + 1) * 4 * LANES + at)
        store(table, at, choose(was_punished, if_punished, choose(was_rewarded, if_rewarded, fill(0.0))))


@inlined
def sense_few(constants, state, i, scratch, lane, room, inputs):
    scratch.words[lane] = sense_word(constants, state, i, room, inputs - 1)


@inlined
def sees_few(scratch, lane):
    return scratch.words[lane] != 0


@inlined
def set_few_senses(scratch, inputs):
    for j in range(inputs - 1):
        store(scratch.hidden.pre, j * LANES, choose(bit_set(scratch.words, j), fill(1.0), fill(0.0)))


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
        store(scratch.hidden.pre, j * LANES, choose(mask_of(sensed), fill(1.0), fill(0.0)))


@inlined
def _think(scratch, inputs, neurons, outputs, computed):
    """Activate both layers; in each lane the first of the outputs with the largest sum acts, and alone is active.

    computed: how many places of hidden neurons"""
    sums, heard = scratch.hidden.post, scratch.output.pre
    lanes.activate(scratch.hidden, computed, inputs, sums)
    if computed > alike.MOST_PLACES:  # then each neuron has its own
        for neuron in range(neurons):
            store(heard, neuron * LANES, lanes.step_function(load(sums, neuron * LANES)))
    else:
        fire, one = fill(np.uint64(0)), fill(np.uint64(1))
        for place in range(computed):
            fires = load(sums, place * LANES) > fill(0.0)
            fire = choose(fires, fire | fill(np.uint64(1) << np.uint64(place)), fire)
        for neuron in range(neurons):
            fires = fire >> load(scratch.places.of, neuron * LANES) & one == one
            store(heard, neuron * LANES, choose(fires, fill(1.0), fill(0.0)))
    lanes.activate(scratch.output, outputs, neurons + 1, scratch.sums)
    best, winners = load(scratch.sums, 0), fill(0.0)
    for output in range(1, outputs):
        sums = load(scratch.sums, output * LANES)
        winners = choose(sums > best, fill(np.float64(output)), winners)
        best = choose(sums > best, sums, best)
    store(scratch.winners, 0, winners)
    for output in range(outputs):
        after, before = winners > fill(output - 0.5), winners > fill(output + 0.5)
        store(scratch.output.post, output * LANES, choose(before, fill(0.0), choose(after, fill(1.0), fill(0.0))))
