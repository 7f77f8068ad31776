"""Eight foraging lives in eight lanes whose hidden layers never change: an acceleration, to the same bits.

What a hidden neuron does is then a constant of each of the 64 sensory states. It is computed once, and kept so that the
states of eight lives give the mask of lanes in which a neuron fires with one load a life for eight neurons.

While weights change, what the outputs will hear next is added up as well (`plain_in_lanes.py`). These sums tell who
wins, unless it is a close race, as in 2 % of the steps with 200 hidden neurons: then they are made again as they should
be.
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
    """A block is an output. What it hears are the masks."""
    firing: np.ndarray
    """uint64 [lane, state, block of eight neurons], flat: bit `lane` of byte k is set where neuron k fires; the bias
    always does. The blocks are rounded up to whole vectors."""
    words: np.ndarray
    """uint64 [moment, block], flat: the same for the states that the lanes are in; then for those they acted in."""
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
        lanes.new_layer(OUTPUTS, neurons + 1, words.view(np.uint8)),
        np.zeros(LANES * STATES * blocks, np.uint64),
        words,
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
    active_alone = lanes.active_alone(scratch.deltas, 0)
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
            for output in range(OUTPUTS):
                scratch.output.fires[output] = acted >> (8 * output)
            lanes.set_table(scratch.output, scratch.deltas, 0, punished, rewarded)
            margin = lanes.change(scratch.output, OUTPUTS, rows, mask_of(punished | rewarded), True, active_alone)
            certain = _set_winners(scratch, margin)
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
def _think(scratch, rows):
    lanes.activate(scratch.output, OUTPUTS, rows)
    _set_winners(scratch, fill(0.0))


@inlined
def _set_winners(scratch, margin):
    """Each lane's winner is the first of its largest sums. Returns the lanes, as bits, where it is larger than all
    others by more than the margin."""
    sums = scratch.output.sums
    left, straight, right = load(sums, 0), load(sums, LANES), load(sums, 2 * LANES)
    not_left = straight > left
    right_bits, not_left_bits = bits_of(right > choose(not_left, straight, left)), bits_of(not_left)
    for lane in range(LANES):
        scratch.winners[lane] = 2 if right_bits >> lane & 1 else not_left_bits >> lane & 1
    return bits_of(lanes.lead(left, straight, right) > margin)
