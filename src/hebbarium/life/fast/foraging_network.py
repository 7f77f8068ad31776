"""The network of a foraging life that learns rarely, to the bits of `brains/plain.py`.

Where weights change a lane of a vector is a neuron, so that sums run over the inputs in their order. Nearly all of a
life at most one thing is in view: what the network does in those ten states is worked out together, a lane being a
state then. The other states are thought about one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast import plain_in_lanes as lanes
from hebbarium.brains.fast.plain_in_blocks import blocks_of
from hebbarium.brains.fast.plain_in_lanes import ALMOST_ONE, LANES, aligned_zeros
from hebbarium.brains.plain import TINY
from hebbarium.kernels.bits import word_at
from hebbarium.kernels.compile import called, creating, inlined
from hebbarium.kernels.vectors import (
    bits_of,
    choose,
    fill,
    load,
    load_some,
    magnitude,
    mask_of,
    shared_bits,
    spread,
    store,
    store_some,
)
from hebbarium.worlds.foraging import SENSES, STATES

INPUTS = SENSES + 1
"""With the bias."""
OUTPUTS = 3
_COMMON = (0, 48, 12, 3, 32, 16, 8, 4, 2, 1)
"""Nothing in view; a wall on the left, in front, on the right; then a green or a blue item in these places. The first
eight are decided in the lanes of three vectors, the last two, the pair, in one."""
_STATES = np.array([*_COMMON, *(state for state in range(STATES) if state not in _COMMON)])
"""int64 [place]: all states, the common ones first."""
PLACES = np.argsort(_STATES)
"""int64 [state]: its place."""
_WORDS = np.array(
    [sum((state >> SENSES - 1 - j & 1) << j for j in range(SENSES)) | 1 << SENSES for state in range(STATES)]
)
"""int64 [state]: bit j for input j, the bias among them."""
BYTES = np.array([sum((bits >> k & 1) << 8 * k for k in range(8)) for bits in range(256)], np.uint64)
"""uint64 [eight bits]: one to a byte."""
_IN_ONE, _IN_OTHER = np.uint64(0b000111), np.uint64(0b111000)
"""The lanes of a row of the outputs' weights for each state of the pair."""


class Network(NamedTuple):
    """The weights, and what is known of what the network does; few arrays, since each takes time to compile. They are
    flat unless a shape says otherwise."""

    hidden: np.ndarray
    """float64 [block of eight neurons, pre, lane]; lanes behind the last neuron mean nothing: they are not heard, since
    their rows of the outputs' weights are 0."""
    output: np.ndarray
    """float64 [pre, lane], still to be scaled: lanes 0 to 2 are the outputs, 3 to 5 the same again, for the pair. The
    bias is the row behind the last block."""
    room: np.ndarray
    """float64: from _FACTOR on what the outputs' weights are to be multiplied by [lane]; from _SUMS on their sums
    [lane]; from _CHANGES on what their weights change by [pre active, lane], and from _HIDDEN_CHANGES on what those of
    hidden neurons do [input, post active]; from _DELTA on what the rule says about it [layer, pre active, post active];
    from _LEAST on sizes [lane]: no weight of a layer that learns is nearer to
    0, unless it is 0; at _SPARED: no change takes a weight nearer to 0 than this, unless it was nearer or becomes 0.
    From _COMMON_SUMS on the outputs' sums in the common states, [left, straight, right, pair][lane], and from _DOUBT on
    how wrong they may be at most, in a row's order; from _LARGEST on the size of the largest weight at first, or 1;
    from _HEARD on how many neurons are heard, the bias among them, in the common states and in some more."""
    fires: np.ndarray
    """uint8 [block, place of a state]: one bit for each neuron of the block; of states that have been decided, and of
    the common ones."""
    remembered: np.ndarray
    """uint8 [state]: what `codes` says about the action, or UNKNOWN."""
    codes: np.ndarray
    """uint8 [state, OUTPUTS]: what is remembered when this output wins."""


UNKNOWN = 255
_FACTOR, _SUMS, _LEAST, _CHANGES, _HIDDEN_CHANGES, _DELTA, _SPARED = 0, 8, 16, 24, 40, 54, 62
_COMMON_SUMS, _DOUBT, _LARGEST, _HEARD, _ROOM = 64, 96, 104, 112, 128


@creating
def new_network(neurons):
    blocks = blocks_of(neurons)
    return Network(
        aligned_zeros(blocks * INPUTS * LANES),
        aligned_zeros((blocks * LANES + 1) * LANES),
        aligned_zeros(_ROOM),
        np.zeros(blocks * STATES, np.uint8),
        np.zeros(STATES, np.uint8),
        np.zeros(STATES * OUTPUTS, np.uint8),
    )


