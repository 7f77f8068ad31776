"""A plastic layer with many inputs of which few are active.

What such a layer *is*. Every weight changes and is scaled on its own, w -> (w + change) * factor, where all
passive inputs of a neuron share one change c and all active ones another, d. The factor is one over the
new length, which needs no pass over the weights: with T the sum and Q the squared length of the neuron's
n incoming weights before the change, and A the sum of its k active ones (that is its activation),

    length^2 = Q + 2 (c T + (d - c) A) + (n - k) c^2 + k d^2.

T and Q are carried along, T -> (T + n c + k (d - c)) * factor, and counted anew from the weights before
every RECOUNT-th change, so that rounding never gathers. Weights of at most TINY become 0: active ones at
once, passive ones when they are counted.

How it is made fast without touching a single bit. A neuron's passive weights all undergo the same map, so
those that have become equal stay equal. Inputs whose weights agree, at every neuron, with those of an
imaginary input that is never active are kept only once, as that input's row. An input gets a row of its
own when it becomes active and loses it when the two are found to agree again. Rows reach over all neurons,
which are computed eight at a time; where all have the same length, one root and one division serve them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.core.compile import creating, inlined
from hebbarium.core.lanes import LANES, aligned_zeros
from hebbarium.core.network import TINY
from hebbarium.core.vectors import bits_of, choose, fill, load, square_root, store

RECOUNT = 64
"""Changes from one count of T and Q to the next. Part of the definition of a life."""
RELEASE = 8
"""Changes from one search for rows that agree to the next. Not part of it."""
_COUNT, _KEPT = range(2)


class Layer(NamedTuple):
    """Rows are as long as the neurons and the bias behind them, rounded up; there the first neuron is repeated."""

    weights: np.ndarray
    """float64 [row, width], flat: one row per input, the bias's, then the imaginary input's."""
    rows: np.ndarray
    """int64 [row]: the kept rows; the imaginary input's and the bias's come first."""
    own: np.ndarray
    """bool [row]: whether an input has a row of its own."""
    active: np.ndarray
    """int64 [input]: the active inputs in their order, the bias last."""
    is_active: np.ndarray
    """bool [row]"""
    passive_at: np.ndarray
    """int64 [row]: where the kept rows of passive inputs begin."""
    numbers: np.ndarray
    """int64 [2]: how many inputs are active, and how many rows are kept."""
    real: np.ndarray
    """float64 [width]: 1.0 for the neurons, 0.0 behind them."""
    behind: np.ndarray
    """float64 [width]: 1.0 for the bias behind the neurons, else 0.0."""
    sums: np.ndarray
    """float64 [width]: A."""
    fires: np.ndarray
    """float64 [width]: above zero where a neuron, or the bias behind them, is active."""
    total: np.ndarray
    """float64 [width]: T."""
    square: np.ndarray
    """float64 [width]: Q."""
    length: np.ndarray
    """float64 [width]: length^2."""


@creating
def new_layer(inputs, neurons):
    """Room for a layer. inputs: with the bias."""
    width = -(-(neurons + 1) // LANES) * LANES
    real, behind = aligned_zeros(width), aligned_zeros(width)
    real[:neurons] = 1.0
    behind[neurons] = 1.0
    return Layer(
        aligned_zeros((inputs + 1) * width),
        np.zeros(inputs + 1, np.int64),
        np.zeros(inputs + 1, np.bool_),
        np.zeros(inputs, np.int64),
        np.zeros(inputs + 1, np.bool_),
        np.zeros(inputs + 1, np.int64),
        np.zeros(2, np.int64),
        real,
        behind,
        aligned_zeros(width),
        aligned_zeros(width),
        aligned_zeros(width),
        aligned_zeros(width),
        aligned_zeros(width),
    )


@inlined
def take(layer, weights, tally):
    """Begin with the weights of a life. weights: float64 [pre, post]; tally: float64 [2, post], T and Q."""
    inputs, width = weights.shape[0], layer.real.shape[0]
    common = _most_common(weights)
    for i in range(width):
        neuron = i if i < weights.shape[1] else 0
        for j in range(inputs):
            layer.weights[j * width + i] = weights[j, neuron]
        layer.weights[inputs * width + i] = weights[common, neuron]
        layer.total[i], layer.square[i] = tally[0, neuron], tally[1, neuron]
    layer.own[:] = True
    layer.is_active[:] = False
    layer.rows[0], layer.rows[1] = inputs, inputs - 1
    for j in range(inputs - 1):
        layer.rows[2 + j] = j
    layer.numbers[_COUNT], layer.numbers[_KEPT] = 0, inputs + 1
    release(layer)


@inlined
def _most_common(weights):
    """The input with whose weights most others agree, as far as the first neuron tells."""
    best, agreeing = 0, 0
    for j in range(weights.shape[0] - 1):
        same = 0
        for other in range(j + 1, weights.shape[0] - 1):
            same += weights[other, 0] == weights[j, 0]
        if same > agreeing:
            best, agreeing = j, same
    return best


@inlined
def give_back(layer, weights, tally):
    """Write the weights where `take` had them from."""
    inputs, width = weights.shape[0], layer.real.shape[0]
    for j in range(inputs):
        row = j if layer.own[j] else inputs
        for i in range(weights.shape[1]):
            weights[j, i] = layer.weights[row * width + i]
    for i in range(weights.shape[1]):
        tally[0, i], tally[1, i] = layer.total[i], layer.square[i]


@inlined
def activate(layer, inputs, count):
    """Each neuron's sum of active weights, in the order of the inputs. inputs: int64, active ones, the bias last."""
    weights, width = layer.weights, layer.real.shape[0]
    for place in range(layer.numbers[_COUNT]):
        layer.is_active[layer.active[place]] = False
    layer.numbers[_COUNT] = count
    for place in range(count):
        j = inputs[place]
        layer.active[place] = j
        layer.is_active[j] = True
        if not layer.own[j]:
            _give_row(layer, j)
    zero = fill(0.0)
    for block in range(0, width, LANES):
        sums = zero
        for place in range(count):
            sums = sums + load(weights, inputs[place] * width + block)
        store(layer.sums, block, sums)
        store(layer.fires, block, choose(load(layer.real, block) > zero, sums, load(layer.behind, block)))


