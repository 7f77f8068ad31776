"""Eight networks with the tallied arithmetic, one in each lane, whose hidden neurons have all become the same.

Under most good rules of prey-predator that happens within some hundred steps, and lasts: neurons with the same weights
do the same ever after. So one hidden neuron is computed for all, to the bits of `tallied.py`. The outputs still add
its weights one by one, in the order of the neurons: no other order has the same bits. One life alone would wait for
each of these additions; eight lives add side by side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast.lanes import LANES, aligned_zeros
from hebbarium.brains.plain import TINY
from hebbarium.kernels.compile import called, creating, inlined
from hebbarium.kernels.vectors import bits_of, choose, fill, load, mask_of, square_root, store

OUTPUTS = 3
ROW = OUTPUTS * LANES
"""Weights from one neuron, in all lanes."""


class Collapsed(NamedTuple):
    """The arrays are flat, the last index being the lane."""

    hidden: np.ndarray
    """float64 [input and bias, lane]: the one neuron's weights."""
    total: np.ndarray
    """float64 [lane]: T."""
    square: np.ndarray
    """float64 [lane]: Q."""
    sums: np.ndarray
    """float64 [lane]: A, above 0 where the neurons fire."""
    active: np.ndarray
    """float64 [lane]: how many inputs are active, the bias among them."""
    held: np.ndarray
    """float64 [place, lane]: new weights of the active inputs, until those of all others are changed."""
    output: np.ndarray
    """float64 [hidden neuron and bias, output, lane], still to be scaled."""
    factor: np.ndarray
    """float64 [output, lane]: what they are to be multiplied by."""
    outputs: np.ndarray
    """float64 [output, lane]: the outputs' sums."""
    won: np.ndarray
    """float64 [output, lane]: 1.0 for the one that acted."""
    tables: np.ndarray
    """float64 [layer, pre active, post active, lane]: what weights change by."""
    latest: np.ndarray
    """float64 [2, lane]: what the last change adds to active inputs' weights, and what it multiplies all by."""


@creating
def new_collapsed(inputs, neurons):
    """inputs: with the bias."""
    return Collapsed(
        aligned_zeros(inputs * LANES),
        aligned_zeros(LANES),
        aligned_zeros(LANES),
        aligned_zeros(LANES),
        aligned_zeros(LANES),
        np.zeros(LANES * inputs),
        aligned_zeros((neurons + 1) * ROW),
        aligned_zeros(ROW),
        aligned_zeros(ROW),
        aligned_zeros(ROW),
        aligned_zeros(8 * LANES),
        aligned_zeros(2 * LANES),
    )


@called
def take(network, hidden, output, tally, lane):
    """Begin with a life's weights. hidden, output: float64 [pre, post]; tally: float64 [2, post]"""
    for j in range(hidden.shape[0]):
        network.hidden[j * LANES + lane] = hidden[j, 0]
    network.total[lane], network.square[lane] = tally[0, 0], tally[1, 0]
    for j in range(output.shape[0]):
        for post in range(OUTPUTS):
            network.output[j * ROW + post * LANES + lane] = output[j, post]
    for post in range(OUTPUTS):
        network.factor[post * LANES + lane] = 1.0


@called
def give_back(network, hidden, output, tally, lane):
    """Write the weights where `take` had them from, those of the one neuron to all."""
    for j in range(hidden.shape[0]):
        hidden[j, :] = network.hidden[j * LANES + lane]
    tally[0, :], tally[1, :] = network.total[lane], network.square[lane]
    for j in range(output.shape[0]):
        for post in range(OUTPUTS):
            weight = network.output[j * ROW + post * LANES + lane]
            output[j, post] = weight * network.factor[post * LANES + lane]


@inlined
def feel(network, inputs, count, lane):
    """The hidden neuron's sum in one lane. inputs: int64, the active ones, the bias last"""
    total = 0.0
    for place in range(count):
        total += network.hidden[inputs[place] * LANES + lane]
    network.sums[lane], network.active[lane] = total, np.float64(count)


