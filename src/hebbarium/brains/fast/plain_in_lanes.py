"""The paper's equations (activate, change, scale) for eight networks at a time, one in each lane.

A block holds the incoming weights of the same post-synaptic neuron of eight networks. Each lane's sums
run over pre in order, as they would for one network alone. A lane that must not change gets a change of
0.0 and a factor of 1.0, which leave every bit as it is (no weight is -0.0: see `life/batch.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.plain import TINY
from hebbarium.kernels.compile import called, creating, inlined
from hebbarium.kernels.inverse_root import three_inverse_roots
from hebbarium.kernels.vectors import WIDTH, bits_of, both, choose, fill, load, magnitude, mask_of, square_root, store

LANES = WIDTH
ALMOST_ONE = 1.0 - 2.0**-50
"""Makes up for rounding in a bound."""


class LaneLayer(NamedTuple):
    """The arrays are flat, the last index being the lane."""

    weights: np.ndarray
    """float64 [block, pre, lane], still to be scaled."""
    pre: np.ndarray
    """float64 [pre, lane]: 1.0 where the pre-synaptic neuron is active; the bias, the last one, always is."""
    post: np.ndarray
    """float64 [block, lane]: 1.0 where the post-synaptic neuron is active."""
    table: np.ndarray
    """float64 [pre active, post active, lane]: what weights change by."""
    factor: np.ndarray
    """float64 [block, lane]: what the weights are to be multiplied by."""
    least: np.ndarray
    """float64 [lane]: no weight is nearer to 0, unless it is 0."""
    spared: np.ndarray
    """float64 [lane]: no change takes a weight nearer to 0 than this, unless it was nearer or becomes 0."""


@creating
def aligned_zeros(size):
    """Zeros that begin on a cache line, so that no vector straddles two."""
    return np.zeros(size)


@creating
def new_layer(blocks, inputs, post):
    """inputs: pre-synaptic neurons, the bias included; post: room for what is active."""
    pre, factor = aligned_zeros(inputs * LANES), aligned_zeros(blocks * LANES)
    pre[(inputs - 1) * LANES :], factor[:] = 1.0, 1.0
    return LaneLayer(
        aligned_zeros(blocks * inputs * LANES),
        pre,
        post,
        aligned_zeros(4 * LANES),
        factor,
        aligned_zeros(LANES),
        aligned_zeros(LANES),
    )


@inlined
def take(layer, weights, lane):
    """Begin with the weights of a life. weights: float64 [pre, post]"""
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            layer.weights[(post * inputs + j) * LANES + lane] = weights[j, post]


@inlined
def give_back(layer, weights, lane):
    """Write the weights, scaled, where `take` had them from."""
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            weight = layer.weights[(post * inputs + j) * LANES + lane]
            weights[j, post] = weight * layer.factor[post * LANES + lane]


@inlined
def change(layer, blocks, inputs, changes):
    """w += eta * rule[m][pre][post]. What brings weights to unit length in the lanes of the mask `changes` waits until
    they are used: that spares writing them twice. Weights that become tiny are looked for only where the bound says
    that there may be any.

    Three blocks at a time, so that additions need not wait for each other; beyond the last block, it is taken again, to
    the same bits. Their factors are worked out while the next three are changed, as that takes long.
    """
    nothing, smallest, weights, row = fill(0.0), fill(1.0), layer.weights, inputs * LANES
    squares, done = (nothing, nothing, nothing), (0, 0, 0)
    for first in range(0, blocks, 3):
        second, third = min(first + 1, blocks - 1), min(first + 2, blocks - 1)
        passive_1, active_1 = _changes_of(layer, first)
        passive_2, active_2 = _changes_of(layer, second)
        passive_3, active_3 = _changes_of(layer, third)
        factor_1, factor_2 = load(layer.factor, first * LANES), load(layer.factor, second * LANES)
        factor_3 = load(layer.factor, third * LANES)
        squares_1 = squares_2 = squares_3 = nothing
        for j in range(0, row, LANES):
            fires = load(layer.pre, j) > nothing
            weight_1 = load(weights, first * row + j) * factor_1 + choose(fires, active_1, passive_1)
            weight_2 = load(weights, second * row + j) * factor_2 + choose(fires, active_2, passive_2)
            weight_3 = load(weights, third * row + j) * factor_3 + choose(fires, active_3, passive_3)
            store(weights, first * row + j, weight_1)
            store(weights, second * row + j, weight_2)
            store(weights, third * row + j, weight_3)
            squares_1, squares_2 = squares_1 + weight_1 * weight_1, squares_2 + weight_2 * weight_2
            squares_3 = squares_3 + weight_3 * weight_3
        if first > 0:
            smallest = smaller(smallest, _set_factors(layer, done, squares, changes))
        squares, done = (squares_1, squares_2, squares_3), (first, second, third)
    smallest = smaller(smallest, _set_factors(layer, done, squares, changes))
    heed_tiny(layer, blocks, inputs, changes, smallest)


@inlined
def _set_factors(layer, blocks, squares, changes):
    """For three blocks with these sums of squares; returns the smallest factor in each lane."""
    factor_1, factor_2, factor_3 = unit_length_factors(squares[0], squares[1], squares[2], changes)
    store(layer.factor, blocks[0] * LANES, factor_1)
    store(layer.factor, blocks[1] * LANES, factor_2)
    store(layer.factor, blocks[2] * LANES, factor_3)
    return smaller(factor_1, smaller(factor_2, factor_3))


@inlined
def heed_tiny(layer, blocks, inputs, changes, smallest):
    """Look for tiny weights if there may be any. smallest: of the factors in each lane"""
    least = smaller(load(layer.least, 0), load(layer.spared, 0)) * smallest * fill(ALMOST_ONE)
    if bits_of(least > fill(TINY)) == (1 << LANES) - 1:
        store(layer.least, 0, least)
    else:
        settle(layer, blocks, inputs, bits_of(changes))


@inlined
def _changes_of(layer, block):
    """What weights of passive and of active pre-synaptic neurons change by."""
    fires, table = load(layer.post, block * LANES) > fill(0.0), layer.table
    if_passive = choose(fires, load(table, LANES), load(table, 0))
    return if_passive, choose(fires, load(table, 3 * LANES), load(table, 2 * LANES))


@inlined
def activate(layer, blocks, inputs, sums):
    """The sum of active weights, in the order of pre; again three blocks at a time. sums: float64 [block, lane], flat

    A passive one is left out: to add 0.0 changes no sum."""
    weights, row, nothing = layer.weights, inputs * LANES, fill(0.0)
    for first in range(0, blocks, 3):
        second, third = min(first + 1, blocks - 1), min(first + 2, blocks - 1)
        factor_1, factor_2 = load(layer.factor, first * LANES), load(layer.factor, second * LANES)
        factor_3 = load(layer.factor, third * LANES)
        sums_1 = sums_2 = sums_3 = nothing
        for j in range(0, row, LANES):
            active = load(layer.pre, j) > nothing
            sums_1 = choose(active, sums_1 + load(weights, first * row + j) * factor_1, sums_1)
            sums_2 = choose(active, sums_2 + load(weights, second * row + j) * factor_2, sums_2)
            sums_3 = choose(active, sums_3 + load(weights, third * row + j) * factor_3, sums_3)
        store(sums, first * LANES, sums_1)
        store(sums, second * LANES, sums_2)
        store(sums, third * LANES, sums_3)


@called
def settle(layer, blocks, inputs, changed):
    """Scale the weights of so many blocks; in lanes that have just changed, one bit each, tiny ones become 0."""
    changes, least = mask_of(changed), fill(1.0)
    for block in range(blocks):
        factor = load(layer.factor, block * LANES)
        for at in range(block * inputs * LANES, (block + 1) * inputs * LANES, LANES):
            weight = load(layer.weights, at)
            weight = choose(changes, scaled(weight, factor), weight)
            store(layer.weights, at, weight)
            least = smaller(least, _size(weight))
        store(layer.factor, block * LANES, fill(1.0))
    store(layer.least, 0, least)


@inlined
def unit_length_factor(squares, changes):
    """What brings weights with these sums of squares to unit length; 1.0 in lanes where `changes` is not set."""
    one = fill(1.0)
    return choose(both(changes, squares > fill(0.0)), one / square_root(squares), one)


@inlined
def unit_length_factors(first, second, third, changes):
    """The same for three neurons at once. Where a sum of squares is 0, its factor is looked for in vain."""
    zero, one = fill(0.0), fill(1.0)
    root_1, root_2, root_3 = three_inverse_roots(first, second, third, changes)
    factor_1, factor_2 = (
        choose(both(changes, first > zero), root_1, one),
        choose(both(changes, second > zero), root_2, one),
    )
    return factor_1, factor_2, choose(both(changes, third > zero), root_3, one)


@inlined
def scaled(weight, factor):
    """The product, or 0.0 where that is tiny."""
    return unless_tiny(weight * factor)


@inlined
def unless_tiny(weight):
    return choose(magnitude(weight) > fill(TINY), weight, fill(0.0))


@inlined
def smaller(some, others):
    return choose(some > others, others, some)


@inlined
def larger(some, others):
    return choose(some > others, some, others)


@inlined
def lead(one, other, third):
    """By how much the largest is larger than the second largest."""
    best, second = larger(one, other), smaller(one, other)
    return larger(best, third) - larger(second, smaller(best, third))


@inlined
def least_size(weights, size):
    """Of the first so many settled weights, in each lane the size of the one nearest to 0, apart from those that are 0;
    at most 1."""
    least = fill(1.0)
    for at in range(0, size, LANES):
        least = smaller(least, _size(load(weights, at)))
    return least


@inlined
def _size(weight):
    """1 where it is 0."""
    return choose(magnitude(weight) > fill(0.0), magnitude(weight), fill(1.0))


@inlined
def least_sum(delta):
    """A weight that one of these changes is added to is 0, or as far from 0 as before, or at least so far.

    A sum of two doubles, of which one is d, is 0 or at least the last bit of the smaller; and where the other is less
    than half of d, more than half of d. delta: float64 [pre active, post active]
    """
    least = 1.0
    for pre in range(2):
        for post in range(2):
            if delta[pre, post] != 0.0:
                least = min(least, abs(delta[pre, post]))
    return least * 2.0**-54


@inlined
def step_function(sums):
    """1.0 in each lane whose sum is above zero."""
    return choose(sums > fill(0.0), fill(1.0), fill(0.0))