@inlined
def take(network, hidden, output, delta):
    """Begin with a life's weights. hidden, output: float64 [pre, post]; delta: [layer, pre active, post active]"""
    neurons, room, largest = hidden.shape[1], network.room, fill(1.0)
    take_hidden(network, hidden)
    for j in range(neurons + 1):
        row = choose(mask_of(0b000111), load_some(output, 3 * j, 0b000111), load_some(output, 3 * j - 3, 0b111000))
        store(network.output, _row(neurons, j), row)
        largest = lanes.larger(magnitude(row), largest)
    store(room, _LARGEST, largest)
    store(room, _FACTOR, fill(1.0))
    store(room, _LEAST, fill(0.0))  # which is not known yet
    store(room, _DOUBT, fill(np.inf))  # since there are no sums yet
    for entry in range(8):
        room[_DELTA + entry] = delta[entry >> 2, entry >> 1 & 1, entry & 1]
    room[_SPARED] = min(lanes.least_sum(delta[0]), lanes.least_sum(delta[1]))
    network.remembered[:] = UNKNOWN
    heard = heard_in_pair = fill(1.0)  # the bias
    for block in range(blocks_of(neurons)):
        _feel_common(network, block)
        heard = heard + shared_bits(network.fires, block * STATES, 0xFF)
        heard_in_pair = heard_in_pair + shared_bits(network.fires, block * STATES + LANES, 0xFF)
    store(room, _HEARD, heard)
    store(room, _HEARD + LANES, heard_in_pair)


@inlined
def _row(neurons, j):
    """Where the outputs' weights from neuron j begin, or from the bias."""
    return (j if j < neurons else blocks_of(neurons) * LANES) * LANES


@inlined
def take_hidden(network, weights):
    """weights: float64 [pre, post]"""
    neurons = weights.shape[1]
    for first in range(0, neurons, LANES):
        for j in range(INPUTS):
            store(
                network.hidden,
                first * INPUTS + j * LANES,
                load_some(weights, j * neurons + first, _own(neurons - first)),
            )


@inlined
def _own(left):
    """The lanes of a block that are neurons, if so many are left."""
    return (1 << min(LANES, left)) - 1


@inlined
def give_back(network, hidden, output, plastic):
    """Write the weights of layers that may have changed where `take` had them from."""
    neurons = hidden.shape[1]
    for first in range(0, neurons if plastic[0] else 0, LANES):
        for j in range(INPUTS):
            weights = load(network.hidden, first * INPUTS + j * LANES)
            store_some(hidden, j * neurons + first, weights, _own(neurons - first))
    for j in range(neurons + 1 if plastic[1] else 0):
        store_some(output, 3 * j, load(network.output, _row(neurons, j)) * load(network.room, _FACTOR), 0b111)


@inlined
def decide(network, neurons, state):
    """Remember what the network does in this state; if it is a common one, in all of these."""
    if PLACES[state] < len(_COMMON):
        _decide_common(network, neurons)
    else:
        feel(network, neurons, state)
        _decide_other(network, neurons, state)


@inlined
def feel(network, neurons, state):
    """Which hidden neurons fire in any state."""
    nothing, word, place = fill(0.0), _WORDS[state], PLACES[state]
    for block in range(blocks_of(neurons)):
        sums = nothing
        for j in range(INPUTS):  # without a branch: which inputs are active cannot be foreseen
            weight = load(network.hidden, (block * INPUTS + j) * LANES)
            sums = sums + choose(_everywhere(word >> j), weight, nothing)
        network.fires[block * STATES + place] = bits_of(sums > nothing)


@inlined
def _everywhere(word):
    """The mask that is set in all lanes if the word's lowest bit is."""
    return mask_of(-(np.int64(word) & 1))


@inlined
def _feel_common(network, block):
    """Which neurons of a block fire in the common states. Inputs that are not active are left out of the sums."""
    hidden, at, nothing = network.hidden, block * INPUTS * LANES, fill(0.0)
    left_1, left_2 = load(hidden, at), load(hidden, at + LANES)
    front_1, front_2 = load(hidden, at + 2 * LANES), load(hidden, at + 3 * LANES)
    right_1, right_2 = load(hidden, at + 4 * LANES), load(hidden, at + 5 * LANES)
    bias = load(hidden, at + 6 * LANES)
    fires, place = network.fires, block * STATES
    fires[place] = bits_of(bias > nothing)
    fires[place + 1] = bits_of(left_1 + left_2 + bias > nothing)
    fires[place + 2] = bits_of(front_1 + front_2 + bias > nothing)
    fires[place + 3] = bits_of(right_1 + right_2 + bias > nothing)
    fires[place + 4] = bits_of(left_1 + bias > nothing)
    fires[place + 5] = bits_of(left_2 + bias > nothing)
    fires[place + 6] = bits_of(front_1 + bias > nothing)
    fires[place + 7] = bits_of(front_2 + bias > nothing)
    fires[place + 8] = bits_of(right_1 + bias > nothing)
    fires[place + 9] = bits_of(right_2 + bias > nothing)


