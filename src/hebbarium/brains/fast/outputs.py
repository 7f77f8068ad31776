"""The output layers of eight networks with the tallied arithmetic, one in each lane.

Weights are added one by one, in the order of the hidden neurons: no other order has the same bits. One network alone
would wait for each of these additions; eight add side by side, and their three outputs, too. After a change, weights
wait to be multiplied by the factor that brings them to unit length until they are used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast.lanes import LANES, aligned_zeros, unless_tiny
from hebbarium.kernels.compile import called, creating, inlined
from hebbarium.kernels.vectors import bits_of, choose, fill, load, mask_of, square_root, store

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


@creating
def new_outputs(neurons):
    return Outputs(
        aligned_zeros((neurons + 1) * ROW),
        aligned_zeros(ROW),
        aligned_zeros(ROW),
        aligned_zeros(8 * LANES),
    )


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
            weight = outputs.weights[j * ROW + post * LANES + lane]
            weights[j, post] = weight * outputs.factor[post * LANES + lane]


@inlined
def think(outputs, neurons, firing):
    """The outputs' sums, in all lanes. firing: bits of the lanes whose hidden neurons all fire; in others none does"""
    weights, factor, nothing, fires = outputs.weights, outputs.factor, fill(0.0), mask_of(firing)
    first = second = third = nothing
    one, two, three = load(factor, 0), load(factor, LANES), load(factor, 2 * LANES)
    bias = neurons * ROW
    if firing != 0:
        for at in range(0, bias, ROW):
            first = first + load(weights, at) * one
            second = second + load(weights, at + LANES) * two
            third = third + load(weights, at + 2 * LANES) * three
    store(outputs.sums, 0, choose(fires, first, nothing) + load(weights, bias) * one)
    store(outputs.sums, LANES, choose(fires, second, nothing) + load(weights, bias + LANES) * two)
    store(outputs.sums, 2 * LANES, choose(fires, third, nothing) + load(weights, bias + 2 * LANES) * three)


@inlined
def winners(outputs):
    """Bits of the lanes in which the second output has the largest sum, and the third; and of those with a tie."""
    first, second, third = load(outputs.sums, 0), load(outputs.sums, LANES), load(outputs.sums, 2 * LANES)
    best = choose(second > first, second, first)
    last = bits_of(third > best)
    ties = bits_of(third == best) | (bits_of(second == first) & ~last)
    return bits_of(second > first) & ~last, last, ties


@inlined
def change(outputs, neurons, firing, second, third, punished, learning):
    """Change the weights in the lanes of the bits `learning`; what brings them to unit length waits.

    firing: as in `think`; second, third: lanes in which these outputs acted; punished: of those that learn. The three
    outputs are changed side by side, so that one sum of squares need not wait for the other.
    """
    weights, nothing, one, learns = outputs.weights, fill(0.0), fill(1.0), mask_of(learning)
    if_first, always_first = _changes(outputs, firing, ~(second | third), punished, learning)
    if_second, always_second = _changes(outputs, firing, second, punished, learning)
    if_third, always_third = _changes(outputs, firing, third, punished, learning)
    factor_1, factor_2 = load(outputs.factor, 0), load(outputs.factor, LANES)
    factor_3 = load(outputs.factor, 2 * LANES)
    times_1, times_2 = choose(learns, factor_1, one), choose(learns, factor_2, one)
    times_3, square_1, square_2, square_3 = choose(learns, factor_3, one), nothing, nothing, nothing
    for at in range(0, neurons * ROW, ROW):
        weight_1 = load(weights, at) * times_1 + if_first
        weight_2 = load(weights, at + LANES) * times_2 + if_second
        weight_3 = load(weights, at + 2 * LANES) * times_3 + if_third
        store(weights, at, weight_1)
        store(weights, at + LANES, weight_2)
        store(weights, at + 2 * LANES, weight_3)
        square_1, square_2 = square_1 + weight_1 * weight_1, square_2 + weight_2 * weight_2
        square_3 = square_3 + weight_3 * weight_3
    at = neurons * ROW
    weight_1 = load(weights, at) * times_1 + always_first
    weight_2 = load(weights, at + LANES) * times_2 + always_second
    weight_3 = load(weights, at + 2 * LANES) * times_3 + always_third
    store(weights, at, weight_1)
    store(weights, at + LANES, weight_2)
    store(weights, at + 2 * LANES, weight_3)
    store(outputs.factor, 0, _unit_length(square_1 + weight_1 * weight_1, learns, factor_1))
    store(outputs.factor, LANES, _unit_length(square_2 + weight_2 * weight_2, learns, factor_2))
    store(outputs.factor, 2 * LANES, _unit_length(square_3 + weight_3 * weight_3, learns, factor_3))


@inlined
def _changes(outputs, firing, acting, punished, learning):
    """What an output's weights from hidden neurons change by, and that from the bias. acting: lanes where it acted"""
    tables, acted, was_punished = outputs.tables, mask_of(acting), mask_of(punished)
    if_passive = choose(acted, load(tables, LANES), load(tables, 0))
    if_active = choose(acted, load(tables, 3 * LANES), load(tables, 2 * LANES))
    for_reward = choose(acted, load(tables, 5 * LANES), load(tables, 4 * LANES))
    passive = choose(was_punished, if_passive, for_reward)
    for_reward = choose(acted, load(tables, 7 * LANES), load(tables, 6 * LANES))
    active = choose(was_punished, if_active, for_reward)
    nothing, learns = fill(0.0), mask_of(learning)
    return choose(learns, choose(mask_of(firing), active, passive), nothing), choose(learns, active, nothing)


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
        for at in range(post, outputs.weights.shape[0], ROW):
            weight = load(outputs.weights, at)
            store(outputs.weights, at, choose(chosen, unless_tiny(weight * factor), weight))
        store(outputs.factor, post, choose(chosen, fill(1.0), factor))
