"""A plastic layer with many inputs of which few are active.

What such a layer *is*. Every weight changes and is scaled on its own, w -> (w + change) * factor, where all
passive inputs of a neuron share one change c and all active ones another, d. The factor is one over the
new length, which needs no pass over the weights: with T the sum and Q the squared length of the neuron's
n incoming weights before the change, and A the sum of its k active ones (that is its activation),

    length^2 = Q + 2 (c T + (d - c) A) + (n - k) c^2 + k d^2.

T and Q are carried along, T -> (T + n c + k (d - c)) * factor, and counted anew from the weights before
every RECOUNT-th change, so that rounding never gathers. Weights of at most TINY become 0: active ones at
once, all others when they are counted.

How it is made fast without touching a single bit. Rows reach over all neurons, which are computed eight at
a time. What has become equal stays equal as long as it is treated alike, and is then kept only once:

- a neuron's passive weights all undergo the same map. Inputs whose weights agree, at every neuron, with
  those of an imaginary input that is never active are kept as that input's row. An input gets a row of its
  own when it becomes active, and loses it when the two are found to agree again;
- neurons whose weights, T and Q are the same do the same ever after. Once all are, eight are computed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.core.compile import creating, inlined
from hebbarium.core.lanes import LANES, aligned_zeros
from hebbarium.core.network import TINY
from hebbarium.core.vectors import choose, fill, load, same_bits, square_root, store

RECOUNT = 64
"""Changes from one count of T and Q to the next. Part of the definition of a life."""
TIDY = 16
"""Changes from one search for what has become equal to the next. Not part of it."""
_COUNT, _KEPT, _USED = range(3)


class Layer(NamedTuple):
    """Rows are as long as the neurons and the bias behind them, rounded up; there the first neuron is repeated."""

    weights: np.ndarray
    """float64 [row, width], flat: one row per input, the bias's, then the imaginary input's."""
    rows: np.ndarray
    """int64 [row]: the kept rows; the imaginary input's and the bias's come first."""
    own: np.ndarray
    """bool [row]: whether an input has a row of its own."""
    active: np.ndarray
    """int64 [input]: where the active inputs' rows begin, in their order, the bias's last."""
    held: np.ndarray
    """float64 [input, LANES], flat: new weights of active inputs, until the others have theirs."""
    numbers: np.ndarray
    """int64 [3]: how many inputs are active, how many rows are kept, and how much of each: all, or eight neurons."""
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
        aligned_zeros(inputs * LANES),
        np.zeros(3, np.int64),
        real,
        behind,
        aligned_zeros(width),
        aligned_zeros(width),
        aligned_zeros(width),
        aligned_zeros(width),
    )


@inlined
def take(layer, weights, tally):
    """Begin with the weights of a life. weights: float64 [pre, post]; tally: float64 [2, post], T and Q."""
    inputs, neurons, width = weights.shape[0], weights.shape[1], layer.real.shape[0]
    common = _most_common(weights)
    for row in range(inputs + 1):
        j = row if row < inputs else common
        for i in range(neurons):
            layer.weights[row * width + i] = weights[j, i]
        layer.weights[row * width + neurons : (row + 1) * width] = weights[j, 0]
    for i in range(width):
        neuron = i if i < neurons else 0
        layer.total[i], layer.square[i] = tally[0, neuron], tally[1, neuron]
    layer.own[:] = True
    layer.rows[0], layer.rows[1] = inputs, inputs - 1
    for j in range(inputs - 1):
        layer.rows[2 + j] = j
    layer.numbers[_COUNT], layer.numbers[_KEPT], layer.numbers[_USED] = 0, inputs + 1, width
    tidy(layer)


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
    inputs, width, used = weights.shape[0], layer.real.shape[0], layer.numbers[_USED]
    for j in range(inputs):
        row = j if layer.own[j] else inputs
        for i in range(weights.shape[1]):
            weights[j, i] = layer.weights[row * width + (i if i < used else 0)]
    for i in range(weights.shape[1]):
        place = i if i < used else 0
        tally[0, i], tally[1, i] = layer.total[place], layer.square[place]


@inlined
def activate(layer, inputs, count):
    """Each neuron's sum of active weights, in the order of the inputs. inputs: int64, active ones, the bias last."""
    width, used = layer.real.shape[0], layer.numbers[_USED]
    layer.numbers[_COUNT] = count
    for place in range(count):
        layer.active[place] = inputs[place] * width
        if not layer.own[inputs[place]]:
            _give_row(layer, inputs[place])
    sums = zero = fill(0.0)
    for block in range(0, width, LANES):
        if block < used:
            sums = zero
            for place in range(count):
                sums = sums + load(layer.weights, layer.active[place] + block)
            store(layer.sums, block, sums)
        store(layer.fires, block, choose(load(layer.real, block) > zero, sums, load(layer.behind, block)))