@inlined
def _decide_common(network, neurons):
    """One pass over the outputs' weights: additions wait for each other, so ten states cost little more than one.

    Weights are added up before they are scaled, and every other neuron's apart. In close races this leaves open who
    wins: then sums are made again."""
    output, room, rows = network.output, network.room, np.float64(neurons + 1)
    nothing = fill(0.0)
    even = odd = nothing, nothing, nothing, nothing
    for block in range(blocks_of(neurons)):
        by_neuron = _transposed(word_at(network.fires, block * STATES))
        in_one, in_other = BYTES[network.fires[block * STATES + 8]], BYTES[network.fires[block * STATES + 9]]
        in_pair = in_one * _IN_ONE | in_other * _IN_OTHER
        for lane in range(0, LANES, 2):
            even = _hear(output, block * LANES + lane, by_neuron, in_pair, lane, even)
            odd = _hear(output, block * LANES + lane + 1, by_neuron, in_pair, lane + 1, odd)
    left, straight, right, pair = even[0] + odd[0], even[1] + odd[1], even[2] + odd[2], even[3] + odd[3]
    bias = _row(neurons, neurons)
    left = (left + spread(output, bias)) * spread(room, _FACTOR)
    straight = (straight + spread(output, bias + 1)) * spread(room, _FACTOR + 1)
    right = (right + spread(output, bias + 2)) * spread(room, _FACTOR + 2)
    _keep_common(network, left, straight, right, (pair + load(output, bias)) * load(room, _FACTOR))
    store(room, _DOUBT, fill(rows * rows * 2.0**-53) * load(room, _LARGEST))
    # Two sums are wrong by their doubts, and so are the two that are made of scaled weights, which round once more.
    if not _is_clear(room, left, straight, right, 8.0 * max(room[_DOUBT], room[_DOUBT + 1], room[_DOUBT + 2])):
        _decide_closely(network, neurons)


@inlined
def _hear(output, neuron, by_neuron, in_pair, lane, sums):
    """Add a neuron's weights in the states in which it fires. by_neuron, in_pair: a byte for each of its block"""
    (left, straight, right, pair), row, byte = sums, neuron * LANES, np.uint64(8 * lane)
    fires, heard = mask_of(np.int64(by_neuron >> byte)), mask_of(np.int64(in_pair >> byte))
    left = choose(fires, left + spread(output, row), left)
    straight = choose(fires, straight + spread(output, row + 1), straight)
    right = choose(fires, right + spread(output, row + 2), right)
    return left, straight, right, choose(heard, pair + load(output, row), pair)


@called
def _decide_closely(network, neurons):
    for place in range(len(_COMMON)):
        _decide_other(network, neurons, _STATES[place])


@inlined
def _is_clear(room, left, straight, right, margin):
    """Whether in each common state the largest sum is larger than the others by more than the margin."""
    clear = bits_of(lanes.lead(left, straight, right) > fill(margin)) == (1 << LANES) - 1
    for k in range(2):
        first = _COMMON_SUMS + 3 * LANES + 3 * k
        clear &= _lead_of(room[first], room[first + 1], room[first + 2]) > margin
    return clear


@inlined
def _keep_common(network, left, straight, right, pair):
    """Remember what these sums lead to, and the sums."""
    room = network.room
    store(room, _COMMON_SUMS, left)
    store(room, _COMMON_SUMS + LANES, straight)
    store(room, _COMMON_SUMS + 2 * LANES, right)
    store(room, _COMMON_SUMS + 3 * LANES, pair)
    not_left = straight > left
    is_right, not_left_bits = bits_of(right > choose(not_left, straight, left)), bits_of(not_left)
    for lane in range(LANES):
        state = _STATES[lane]
        winner = 2 if is_right >> lane & 1 else not_left_bits >> lane & 1
        network.remembered[state] = network.codes[state * OUTPUTS + winner]
    for k in range(2):
        _keep_winner(network, _COMMON_SUMS + 3 * LANES + 3 * k, _STATES[LANES + k])


