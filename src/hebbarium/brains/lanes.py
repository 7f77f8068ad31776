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
from hebbarium.kernels.vectors import WIDTH, both, choose, fill, load, square_root, store

LANES = WIDTH


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
    )


@inlined
def set_changes(layer, inputs, neither, only_post, only_pre, both_active):
    """Choose each weight's possible changes by its pre-synaptic neuron. The last four: vectors, eta * entry."""
    passive = fill(0.0)
    for j in range(inputs):
        fires = load(layer.pre, j * LANES) > passive
        store(layer.if_passive, j * LANES, choose(fires, only_pre, neither))
        store(layer.if_active, j * LANES, choose(fires, both_active, only_post))


@inlined
def change_and_scale(layer, block, inputs, changes):
    """w += eta * rule[m][pre][post], then unit length, in the lanes where the mask `changes` is set.

    Returns the block's sums with the activities that `layer.pre` holds by now: the next step's are often
    known already, and a pass over the weights is saved.
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
        weight = scaled(load(layer.weights, start + j * LANES), factor)
        store(layer.weights, start + j * LANES, weight)
        sums = sums + weight * load(layer.pre, j * LANES)
    return sums


@inlined
def unit_length_factor(squares, changes):
    """What brings weights with these sums of squares to unit length; 1.0 in lanes where `changes` is not set."""
    one = fill(1.0)
    return choose(both(changes, squares > fill(0.0)), one / square_root(squares), one)


@inlined
def scaled(weight, factor):
    """The product, or 0.0 where that is tiny."""
    nothing, tiny = fill(0.0), fill(TINY)
    product = weight * factor
    return choose(product > tiny, product, choose(nothing - tiny > product, product, nothing))


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
