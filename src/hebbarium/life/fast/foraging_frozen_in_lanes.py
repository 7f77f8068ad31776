"""Eight foraging lives in eight lanes whose hidden layers never change: an acceleration, to the same bits.

What a hidden neuron does is then a constant of each of the 64 sensory states. It is computed once, and kept so that the
states of eight lives give the mask of lanes in which a neuron fires with one load a life for eight neurons.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast import plain_in_blocks as blocks
from hebbarium.brains.fast import plain_in_lanes as lanes
from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.kernels.compile import called, creating, inlined, kernel
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.kernels.vectors import bits_of, choose, fill, load, mask_of, store
from hebbarium.life.fast.foraging_remembering import GROUPS, LANE_STATES, feel_group
from hebbarium.life.fast.foraging_remembering import new_scratch as new_alone
from hebbarium.worlds.foraging import STATES, act, look

OUTPUTS = 3


class Scratch(NamedTuple):
    """Room for eight lives while they run."""

    output: np.ndarray
    """float64 [pre, output, lane], flat."""
    firing: np.ndarray
    """uint64 [block of eight neurons, lane, state]: bit `lane` of byte k is set where neuron k fires; the bias always
    does."""
    now: np.ndarray
    """uint64 [block]: the same for the states that the lanes are in."""
    then: np.ndarray
    """uint64 [block]: for those they were in when they acted."""
    deltas: np.ndarray
    """float64 [half, pre active, post active, lane], flat: eta times the rule's entry."""
    changes: np.ndarray
    """float64 [pre active, output, lane], flat: what the weights change by."""
    states: np.ndarray
    """int64 [lane]: what each life senses."""
    winners: np.ndarray
    """int64 [lane]: the output that acts."""


@creating
def _new_scratch(neurons):
    blocks = neurons // LANES + 1
    return Scratch(
        lanes.aligned_zeros(blocks * LANES * OUTPUTS * LANES),
        np.zeros((blocks, LANES, STATES), np.uint64),
        np.zeros(blocks, np.uint64),
        np.zeros(blocks, np.uint64),
        lanes.aligned_zeros(8 * LANES),
        lanes.aligned_zeros(2 * OUTPUTS * LANES),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
    )


@kernel
def advance_foraging_frozen(constants, state, streams, brains, season, steps, counts, lives):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    alone, together = new_alone(brains.hidden.shape[2]), _new_scratch(brains.hidden.shape[2])
    for start in range(0, lives.shape[0], LANES):
        group = lives[start : start + LANES]
        for lane in range(group.shape[0]):
            _prepare(brains, group[lane], lane, together, alone)
        _live(constants, state, streams, brains, group, season, steps, counts, together)


