"""The tallied arithmetic, fast: a plastic layer with many inputs of which few are active.

What such a layer is stands in `tallied.py`; here is how it is computed without touching a single bit. Rows reach over
all neurons, which are computed eight at a time. While neurons differ, changes are noted and made later
(`sparse_notes.py`). What has become equal stays equal as long as it is treated alike, and is then kept only once:

- a neuron's passive weights all undergo the same map. Inputs whose weights agree, at every neuron, with
  those of an imaginary input that is never active are kept as that input's row. An input gets a row of its
  own when it becomes active, and loses it when the two are found to agree again;
- neurons whose weights, T and Q are the same do the same ever after. Once all are, eight are computed.
"""

from __future__ import annotations

import numpy as np

from hebbarium.brains.fast.lanes import LANES, unless_tiny
from hebbarium.brains.fast.sparse_layer import (
    COUNT,
    KEPT,
    MAY_BE_TINY,
    NOTED,
    USED,
    WAITING,
    fire,
    list_active,
    tally,
)
from hebbarium.brains.fast.sparse_notes import activate_apart, catch_up, find_least, note
from hebbarium.kernels.compile import inlined
from hebbarium.kernels.vectors import fill, load, same_bits, store


@inlined
def take(layer, weights, tally):
    """Begin with the weights of a life. weights: float64 [pre, post]; tally: float64 [2, post], T and Q."""
    inputs, neurons, width = weights.shape[0], weights.shape[1], layer.real.shape[0]
    common = _most_common(weights, layer.held)
    for row in range(inputs + 1):
        j = row if row < inputs else common
        for i in range(neurons):
            layer.weights[row * width + i] = weights[j, i]
        for i in range(neurons, width):
            layer.weights[row * width + i] = weights[j, 0]
    for i in range(width):
        neuron = i if i < neurons else 0
        layer.total[i], layer.square[i] = tally[0, neuron], tally[1, neuron]
    layer.own[:] = True
    layer.rows[0], layer.rows[1] = inputs, inputs - 1
    for j in range(inputs - 1):
        layer.rows[2 + j] = j
    layer.made[:] = 0
    layer.numbers[COUNT], layer.numbers[KEPT], layer.numbers[USED], layer.numbers[NOTED] = 0, inputs + 1, width, 0
    layer.numbers[WAITING], layer.numbers[MAY_BE_TINY], layer.least[:] = 0, 1, 0.0
    tidy(layer)


@inlined
def _most_common(weights, firsts):
    """The input with whose weights most others agree, as far as the first neuron tells. firsts: room for its weights"""
    best, agreeing, inputs = 0, 0, weights.shape[0] - 1
    for j in range(inputs):
        firsts[j] = weights[j, 0]
    for j in range(inputs):
        same = 0
        for other in range(j + 1, inputs):
            same += firsts[other] == firsts[j]
        if same > agreeing:
            best, agreeing = j, same
    return best


@inlined
def give_back(layer, weights, tally):
    """Write the weights where `take` had them from."""
    catch_up(layer)
    inputs, width, used = weights.shape[0], layer.real.shape[0], layer.numbers[USED]
    for j in range(inputs):
        at = (j if layer.own[j] else inputs) * width
        if used == width:
            for i in range(weights.shape[1]):
                weights[j, i] = layer.weights[at + i]
        else:
            for i in range(weights.shape[1]):
                weights[j, i] = layer.weights[at]
    for i in range(weights.shape[1]):
        place = i if i < used else 0
        tally[0, i], tally[1, i] = layer.total[place], layer.square[place]


@inlined
def activate(layer, inputs, count):
    """Each neuron's sum of active weights, in the order of the inputs. inputs: int64, active ones, the bias last."""
    if layer.numbers[USED] == LANES:
        list_active(layer, inputs, count)
        _sum_one(layer)
    else:
        activate_apart(layer, inputs, count)


@inlined
def _sum_one(layer):
    """The sums while eight neurons are computed, where nothing waits."""
    width, sums = layer.real.shape[0], fill(0.0)
    for place in range(layer.numbers[COUNT]):
        sums = sums + load(layer.weights, layer.active[place] * width)
    store(layer.sums, 0, sums)
    for block in range(0, width, LANES):
        fire(layer, block, sums)


@inlined
def change(layer, delta):
    """Change and scale all weights after `activate`, or note what is to be done. delta: [pre active, post active]."""
    if layer.numbers[USED] == LANES:
        passive, active, factor = tally(layer, delta, 0)
        _change_now(layer, passive, active, factor)
    else:
        note(layer, delta)


@inlined
def _change_now(layer, passive, active, factor):
    """First all rows are taken for passive ones; the active ones' new weights wait and are put in their place."""
    weights, held, width, count = layer.weights, layer.held, layer.real.shape[0], layer.numbers[COUNT]
    for place in range(count):
        weight = (load(weights, layer.active[place] * width) + active) * factor
        store(held, place * LANES, unless_tiny(weight))
    for place in range(layer.numbers[KEPT]):
        at = layer.rows[place] * width
        store(weights, at, (load(weights, at) + passive) * factor)
    for place in range(count):
        store(weights, layer.active[place] * width, load(held, place * LANES))


@inlined
def recount(layer):
    """Count T and Q from the weights, in the order of the inputs, once the tiniest have become 0."""
    catch_up(layer)
    weights, width, inputs = layer.weights, layer.real.shape[0], layer.own.shape[0] - 1
    for block in range(0, layer.numbers[USED], LANES):
        for place in range(layer.numbers[KEPT]):
            at = layer.rows[place] * width + block
            store(weights, at, unless_tiny(load(weights, at)))
        total = square = fill(0.0)
        for j in range(inputs):
            weight = load(weights, (j if layer.own[j] else inputs) * width + block)
            total = total + weight
            square = square + weight * weight
        store(layer.total, block, total)
        store(layer.square, block, square)
        if layer.numbers[USED] > LANES:
            find_least(layer, block)


@inlined
def tidy(layer):
    """Find what has become equal, bit for bit. Not between `activate` and `change`."""
    catch_up(layer)
    layer.numbers[COUNT] = 0
    if layer.numbers[USED] > LANES and _all_alike(layer):
        layer.numbers[USED] = LANES
    kept = 2
    for place in range(2, layer.numbers[KEPT]):
        j = layer.rows[place]
        layer.own[j] = not _agree(layer, j, layer.rows[0])
        layer.rows[kept] = j
        kept += layer.own[j]
    layer.numbers[KEPT] = kept


@inlined
def _agree(layer, row, other):
    width, block = layer.real.shape[0], 0
    while block < layer.numbers[USED] and same_bits(layer.weights, row * width + block, other * width + block):
        block += LANES
    return block >= layer.numbers[USED]


@inlined
def _all_alike(layer):
    """Whether all neurons are the same."""
    width = layer.real.shape[0]
    if not (_is_constant(layer.total, 0, width) and _is_constant(layer.square, 0, width)):
        return False
    place = 0
    while place < layer.numbers[KEPT] and _is_constant(layer.weights, layer.rows[place] * width, width):
        place += 1
    return place == layer.numbers[KEPT]


@inlined
def _is_constant(row, start, length):
    """Whether all of a row is the same, bit for bit: its first eight, and the others eight at a time."""
    bits, differing = row.view(np.int64), np.int64(0)
    for i in range(1, LANES):
        differing |= bits[start] ^ bits[start + i]
    block = LANES
    while differing == 0 and block < length and same_bits(row, start, start + block):
        block += LANES
    return differing == 0 and block >= length
