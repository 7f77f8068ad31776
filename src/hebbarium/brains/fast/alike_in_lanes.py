"""Hidden neurons that have become the same, bit for bit, are computed once: for eight networks in lanes.

Under many rules they do, one after the other, until all hidden neurons of a life are the same. Neurons with the same
weights stay the same, as they do the same. So a life has *places* for neurons that differ, the first ones of its layer,
and for each neuron the number of its place. As many places are computed as the life with the most of them has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast.plain_in_lanes import LANES, aligned_zeros
from hebbarium.kernels.bits import trailing_zeros
from hebbarium.kernels.compile import called, creating, inlined
from hebbarium.kernels.vectors import bits_of, choose, fill, load, mask_of, store

MOST_PLACES = 64
"""As many as bits of a word."""


class Places(NamedTuple):
    bit: np.ndarray
    """uint64 [neuron, lane], flat: that of its place in a word. Means nothing while each has a place of its own."""
    spare: np.ndarray
    """int64 [place]: the lanes in which an earlier one is the same, one bit each."""
    kept: np.ndarray
    """float64 [place, (*weights, factor, fires)]: room for one life's neurons while they are moved."""
    moved: np.ndarray
    """int64 [place]: where to."""
    differing: np.ndarray
    """float64 [lane]: how many differ."""


@creating
def new_places(neurons, inputs):
    return Places(
        np.zeros(neurons * LANES, np.uint64),
        np.zeros(neurons, np.int64),
        np.zeros((neurons, inputs + 2)),
        np.zeros(neurons, np.int64),
        aligned_zeros(LANES),
    )


@called
def look(places, layer, inputs, computed):
    """Give neurons that have become the same one place. Returns how many places are computed from now on."""
    one, nothing, differing = fill(1.0), fill(0.0), fill(0.0)
    for place in range(computed):
        spare = 0
        for other in range(place):
            spare |= _same(layer, place, other, inputs)
        places.spare[place] = spare
        differing = differing + choose(mask_of(spare), nothing, one)
        if bits_of(differing > fill(np.float64(MOST_PLACES))):
            return computed
    store(places.differing, 0, differing)
    most = 0
    for lane in range(LANES):
        most = max(most, int(places.differing[lane]))
    if most < computed:
        for lane in range(LANES):
            _move(places, layer, inputs, computed, most, lane)
    return most


@inlined
def _same(layer, place, other, inputs):
    """The lanes in which two places hold the same weights, one bit each."""
    row = inputs * LANES
    same = bits_of(load(layer.weights, place * row) == load(layer.weights, other * row))
    if same:
        same &= bits_of(load(layer.factor, place * LANES) == load(layer.factor, other * LANES))
        for j in range(LANES, row, LANES):
            same &= bits_of(load(layer.weights, place * row + j) == load(layer.weights, other * row + j))
    return same


@inlined
def _move(places, layer, inputs, computed, most, lane):
    """One life's neurons that differ, to its first places; into others that will be computed, the first one."""
    kept, moved, free = places.kept, places.moved, 0
    for place in range(computed):
        for j in range(inputs):
            kept[place, j] = layer.weights[(place * inputs + j) * LANES + lane]
        kept[place, inputs] = layer.factor[place * LANES + lane]
        kept[place, inputs + 1] = layer.fires[place] >> lane & 1
    for place in range(computed):
        if places.spare[place] >> lane & 1:
            moved[place] = moved[_first_like(kept, place)]
        else:
            moved[place] = free
            _put(layer, inputs, lane, free, kept[place])
            free += 1
    for place in range(free, most):
        _put(layer, inputs, lane, place, kept[0])
    for neuron in range(places.bit.shape[0] // LANES):
        bit = np.uint64(1) << np.uint64(moved[_place(places, neuron, lane, computed)])
        places.bit[neuron * LANES + lane] = bit


@inlined
def _put(layer, inputs, lane, place, kept):
    for j in range(inputs):
        layer.weights[(place * inputs + j) * LANES + lane] = kept[j]
    layer.factor[place * LANES + lane] = kept[inputs]
    layer.fires[place] = layer.fires[place] & ~(1 << lane) | np.int64(kept[inputs + 1]) << lane


@inlined
def _first_like(rows, place):
    """The first row that is the same as this one."""
    row = j = 0
    while j < rows.shape[1]:
        j = j + 1 if rows[row, j] == rows[place, j] else 0
        row += j == 0
    return row


@inlined
def _place(places, neuron, lane, computed):
    """Where a neuron is."""
    own = computed == places.bit.shape[0] // LANES
    return neuron if own else trailing_zeros(places.bit[neuron * LANES + lane])


@inlined
def give_back(places, layer, computed, weights, lane):
    """Write a life's weights, scaled. weights: float64 [pre, post]"""
    inputs = weights.shape[0]
    for post in range(weights.shape[1]):
        place = _place(places, post, lane, computed)
        for j in range(inputs):
            weight = layer.weights[(place * inputs + j) * LANES + lane]
            weights[j, post] = weight * layer.factor[place * LANES + lane]
