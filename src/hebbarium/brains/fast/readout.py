"""The output layer: the paper's equations, to the bits of plain loops, with eight outputs in the lanes of a vector.

There are few outputs, and hidden neurons that often fire together or not at all: so those that do not fire
are left out of the sums, and eight that do the same are changed without asking each. After a change, the
weights wait to be multiplied by the factor that brings them to unit length until they are used.

One thing differs: weights of at most TINY become 0 not at once, but when `vanish` is called, which is
when the hidden layer's sums are counted (see `sparse.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast.lanes import LANES, aligned_zeros, unless_tiny
from hebbarium.kernels.bits import trailing_zeros
from hebbarium.kernels.compile import creating, inlined
from hebbarium.kernels.vectors import bits_of, choose, fill, load, square_root, store


class ReadoutLayer(NamedTuple):
    weights: np.ndarray
    """float64 [pre, width], flat: one row per hidden neuron, then the bias's, still to be scaled."""
    factor: np.ndarray
    """float64 [width]: what they are to be multiplied by."""
    sums: np.ndarray
    """float64 [width]"""
    won: np.ndarray
    """float64 [width]: 1.0 for the output that acted."""


@creating
def new_layer(inputs, outputs):
    """Room for a layer. inputs: with the bias."""
    width = -(-outputs // LANES) * LANES
    return ReadoutLayer(
        aligned_zeros(inputs * width),
        aligned_zeros(width),
        aligned_zeros(width),
        aligned_zeros(width),
    )


@inlined
def take(layer, weights):
    """Begin with the weights of a life. weights: float64 [pre, post]."""
    width = layer.sums.shape[0]
    layer.factor[:] = 1.0
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            layer.weights[j * width + i] = weights[j, i]


@inlined
def give_back(layer, weights):
    """Write the weights, scaled, where `take` had them from."""
    width = layer.sums.shape[0]
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            weights[j, i] = layer.weights[j * width + i] * layer.factor[i]


@inlined
def activate(layer, fires):
    """The outputs' sums. fires: float64 [hidden neurons and bias, rounded up], above zero where one is active."""
    width = layer.sums.shape[0]
    for block in range(0, width, LANES):
        sums, factor = fill(0.0), load(layer.factor, block)
        for some in range(0, fires.shape[0], LANES):
            firing = np.uint64(bits_of(load(fires, some) > fill(0.0)))
            while firing != np.uint64(0):
                sums = sums + load(layer.weights, (some + trailing_zeros(firing)) * width + block) * factor
                firing &= firing - np.uint64(1)
        store(layer.sums, block, sums)


@inlined
def change(layer, delta, fires, winner):
    """Change and scale all weights. delta: float64 [pre active, post active]; winner: the output that acted."""
    width = layer.sums.shape[0]
    inputs, zero, one = layer.weights.shape[0] // width, fill(0.0), fill(1.0)
    layer.won[:] = 0.0
    layer.won[winner] = 1.0
    for block in range(0, width, LANES):
        won, square = load(layer.won, block) > zero, zero
        passive = choose(won, fill(delta[0, 1]), fill(delta[0, 0]))
        active = choose(won, fill(delta[1, 1]), fill(delta[1, 0]))
        for some in range(0, inputs, LANES):
            last = min(some + LANES, inputs)
            firing = bits_of(load(fires, some) > zero)
            if firing == 0:
                square = _change_rows(layer, block, some, last, passive, square)
            elif firing == (1 << LANES) - 1:
                square = _change_rows(layer, block, some, last, active, square)
            else:
                for j in range(some, last):
                    change = active if firing >> (j - some) & 1 else passive
                    square = _change_rows(layer, block, j, j + 1, change, square)
        store(layer.factor, block, choose(square > zero, one / square_root(square), one))


@inlined
def _change_rows(layer, block, first, last, change, square):
    """The same change for some rows; returns the sum of squares with theirs."""
    width, factor = layer.sums.shape[0], load(layer.factor, block)
    for j in range(first, last):
        weight = load(layer.weights, j * width + block) * factor + change
        store(layer.weights, j * width + block, weight)
        square = square + weight * weight
    return square


@inlined
def vanish(layer):
    """Weights of at most TINY become 0."""
    width = layer.sums.shape[0]
    for block in range(0, width, LANES):
        factor = load(layer.factor, block)
        for at in range(block, layer.weights.shape[0], width):
            store(layer.weights, at, unless_tiny(load(layer.weights, at) * factor))
    layer.factor[:] = 1.0
