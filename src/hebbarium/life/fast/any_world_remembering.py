"""Lives that learn rarely, in any world: the generic loop with a memory of what the network does, to the same bits.

What a network does depends on what it senses and on its weights alone. So the action is remembered for what was sensed,
until a weight changes. The world is asked everything at every step as always: only thinking is spared. But a world that
has `coast` is told how many steps would have the same action if they sensed the same, and may take them at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.base import half_of
from hebbarium.brains.fast import plain_in_blocks as blocks
from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.kernels.bits import natural
from hebbarium.kernels.compile import creating, inlined, kernel, opened
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.kernels.stack import byte_at, stacked
from hebbarium.life.fast.sizes import outputs_of, rows_of
from hebbarium.life.loop import act, coast, judge, sense, winner

_SLOT_BITS = 10
_SLOTS = 1 << _SLOT_BITS
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_ACTION_BITS = 16
"""Enough for any action."""
ROOM = 64
"""Bytes for what is sensed: at most 62, and what is read with the last of them, which must be 0."""


class Memory(NamedTuple):
    """A slot for what was sensed, found by hashing it; what comes later takes the slot of what was there."""

    sensed: np.ndarray
    """int64 [slot]: bit j for input j."""
    action: np.ndarray
    """int64 [slot]: the action, and above it the number of the weights that it was thought with."""


@opened
def sense_word(constants, state, i, room, inputs):
    """What a life senses as one word, bit j for input j. room: uint8 [ROOM]; inputs: without the bias"""


@inlined
def sense_unchecked(constants, state, i, room, inputs):
    """As the package's own worlds are sensed; for users' worlds see `checked_world.py`."""
    sense(constants, state, i, room[:inputs])
    word = 0
    for j in range(0, inputs, 4):  # four at a time, with zeros behind the last
        some = byte_at(room, j) | byte_at(room, j + 1) << 1 | byte_at(room, j + 2) << 2 | byte_at(room, j + 3) << 3
        word |= some << j
    return word


@creating
def _new_memory():
    return Memory(np.zeros(_SLOTS + 1, np.int64), np.zeros(_SLOTS + 1, np.int64))


@creating
def _new_room(brains):
    rows, neurons, outputs = brains.hidden.shape[1], brains.hidden.shape[2], brains.output.shape[2]
    common = blocks.new_common(rows, neurons)
    return np.zeros(1, np.uint8), blocks.new_blocks(rows, neurons, outputs), common, _new_memory()


@kernel
def advance_remembering(constants, state, streams, brains, season, steps, counts, lives):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    byte, network, common, memory = _new_room(brains)
    stamp = 0
    for life in lives:
        i = natural(life)
        stamp = _live(
            constants, state, streams[i], brains, i, season, steps, counts[i], byte, network, common, memory, stamp + 1
        )


@inlined
def _live(constants, state, streams, brains, i, season, steps, counts, byte, network, common, memory, stamp):
    """Returns the stamp of the last weights. Stream and senses are on the stack, where nothing else can change them."""
    blocks.take(network.hidden, brains.hidden[i])
    blocks.take(network.output, brains.output[i])
    own, gap, punished = brains.stream[i], brains.gap[i], 0
    inputs, neurons, outputs = rows_of(brains), brains.hidden.shape[2], outputs_of(brains)
    bias = 1 << (inputs - 1)
    stream = stacked(streams, 2, 2)
    stream[0], stream[1] = streams[0], streams[1]
    room = stacked(byte, ROOM, ROOM)
    for j in range(ROOM):
        room[j] = 0
    learns = (
        brains.plastic[i, 0, 0] or brains.plastic[i, 1, 0],
        brains.plastic[i, 0, 1] or brains.plastic[i, 1, 1],
    )
    known, left = 0, steps
    while left > 0:
        word = sense_word(constants, state, i, room, inputs - 1)
        free = word == 0 or not brains.only_unseeing
        random = free and gap == 0
        sure = not random
        if random:
            action = brains.choices[draw_below(own, brains.choices.shape[0])]
            gap = draw_gap(own, brains.gaps)
        else:
            gap -= free
            slot = _slot_of(word)
            action = memory.action[slot] - (stamp << _ACTION_BITS)
            if not 0 <= action < 1 << _ACTION_BITS or memory.sensed[slot] != word:
                blocks.feel(network, inputs, neurons, word | bias)
                if known <= blocks.MOST_WORDS:
                    known = blocks.notice(common, network.fires, known, word | bias)
                blocks.think(network, neurons)
                action, sure = blocks.first_winner(network, outputs)
                if sure:
                    memory.sensed[slot], memory.action[slot] = word, stamp << _ACTION_BITS | action
                else:  # drawn among equals: that is done again each time
                    action = np.int64(winner(network.sums[:outputs], own))
        action = natural(action)
        signal, _ = judge(constants, state, i, season, action, stream)
        taken = 0
        # Not learns[half]: numba checks that index, which would cost worlds without `coast` something, too.
        if sure and not (learns[0] if signal < 0 else signal > 0 and learns[1]):
            # The gap is already without this step, which is the first of them.
            taken = coast(constants, state, i, season, action, min(left, gap + 1) if free else left, counts)
        if taken == 0:
            act(constants, state, i, season, action, counts, stream)
            taken = 1
        left -= taken
        gap -= free * (taken - 1)
        half = half_of(signal)
        if half >= 0 and not random:
            punished += taken * (signal < 0)
            if learns[half]:
                blocks.feel(network, inputs, neurons, word | bias)
                delta, plastic = brains.delta[i, :, half], brains.plastic[i, :, half]
                blocks.learn(network, inputs, neurons, word | bias, action, delta, plastic)
                stamp += 1
                if known <= blocks.MOST_WORDS:
                    if plastic[0]:
                        blocks.feel_common(common, network, inputs, neurons)
                    ties = blocks.think_common(common, network, neurons, outputs)
                    _remember_common(common, memory, known, bias, stamp, ties)
    streams[0], streams[1] = stream[0], stream[1]
    brains.gap[i] = gap
    brains.punished[i] += punished
    blocks.give_back(network.hidden, brains.hidden[i])
    blocks.give_back(network.output, brains.output[i])
    return stamp


@inlined
def _remember_common(common, memory, known, bias, stamp, ties):
    """ties: words of which nothing can be remembered, a bit each. For places without a word there is a slot behind."""
    for place in range(LANES):
        word = common.words[place] - bias
        slot = np.int64(_slot_of(word)) if place < known else _SLOTS
        action = stamp << _ACTION_BITS | np.int64(common.winners[place])
        memory.sensed[slot], memory.action[slot] = word, 0 if ties >> place & 1 else action


@inlined
def _slot_of(word):
    """As an unsigned number: numba counts others from the end where they are below 0."""
    return np.uint64(word) * _GOLDEN >> np.uint64(64 - _SLOT_BITS)
