"""Eight lives in the eight lanes of vector instructions, in any world: for lives that learn at nearly every step.

The generic loop, to the same bits. Each lane has rules, a world and random streams of its own; the world's functions
are called for one life after the other, as always. What comes next is sensed before the networks learn, so that
one pass over the weights learns from this step and thinks about the next.

Under many rules all hidden neurons of a life become the same, bit for bit, and then remain so. Once they have in all
eight lives, one of them is computed: foraging's rule 6 gains 1.3 x.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains import lanes
from hebbarium.brains.base import half_of
from hebbarium.brains.lanes import ALMOST_ONE, LANES, SAFE
from hebbarium.kernels.compile import creating, inlined, kernel, opened
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.kernels.vectors import bits_of, choose, fill, load, mask_of, same_bits, store
from hebbarium.life.loop import act, judge, sense

_LOOK = 64
"""Steps from one look whether hidden neurons have become equal to the next."""
_NOTHING = -1
"""The half of a rule that a life learns by when it learns nothing."""


class Scratch(NamedTuple):
    """Room for eight lives while they run."""

    hidden: lanes.LaneLayer
    output: lanes.LaneLayer
    senses: np.ndarray
    """uint8 [lane, input]"""
    winners: np.ndarray
    """float64 [lane]: the output that acts."""
    halves: np.ndarray
    """int64 [lane]: the half of its rule that the tables of changes hold."""
    least: np.ndarray
    """float64 [lane]: no weight is nearer to 0, unless it is 0."""
    spared: np.ndarray
    """float64 [lane]: no change takes a weight nearer to 0 than this, unless it was nearer or becomes 0."""


@creating
def _new_scratch(inputs, neurons, outputs):
    return Scratch(
        lanes.new_layer(neurons, inputs),
        lanes.new_layer(outputs, neurons + 1),
        np.zeros((LANES, inputs - 1), np.uint8),
        lanes.aligned_zeros(LANES),
        np.zeros(LANES, np.int64),
        lanes.aligned_zeros(LANES),
        lanes.aligned_zeros(LANES),
    )


@opened
def rows_of(brains):
    """Inputs and bias: a constant for a world that always has as many, so that loops over them are unrolled."""


@inlined
def any_rows(brains):
    return brains.hidden.shape[1]


@opened
def set_senses(scratch, inputs):
    """Tell the networks what is sensed."""


@kernel
def advance_together(constants, state, streams, brains, season, steps, counts, lives):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    scratch = _new_scratch(brains.hidden.shape[1], brains.hidden.shape[2], brains.output.shape[2])
    for start in range(0, lives.shape[0], LANES):
        group = lives[start : start + LANES]
        _take(brains, group, scratch)
        computed = _live(constants, state, streams, brains, group, season, steps, counts, scratch)
        _give_back(brains, group, scratch, computed)


@inlined
def _take(brains, group, scratch):
    hidden, output = scratch.hidden, scratch.output
    if group.shape[0] < LANES:
        hidden.weights[:], output.weights[:] = 0.0, 0.0  # in lanes without a life
    scratch.halves[:] = _NOTHING
    scratch.spared[:] = 1.0
    hidden.table[:], output.table[:] = 0.0, 0.0
    for lane in range(group.shape[0]):
        i = group[lane]
        lanes.take(hidden, brains.hidden[i], lane)
        lanes.take(output, brains.output[i], lane)
        for half in range(brains.delta.shape[2]):
            for layer in range(2):
                scratch.spared[lane] = min(scratch.spared[lane], lanes.least_sum(brains.delta[i, layer, half]))
    _find_least(scratch)


@inlined
def _give_back(brains, group, scratch, computed):
    """computed: how many hidden neurons were; the others are as the first."""
    hidden, inputs = scratch.hidden, brains.hidden.shape[1]
    for neuron in range(computed, brains.hidden.shape[2]):
        for j in range(inputs):
            store(hidden.weights, (neuron * inputs + j) * LANES, load(hidden.weights, j * LANES))
    for lane in range(group.shape[0]):
        lanes.give_back(hidden, brains.hidden[group[lane]], lane)
        lanes.give_back(scratch.output, brains.output[group[lane]], lane)


@inlined
def _live(constants, state, streams, brains, group, season, steps, counts, scratch):
    """Up to eight lives, one in each lane. Returns how many hidden neurons were computed in the end."""
    inputs, neurons = rows_of(brains), brains.hidden.shape[2]
    computed, senses = neurons, scratch.senses
    for lane in range(group.shape[0]):
        sense(constants, state, group[lane], senses[lane])
    set_senses(scratch, inputs)
    _think(scratch, inputs, neurons, computed)
    for t in range(steps):
        if t % _LOOK == 0 and computed > 1 and _all_alike(scratch.hidden, inputs, neurons):
            computed = 1
        hidden_changes, output_changes = np.int64(0), np.int64(0)
        for lane in range(group.shape[0]):
            i = group[lane]
            free = not (brains.only_unseeing and senses[lane].any())
            random = free and brains.gap[i] == 0
            if random:
                action = brains.choices[draw_below(brains.stream[i], brains.choices.shape[0])]
                brains.gap[i] = draw_gap(brains.stream[i], brains.gaps)
            else:
                brains.gap[i] -= free
                action = np.int64(scratch.winners[lane])
            signal, _ = judge(constants, state, i, season, action, streams[i])
            act(constants, state, i, season, action, counts[i], streams[i])
            half = _NOTHING if random else half_of(signal)
            if half != _NOTHING:
                brains.punished[i] += signal < 0
                hidden_changes |= np.int64(brains.plastic[i, 0, half]) << lane
                output_changes |= np.int64(brains.plastic[i, 1, half]) << lane
            if half != scratch.halves[lane]:
                _set_table(scratch.hidden.table, brains.delta[i, 0], half, lane)
                _set_table(scratch.output.table, brains.delta[i, 1], half, lane)
                scratch.halves[lane] = half
            if t + 1 < steps:
                sense(constants, state, i, senses[lane])
        if hidden_changes | output_changes:
            _learn(scratch, inputs, neurons, computed, hidden_changes, output_changes)
        else:
            set_senses(scratch, inputs)
            _think(scratch, inputs, neurons, computed)
    return computed


@inlined
def _all_alike(layer, inputs, neurons):
    """Whether each life's hidden neurons are all the same, bit for bit."""
    for j in range(inputs):
        for neuron in range(1, neurons):
            if not same_bits(layer.weights, j * LANES, (neuron * inputs + j) * LANES):
                return False
    return True


