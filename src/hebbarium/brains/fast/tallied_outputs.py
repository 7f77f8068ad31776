"""The output layers of eight networks with the tallied arithmetic, one in each lane.

Weights are added one by one, in the order of the hidden neurons: no other order has the same bits. One network alone
would wait for each of these additions; eight add side by side, and their three outputs, too. After a change, weights
wait to be multiplied by the factor that brings them to unit length until they are used.

Where hidden neurons have all become the same, their weights to an output soon are, too: the same is added to all of
them and they are scaled alike, so that what they differ by is rounded away. Once that is so in all lanes (`are_alike`),
one weight stands for all, and only sums still have a term for each: 1.09 x as fast (rule 2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast.plain_in_lanes import LANES, aligned_zeros, unless_tiny
from hebbarium.kernels.compile import called, creating, inlined
from hebbarium.kernels.vectors import bits_of, choose, fill, load, mask_of, same_bits, square_root, store

OUTPUTS = 3
ROW = OUTPUTS * LANES
"""Weights from one neuron, in all lanes."""


class Outputs(NamedTuple):
    """The arrays are flat, the last index being the lane."""

    weights: np.ndarray
    """float64 [hidden neuron and bias, output, lane], still to be scaled."""
    factor: np.ndarray
    """float64 [output, lane]: what they are to be multiplied by."""
    sums: np.ndarray
    """float64 [output, lane]"""
    tables: np.ndarray
    """float64 [half, pre active, post active, lane]: what weights change by."""
    fired: np.ndarray
    """uint8 [block of neurons, lane]: bits of the hidden neurons that fire, where they differ in some lane."""
    firing: np.ndarray
    """uint8 [hidden neuron]: bits of the lanes in which it fires."""
    alike: np.ndarray
    """bool [1]: whether weights from the first hidden neuron stand for those from all others."""


@creating
def new_outputs(neurons):
    return Outputs(
        aligned_zeros((neurons + 1) * ROW),
        aligned_zeros(ROW),
        aligned_zeros(ROW),
        aligned_zeros(8 * LANES),
        np.zeros(-(-neurons // LANES) * LANES, np.uint8),
        np.zeros(-(-neurons // LANES) * LANES, np.uint8),
        np.zeros(1, np.bool_),
    )


@called
def are_alike(outputs):
    """Whether the weights from all hidden neurons are the same in all lanes, bit for bit."""
    weights, bias = outputs.weights, outputs.weights.shape[0] - ROW
    for at in range(ROW, bias, ROW):
        for post in range(0, ROW, LANES):
            if not same_bits(weights, post, at + post):
                return False
    return True


@called
def clear(outputs):
    """No weights in any lane."""
    outputs.weights[:], outputs.factor[:], outputs.alike[0] = 0.0, 1.0, False


@called
def take(outputs, weights, delta, lane):
    """Begin with a life's weights. weights: float64 [pre, post]; delta: float64 [half, pre active, post active]"""
    for j in range(weights.shape[0]):
        for post in range(OUTPUTS):
            outputs.weights[j * ROW + post * LANES + lane] = weights[j, post]
    for post in range(OUTPUTS):
        outputs.factor[post * LANES + lane] = 1.0
    for entry in range(8):
        outputs.tables[entry * LANES + lane] = delta[entry >> 2, entry >> 1 & 1, entry & 1]


@called
def give_back(outputs, weights, lane):
    """Write the weights where `take` had them from."""
    for j in range(weights.shape[0]):
        for post in range(OUTPUTS):
            row = 0 if outputs.alike[0] and j < weights.shape[0] - 1 else j
            weight = outputs.weights[row * ROW + post * LANES + lane]
            weights[j, post] = weight * outputs.factor[post * LANES + lane]


