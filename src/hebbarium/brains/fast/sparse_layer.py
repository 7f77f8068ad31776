"""What the fast layer with many inputs consists of, and what is done to it whether its neurons differ or not.

What it is for stands in `sparse.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast.lanes import LANES, aligned_zeros
from hebbarium.kernels.compile import creating, inlined
from hebbarium.kernels.vectors import choose, fill, load, square_root, store

TIDY = 16
"""Changes from one search for what has become equal to the next. Not part of the definition of a life."""
TOGETHER = 8
"""Rows whose noted changes are made together: enough that no addition waits for the one before."""
COUNT, KEPT, USED, NOTED, WAITING, MAY_BE_TINY = range(6)
"""Places of a layer's numbers."""


class SparseLayer(NamedTuple):
    """Rows are as long as the neurons and the bias behind them, rounded up; there the first neuron is repeated."""

    weights: np.ndarray
    """float64 [row, width], flat: one row per input, the bias's, then the imaginary input's."""
    rows: np.ndarray
    """int64 [row]: the kept rows; the imaginary input's and the bias's come first."""
    own: np.ndarray
    """bool [row]: whether an input has a row of its own."""
    made: np.ndarray
    """int64 [row]: how many of the noted changes its weights have undergone."""
    passive: np.ndarray
    """float64 [TIDY, width], flat: of each noted change, what it adds to the weights of passive inputs."""
    acting: np.ndarray
    """float64 [width]: what the last noted change adds to the weights of active inputs."""
    latest: np.ndarray
    """float64 [width]: what it multiplies all weights by."""
    factor: np.ndarray
    """float64 [TIDY, width], flat: of each noted change, what all weights are multiplied by."""
    untouched: np.ndarray
    """int64 [row], with room to round up: rows with all noted changes before them, while these are made."""
    active: np.ndarray
    """int64 [input]: the active inputs in their order, the bias last."""
    numbers: np.ndarray
    """int64 [6]: how many inputs are active, how many rows are kept, how much of each (all, or eight neurons), how many
    changes are noted, whether the active inputs' weights wait for the last of them, and whether it may leave tiny ones.
    """
    real: np.ndarray
    """float64 [width]: 1.0 for the neurons, 0.0 behind them."""
    behind: np.ndarray
    """float64 [width]: 1.0 for the bias behind the neurons, else 0.0."""
    held: np.ndarray
    """float64 [input, LANES], flat: new weights of active inputs, until those of all others are changed."""
    sums: np.ndarray
    """float64 [width]: A."""
    fires: np.ndarray
    """float64 [width]: above zero where a neuron, or the bias behind them, is active."""
    total: np.ndarray
    """float64 [width]: T."""
    square: np.ndarray
    """float64 [width]: Q."""
    least: np.ndarray
    """float64 [width]: none of a neuron's weights is nearer to 0, unless it is 0."""


@creating
def new_layer(inputs, neurons):
    """Room for a layer. inputs: with the bias."""
    width = -(-(neurons + 1) // LANES) * LANES
    real, behind = aligned_zeros(width), aligned_zeros(width)
    real[:neurons] = 1.0
    behind[neurons] = 1.0
    return SparseLayer(
        aligned_zeros((inputs + 1) * width),
        np.zeros(inputs + 1, np.int64),
        np.zeros(inputs + 1, np.bool_),
        np.zeros(inputs + 1, np.int64),
        aligned_zeros(TIDY * width),
        aligned_zeros(width),
        aligned_zeros(width),
        aligned_zeros(TIDY * width),
        np.zeros(inputs + TOGETHER, np.int64),
        np.zeros(inputs, np.int64),
        np.zeros(6, np.int64),
        real,
        behind,
        aligned_zeros(inputs * LANES),
        aligned_zeros(width),
        aligned_zeros(width),
        aligned_zeros(width),
        aligned_zeros(width),
        aligned_zeros(width),
    )


@inlined
def list_active(layer, inputs, count):
    layer.numbers[COUNT] = count
    for place in range(count):
        layer.active[place] = inputs[place]
        if not layer.own[inputs[place]]:
            _give_row(layer, inputs[place])


@inlined
def _give_row(layer, j):
    """A row of its own, which so far agrees with the imaginary one."""
    width = layer.real.shape[0]
    for block in range(0, layer.numbers[USED], LANES):
        store(layer.weights, j * width + block, load(layer.weights, layer.rows[0] * width + block))
    layer.own[j], layer.made[j] = True, layer.made[layer.rows[0]]
    layer.rows[layer.numbers[KEPT]] = j
    layer.numbers[KEPT] += 1


@inlined
def fire(layer, block, sums):
    store(layer.fires, block, choose(load(layer.real, block) > fill(0.0), sums, load(layer.behind, block)))


@inlined
def tally(layer, delta, block):
    """The new T and Q; returns what is added to weights of passive and of active inputs, and what all are scaled by."""
    inputs, count = layer.own.shape[0] - 1, layer.numbers[COUNT]
    all_inputs, active_inputs = fill(np.float64(inputs)), fill(np.float64(count))
    passive_inputs, zero, one = fill(np.float64(inputs - count)), fill(0.0), fill(1.0)
    sums, total = load(layer.sums, block), load(layer.total, block)
    fires = sums > zero
    passive = choose(fires, fill(delta[0, 1]), fill(delta[0, 0]))
    active = choose(fires, fill(delta[1, 1]), fill(delta[1, 0]))
    cross = passive * total + (active - passive) * sums
    own = passive_inputs * passive * passive + active_inputs * active * active
    length = load(layer.square, block) + (cross + cross) + own
    factor = choose(length > zero, one / square_root(length), one)
    added = all_inputs * passive + active_inputs * (active - passive)
    store(layer.total, block, (total + added) * factor)
    store(layer.square, block, length * factor * factor)
    return passive, active, factor