@inlined
def _transposed(word):
    """The eight bytes as rows of bits, rows for columns (Warren, Hacker's Delight, 7-3)."""
    some = (word ^ (word >> np.uint64(7))) & np.uint64(0x00AA00AA00AA00AA)
    word = word ^ some ^ (some << np.uint64(7))
    some = (word ^ (word >> np.uint64(14))) & np.uint64(0x0000CCCC0000CCCC)
    word = word ^ some ^ (some << np.uint64(14))
    some = (word ^ (word >> np.uint64(28))) & np.uint64(0x00000000F0F0F0F0)
    return word ^ some ^ (some << np.uint64(28))


@inlined
def _keep_winner(network, first, state):
    """Remember the first of the largest of three sums, which begin at `first`."""
    left, straight, right = network.room[first], network.room[first + 1], network.room[first + 2]
    winner = 2 if right > max(left, straight) else 1 if straight > left else 0
    network.remembered[state] = network.codes[state * OUTPUTS + winner]


@inlined
def _decide_other(network, neurons, state):
    """In a state that has been felt."""
    output, factor, nothing, place = network.output, load(network.room, _FACTOR), fill(0.0), PLACES[state]
    sums = nothing
    for block in range(blocks_of(neurons)):
        fires = np.int64(network.fires[block * STATES + place])
        for lane in range(LANES):
            weight = load(output, (block * LANES + lane) * LANES) * factor
            sums = sums + choose(_everywhere(fires >> lane), weight, nothing)
    store(network.room, _SUMS, sums + load(output, _row(neurons, neurons)) * factor)
    _keep_winner(network, _SUMS, state)


@inlined
def learn(network, neurons, state, action, plastic):
    """Change the layers that are plastic after an action in a state that is remembered; then nothing is any more.

    Both layers in one pass: the outputs' sums of squares are one addition after the other, and hidden neurons change
    meanwhile. Scaling the outputs' weights waits until they are used. Weights that become tiny are looked for only
    where the bound says that there may be any. plastic: bool [layer]
    """
    output, room, nothing, place, whole = network.output, network.room, fill(0.0), PLACES[state], neurons // LANES
    acted, heard = mask_of(9 << action), mask_of(63)
    if_passive = choose(heard, choose(acted, spread(room, _DELTA + 5), spread(room, _DELTA + 4)), nothing)
    if_active = choose(heard, choose(acted, spread(room, _DELTA + 7), spread(room, _DELTA + 6)), nothing)
    store(room, _CHANGES, if_passive)
    store(room, _CHANGES + LANES, if_active)
    for j in range(2 * INPUTS):
        room[_HIDDEN_CHANGES + j] = room[_DELTA + 2 * (_WORDS[state] >> (j >> 1) & 1) + (j & 1)]
    factor, squares, smallest, fires = load(network.room, _FACTOR), nothing, fill(1.0), np.int64(0)
    scales = fill(1.0)  # of the block before
    for block in range(blocks_of(neurons)):
        fires = np.int64(network.fires[block * STATES + place])
        if plastic[0]:
            newer = _change_block(network, block * INPUTS * LANES, mask_of(fires))
            if block > 0:  # what a block is scaled by takes long to work out: the next one changes meanwhile
                _scale_block(network, block - 1, scales)
            scales, smallest = newer, lanes.smaller(smallest, newer)
        if plastic[1] and block < whole:
            for lane in range(LANES):
                row = (block * LANES + lane) * LANES
                weight = load(output, row) * factor + load(room, _CHANGES + (fires >> lane & 1) * LANES)
                store(output, row, weight)
                squares = squares + weight * weight
    if plastic[0]:
        _scale_block(network, blocks_of(neurons) - 1, scales)
    if plastic[1]:
        # The last block's neurons, if it is not a whole one, and the bias, which always is active.
        last = neurons - whole * LANES
        fires = (fires & ((1 << last) - 1)) | 1 << last
        for j in range(whole * LANES, neurons + 1):
            change = choose(_everywhere(fires >> (j - whole * LANES)), if_active, if_passive)
            weight = load(output, _row(neurons, j)) * factor + change
            store(output, _row(neurons, j), weight)
            squares = squares + weight * weight
        factor = lanes.unit_length_factor(squares, mask_of(0xFF))
        store(room, _FACTOR, factor)
        smallest = lanes.smaller(smallest, factor)
    network.remembered[:] = UNKNOWN
    if not plastic[0]:
        _follow(network, neurons, place)
    least = lanes.smaller(load(room, _LEAST), spread(room, _SPARED)) * smallest * fill(ALMOST_ONE)
    store(room, _LEAST, least)
    if bits_of(least > fill(TINY)) != (1 << LANES) - 1:
        _vanish(network, neurons, plastic)


