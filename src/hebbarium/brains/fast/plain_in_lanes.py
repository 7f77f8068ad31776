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
HALVES = 2
"""Of a rule: punishment, reward."""
ALMOST_ONE = 1.0 - 2.0**-50
"""Makes up for rounding in a bound."""


class LaneLayer(NamedTuple):
    """The arrays are flat, the last index being the lane."""

    weights: np.ndarray
    """float64 [block, pre, lane], still to be scaled."""
    heard: np.ndarray
    """uint8 [moment, pre], flat: the lanes in which a pre-synaptic neuron is active, one bit each, now; in the second
    half the same when the networks acted last. The bias, behind the others, always is."""
    fires: np.ndarray
    """uint8 [block]: the lanes in which a post-synaptic neuron is active."""
    sums: np.ndarray
    """float64 [block, lane]: of active weights."""
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
def new_layer(blocks, inputs, heard):
    """inputs: pre-synaptic neurons, the bias included; heard: room for twice as many or more"""
    factor = aligned_zeros(blocks * LANES)
    heard[inputs - 1], heard[heard.shape[0] // 2 + inputs - 1], factor[:] = 0xFF, 0xFF, 1.0
    return LaneLayer(
        aligned_zeros(blocks * inputs * LANES),
        heard,
        np.zeros(blocks, np.uint8),
        aligned_zeros(blocks * LANES),
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
def mask_at(bits, place):
    """The mask of bits[place], uint8."""
    return mask_of(np.int64(bits[np.uint64(place)]))


@inlined
def change(layer, blocks, inputs, changes, compared, active_alone):
    """w += eta * rule[m][pre][post], for what was active when the networks acted.

    changes: mask of lanes; compared: whether sums of different blocks will be; active_alone: see below

    What brings weights to unit length waits until they are used: that spares writing them twice. Weights that become
    tiny are looked for only where the bound says that there may be any.

    In the same pass weights that are active now are added up, before they are scaled. A sum of n scaled weights, made
    in either way, is wrong by at most n * 2**-53 times the sum of their sizes, which is at most the root of n times
    their length. Returns a margin that is wider than four such errors: a sum that is farther from 0, and sums that are
    farther apart, are so in truth.

    Three blocks at a time, so that additions need not wait for each other; beyond the last block, it is taken again, to
    the same bits. Their factors are worked out while the next three are changed, as that takes long.
    """
    nothing, smallest, total = fill(0.0), fill(1.0), fill(1.0)
    squares, done = (nothing, nothing, nothing), (0, 0, 0)
    for first in range(0, blocks, 3):
        trio = (first, min(first + 1, blocks - 1), min(first + 2, blocks - 1))
        # As constants, which makes two loops of one.
        newer = _change_three(layer, trio, inputs, True) if active_alone else _change_three(layer, trio, inputs, False)
        if first > 0:
            smallest = smaller(smallest, _set_factors(layer, done, squares, changes))
        squares, done = newer, trio
        total = total + squares[0] + squares[1] + squares[2]
    smallest = smaller(smallest, _set_factors(layer, done, squares, changes))
    if compared:
        for at in range(0, blocks * LANES, LANES):
            store(layer.sums, at, load(layer.sums, at) * load(layer.factor, at))
    heed_tiny(layer, blocks, inputs, changes, smallest)
    return total * fill(inputs * inputs * 2.0**-50)


@inlined
def _changed(weight, fired, if_active, if_passive, active_alone):
    """By one of two vectors, which has to be chosen first, unless the other one is 0."""
    return choose(fired, weight + if_active, weight) if active_alone else weight + choose(fired, if_active, if_passive)


@inlined
def _change_three(layer, blocks, inputs, active_alone):
    """Returns their sums of squares."""
    nothing, weights, row = fill(0.0), layer.weights, inputs * LANES
    passive_1, active_1 = _changes_of(layer, blocks[0])
    passive_2, active_2 = _changes_of(layer, blocks[1])
    passive_3, active_3 = _changes_of(layer, blocks[2])
    at_1, at_2, at_3 = blocks[0] * row, blocks[1] * row, blocks[2] * row
    factor_1, factor_2 = load(layer.factor, blocks[0] * LANES), load(layer.factor, blocks[1] * LANES)
    factor_3 = load(layer.factor, blocks[2] * LANES)
    squares_1 = squares_2 = squares_3 = sum_1 = sum_2 = sum_3 = nothing
    acted_in = layer.heard.shape[0] // 2
    for pre in range(inputs):
        fired, fires, j = mask_at(layer.heard, acted_in + pre), mask_at(layer.heard, pre), pre * LANES
        weight_1 = _changed(load(weights, at_1 + j) * factor_1, fired, active_1, passive_1, active_alone)
        weight_2 = _changed(load(weights, at_2 + j) * factor_2, fired, active_2, passive_2, active_alone)
        weight_3 = _changed(load(weights, at_3 + j) * factor_3, fired, active_3, passive_3, active_alone)
        store(weights, at_1 + j, weight_1)
        store(weights, at_2 + j, weight_2)
        store(weights, at_3 + j, weight_3)
        squares_1, squares_2 = squares_1 + weight_1 * weight_1, squares_2 + weight_2 * weight_2
        squares_3 = squares_3 + weight_3 * weight_3
        sum_1, sum_2 = choose(fires, sum_1 + weight_1, sum_1), choose(fires, sum_2 + weight_2, sum_2)
        sum_3 = choose(fires, sum_3 + weight_3, sum_3)
    store(layer.sums, blocks[0] * LANES, sum_1)
    store(layer.sums, blocks[1] * LANES, sum_2)
    store(layer.sums, blocks[2] * LANES, sum_3)
    return squares_1, squares_2, squares_3


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
def set_table(layer, deltas, number, punished, rewarded):
    """What weights change by in the lanes of these bits; 0.0 in all others.

    deltas: float64 [layer, half, pre active, post active, lane], flat; number: of the layer"""
    was_punished, was_rewarded = mask_of(punished), mask_of(rewarded)
    for at in range(0, 4 * LANES, LANES):
        if_punished = load(deltas, number * HALVES * 4 * LANES + at)
        if_rewarded = load(deltas, (number * HALVES + 1) * 4 * LANES + at)
        store(layer.table, at, choose(was_punished, if_punished, choose(was_rewarded, if_rewarded, fill(0.0))))


@inlined
def active_alone(deltas, number):
    """Whether under no rule of these lanes a layer's weights from passive neurons change. deltas, number: as above"""
    from_passive, first = 0, number * HALVES * 4 * LANES
    for half in range(first, first + HALVES * 4 * LANES, 4 * LANES):
        for at in range(half, half + 2 * LANES):
            from_passive += deltas[at] != 0.0
    return from_passive == 0


@inlined
def _changes_of(layer, block):
    """What weights of passive and of active pre-synaptic neurons change by."""
    fires, table = mask_at(layer.fires, block), layer.table
    if_passive = choose(fires, load(table, LANES), load(table, 0))
    return if_passive, choose(fires, load(table, 3 * LANES), load(table, 2 * LANES))


@inlined
def activate(layer, blocks, inputs):
    """The sums of active weights, in the order of pre; again three blocks at a time.

    A passive one is left out: to add 0.0 changes no sum."""
    weights, row, nothing = layer.weights, inputs * LANES, fill(0.0)
    for first in range(0, blocks, 3):
        second, third = min(first + 1, blocks - 1), min(first + 2, blocks - 1)
        factor_1, factor_2 = load(layer.factor, first * LANES), load(layer.factor, second * LANES)
        factor_3 = load(layer.factor, third * LANES)
        sum_1 = sum_2 = sum_3 = nothing
        for pre in range(inputs):
            fires, j = mask_at(layer.heard, pre), pre * LANES
            sum_1 = choose(fires, sum_1 + load(weights, first * row + j) * factor_1, sum_1)
            sum_2 = choose(fires, sum_2 + load(weights, second * row + j) * factor_2, sum_2)
            sum_3 = choose(fires, sum_3 + load(weights, third * row + j) * factor_3, sum_3)
        store(layer.sums, first * LANES, sum_1)
        store(layer.sums, second * LANES, sum_2)
        store(layer.sums, third * LANES, sum_3)


@inlined
def hear(layer, inputs):
    """What is active now is about to be replaced by what comes next: keep it as what was active when networks acted."""
    for pre in range(inputs - 1):
        layer.heard[np.uint64(layer.heard.shape[0] // 2 + pre)] = layer.heard[np.uint64(pre)]


@inlined
def set_bits(bits, place, condition):
    """bits[place] = a mask, as bits; uint8"""
    bits[np.uint64(place)] = bits_of(condition)


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
