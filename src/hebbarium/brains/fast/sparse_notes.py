"""The fast layer with many inputs while its neurons differ: changes of weights are noted, and made when needed.

Weights of passive inputs are not needed until the input becomes active or they are counted: many changes are then made
in a row, while a weight is in a register. Those of active inputs are needed at the next step. If the same inputs are
active then, as when an agent stands before a wall, the change is made while the weights are summed.

A change makes tiny weights 0, those of active inputs at once. Whether there can be any is known beforehand, nearly
always: `least` is a bound that changes keep, and while it is above TINY, no weight need be looked at.
"""

from __future__ import annotations

from hebbarium.brains.fast.lanes import ALMOST_ONE, LANES, least_sum, smaller, unless_tiny
from hebbarium.brains.fast.sparse_layer import (
    COUNT,
    KEPT,
    MAY_BE_TINY,
    NOTED,
    TOGETHER,
    USED,
    WAITING,
    fire,
    list_active,
    tally,
)
from hebbarium.brains.plain import TINY
from hebbarium.kernels.compile import called, inlined
from hebbarium.kernels.vectors import bits_of, choose, fill, load, store


@called
def activate_apart(layer, inputs, count):
    """The same while neurons differ."""
    if not _are_active(layer, inputs, count):
        _settle(layer)
        list_active(layer, inputs, count)
        for place in range(count):
            _catch_up_row(layer, inputs[place])
    for block in range(0, layer.numbers[USED], 4 * LANES):
        _sum_four(layer, block)
    layer.numbers[WAITING] = 0


@inlined
def _are_active(layer, inputs, count):
    """Whether these are the inputs that were active before."""
    differing = layer.numbers[COUNT] ^ count
    for place in range(min(layer.numbers[COUNT], count)):
        differing |= layer.active[place] ^ inputs[place]
    return differing == 0


@inlined
def _settle(layer):
    """Make the change that waits for the active inputs, who then have undergone all."""
    count, noted = layer.numbers[COUNT], layer.numbers[NOTED]
    if layer.numbers[WAITING]:
        for block in range(0, layer.numbers[USED], LANES):
            _change_active(layer, block)
    for place in range(count):
        layer.made[layer.active[place]] = noted
    layer.numbers[WAITING] = 0


@inlined
def _change_active(layer, block):
    weights, width, tiny = layer.weights, layer.real.shape[0], layer.numbers[MAY_BE_TINY] != 0
    active, factor = load(layer.acting, block), load(layer.latest, block)
    for place in range(layer.numbers[COUNT]):
        at = layer.active[place] * width + block
        weight = (load(weights, at) + active) * factor
        if tiny:
            weight = unless_tiny(weight)
        store(weights, at, weight)


@inlined
def _sum_four(layer, block):
    """The sums of four times eight neurons, so that no addition waits for the one before; a change that waits is made.

    Beyond the last neurons, the last eight are taken again, to the same bits.
    """
    weights, width, last = layer.weights, layer.real.shape[0], layer.numbers[USED] - LANES
    block_1, block_2, block_3 = min(block + LANES, last), min(block + 2 * LANES, last), min(block + 3 * LANES, last)
    active_0, active_1 = load(layer.acting, block), load(layer.acting, block_1)
    active_2, active_3 = load(layer.acting, block_2), load(layer.acting, block_3)
    factor_0, factor_1 = load(layer.latest, block), load(layer.latest, block_1)
    factor_2, factor_3 = load(layer.latest, block_2), load(layer.latest, block_3)
    sums_0 = sums_1 = sums_2 = sums_3 = fill(0.0)
    waiting, tiny = layer.numbers[WAITING] != 0, layer.numbers[MAY_BE_TINY] != 0
    for place in range(layer.numbers[COUNT]):
        at = layer.active[place] * width
        weight_0, weight_1 = load(weights, at + block), load(weights, at + block_1)
        weight_2, weight_3 = load(weights, at + block_2), load(weights, at + block_3)
        if waiting:
            weight_0, weight_1 = (weight_0 + active_0) * factor_0, (weight_1 + active_1) * factor_1
            weight_2, weight_3 = (weight_2 + active_2) * factor_2, (weight_3 + active_3) * factor_3
            if tiny:
                weight_0, weight_1 = unless_tiny(weight_0), unless_tiny(weight_1)
                weight_2, weight_3 = unless_tiny(weight_2), unless_tiny(weight_3)
            store(weights, at + block, weight_0)
            store(weights, at + block_1, weight_1)
            store(weights, at + block_2, weight_2)
            store(weights, at + block_3, weight_3)
        sums_0, sums_1, sums_2, sums_3 = sums_0 + weight_0, sums_1 + weight_1, sums_2 + weight_2, sums_3 + weight_3
    store(layer.sums, block, sums_0)
    store(layer.sums, block_1, sums_1)
    store(layer.sums, block_2, sums_2)
    store(layer.sums, block_3, sums_3)
    fire(layer, block, sums_0)
    fire(layer, block_1, sums_1)
    fire(layer, block_2, sums_2)
    fire(layer, block_3, sums_3)