@inlined
def _follow(network, neurons, place):
    """Remember the actions in the common states after a change of the outputs' weights alone, if they are certain.

    Hidden neurons still fire as they did: how many of those that are heard in a state were active says by how much its
    sums have changed, to a rounding, which spares making them. Let n be the number of weights, and c the sizes of their
    changes. Before weights are scaled by f the sum of their sizes is at most the root of n divided by f. So a change
    adds less than 16 * 2**-53 * n * (1 + c f) to what sums are wrong by, and those that would be made anew, of weights
    of unit length, are wrong by less than n**1.5 * 2**-53.
    """
    room, factor, active, active_in_pair = network.room, load(network.room, _FACTOR), fill(1.0), fill(1.0)
    for block in range(blocks_of(neurons)):
        at, fired = block * STATES, network.fires[block * STATES + place]
        active = active + shared_bits(network.fires, at, fired)
        active_in_pair = active_in_pair + shared_bits(network.fires, at + LANES, fired)
    passive = load(room, _HEARD) - active
    if_passive, if_active = load(room, _CHANGES), load(room, _CHANGES + LANES)
    store(room, _SUMS, active_in_pair)
    in_one = mask_of(0b000111)
    active_in_pair = choose(in_one, spread(room, _SUMS), spread(room, _SUMS + 1))
    passive_in_pair = choose(in_one, spread(room, _HEARD + LANES), spread(room, _HEARD + LANES + 1)) - active_in_pair
    pair = load(room, _COMMON_SUMS + 3 * LANES) + active_in_pair * if_active + passive_in_pair * if_passive
    left, straight, right = (
        _followed(room, 0, active, passive),
        _followed(room, 1, active, passive),
        _followed(room, 2, active, passive),
    )
    rows, sizes = np.float64(neurons + 1), magnitude(if_active) + magnitude(if_passive)
    more = fill(rows * 2.0**-49) * (fill(1.0) + sizes * factor)
    store(room, _DOUBT, load(room, _DOUBT) * factor + more)
    _keep_common(network, left, straight, right, pair * factor)
    margin = room[_DOUBT] + room[_DOUBT + 1] + room[_DOUBT + 2] + rows * rows * 2.0**-50
    if not _is_clear(room, left, straight, right, margin):
        network.remembered[:] = UNKNOWN


@inlined
def _followed(room, output, active, passive):
    """An output's sums in the first eight common states after a change."""
    sums = load(room, _COMMON_SUMS + output * LANES)
    sums = sums + active * spread(room, _CHANGES + LANES + output) + passive * spread(room, _CHANGES + output)
    return sums * spread(room, _FACTOR + output)


@inlined
def _lead_of(left, straight, right):
    """By how much the largest is larger than the second largest."""
    best, second = max(left, straight), min(left, straight)
    return max(best, right) - max(second, min(best, right))


@inlined
def _change_block(network, start, fires):
    """Change eight hidden neurons, whose weights begin at `start`. Returns what they are to be scaled by."""
    hidden, room, squares = network.hidden, network.room, fill(0.0)
    for j in range(INPUTS):
        change = choose(fires, spread(room, _HIDDEN_CHANGES + 2 * j + 1), spread(room, _HIDDEN_CHANGES + 2 * j))
        weight = load(hidden, start + j * LANES) + change
        store(hidden, start + j * LANES, weight)
        squares = squares + weight * weight
    return lanes.unit_length_factor(squares, mask_of(0xFF))


@inlined
def _scale_block(network, block, factor):
    """Scale eight hidden neurons, and find out what they do in the common states."""
    hidden, start = network.hidden, block * INPUTS * LANES
    for at in range(start, start + INPUTS * LANES, LANES):
        store(hidden, at, load(hidden, at) * factor)
    _feel_common(network, block)


@called
def _vanish(network, neurons, plastic):
    """Tiny weights of the layers that have changed become 0; find out how near to 0 the others are."""
    room, least = network.room, fill(1.0)
    if plastic[0]:
        for at in range(0, network.hidden.shape[0], LANES):
            store(network.hidden, at, lanes.unless_tiny(load(network.hidden, at)))
        for block in range(blocks_of(neurons)):
            _feel_common(network, block)
        least = lanes.least_size(network.hidden, network.hidden.shape[0])
    if plastic[1]:
        factor = load(room, _FACTOR)
        for at in range(0, network.output.shape[0], LANES):
            store(network.output, at, lanes.scaled(load(network.output, at), factor))
        store(room, _FACTOR, fill(1.0))
        least = lanes.smaller(least, lanes.least_size(network.output, network.output.shape[0]))
    store(room, _LEAST, least)