@inlined
def _give_row(layer, j):
    """A row of its own, which so far agrees with the imaginary one."""
    width = layer.real.shape[0]
    imaginary = (layer.own.shape[0] - 1) * width
    for block in range(0, width, LANES):
        store(layer.weights, j * width + block, load(layer.weights, imaginary + block))
    layer.own[j] = True
    layer.rows[layer.numbers[_KEPT]] = j
    layer.numbers[_KEPT] += 1


@inlined
def change(layer, delta, half):
    """Change and scale all weights after `activate`. delta: float64 [half, pre active, post active]."""
    width, inputs, count = layer.real.shape[0], layer.own.shape[0] - 1, layer.numbers[_COUNT]
    passive_rows = _list_passive(layer)
    silent_passive, firing_passive = fill(delta[half, 0, 0]), fill(delta[half, 0, 1])
    silent_active, firing_active = fill(delta[half, 1, 0]), fill(delta[half, 1, 1])
    all_inputs, active_inputs = fill(np.float64(inputs)), fill(np.float64(count))
    zero, one, tiny = fill(0.0), fill(1.0), fill(TINY)
    alike = _set_lengths(layer, silent_passive, firing_passive, silent_active, firing_active)
    first = layer.length[0]
    common_factor = fill(1.0 / np.sqrt(first) if first > 0.0 else 1.0)
    for block in range(0, width, LANES):
        length, fires = load(layer.length, block), load(layer.sums, block) > zero
        passive, active = choose(fires, firing_passive, silent_passive), choose(fires, firing_active, silent_active)
        factor = common_factor if alike else choose(length > zero, one / square_root(length), one)
        added = all_inputs * passive + active_inputs * (active - passive)
        store(layer.total, block, (load(layer.total, block) + added) * factor)
        store(layer.square, block, length * factor * factor)
        for place in range(count):
            at = layer.active[place] * width + block
            weight = (load(layer.weights, at) + active) * factor
            weight = choose(weight > tiny, weight, choose(zero - tiny > weight, weight, zero))
            store(layer.weights, at, weight)
        for place in range(passive_rows):
            at = layer.passive_at[place] + block
            store(layer.weights, at, (load(layer.weights, at) + passive) * factor)


@inlined
def _list_passive(layer):
    """Note where the kept rows of passive inputs begin; returns how many there are."""
    width, found = layer.real.shape[0], 0
    for place in range(layer.numbers[_KEPT]):
        j = layer.rows[place]
        layer.passive_at[found] = j * width
        found += not layer.is_active[j]
    return found


@inlined
def _set_lengths(layer, silent_passive, firing_passive, silent_active, firing_active):
    """Every neuron's squared length after a change; returns whether all are the same."""
    inputs, count = layer.own.shape[0] - 1, layer.numbers[_COUNT]
    passive_inputs, active_inputs, zero = fill(np.float64(inputs - count)), fill(np.float64(count)), fill(0.0)
    unlike = 0
    for block in range(0, layer.real.shape[0], LANES):
        sums = load(layer.sums, block)
        fires = sums > zero
        passive, active = choose(fires, firing_passive, silent_passive), choose(fires, firing_active, silent_active)
        cross = passive * load(layer.total, block) + (active - passive) * sums
        own = passive_inputs * passive * passive + active_inputs * active * active
        length = load(layer.square, block) + (cross + cross) + own
        store(layer.length, block, length)
        first = fill(layer.length[0])
        unlike |= bits_of(length > first) | bits_of(first > length)
    return unlike == 0


@inlined
def recount(layer):
    """Count T and Q from the weights, in the order of the inputs, once the tiniest have become 0."""
    width, inputs = layer.real.shape[0], layer.own.shape[0] - 1
    zero, tiny = fill(0.0), fill(TINY)
    for block in range(0, width, LANES):
        for place in range(layer.numbers[_KEPT]):
            at = layer.rows[place] * width + block
            weight = load(layer.weights, at)
            store(layer.weights, at, choose(weight > tiny, weight, choose(zero - tiny > weight, weight, zero)))
        total, square = zero, zero
        for j in range(inputs):
            weight = load(layer.weights, (j if layer.own[j] else inputs) * width + block)
            total = total + weight
            square = square + weight * weight
        store(layer.total, block, total)
        store(layer.square, block, square)


@inlined
def release(layer):
    """Give up the rows that agree with the imaginary one, bit for bit. Not between `activate` and `change`."""
    kept = 2
    for place in range(2, layer.numbers[_KEPT]):
        j = layer.rows[place]
        layer.own[j] = not _agrees(layer, j)
        layer.rows[kept] = j
        kept += layer.own[j]
    layer.numbers[_KEPT] = kept


@inlined
def _agrees(layer, j):
    bits, width = layer.weights.view(np.int64), layer.real.shape[0]
    imaginary = (layer.own.shape[0] - 1) * width
    i = 0
    while i < width and bits[j * width + i] == bits[imaginary + i]:
        i += 1
    return i == width
