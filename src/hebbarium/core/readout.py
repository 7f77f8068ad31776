"""The output layer: `network.py`'s equations, to the same bits, with eight outputs in the lanes of a vector.

There are few outputs and many hidden neurons that fire together or not at all: so rows of hidden neurons
that do not fire are left out of the sums. After a change, weights wait to be multiplied by the factor that
brings them to unit length until they are used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.core.bits import trailing_zeros
from hebbarium.core.compile import creating, inlined
from hebbarium.core.lanes import LANES, aligned_zeros
from hebbarium.core.network import TINY
from hebbarium.core.vectors import bits_of, choose, fill, load, square_root, store


class Layer(NamedTuple):
    weights: np.ndarray
    """float64 [pre, width], flat: one row per hidden neuron, then the bias's, still to be scaled."""
    factor: np.ndarray
    """float64 [width]: what they are to be multiplied by."""
    least: np.ndarray
    """float64 [1]: TINY once they have been scaled, before that 0.0: so weights a life began with stay as they are."""
    sums: np.ndarray
    """float64 [width]"""
    won: np.ndarray
    """float64 [width]: 1.0 for the output that acted."""


@creating
def new_layer(inputs, outputs):
    """Room for a layer. inputs: with the bias."""
    width = -(-outputs // LANES) * LANES
    return Layer(
        aligned_zeros(inputs * width),
        aligned_zeros(width),
        np.zeros(1),
        aligned_zeros(width),
        aligned_zeros(width),
    )


@inlined
def take(layer, weights):
    """Begin with the weights of a life. weights: float64 [pre, post]."""
    width = layer.sums.shape[0]
    layer.factor[:] = 1.0
    layer.least[0] = 0.0
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            layer.weights[j * width + i] = weights[j, i]


@inlined
def give_back(layer, weights):
    """Write the weights, scaled, where `take` had them from."""
    width = layer.sums.shape[0]
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            weight = layer.weights[j * width + i] * layer.factor[i]
            weights[j, i] = weight if abs(weight) > layer.least[0] else 0.0


@inlined
def _scaled(layer, at, factor):
    weight, zero, least = load(layer.weights, at) * factor, fill(0.0), fill(layer.least[0])
    return choose(weight > least, weight, choose(zero - least > weight, weight, zero))


@inlined
def activate(layer, fires):
    """The outputs' sums. fires: float64 [hidden neurons and bias, rounded up], above zero where one is active."""
    width = layer.sums.shape[0]
    for block in range(0, width, LANES):
        sums, factor = fill(0.0), load(layer.factor, block)
        for some in range(0, fires.shape[0], LANES):
            firing = np.uint64(bits_of(load(fires, some) > fill(0.0)))
            while firing != np.uint64(0):
                sums = sums + _scaled(layer, (some + trailing_zeros(firing)) * width + block, factor)
                firing &= firing - np.uint64(1)
        store(layer.sums, block, sums)


@inlined
def change(layer, delta, half, fires, winner):
    """Change and scale all weights. delta: float64 [half, pre active, post active]; winner: the output that acted."""
    width = layer.sums.shape[0]
    zero, one = fill(0.0), fill(1.0)
    layer.won[:] = 0.0
    layer.won[winner] = 1.0
    for block in range(0, width, LANES):
        won, factor, square = load(layer.won, block) > zero, load(layer.factor, block), zero
        passive = choose(won, fill(delta[half, 0, 1]), fill(delta[half, 0, 0]))
        active = choose(won, fill(delta[half, 1, 1]), fill(delta[half, 1, 0]))
        for j in range(layer.weights.shape[0] // width):
            at = j * width + block
            weight = _scaled(layer, at, factor) + (active if fires[j] > 0.0 else passive)
            store(layer.weights, at, weight)
            square = square + weight * weight
        store(layer.factor, block, choose(square > zero, one / square_root(square), one))
    layer.least[0] = TINY
