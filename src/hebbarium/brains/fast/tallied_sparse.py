"""The tallied arithmetic, fast: hidden layers with many inputs of which few are active, while their neurons differ.

What such a layer is stands in `tallied.py`; here is how eight of them, each of another life, are computed without
touching a single bit. Neurons are computed eight at a time.

- Changes are noted, and made when the weights are needed. Those of passive inputs are not needed until the input
  becomes active or they are counted: many changes are then made in a row, while a weight is in a register. Those of
  active inputs are needed at the next step; if the same inputs are active then, as when an agent stands before a wall,
  the change is made while the weights are summed.
- A neuron's passive weights all undergo the same map. Inputs whose weights agree, at every neuron, with those of an
  imaginary input that is never active are kept as that input's row. An input gets a row of its own when it becomes
  active, and loses it when the two are found to agree again.
- A change makes tiny weights 0, those of active inputs at once. Whether there can be any is known beforehand, nearly
  always: `least` is a bound that changes keep, and while it is above TINY, no weight need be looked at.

Neurons whose weights, T and Q have all become the same do the same ever after: then one is computed for all
(`tallied_collapsed.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast.plain_in_lanes import ALMOST_ONE, LANES, aligned_zeros, least_sum, smaller, unless_tiny
from hebbarium.brains.plain import TINY
from hebbarium.kernels.compile import called, creating, inlined
from hebbarium.kernels.vectors import (
    TOGETHER,
    bits_of,
    change_and_sum_rows,
    change_rows,
    choose,
    fill,
    load,
    magnitude,
    same_bits,
    square_root,
    store,
    sum_rows,
)

TIDY, EARLY, YOUNG = 32, 8, 512
"""Changes from one search for what has become equal to the next; in a young network, with fewer than so many changes,
the second number: most that become equal do so then. Not part of the definition of a life."""
COUNT, KEPT, NOTED, WAITING, MAY_BE_TINY = range(5)
"""Places of a layer's numbers."""


class SparseLayers(NamedTuple):
    """Rows are as long as there are neurons, rounded up to eight; there the first neuron is repeated."""

    weights: np.ndarray
    """float64 [life, row * width]: one row per input, the bias's, then the imaginary input's, and one to spare."""
    rows: np.ndarray
    """int64 [life, row]: the kept rows; the imaginary input's and the bias's come first."""
    own: np.ndarray
    """bool [life, row]: whether an input has a row of its own."""
    made: np.ndarray
    """int64 [life, row]: how many of the noted changes its weights have undergone."""
    passive: np.ndarray
    """float64 [life, TIDY * width]: of each noted change, what it adds to the weights of passive inputs."""
    factor: np.ndarray
    """float64 [life, TIDY * width]: of each noted change, what all weights are multiplied by."""
    acting: np.ndarray
    """float64 [life, width]: what the last noted change adds to the weights of active inputs."""
    active: np.ndarray
    """int64 [life, input]: the active inputs in their order, the bias last."""
    numbers: np.ndarray
    """int64 [life, 5]: how many inputs are active, how many rows are kept, how many changes are noted, whether the
    active inputs' weights wait for the last of them, and whether it may leave tiny ones."""
    sums: np.ndarray
    """float64 [life, width]: A."""
    total: np.ndarray
    """float64 [life, width]: T."""
    square: np.ndarray
    """float64 [life, width]: Q."""
    least: np.ndarray
    """float64 [life, LANES]: none of the weights of every eighth neuron is nearer to 0, unless it is 0."""
    waiting: np.ndarray
    """int64 [row], with room for some more: rows that are to undergo noted changes, while these are made."""
    firsts: np.ndarray
    """float64 [input]: room for the first neuron's weights."""