@inlined
def _give_row(layer, j):
    """A row of its own, which so far agrees with the imaginary one."""
    width = layer.real.shape[0]
    for block in range(0, layer.numbers[_USED], LANES):
        store(layer.weights, j * width + block, load(layer.weights, layer.rows[0] * width + block))
    layer.own[j] = True
    layer.rows[layer.numbers[_KEPT]] = j
    layer.numbers[_KEPT] += 1


@inlined
def change(layer, delta, half):
    """Change and scale all weights after `activate`. delta: float64 [half, pre active, post active]."""
    inputs, count = layer.own.shape[0] - 1, layer.numbers[_COUNT]
    all_inputs, active_inputs = fill(np.float64(inputs)), fill(np.float64(count))
    passive_inputs, zero, one = fill(np.float64(inputs - count)), fill(0.0), fill(1.0)
    for block in range(0, layer.numbers[_USED], LANES):
        sums, total = load(layer.sums, block), load(layer.total, block)
        fires = sums > zero
        passive = choose(fires, fill(delta[half, 0, 1]), fill(delta[half, 0, 0]))
        active = choose(fires, fill(delta[half, 1, 1]), fill(delta[half, 1, 0]))
        cross = passive * total + (active - passive) * sums
        own = passive_inputs * passive * passive + active_inputs * active * active
        length = load(layer.square, block) + (cross + cross) + own
        factor = choose(length > zero, one / square_root(length), one)
        added = all_inputs * passive + active_inputs * (active - passive)
        store(layer.total, block, (total + added) * factor)
        store(layer.square, block, length * factor * factor)
        _change_rows(layer, block, passive, active, factor)


@inlined
def _change_rows(layer, block, passive, active, factor):
    """First all rows are taken for passive ones; the active ones' new weights wait and are put in their place."""
    weights, held, width, count = layer.weights, layer.held, layer.real.shape[0], layer.numbers[_COUNT]
    for place in range(count):
        weight = (load(weights, layer.active[place] + block) + active) * factor
        store(held, place * LANES, _unless_tiny(weight))
    for place in range(layer.numbers[_KEPT]):
        at = layer.rows[place] * width + block
        store(weights, at, (load(weights, at) + passive) * factor)
    for place in range(count):
        store(weights, layer.active[place] + block, load(held, place * LANES))


@inlined
def _unless_tiny(weight):
    zero, tiny = fill(0.0), fill(TINY)
    return choose(weight > tiny, weight, choose(zero - tiny > weight, weight, zero))


@inlined
def recount(layer):
    """Count T and Q from the weights, in the order of the inputs, once the tiniest have become 0."""
    weights, width, inputs = layer.weights, layer.real.shape[0], layer.own.shape[0] - 1
    for block in range(0, layer.numbers[_USED], LANES):
        for place in range(layer.numbers[_KEPT]):
            at = layer.rows[place] * width + block
            store(weights, at, _unless_tiny(load(weights, at)))
        total = square = fill(0.0)
        for j in range(inputs):
            weight = load(weights, (j if layer.own[j] else inputs) * width + block)
            total = total + weight
            square = square + weight * weight
        store(layer.total, block, total)
        store(layer.square, block, square)


@inlined
def tidy(layer):
    """Find what has become equal, bit for bit. Not between `activate` and `change`."""
    if layer.numbers[_USED] > LANES and _all_alike(layer):
        layer.numbers[_USED] = LANES
    kept = 2
    for place in range(2, layer.numbers[_KEPT]):
        j = layer.rows[place]
        layer.own[j] = not _agree(layer, j, layer.rows[0])
        layer.rows[kept] = j
        kept += layer.own[j]
    layer.numbers[_KEPT] = kept


@inlined
def _agree(layer, row, other):
    width, block = layer.real.shape[0], 0
    while block < layer.numbers[_USED] and same_bits(layer.weights, row * width + block, other * width + block):
        block += LANES
    return block >= layer.numbers[_USED]


@inlined
def _all_alike(layer):
    """Whether all neurons are the same."""
    width, bits = layer.real.shape[0], layer.weights.view(np.int64)
    if not (_is_constant(layer.total.view(np.int64), 0, width) and _is_constant(layer.square.view(np.int64), 0, width)):
        return False
    place = 0
    while place < layer.numbers[_KEPT] and _is_constant(bits, layer.rows[place] * width, width):
        place += 1
    return place == layer.numbers[_KEPT]


@inlined
def _is_constant(bits, start, length):
    i = 1
    while i < length and bits[start + i] == bits[start]:
        i += 1
    return i == length