@inlined
def _set_table(table, delta, half, lane):
    """What a life's weights change by. delta: float64 [half, pre active, post active]"""
    for pre in range(2):
        for post in range(2):
            table[(2 * pre + post) * LANES + lane] = 0.0 if half == _NOTHING else delta[half, pre, post]


@inlined
def set_any_senses(scratch, inputs):
    senses, pre = scratch.senses, scratch.hidden.pre
    for lane in range(LANES):
        for j in range(inputs - 1):
            pre[j * LANES + lane] = 1.0 if senses[lane, j] > 0 else 0.0


@inlined
def _think(scratch, inputs, neurons, computed):
    """Activate both layers of all lanes."""
    for neuron in range(computed):
        _fire(scratch, neurons, computed, neuron, lanes.activation(scratch.hidden, neuron, inputs))
    best, winners = lanes.activation(scratch.output, 0, neurons + 1), fill(0.0)
    for output in range(1, scratch.output.post.shape[0] // LANES):
        sums = lanes.activation(scratch.output, output, neurons + 1)
        winners = choose(sums > best, fill(np.float64(output)), winners)
        best = choose(sums > best, sums, best)
    _keep_winners(scratch, winners)


@inlined
def _fire(scratch, neurons, computed, neuron, sums):
    """One hidden neuron, or all where one is computed for all."""
    active = lanes.step_function(sums)
    store(scratch.hidden.post, neuron * LANES, active)
    for alike in range(neuron, neuron + 1 if computed > 1 else neurons):
        store(scratch.output.pre, alike * LANES, active)


@inlined
def _keep_winners(scratch, winners):
    """In each lane the first of the largest sums; it alone counts as active."""
    store(scratch.winners, 0, winners)
    for output in range(scratch.output.post.shape[0] // LANES):
        after, before = winners > fill(output - 0.5), winners > fill(output + 0.5)
        store(scratch.output.post, output * LANES, choose(before, fill(0.0), choose(after, fill(1.0), fill(0.0))))


@inlined
def _learn(scratch, inputs, neurons, computed, hidden_changes, output_changes):
    """Change and scale the layers in the lanes of these bits, and activate all.

    Weights that become tiny are looked for only where the bound says that there may be any (1.1 x)."""
    lanes.set_changes(scratch.hidden, inputs)
    lanes.set_changes(scratch.output, neurons + 1)
    set_senses(scratch, inputs)
    if bits_of(load(scratch.least, 0) > fill(SAFE)) == (1 << LANES) - 1:
        factor = _change(scratch, inputs, neurons, computed, hidden_changes, output_changes, False)
        least = lanes.smaller(load(scratch.least, 0), load(scratch.spared, 0))
        store(scratch.least, 0, least * factor * fill(ALMOST_ONE))
    else:
        _change(scratch, inputs, neurons, computed, hidden_changes, output_changes, True)
        _find_least(scratch)


@inlined
def _find_least(scratch):
    least = lanes.smaller(lanes.least_size(scratch.hidden), lanes.least_size(scratch.output))
    store(scratch.least, 0, lanes.smaller(least, load(scratch.spared, 0)))


@inlined
def _change(scratch, inputs, neurons, computed, hidden_changes, output_changes, vanishing):
    """Returns in each lane the smallest number that weights were multiplied by, or 1.0 where that is smaller."""
    changes, smallest = mask_of(hidden_changes), fill(1.0)
    for neuron in range(computed):
        if hidden_changes:
            sums, factor = lanes.change_and_scale(scratch.hidden, neuron, inputs, changes, vanishing)
            smallest = lanes.smaller(smallest, factor)
        else:
            sums = lanes.activation(scratch.hidden, neuron, inputs)
        _fire(scratch, neurons, computed, neuron, sums)
    changes = mask_of(output_changes)
    best, winners = fill(0.0), fill(0.0)
    for output in range(scratch.output.post.shape[0] // LANES):
        sums, factor = lanes.change_and_scale(scratch.output, output, neurons + 1, changes, vanishing)
        smallest = lanes.smaller(smallest, factor)
        if output == 0:
            best = sums
        winners = choose(sums > best, fill(np.float64(output)), winners)
        best = choose(sums > best, sums, best)
    _keep_winners(scratch, winners)
    return smallest