@creating
def new_layers(inputs, neurons):
    """Room for eight layers. inputs: with the bias."""
    width = -(-neurons // LANES) * LANES
    return SparseLayers(
        aligned_zeros(LANES * (inputs + 2) * width).reshape((LANES, (inputs + 2) * width)),
        np.zeros((LANES, inputs + 1), np.int64),
        np.zeros((LANES, inputs + 1), np.bool_),
        np.zeros((LANES, inputs + 2), np.int64),
        aligned_zeros(LANES * TIDY * width).reshape((LANES, TIDY * width)),
        aligned_zeros(LANES * TIDY * width).reshape((LANES, TIDY * width)),
        aligned_zeros(LANES * width).reshape((LANES, width)),
        np.zeros((LANES, inputs), np.int64),
        np.zeros((LANES, 5), np.int64),
        aligned_zeros(LANES * width).reshape((LANES, width)),
        aligned_zeros(LANES * width).reshape((LANES, width)),
        aligned_zeros(LANES * width).reshape((LANES, width)),
        aligned_zeros(LANES * LANES).reshape((LANES, LANES)),
        np.zeros(inputs + 1 + TOGETHER, np.int64),
        np.zeros(inputs),
    )


@called
def take(layers, life, weights, tally):
    """Begin with the weights of a life. weights: float64 [pre, post]; tally: float64 [2, post], T and Q."""
    inputs, neurons, width = weights.shape[0], weights.shape[1], layers.total.shape[1]
    common = _most_common(weights, layers.firsts)
    for row in range(inputs + 1):
        j = row if row < inputs else common
        for i in range(width):
            layers.weights[life, row * width + i] = weights[j, i if i < neurons else 0]
    for i in range(width):
        neuron = i if i < neurons else 0
        layers.total[life, i], layers.square[life, i] = tally[0, neuron], tally[1, neuron]
    layers.own[life, :], layers.made[life, :], layers.least[life, :] = True, 0, 0.0
    rows, numbers = layers.rows[life], layers.numbers[life]
    rows[0], rows[1] = inputs, inputs - 1
    for j in range(inputs - 1):
        rows[2 + j] = j
    numbers[COUNT], numbers[KEPT], numbers[NOTED], numbers[WAITING], numbers[MAY_BE_TINY] = 0, inputs + 1, 0, 0, 1
    _forget_rows(layers, life)


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


@called
def give_back(layers, life, weights, tally):
    """Write the weights where `take` had them from."""
    _catch_up(layers, life)
    inputs, width = weights.shape[0], layers.total.shape[1]
    for j in range(inputs):
        at = (j if layers.own[life, j] else inputs) * width
        for i in range(weights.shape[1]):
            weights[j, i] = layers.weights[life, at + i]
    for i in range(weights.shape[1]):
        tally[0, i], tally[1, i] = layers.total[life, i], layers.square[life, i]


@inlined
def activate(layers, life, inputs, count, fired):
    """Each neuron's sum of active weights, in the order of the inputs. inputs: uint16, the active ones but the bias

    fired: uint8 [block, life], flat: bits of the neurons that fire, of each eight"""
    if not _are_active(layers, life, inputs, count):
        _settle(layers, life)
        _list_active(layers, life, inputs, count)
    numbers, weights, sums, width = layers.numbers[life], layers.weights[life], layers.sums[life], layers.total.shape[1]
    if numbers[WAITING] and numbers[MAY_BE_TINY]:
        _settle(layers, life)
    active, acting, factors, last = layers.active[life], layers.acting[life], layers.factor[life], numbers[NOTED] - 1
    if numbers[WAITING]:
        change_and_sum_rows(weights, active, numbers[COUNT], width, acting, factors, last, sums)
    else:
        sum_rows(weights, active, numbers[COUNT], width, acting, factors, last, sums)
    numbers[WAITING] = 0
    for block in range(0, width, LANES):
        fired[block + life] = bits_of(load(sums, block) > fill(0.0))


@inlined
def _are_active(layers, life, inputs, count):
    """Whether these are the inputs that were active before."""
    before = layers.numbers[life, COUNT] - 1
    differing = before ^ count
    for place in range(min(before, count)):
        differing |= layers.active[life, place] ^ np.int64(inputs[place])
    return differing == 0


@inlined
def _settle(layers, life):
    """Make the change that waits for the active inputs, who then have undergone all."""
    numbers, active, width = layers.numbers[life], layers.active[life], layers.total.shape[1]
    weights, acting, factors = layers.weights[life], layers.acting[life], layers.factor[life]
    last = numbers[NOTED] - 1
    if numbers[WAITING] and numbers[MAY_BE_TINY]:
        for place in range(numbers[COUNT]):
            for block in range(0, width, LANES):
                at = active[place] * width + block
                weight = (load(weights, at) + load(acting, block)) * load(factors, last * width + block)
                store(weights, at, unless_tiny(weight))
    elif numbers[WAITING]:  # nobody needs the sums of before any more
        change_and_sum_rows(weights, active, numbers[COUNT], width, acting, factors, last, layers.sums[life])
    for place in range(numbers[COUNT]):
        layers.made[life, np.uint64(active[place])] = numbers[NOTED]
    numbers[WAITING] = 0


@inlined
def _list_active(layers, life, inputs, count):
    """Each gets a row of its own, with all noted changes made."""
    rows, numbers, weights = layers.rows[life], layers.numbers[life], layers.weights[life]
    width, bias = layers.total.shape[1], layers.active.shape[1] - 1
    numbers[COUNT], some = count + 1, 0
    for place in range(count + 1):
        j = np.int64(inputs[place]) if place < count else bias
        layers.active[life, place] = j
        if not layers.own[life, j]:  # so far it agrees with the imaginary one
            for block in range(0, width, LANES):
                store(weights, j * width + block, load(weights, rows[0] * width + block))
            layers.own[life, j], layers.made[life, j] = True, layers.made[life, rows[0]]
            rows[numbers[KEPT]] = j
            numbers[KEPT] += 1
        layers.waiting[some] = j
        some += layers.made[life, j] < numbers[NOTED]
    _catch_up_rows(layers, life, 0, some)


@inlined
def change(layers, life, delta):
    """Note a change, and whether it may leave tiny weights. delta: float64 [pre active, post active]"""
    numbers, total, square, sums = layers.numbers[life], layers.total[life], layers.square[life], layers.sums[life]
    inputs, count, width = layers.active.shape[1], layers.numbers[life, COUNT], layers.total.shape[1]
    zero, one = fill(0.0), fill(1.0)
    # What a neuron's weights change by is one of two numbers, and so is what follows from them.
    more_if_silent, all_if_silent, own_if_silent = _effect(delta[0, 0], delta[1, 0], inputs, count)
    more_if_firing, all_if_firing, own_if_firing = _effect(delta[0, 1], delta[1, 1], inputs, count)
    noted, smallest = numbers[NOTED] * width, one
    for block in range(0, width, LANES):
        was, added = load(total, block), load(sums, block)
        fires = added > zero
        passive = choose(fires, fill(delta[0, 1]), fill(delta[0, 0]))
        active = choose(fires, fill(delta[1, 1]), fill(delta[1, 0]))
        more = choose(fires, fill(more_if_firing), fill(more_if_silent))
        in_all = choose(fires, fill(all_if_firing), fill(all_if_silent))
        own = choose(fires, fill(own_if_firing), fill(own_if_silent))
        cross = passive * was + more * added
        length = load(square, block) + (cross + cross) + own
        factor = choose(length > zero, one / square_root(length), one)
        store(total, block, (was + in_all) * factor)
        store(square, block, length * factor * factor)
        store(layers.passive[life], noted + block, passive)
        store(layers.factor[life], noted + block, factor)
        store(layers.acting[life], block, active)
        smallest = smaller(smallest, factor)
    least = smaller(load(layers.least[life], 0), fill(least_sum(delta))) * smallest * fill(ALMOST_ONE)
    store(layers.least[life], 0, least)
    numbers[MAY_BE_TINY] = bits_of(least > fill(TINY)) != (1 << LANES) - 1
    numbers[NOTED] += 1
    numbers[WAITING] = 1


@inlined
def _effect(passive, active, inputs, count):
    """Of changes of a neuron's weights from passive and from active inputs: by how much more active ones change, the
    sum of all changes, and the sum of their squares."""
    more, all_inputs, active_inputs = active - passive, np.float64(inputs), np.float64(count)
    in_all = all_inputs * passive + active_inputs * more
    return more, in_all, np.float64(inputs - count) * passive * passive + active_inputs * active * active


@called
def _catch_up(layers, life):
    """Make all noted changes, and forget them."""
    numbers, rows, made, waiting, some = layers.numbers[life], layers.rows[life], layers.made[life], layers.waiting, 0
    noted = numbers[NOTED]
    if noted == 0:
        return
    _settle(layers, life)
    for place in range(numbers[KEPT]):  # most lack all
        waiting[some] = rows[place]
        some += 1 if made[np.uint64(rows[place])] == 0 else 0
    most = some
    for place in range(numbers[KEPT]):
        waiting[some] = rows[place]
        some += 1 if 0 < made[np.uint64(rows[place])] < noted else 0
    _catch_up_rows(layers, life, most, some)
    made[:] = 0
    numbers[NOTED] = 0


@inlined
def _catch_up_rows(layers, life, most, some):
    """The first rows in `waiting` undergo the noted changes that they have not undergone yet, in which their inputs
    were passive. most: how many come first anyway; the others are put in order, those that lack most first"""
    made, waiting, noted = layers.made[life], layers.waiting, layers.numbers[life, NOTED]
    spare = made.shape[0] - 1
    for place in range(most + 1, some):
        row, hole = waiting[place], place
        while hole > most and made[np.uint64(waiting[hole - 1])] > made[np.uint64(row)]:
            waiting[hole] = waiting[hole - 1]
            hole -= 1
        waiting[hole] = row
    made[spare] = noted
    for place in range(some, some + TOGETHER - 1):
        waiting[place] = spare
    width, added, factors = layers.total.shape[1], layers.passive[life], layers.factor[life]
    change_rows(layers.weights[life], waiting, some, made, width, added, factors, noted)


@called
def recount(layers, life):
    """Count T and Q from the weights, in the order of the inputs, once the tiniest have become 0."""
    _catch_up(layers, life)
    weights, own, inputs, width = layers.weights[life], layers.own[life], layers.active.shape[1], layers.total.shape[1]
    zero, one, last = fill(0.0), fill(1.0), width - LANES
    least_0 = least_1 = one
    for block in range(0, width, 2 * LANES):  # two at a time, so that no sum waits for another
        next_block = min(block + LANES, last)
        total_0 = total_1 = square_0 = square_1 = zero
        for j in range(-1, inputs):  # the imaginary input first, which does not count
            at = (j if j >= 0 and own[j] else inputs) * width
            weight_0, size_0 = load(weights, at + block), magnitude(load(weights, at + block))
            weight_1, size_1 = load(weights, at + next_block), magnitude(load(weights, at + next_block))
            stays_0, stays_1 = size_0 > fill(TINY), size_1 > fill(TINY)
            weight_0, weight_1 = choose(stays_0, weight_0, zero), choose(stays_1, weight_1, zero)
            least_0 = smaller(least_0, choose(stays_0, size_0, one))
            least_1 = smaller(least_1, choose(stays_1, size_1, one))
            store(weights, at + block, weight_0)
            store(weights, at + next_block, weight_1)
            if j >= 0:
                total_0, square_0 = total_0 + weight_0, square_0 + weight_0 * weight_0
                total_1, square_1 = total_1 + weight_1, square_1 + weight_1 * weight_1
        store(layers.total[life], block, total_0)
        store(layers.square[life], block, square_0)
        store(layers.total[life], next_block, total_1)
        store(layers.square[life], next_block, square_1)
    store(layers.least[life], 0, smaller(least_0, least_1))


@inlined
def tidies(changes):
    """Whether what has become equal is to be looked for. changes: how many there have been"""
    return changes % np.uint64(TIDY if changes >= np.uint64(YOUNG) else EARLY) == 0


@called
def tidy(layers, life):
    """Find what has become equal, bit for bit; returns whether all neurons are. Not between `activate` and `change`."""
    _catch_up(layers, life)
    layers.numbers[life, COUNT] = 0
    _forget_rows(layers, life)
    width, place = layers.total.shape[1], 0
    if not (_is_constant(layers.total[life], 0, width) and _is_constant(layers.square[life], 0, width)):
        return False
    while place < layers.numbers[life, KEPT]:
        if not _is_constant(layers.weights[life], layers.rows[life, place] * width, width):
            return False
        place += 1
    return True


@inlined
def _forget_rows(layers, life):
    """Rows that agree with the imaginary input's are no longer kept."""
    rows, weights, width, kept = layers.rows[life], layers.weights[life], layers.total.shape[1], 2
    for place in range(2, layers.numbers[life, KEPT]):
        j, block = rows[place], 0
        while block < width and same_bits(weights, j * width + block, rows[0] * width + block):
            block += LANES
        layers.own[life, j] = block < width
        rows[kept] = j
        kept += block < width
    layers.numbers[life, KEPT] = kept


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
