"""Eight hidden layers with the tallied arithmetic, one in each lane, whose neurons have all become the same.

Under most good rules of prey-predator that happens within some hundred steps, and lasts: neurons with the same weights
do the same ever after. So one hidden neuron is computed for all, to the bits of `tallied.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast.plain_in_lanes import LANES, aligned_zeros, unless_tiny
from hebbarium.brains.plain import TINY
from hebbarium.kernels.compile import called, creating, inlined
from hebbarium.kernels.vectors import bits_of, choose, fill, load, mask_of, square_root, store


class Collapsed(NamedTuple):
    """The arrays are flat, the last index being the lane."""

    weights: np.ndarray
    """float64 [input and bias, lane]: the one neuron's."""
    total: np.ndarray
    """float64 [lane]: T."""
    square: np.ndarray
    """float64 [lane]: Q."""
    sums: np.ndarray
    """float64 [lane]: A."""
    active: np.ndarray
    """float64 [lane]: how many inputs are active, the bias among them."""
    held: np.ndarray
    """float64 [lane, place]: weights of the active inputs, as they were summed."""
    tables: np.ndarray
    """float64 [half, pre active, post active, lane]: what weights change by."""
    latest: np.ndarray
    """float64 [3, lane]: of the last change, what it adds to weights of active inputs, what it multiplies all by, and
    what it adds to weights of passive inputs."""


@creating
def new_collapsed(inputs):
    """inputs: with the bias."""
    return Collapsed(
        aligned_zeros(inputs * LANES),
        aligned_zeros(LANES),
        aligned_zeros(LANES),
        aligned_zeros(LANES),
        aligned_zeros(LANES),
        aligned_zeros(inputs * LANES),
        aligned_zeros(8 * LANES),
        aligned_zeros(3 * LANES),
    )


@called
def are_alike(weights, tally):
    """Whether all neurons are the same, bit for bit. weights: float64 [pre, post]; tally: float64 [2, post]"""
    for j in range(weights.shape[0] + 2):
        bits = (weights[j] if j < weights.shape[0] else tally[j - weights.shape[0]]).view(np.int64)
        differing = np.int64(0)
        for i in range(bits.shape[0]):
            differing |= bits[0] ^ bits[i]
        if differing != 0:
            return False
    return True


@called
def take(network, weights, tally, delta, lane):
    """Begin with a life's weights. weights: float64 [pre, post]; tally: float64 [2, post]; delta: what they change by,
    float64 [half, pre active, post active]"""
    for j in range(weights.shape[0]):
        network.weights[j * LANES + lane] = weights[j, 0]
    network.total[lane], network.square[lane] = tally[0, 0], tally[1, 0]
    for entry in range(8):
        network.tables[entry * LANES + lane] = delta[entry >> 2, entry >> 1 & 1, entry & 1]


@called
def give_back(network, weights, tally, lane):
    """Write the one neuron's weights where `take` had them from, to all."""
    for j in range(weights.shape[0]):
        weights[j, :] = network.weights[j * LANES + lane]
    tally[0, :], tally[1, :] = network.total[lane], network.square[lane]


@inlined
def feel(network, inputs, count, lane):
    """Add up the weights of the active inputs in one lane, but the bias. inputs: uint16"""
    total, room = 0.0, network.weights.shape[0] // LANES
    for place in range(count):
        weight = network.weights[_place(inputs[place], lane)]
        network.held[lane * room + place] = weight
        total += weight
    network.sums[lane], network.active[lane] = total, np.float64(count + 1)


@inlined
def _place(j, lane):
    """Unsigned, so that numba need not ask whether it is negative."""
    return np.uint64(j) * np.uint64(LANES) + np.uint64(lane)


@inlined
def feel_nothing(network):
    """The same for all lanes, with no active inputs."""
    store(network.sums, 0, fill(0.0))
    store(network.active, 0, fill(1.0))


@inlined
def fire(network):
    """Add the bias, which comes last; returns the bits of the lanes in which the neurons fire."""
    sums = load(network.sums, 0) + load(network.weights, network.weights.shape[0] - LANES)
    store(network.sums, 0, sums)
    return bits_of(sums > fill(0.0))


@inlined
def tally(network, punished, learning):
    """The new T and Q, and what a change adds and scales by, in the lanes of the bits `learning`. punished: of those"""
    zero, one, all_inputs = fill(0.0), fill(1.0), fill(np.float64(network.weights.shape[0] // LANES))
    sums, count, tables = load(network.sums, 0), load(network.active, 0), network.tables
    total, square = load(network.total, 0), load(network.square, 0)
    fires, was_punished, learns = sums > zero, mask_of(punished), mask_of(learning)
    if_passive = choose(fires, load(tables, LANES), load(tables, 0))
    if_active = choose(fires, load(tables, 3 * LANES), load(tables, 2 * LANES))
    passive = choose(was_punished, if_passive, choose(fires, load(tables, 5 * LANES), load(tables, 4 * LANES)))
    active = choose(was_punished, if_active, choose(fires, load(tables, 7 * LANES), load(tables, 6 * LANES)))
    cross = passive * total + (active - passive) * sums
    own = (all_inputs - count) * passive * passive + count * active * active
    length = square + (cross + cross) + own
    factor = choose(length > zero, one / square_root(length), one)
    added = all_inputs * passive + count * (active - passive)
    store(network.total, 0, choose(learns, (total + added) * factor, total))
    store(network.square, 0, choose(learns, length * factor * factor, square))
    store(network.latest, 0, active)
    store(network.latest, LANES, factor)
    store(network.latest, 2 * LANES, passive)


@inlined
def change(network, learning):
    """Change the weights in the lanes of the bits `learning` after `tally`, as if only the bias were active."""
    weights, learns, bias = network.weights, mask_of(learning), network.weights.shape[0] - LANES
    active, factor = load(network.latest, 0), choose(learns, load(network.latest, LANES), fill(1.0))
    passive = choose(learns, load(network.latest, 2 * LANES), fill(0.0))
    for at in range(0, bias, LANES):
        store(weights, at, (load(weights, at) + passive) * factor)
    weight = load(weights, bias)
    store(weights, bias, choose(learns, unless_tiny((weight + active) * factor), weight))


@inlined
def change_active(network, inputs, count, lane):
    """Then the active inputs' weights in a lane that learns, as they were when `feel` added them up."""
    room, active, times = network.weights.shape[0] // LANES, network.latest[lane], network.latest[LANES + lane]
    for place in range(count):
        weight = (network.held[lane * room + place] + active) * times
        network.weights[_place(inputs[place], lane)] = weight if abs(weight) > TINY else 0.0


@called
def recount(network, lane):
    """Count one lane's T and Q from the weights, once the tiniest have become 0."""
    total = square = 0.0
    for at in range(lane, network.weights.shape[0], LANES):
        weight = network.weights[at] if abs(network.weights[at]) > TINY else 0.0
        network.weights[at] = weight
        total += weight
        square += weight * weight
    network.total[lane], network.square[lane] = total, square
    room, held = network.weights.shape[0] // LANES, np.int64(network.active[lane]) - 1
    for at in range(lane * room, lane * room + held):
        network.held[at] = network.held[at] if abs(network.held[at]) > TINY else 0.0