@inlined
def think(outputs, neurons, firing):
    """The outputs' sums, in all lanes. firing: bits of the lanes whose hidden neurons all fire; in others none does"""
    weights, factor, nothing, fires = outputs.weights, outputs.factor, fill(0.0), mask_of(firing)
    first = second = third = nothing
    one, two, three = load(factor, 0), load(factor, LANES), load(factor, 2 * LANES)
    if firing != 0 and outputs.alike[0]:
        weight_1, weight_2 = load(weights, 0) * one, load(weights, LANES) * two
        weight_3 = load(weights, 2 * LANES) * three
        for _ in range(neurons):
            first, second, third = first + weight_1, second + weight_2, third + weight_3
    elif firing != 0:
        for at in range(0, neurons * ROW, ROW):
            first = first + load(weights, at) * one
            second = second + load(weights, at + LANES) * two
            third = third + load(weights, at + 2 * LANES) * three
    first, second = choose(fires, first, nothing), choose(fires, second, nothing)
    _add_bias(outputs, neurons, first, second, choose(fires, third, nothing))


@inlined
def think_apart(outputs, neurons):
    """The same where hidden neurons differ in some lanes: `firing` has what each does."""
    weights, factor = outputs.weights, outputs.factor
    first = second = third = fill(0.0)
    one, two, three = load(factor, 0), load(factor, LANES), load(factor, 2 * LANES)
    for j in range(neurons):
        fires, at = mask_of(np.int64(outputs.firing[j])), j * ROW
        first = choose(fires, first + load(weights, at) * one, first)
        second = choose(fires, second + load(weights, at + LANES) * two, second)
        third = choose(fires, third + load(weights, at + 2 * LANES) * three, third)
    _add_bias(outputs, neurons, first, second, third)


@inlined
def _add_bias(outputs, neurons, first, second, third):
    weights, factor, bias = outputs.weights, outputs.factor, neurons * ROW
    store(outputs.sums, 0, first + load(weights, bias) * load(factor, 0))
    store(outputs.sums, LANES, second + load(weights, bias + LANES) * load(factor, LANES))
    store(outputs.sums, 2 * LANES, third + load(weights, bias + 2 * LANES) * load(factor, 2 * LANES))


@inlined
def gather_firing(outputs):
    """What each neuron does in all lanes, from what all neurons do in each: blocks of 8 x 8 bits, transposed."""
    blocks, neurons = outputs.fired.view(np.uint64), outputs.firing.view(np.uint64)
    for block in range(blocks.shape[0]):
        bits = blocks[block]
        swapped = (bits ^ (bits >> np.uint64(7))) & np.uint64(0x00AA00AA00AA00AA)
        bits ^= swapped ^ (swapped << np.uint64(7))
        swapped = (bits ^ (bits >> np.uint64(14))) & np.uint64(0x0000CCCC0000CCCC)
        bits ^= swapped ^ (swapped << np.uint64(14))
        swapped = (bits ^ (bits >> np.uint64(28))) & np.uint64(0x00000000F0F0F0F0)
        neurons[block] = bits ^ swapped ^ (swapped << np.uint64(28))


@inlined
def winners(outputs):
    """Bits of the lanes in which the second output has the largest sum, and the third; and of those with a tie."""
    first, second, third = load(outputs.sums, 0), load(outputs.sums, LANES), load(outputs.sums, 2 * LANES)
    best = choose(second > first, second, first)
    last = bits_of(third > best)
    ties = bits_of(third == best) | (bits_of(second == first) & ~last)
    return bits_of(second > first) & ~last, last, ties


