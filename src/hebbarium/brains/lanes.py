"""The paper's equations (activate, change, scale) for eight networks at a time, one in each lane.

A block holds the incoming weights of the same post-synaptic neuron of eight networks. Each lane's sums
run over pre in order, as they would for one network alone. A lane that must not change gets a change of
0.0 and a factor of 1.0, which leave every bit as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.plain import TINY
from hebbarium.kernels.compile import creating, inlined
from hebbarium.kernels.vectors import WIDTH, both, choose, fill, load, magnitude, square_root, store

LANES = WIDTH
SAFE, HUGE = 2.0**-400, 2.0**60
"""While no weight is nearer to 0 than SAFE, nor beyond HUGE, no change and scaling leaves one of at most TINY: it
divides by less than 2^75, whatever the layer's width."""
ALMOST_ONE = 1.0 - 2.0**-50
"""Makes up for rounding in a bound."""


class LaneLayer(NamedTuple):
    """The arrays are flat, the last index being the lane."""

    weights: np.ndarray
    """float64 [block, pre, lane]"""
    pre: np.ndarray
    """float64 [pre, lane]: 1.0 where the pre-synaptic neuron is active; the bias, the last one, always is."""
    post: np.ndarray
    """float64 [block, lane]: 1.0 where the post-synaptic neuron is active."""
    if_passive: np.ndarray
    """float64 [pre, lane]: what a weight changes by where post is passive."""
    if_active: np.ndarray
    """float64 [pre, lane]: what a weight changes by where post is active."""
    table: np.ndarray
    """float64 [pre active, post active, lane]: what weights change by."""


@creating
def aligned_zeros(size):
    """Zeros that begin on a cache line, so that no vector straddles two."""
    room = np.zeros(size + LANES - 1)
    skipped = (-room.ctypes.data // room.itemsize) % LANES
    return room[skipped : skipped + size]


@creating
def new_layer(blocks, inputs):
    """inputs: pre-synaptic neurons, the bias included."""
    pre = aligned_zeros(inputs * LANES)
    pre[(inputs - 1) * LANES :] = 1.0
    return LaneLayer(
        aligned_zeros(blocks * inputs * LANES),
        pre,
        aligned_zeros(blocks * LANES),
        aligned_zeros(inputs * LANES),
        aligned_zeros(inputs * LANES),
        aligned_zeros(4 * LANES),
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
    """Write the weights where `take` had them from."""
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            weights[j, post] = layer.weights[(post * inputs + j) * LANES + lane]


@inlined
def set_changes(layer, inputs):
    """Choose each weight's possible changes by its pre-synaptic neuron, from the table."""
    passive = fill(0.0)
    neither, only_post = load(layer.table, 0), load(layer.table, LANES)
    only_pre, both_active = load(layer.table, 2 * LANES), load(layer.table, 3 * LANES)
    for j in range(inputs):
        fires = load(layer.pre, j * LANES) > passive
        store(layer.if_passive, j * LANES, choose(fires, only_pre, neither))
        store(layer.if_active, j * LANES, choose(fires, both_active, only_post))


@inlined
def change_and_scale(layer, block, inputs, changes, vanishing):
    """w += eta * rule[m][pre][post], then unit length, in the lanes where the mask `changes` is set.

    Returns the block's sums with the activities that `layer.pre` holds by now, because the next step's are known
    already, and a pass over the weights is saved; and what the weights were multiplied by. vanishing: whether tiny
    weights become 0; callers give it as a constant, since asking for them takes a tenth of the time.
    """
    nothing = fill(0.0)
    start = block * inputs * LANES
    fires = load(layer.post, block * LANES) > nothing
    squares = nothing
    for j in range(inputs):
        change = choose(fires, load(layer.if_active, j * LANES), load(layer.if_passive, j * LANES))
        weight = load(layer.weights, start + j * LANES) + change
        store(layer.weights, start + j * LANES, weight)
        squares = squares + weight * weight
    factor = unit_length_factor(squares, changes)
    sums = nothing
    for j in range(inputs):
        weight = load(layer.weights, start + j * LANES) * factor
        if vanishing:
            weight = unless_tiny(weight)
        store(layer.weights, start + j * LANES, weight)
        sums = sums + weight * load(layer.pre, j * LANES)
    return sums, factor


@inlined
def unit_length_factor(squares, changes):
    """What brings weights with these sums of squares to unit length; 1.0 in lanes where `changes` is not set."""
    one = fill(1.0)
    return choose(both(changes, squares > fill(0.0)), one / square_root(squares), one)


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
def least_size(layer):
    """In each lane the size of the weight nearest to 0, apart from those that are 0; at most 1, and 0 where a weight is
    beyond all measure."""
    nothing, one, huge = fill(0.0), fill(1.0), fill(HUGE)
    least = one
    for at in range(0, layer.weights.shape[0], LANES):
        weight = load(layer.weights, at)
        size = magnitude(weight)
        least = smaller(least, choose(size > huge, nothing, choose(size > nothing, size, one)))
    return least


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
def activation(layer, block, inputs):
    """The sums of one block: weight times activity, in the order of pre."""
    start = block * inputs * LANES
    sums = fill(0.0)
    for j in range(inputs):
        sums = sums + load(layer.weights, start + j * LANES) * load(layer.pre, j * LANES)
    return sums


@inlined
def step_function(sums):
    """1.0 in each lane whose sum is above zero."""
    return choose(sums > fill(0.0), fill(1.0), fill(0.0))
