"""One network, eight neurons at a time: the paper's equations to the bits of `plain.py`, for lives that learn rarely.

A layer's weights are kept as [block of eight neurons, pre, lane], flat. What is sensed is one word, bit j for input j,
the bias's bit, which is always set, behind them: so there may be up to 62 inputs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast import lanes
from hebbarium.brains.fast.lanes import LANES, aligned_zeros
from hebbarium.kernels.bits import trailing_zeros
from hebbarium.kernels.compile import creating, inlined
from hebbarium.kernels.vectors import bits_of, choose, fill, load, mask_of, store

MOST_INPUTS = 62


class Blocks(NamedTuple):
    """A network, and room for what it does."""

    hidden: np.ndarray
    """float64 [block, pre, lane], flat; what stands in lanes behind the last neuron means nothing."""
    output: np.ndarray
    """float64 [block, pre, lane], flat."""
    fires: np.ndarray
    """int64 [block]: one bit for each hidden neuron."""
    sums: np.ndarray
    """float64 [output, rounded up]"""
    changes: np.ndarray
    """float64 [pre active, lane], flat: what the outputs' weights change by."""


@creating
def new_blocks(inputs, neurons, outputs):
    """inputs: with the bias."""
    hidden, output = blocks_of(neurons), blocks_of(outputs)
    return Blocks(
        aligned_zeros(hidden * inputs * LANES),
        aligned_zeros(output * (neurons + 1) * LANES),
        np.zeros(hidden, np.int64),
        aligned_zeros(output * LANES),
        aligned_zeros(2 * LANES),
    )


@inlined
def blocks_of(neurons):
    return (neurons + LANES - 1) // LANES


@inlined
def take(blocks, weights):
    """weights: float64 [pre, post]"""
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            blocks[(post // LANES * inputs + j) * LANES + post % LANES] = weights[j, post]


@inlined
def give_back(blocks, weights):
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            weights[j, post] = blocks[(post // LANES * inputs + j) * LANES + post % LANES]


@inlined
def feel(blocks, inputs, neurons, word):
    """Which hidden neurons fire. word: what is sensed, with the bias."""
    for block in range(blocks.fires.shape[0]):
        sums = fill(0.0)
        for j in range(inputs):  # without a branch: which inputs are active cannot be foreseen
            sums = sums + load(blocks.hidden, (block * inputs + j) * LANES) * fill(np.float64(word >> j & 1))
        # Lanes behind the last neuron learn, too, but must not be heard.
        blocks.fires[block] = bits_of(sums > fill(0.0)) & ((1 << min(LANES, neurons - block * LANES)) - 1)


@inlined
def think(blocks, neurons):
    """The outputs' sums, as the hidden neurons fire."""
    for start in range(0, blocks.output.shape[0], (neurons + 1) * LANES):
        sums = fill(0.0)
        for block in range(blocks.fires.shape[0]):
            firing = np.uint64(blocks.fires[block])
            while firing != np.uint64(0):
                sums = sums + load(blocks.output, start + (block * LANES + trailing_zeros(firing)) * LANES)
                firing &= firing - np.uint64(1)
        sums = sums + load(blocks.output, start + neurons * LANES)
        store(blocks.sums, start // (neurons + 1), sums)


@inlined
def learn(blocks, inputs, neurons, word, action, delta, plastic):
    """Change the layers that are plastic after an action, as the hidden neurons fire.

    delta: float64 [layer, pre active, post active]"""
    if plastic[0]:
        for block in range(blocks.fires.shape[0]):
            _learn_block(blocks.hidden, block * inputs * LANES, inputs, word, delta[0], mask_of(blocks.fires[block]))
    if plastic[1]:
        for block in range(blocks.sums.shape[0] // LANES):
            _learn_outputs(blocks, block, neurons, action, delta[1])


@inlined
def _learn_block(hidden, start, inputs, word, delta, fires):
    """Change eight hidden neurons, whose weights begin at `start`."""
    squares = fill(0.0)
    for j in range(inputs):
        pre = word >> j & 1
        weight = load(hidden, start + j * LANES) + choose(fires, fill(delta[pre, 1]), fill(delta[pre, 0]))
        store(hidden, start + j * LANES, weight)
        squares = squares + weight * weight
    factor = lanes.unit_length_factor(squares, mask_of(0xFF))
    for j in range(inputs):
        store(hidden, start + j * LANES, lanes.scaled(load(hidden, start + j * LANES), factor))


@inlined
def _learn_outputs(blocks, block, neurons, action, delta):
    """The same for eight outputs, as the hidden neurons fire."""
    output, changes, start = blocks.output, blocks.changes, block * (neurons + 1) * LANES
    acted = mask_of(1 << (action % LANES) if action // LANES == block else 0)
    store(changes, 0, choose(acted, fill(delta[0, 1]), fill(delta[0, 0])))
    store(changes, LANES, choose(acted, fill(delta[1, 1]), fill(delta[1, 0])))
    squares = fill(0.0)
    for j in range(neurons + 1):
        fires = 1 if j == neurons else blocks.fires[j // LANES] >> (j % LANES) & 1
        weight = load(output, start + j * LANES) + load(changes, fires * LANES)
        store(output, start + j * LANES, weight)
        squares = squares + weight * weight
    factor = lanes.unit_length_factor(squares, mask_of(0xFF))
    for j in range(neurons + 1):
        store(output, start + j * LANES, lanes.scaled(load(output, start + j * LANES), factor))