@inlined
def think(network, neurons):
    """The outputs' sums, in all lanes: three chains of additions side by side."""
    output, factor, nothing = network.output, network.factor, fill(0.0)
    fires = load(network.sums, 0) > nothing
    first = second = third = nothing
    one, two, three = load(factor, 0), load(factor, LANES), load(factor, 2 * LANES)
    bias = neurons * ROW
    if bits_of(fires) != 0:
        for at in range(0, bias, ROW):
            first = first + load(output, at) * one
            second = second + load(output, at + LANES) * two
            third = third + load(output, at + 2 * LANES) * three
    store(network.outputs, 0, choose(fires, first, nothing) + load(output, bias) * one)
    store(network.outputs, LANES, choose(fires, second, nothing) + load(output, bias + LANES) * two)
    store(network.outputs, 2 * LANES, choose(fires, third, nothing) + load(output, bias + 2 * LANES) * three)


@inlined
def change_output(network, neurons, learning):
    """Change the output weights in the lanes of these bits; what brings them to unit length waits."""
    learns, nothing, one = mask_of(learning), fill(0.0), fill(1.0)
    fires = load(network.sums, 0) > nothing
    for post in range(0, ROW, LANES):
        won = load(network.won, post) > nothing
        passive = choose(won, load(network.tables, 5 * LANES), load(network.tables, 4 * LANES))
        active = choose(won, load(network.tables, 7 * LANES), load(network.tables, 6 * LANES))
        factor, square = load(network.factor, post), nothing
        times, change = choose(learns, factor, one), choose(learns, choose(fires, active, passive), nothing)
        for at in range(post, neurons * ROW + post, ROW):
            weight = load(network.output, at) * times + change
            store(network.output, at, weight)
            square = square + weight * weight
        at = neurons * ROW + post
        weight = load(network.output, at) * times + choose(learns, active, nothing)
        store(network.output, at, weight)
        square = square + weight * weight
        length = choose(square > nothing, one / square_root(square), one)
        store(network.factor, post, choose(learns, length, factor))


@inlined
def change_hidden(network, inputs, counts, learning):
    """Change the hidden weights in the lanes of these bits. inputs: int64 [lane, place]; counts: int64 [lane]"""
    hidden = network.hidden
    passive, factor = _tally(network, hidden.shape[0] // LANES, mask_of(learning))
    for lane in range(LANES):
        if learning >> lane & 1:
            active, times = network.latest[lane], network.latest[LANES + lane]
            for place in range(counts[lane]):
                weight = (hidden[inputs[lane, place] * LANES + lane] + active) * times
                network.held[place * LANES + lane] = weight if abs(weight) > TINY else 0.0
    for at in range(0, hidden.shape[0], LANES):
        store(hidden, at, (load(hidden, at) + passive) * factor)
    for lane in range(LANES):
        if learning >> lane & 1:
            for place in range(counts[lane]):
                hidden[inputs[lane, place] * LANES + lane] = network.held[place * LANES + lane]


@inlined
def _tally(network, inputs, learns):
    """The new T and Q; returns what is added to weights of passive inputs, and what all are scaled by."""
    zero, one, all_inputs = fill(0.0), fill(1.0), fill(np.float64(inputs))
    sums, count = load(network.sums, 0), load(network.active, 0)
    total, square = load(network.total, 0), load(network.square, 0)
    fires, tables = sums > zero, network.tables
    passive = choose(fires, load(tables, LANES), load(tables, 0))
    active = choose(fires, load(tables, 3 * LANES), load(tables, 2 * LANES))
    cross = passive * total + (active - passive) * sums
    own = (all_inputs - count) * passive * passive + count * active * active
    length = square + (cross + cross) + own
    factor = choose(length > zero, one / square_root(length), one)
    added = all_inputs * passive + count * (active - passive)
    store(network.total, 0, choose(learns, (total + added) * factor, total))
    store(network.square, 0, choose(learns, length * factor * factor, square))
    store(network.latest, 0, active)
    store(network.latest, LANES, factor)
    return choose(learns, passive, zero), choose(learns, factor, one)


@called
def recount(network, lane):
    """Count one lane's T and Q from the weights, once the tiniest have become 0, those of the outputs among them."""
    total = square = 0.0
    for at in range(lane, network.hidden.shape[0], LANES):
        weight = network.hidden[at] if abs(network.hidden[at]) > TINY else 0.0
        network.hidden[at] = weight
        total += weight
        square += weight * weight
    network.total[lane], network.square[lane] = total, square
    for post in range(lane, ROW, LANES):
        for at in range(post, network.output.shape[0], ROW):
            weight = network.output[at] * network.factor[post]
            network.output[at] = weight if abs(weight) > TINY else 0.0
        network.factor[post] = 1.0