@called
def note(layer, delta):
    """Note a change, and whether it may leave tiny weights."""
    spared, almost_one, smallest = fill(least_sum(delta)), fill(ALMOST_ONE), fill(1.0)
    noted = layer.numbers[NOTED] * layer.real.shape[0]
    for block in range(0, layer.numbers[USED], LANES):
        passive, active, factor = tally(layer, delta, block)
        store(layer.passive, noted + block, passive)
        store(layer.factor, noted + block, factor)
        store(layer.acting, block, active)
        store(layer.latest, block, factor)
        least = smaller(load(layer.least, block), spared) * factor * almost_one
        store(layer.least, block, least)
        smallest = smaller(smallest, least)
    layer.numbers[MAY_BE_TINY] = bits_of(smallest > fill(TINY)) != (1 << LANES) - 1
    layer.numbers[NOTED] += 1
    layer.numbers[WAITING] = 1


@inlined
def _catch_up_row(layer, row):
    """Make the noted changes that the row has not undergone yet, in which its input was passive."""
    weights, width, made, noted = layer.weights, layer.real.shape[0], layer.made[row], layer.numbers[NOTED]
    if made == noted:
        return
    for block in range(0, layer.numbers[USED], LANES):
        weight = load(weights, row * width + block)
        for note in range(made, noted):
            weight = (weight + load(layer.passive, note * width + block)) * load(layer.factor, note * width + block)
        store(weights, row * width + block, weight)
    layer.made[row] = noted


@called
def catch_up(layer):
    """Make all noted changes, and forget them."""
    if layer.numbers[NOTED] == 0:
        return
    _settle(layer)
    untouched, count = layer.untouched, 0
    for place in range(layer.numbers[KEPT]):
        row = layer.rows[place]
        if layer.made[row] == 0:
            untouched[count] = row
            count += 1
        else:
            _catch_up_row(layer, row)
        layer.made[row] = 0
    for place in range(count, count + TOGETHER - 1):
        untouched[place] = untouched[count - 1]  # more than once in the last eight: each time to the same bits
    for block in range(0, layer.numbers[USED], LANES):
        for place in range(0, count, TOGETHER):
            _catch_up_together(layer, place, block)
    layer.numbers[NOTED] = 0


@inlined
def _catch_up_together(layer, place, block):
    """Eight untouched rows, from a place on."""
    weights, width, rows = layer.weights, layer.real.shape[0], layer.untouched
    at_0, at_1 = rows[place] * width + block, rows[place + 1] * width + block
    at_2, at_3 = rows[place + 2] * width + block, rows[place + 3] * width + block
    at_4, at_5 = rows[place + 4] * width + block, rows[place + 5] * width + block
    at_6, at_7 = rows[place + 6] * width + block, rows[place + 7] * width + block
    weight_0, weight_1, weight_2, weight_3 = (
        load(weights, at_0),
        load(weights, at_1),
        load(weights, at_2),
        load(weights, at_3),
    )
    weight_4, weight_5, weight_6, weight_7 = (
        load(weights, at_4),
        load(weights, at_5),
        load(weights, at_6),
        load(weights, at_7),
    )
    for note in range(layer.numbers[NOTED]):
        passive, factor = load(layer.passive, note * width + block), load(layer.factor, note * width + block)
        weight_0 = (weight_0 + passive) * factor
        weight_1 = (weight_1 + passive) * factor
        weight_2 = (weight_2 + passive) * factor
        weight_3 = (weight_3 + passive) * factor
        weight_4 = (weight_4 + passive) * factor
        weight_5 = (weight_5 + passive) * factor
        weight_6 = (weight_6 + passive) * factor
        weight_7 = (weight_7 + passive) * factor
    store(weights, at_0, weight_0)
    store(weights, at_1, weight_1)
    store(weights, at_2, weight_2)
    store(weights, at_3, weight_3)
    store(weights, at_4, weight_4)
    store(weights, at_5, weight_5)
    store(weights, at_6, weight_6)
    store(weights, at_7, weight_7)


@inlined
def find_least(layer, block):
    """The weights nearest to 0, apart from those that are 0."""
    width, zero, one = layer.real.shape[0], fill(0.0), fill(1.0)
    least = one
    for place in range(layer.numbers[KEPT]):
        weight = load(layer.weights, layer.rows[place] * width + block)
        size = choose(weight > zero, weight, zero - weight)
        least = smaller(least, choose(size > zero, size, one))
    store(layer.least, block, least)