@inlined
def change(outputs, neurons, firing, apart, second, third, punished, learning):
    """Change the weights in the lanes of the bits `learning`; what brings them to unit length waits.

    firing: as in `think`, unless hidden neurons are `apart`; second, third: lanes in which these outputs acted;
    punished: of those that learn. The three outputs are changed side by side, so that no sum of squares waits for
    another.
    """
    weights, nothing, one, learns = outputs.weights, fill(0.0), fill(1.0), mask_of(learning)
    passive_1, active_1 = _changes(outputs, ~(second | third), punished, learning)
    passive_2, active_2 = _changes(outputs, second, punished, learning)
    passive_3, active_3 = _changes(outputs, third, punished, learning)
    fires = mask_of(firing)
    change_1, change_2 = choose(fires, active_1, passive_1), choose(fires, active_2, passive_2)
    change_3 = choose(fires, active_3, passive_3)
    factor_1, factor_2 = load(outputs.factor, 0), load(outputs.factor, LANES)
    factor_3 = load(outputs.factor, 2 * LANES)
    times_1, times_2 = choose(learns, factor_1, one), choose(learns, factor_2, one)
    times_3, square_1, square_2, square_3 = choose(learns, factor_3, one), nothing, nothing, nothing
    if outputs.alike[0]:
        weight_1 = load(weights, 0) * times_1 + change_1
        weight_2 = load(weights, LANES) * times_2 + change_2
        weight_3 = load(weights, 2 * LANES) * times_3 + change_3
        store(weights, 0, weight_1)
        store(weights, LANES, weight_2)
        store(weights, 2 * LANES, weight_3)
        own_1, own_2, own_3 = weight_1 * weight_1, weight_2 * weight_2, weight_3 * weight_3
        for _ in range(neurons):
            square_1, square_2, square_3 = square_1 + own_1, square_2 + own_2, square_3 + own_3
    for j in range(0 if outputs.alike[0] else neurons):
        at = j * ROW
        if apart:
            fires = mask_of(np.int64(outputs.firing[j]))
            change_1, change_2 = choose(fires, active_1, passive_1), choose(fires, active_2, passive_2)
            change_3 = choose(fires, active_3, passive_3)
        weight_1 = load(weights, at) * times_1 + change_1
        weight_2 = load(weights, at + LANES) * times_2 + change_2
        weight_3 = load(weights, at + 2 * LANES) * times_3 + change_3
        store(weights, at, weight_1)
        store(weights, at + LANES, weight_2)
        store(weights, at + 2 * LANES, weight_3)
        square_1, square_2 = square_1 + weight_1 * weight_1, square_2 + weight_2 * weight_2
        square_3 = square_3 + weight_3 * weight_3
    at = neurons * ROW
    weight_1 = load(weights, at) * times_1 + active_1
    weight_2 = load(weights, at + LANES) * times_2 + active_2
    weight_3 = load(weights, at + 2 * LANES) * times_3 + active_3
    store(weights, at, weight_1)
    store(weights, at + LANES, weight_2)
    store(weights, at + 2 * LANES, weight_3)
    store(outputs.factor, 0, _unit_length(square_1 + weight_1 * weight_1, learns, factor_1))
    store(outputs.factor, LANES, _unit_length(square_2 + weight_2 * weight_2, learns, factor_2))
    store(outputs.factor, 2 * LANES, _unit_length(square_3 + weight_3 * weight_3, learns, factor_3))


@inlined
def _changes(outputs, acting, punished, learning):
    """What an output's weights from passive and from active neurons change by. acting: lanes where it acted"""
    tables, acted, was_punished = outputs.tables, mask_of(acting), mask_of(punished)
    if_passive = choose(acted, load(tables, LANES), load(tables, 0))
    if_active = choose(acted, load(tables, 3 * LANES), load(tables, 2 * LANES))
    for_reward = choose(acted, load(tables, 5 * LANES), load(tables, 4 * LANES))
    passive = choose(was_punished, if_passive, for_reward)
    for_reward = choose(acted, load(tables, 7 * LANES), load(tables, 6 * LANES))
    active = choose(was_punished, if_active, for_reward)
    nothing, learns = fill(0.0), mask_of(learning)
    return choose(learns, passive, nothing), choose(learns, active, nothing)


@inlined
def _unit_length(square, learns, factor):
    one = fill(1.0)
    return choose(learns, choose(square > fill(0.0), one / square_root(square), one), factor)


@called
def vanish(outputs, lane):
    """One lane's weights of at most TINY become 0."""
    chosen = mask_of(np.int64(1) << lane)
    for post in range(0, ROW, LANES):
        factor = load(outputs.factor, post)
        # If all are alike, the first and the bias's.
        for at in range(post, outputs.weights.shape[0], outputs.weights.shape[0] - ROW if outputs.alike[0] else ROW):
            weight = load(outputs.weights, at)
            store(outputs.weights, at, choose(chosen, unless_tiny(weight * factor), weight))
        store(outputs.factor, post, choose(chosen, fill(1.0), factor))
