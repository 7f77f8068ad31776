"""One network, eight neurons at a time: the paper's equations to the bits of `plain.py`, for lives that learn rarely.

A layer's weights are kept as [block of eight neurons, pre, lane], flat. What is sensed is one word, bit j for input j,
the bias's bit, which is always set, behind them: so there may be up to 62 inputs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast import plain_in_lanes as lanes
from hebbarium.brains.fast.plain_in_lanes import LANES, aligned_zeros
from hebbarium.kernels.bits import trailing_zeros
from hebbarium.kernels.compile import called, creating, inlined
from hebbarium.kernels.vectors import bits_of, choose, fill, load, mask_of, spread, store

MOST_INPUTS = 62
MOST_WORDS = 16
"""From more than so many words on, none is common."""


class Blocks(NamedTuple):
    """A network, and room for what it does."""

    hidden: np.ndarray
    """float64 [block, pre, lane], flat; what stands in lanes behind the last neuron means nothing."""
    output: np.ndarray
    """float64 [block, pre, lane], flat, and room behind it: `think` reads as many as eight rows at once."""
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
        aligned_zeros((output * (neurons + 1) + LANES) * LANES),
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
            sums = sums + choose(_everywhere(word >> j), load(blocks.hidden, (block * inputs + j) * LANES), fill(0.0))
        # Lanes behind the last neuron learn, too, but must not be heard.
        blocks.fires[block] = bits_of(sums > fill(0.0)) & ((1 << min(LANES, neurons - block * LANES)) - 1)


@inlined
def _everywhere(word):
    """The mask that is set in all lanes if the word's lowest bit is."""
    return mask_of(-(word & 1))


@inlined
def think(blocks, neurons):
    """The outputs' sums, as the hidden neurons fire; again without a branch."""
    for output in range(0, blocks.sums.shape[0], LANES):
        start, sums = output * (neurons + 1), fill(0.0)
        for block in range(blocks.fires.shape[0]):
            fires, first = blocks.fires[block], start + block * LANES * LANES
            for lane in range(LANES):
                sums = sums + choose(_everywhere(fires >> lane), load(blocks.output, first + lane * LANES), fill(0.0))
        store(blocks.sums, output, sums + load(blocks.output, start + neurons * LANES))


@inlined
def first_winner(blocks, outputs):
    """The first of the outputs with the largest sum, and whether there is only one; without a branch for each."""
    sums, best = blocks.sums, blocks.sums[0]
    for output in range(1, outputs):
        best = sums[output] if sums[output] > best else best
    first, alone = -1, True
    for start in range(0, outputs, LANES):
        largest = ~bits_of(fill(best) > load(sums, start)) & ((1 << min(LANES, outputs - start)) - 1)
        if largest != 0:
            alone = first < 0 and largest & (largest - 1) == 0
            first = start + trailing_zeros(np.uint64(largest)) if first < 0 else first
    return first, alone


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
    if_passive = choose(fires, fill(delta[0, 1]), fill(delta[0, 0]))
    if_active = choose(fires, fill(delta[1, 1]), fill(delta[1, 0]))
    for j in range(inputs):
        weight = load(hidden, start + j * LANES) + choose(_everywhere(word >> j), if_active, if_passive)
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


class Common(NamedTuple):
    """The first eight words that a life senses: what all of them lead to is worked out at once, a word in each lane.

    After a change most of them are sensed again before the next one, each as a surprise for the processor."""

    words: np.ndarray
    """int64 [place], MOST_WORDS: in the order in which they came, with the bias."""
    senses: np.ndarray
    """int64 [input and bias]: a bit for each of the first eight words."""
    fires: np.ndarray
    """int64 [hidden neuron, and room for three more]: a bit for each of them, too."""
    winners: np.ndarray
    """float64 [place]: the output that acts."""


@creating
def new_common(inputs, neurons):
    """inputs: with the bias."""
    return Common(
        np.zeros(MOST_WORDS, np.int64),
        np.zeros(inputs, np.int64),
        np.zeros(neurons + 3, np.int64),
        aligned_zeros(LANES),
    )


@called
def notice(common, fires, known, word):
    """How many words are known, with this one; it has just been felt, bias and all. fires: of `Blocks`"""
    for place in range(known):
        if common.words[place] == word:
            return known
    if known < MOST_WORDS:
        common.words[known] = word
    if known < LANES:
        bit = 1 << known
        for j in range(common.senses.shape[0]):
            common.senses[j] = common.senses[j] & (bit - 1) | (word >> j & 1) << known
        for neuron in range(common.fires.shape[0] - 3):
            does = fires[neuron // LANES] >> (neuron % LANES) & 1
            common.fires[neuron] = common.fires[neuron] & (bit - 1) | does << known
    return known + 1


@inlined
def feel_common(common, blocks, inputs, neurons):
    """Which hidden neurons fire, word by word; four neurons at a time: additions need not wait for each other."""
    hidden, fires, nothing = blocks.hidden, common.fires, fill(0.0)
    for neuron in range(0, neurons, 4):
        at = neuron // LANES * inputs * LANES + neuron % LANES
        sums_1 = sums_2 = sums_3 = sums_4 = nothing
        for j in range(inputs):
            sensed, weight = mask_of(common.senses[j]), at + j * LANES
            sums_1 = choose(sensed, sums_1 + spread(hidden, weight), sums_1)
            sums_2 = choose(sensed, sums_2 + spread(hidden, weight + 1), sums_2)
            sums_3 = choose(sensed, sums_3 + spread(hidden, weight + 2), sums_3)
            sums_4 = choose(sensed, sums_4 + spread(hidden, weight + 3), sums_4)
        fires[neuron], fires[neuron + 1] = bits_of(sums_1 > nothing), bits_of(sums_2 > nothing)
        fires[neuron + 2], fires[neuron + 3] = bits_of(sums_3 > nothing), bits_of(sums_4 > nothing)


@inlined
def think_common(common, blocks, neurons, outputs):
    """Which output acts, word by word. Returns the words for which several have the largest sum, a bit each."""
    best = winners = fill(0.0)
    ties = np.int64(0)
    for output in range(outputs):
        at, sums = output // LANES * (neurons + 1) * LANES + output % LANES, fill(0.0)
        for neuron in range(neurons):
            fires = mask_of(common.fires[neuron])
            sums = choose(fires, sums + spread(blocks.output, at + neuron * LANES), sums)
        sums = sums + spread(blocks.output, at + neurons * LANES)
        if output > 0:
            larger = sums > best
            ties = (ties | bits_of(sums == best)) & ~bits_of(larger)
            winners = choose(larger, fill(np.float64(output)), winners)
            best = choose(larger, sums, best)
        else:
            best = sums
    store(common.winners, 0, winners)
    return ties