@called
def _prepare(brains, i, lane, scratch, alone):
    """Take a life's weights, rule and constants into its lane."""
    neurons = brains.hidden.shape[2]
    weights = brains.output[i]
    for j in range(neurons + 1):
        for post in range(OUTPUTS):
            scratch.output[(j * OUTPUTS + post) * LANES + lane] = weights[j, post]
    for entry in range(8):
        scratch.deltas[entry * LANES + lane] = brains.delta[i, 1, entry >> 2, entry >> 1 & 1, entry & 1]
    blocks.take(alone.network.hidden, brains.hidden[i])
    scratch.firing[:, lane] = 0
    for some in range(GROUPS):
        feel_group(alone.network.hidden, neurons, some, alone.fires)
        for neuron in range(neurons + 1):
            fires = alone.fires[some, neuron] if neuron < neurons else 0xFF
            place = np.uint64(neuron % LANES * 8 + lane)
            for k in range(LANES):
                bit = np.uint64(fires >> k & 1)
                scratch.firing[neuron // LANES, lane, LANE_STATES[some, k]] |= bit << place


@inlined
def _live(constants, state, streams, brains, group, season, steps, counts, scratch):
    """Up to eight lives, one in each lane. group: int64 [up to LANES], which; lanes beyond them idle."""
    states, winners = scratch.states, scratch.winners
    rows = brains.hidden.shape[2] + 1
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
        for block in range(scratch.now.shape[0]):
            scratch.then[block] = scratch.now[block]
        _feel(scratch)
        if punished | rewarded:
            _learn(scratch, rows, punished, rewarded, acted)
        else:
            _think(scratch, rows)
    for lane in range(group.shape[0]):
        weights = brains.output[group[lane]]
        for j in range(rows):
            for post in range(OUTPUTS):
                weights[j, post] = scratch.output[(j * OUTPUTS + post) * LANES + lane]


@inlined
def _feel(scratch):
    """Which neurons fire in which lanes, by the states the lanes are in now."""
    for block in range(scratch.now.shape[0]):
        word = np.uint64(0)
        for lane in range(LANES):
            word |= scratch.firing[block, lane, scratch.states[lane]]
        scratch.now[block] = word


@inlined
def _fires(words, j):
    """The mask of lanes in which pre-synaptic neuron j fires."""
    return mask_of(np.int64(words[j // LANES] >> np.uint64(j % LANES * 8)))


@inlined
def _think(scratch, rows):
    left, straight, right = fill(0.0), fill(0.0), fill(0.0)
    for j in range(rows):
        fires, place = _fires(scratch.now, j), j * OUTPUTS * LANES
        left = choose(fires, left + load(scratch.output, place), left)
        straight = choose(fires, straight + load(scratch.output, place + LANES), straight)
        right = choose(fires, right + load(scratch.output, place + 2 * LANES), right)
    _decide(left, straight, right, scratch.winners)


@inlined
def _learn(scratch, rows, punished, rewarded, acted):
    """Change and scale the weights of the lanes that learn, and decide with the new ones. The last three: bits."""
    _set_changes(scratch, punished, rewarded, acted)
    output, changes, nothing = scratch.output, scratch.changes, fill(0.0)
    left_active, left_passive = load(changes, 3 * LANES), load(changes, 0)
    straight_active, straight_passive = load(changes, 4 * LANES), load(changes, LANES)
    right_active, right_passive = load(changes, 5 * LANES), load(changes, 2 * LANES)
    left_squares, straight_squares, right_squares = nothing, nothing, nothing
    for j in range(rows):
        fires, place = _fires(scratch.then, j), j * OUTPUTS * LANES
        left = load(output, place) + choose(fires, left_active, left_passive)
        straight = load(output, place + LANES) + choose(fires, straight_active, straight_passive)
        right = load(output, place + 2 * LANES) + choose(fires, right_active, right_passive)
        store(output, place, left)
        store(output, place + LANES, straight)
        store(output, place + 2 * LANES, right)
        left_squares = left_squares + left * left
        straight_squares = straight_squares + straight * straight
        right_squares = right_squares + right * right
    learning = mask_of(punished | rewarded)
    left_factor = lanes.unit_length_factor(left_squares, learning)
    straight_factor = lanes.unit_length_factor(straight_squares, learning)
    right_factor = lanes.unit_length_factor(right_squares, learning)
    left_sum, straight_sum, right_sum = nothing, nothing, nothing
    for j in range(rows):
        fires, place = _fires(scratch.now, j), j * OUTPUTS * LANES
        left, straight = load(output, place), load(output, place + LANES)
        right = load(output, place + 2 * LANES)
        left = choose(learning, lanes.scaled(left, left_factor), left)  # other lanes keep even tiny weights
        straight = choose(learning, lanes.scaled(straight, straight_factor), straight)
        right = choose(learning, lanes.scaled(right, right_factor), right)
        store(output, place, left)
        store(output, place + LANES, straight)
        store(output, place + 2 * LANES, right)
        left_sum = choose(fires, left_sum + left, left_sum)
        straight_sum = choose(fires, straight_sum + straight, straight_sum)
        right_sum = choose(fires, right_sum + right, right_sum)
    _decide(left_sum, straight_sum, right_sum, scratch.winners)


@inlined
def _set_changes(scratch, punished, rewarded, acted):
    """What weights change by in each lane, from passive and active neurons, to each output."""
    deltas, nothing = scratch.deltas, fill(0.0)
    bad, good = mask_of(punished), mask_of(rewarded)
    for pre in range(2):
        start = 2 * pre * LANES
        idle = choose(good, load(deltas, start + 4 * LANES), choose(bad, load(deltas, start), nothing))
        won = choose(good, load(deltas, start + 5 * LANES), choose(bad, load(deltas, start + LANES), nothing))
        for post in range(OUTPUTS):
            change = choose(mask_of(acted >> 8 * post), won, idle)
            store(scratch.changes, (pre * OUTPUTS + post) * LANES, change)


@inlined
def _decide(left, straight, right, winners):
    """Each lane's winner is the first of its largest sums."""
    not_left = straight > left
    right_bits, not_left_bits = bits_of(right > choose(not_left, straight, left)), bits_of(not_left)
    for lane in range(LANES):
        winners[lane] = 2 if right_bits >> lane & 1 else not_left_bits >> lane & 1
