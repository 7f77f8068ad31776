"""Lives that learn rarely, in any world: the generic loop with a memory of what the network does, to the same bits.

What a network does depends on what it senses and on its weights alone. So the action is remembered for what was sensed,
until a weight changes. The world is asked everything at every step as always: only thinking is spared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.base import half_of
from hebbarium.brains.fast import blocks
from hebbarium.kernels.compile import creating, inlined, kernel
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.life.loop import act, judge, sense, winner

_SLOT_BITS = 10
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Memory(NamedTuple):
    """A slot for what was sensed, found by hashing it; what comes later takes the slot of what was there."""

    sensed: np.ndarray
    """int64 [slot]: bit j for input j."""
    stamp: np.ndarray
    """int64 [slot]: which weights it was thought with, by number."""
    action: np.ndarray
    """int64 [slot]"""


@creating
def _new_memory():
    slots = 1 << _SLOT_BITS
    return Memory(np.zeros(slots, np.int64), np.zeros(slots, np.int64), np.zeros(slots, np.int64))


@creating
def _new_room(brains):
    rows, neurons, outputs = brains.hidden.shape[1], brains.hidden.shape[2], brains.output.shape[2]
    return np.zeros(rows - 1, np.uint8), blocks.new_blocks(rows, neurons, outputs), _new_memory()


@kernel
def advance_remembering(constants, state, streams, brains, season, steps, counts, lives):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    senses, network, memory = _new_room(brains)
    stamp = 0
    for i in lives:
        stamp = _live(
            constants, state, streams[i], brains, i, season, steps, counts[i], senses, network, memory, stamp + 1
        )


@inlined
def _live(constants, state, stream, brains, i, season, steps, counts, senses, network, memory, stamp):
    """Returns the stamp of the last weights."""
    blocks.take(network.hidden, brains.hidden[i])
    blocks.take(network.output, brains.output[i])
    own, gap, punished, felt = brains.stream[i], brains.gap[i], 0, -1
    inputs, neurons = brains.hidden.shape[1], brains.hidden.shape[2]
    bias = 1 << (inputs - 1)
    learns = (
        brains.plastic[i, 0, 0] or brains.plastic[i, 1, 0],
        brains.plastic[i, 0, 1] or brains.plastic[i, 1, 1],
    )
    for _ in range(steps):
        sense(constants, state, i, senses)
        word = _word_of(senses)
        free = word == 0 or not brains.only_unseeing
        random = free and gap == 0
        if random:
            action = brains.choices[draw_below(own, brains.choices.shape[0])]
            gap = draw_gap(own, brains.gaps)
        else:
            gap -= free
            slot = np.int64((np.uint64(word) * _GOLDEN) >> np.uint64(64 - _SLOT_BITS))
            if memory.stamp[slot] == stamp and memory.sensed[slot] == word:
                action = memory.action[slot]
            else:
                blocks.feel(network, inputs, neurons, word | bias)
                blocks.think(network, neurons)
                action = _decide(network.sums[: brains.output.shape[2]], own, memory, slot, word, stamp)
                felt = word
        signal, _ = judge(constants, state, i, season, action, stream)
        act(constants, state, i, season, action, counts, stream)
        half = half_of(signal)
        if half >= 0 and not random:
            punished += signal < 0
            if learns[half]:
                if felt != word:
                    blocks.feel(network, inputs, neurons, word | bias)
                delta, plastic = brains.delta[i, :, half], brains.plastic[i, :, half]
                blocks.learn(network, inputs, neurons, word | bias, action, delta, plastic)
                stamp += 1
                felt = -1
    brains.gap[i] = gap
    brains.punished[i] += punished
    blocks.give_back(network.hidden, brains.hidden[i])
    blocks.give_back(network.output, brains.output[i])
    return stamp


@inlined
def _word_of(senses):
    word = np.int64(0)
    for j in range(senses.shape[0]):
        word |= np.int64(senses[j] > 0) << j
    return word


@inlined
def _decide(sums, own, memory, slot, word, stamp):
    """The action, remembered unless it was drawn among equals: that is done again each time."""
    action = winner(sums, own)
    best = 0
    for output in range(sums.shape[0]):
        best += sums[output] == sums[action]
    if best == 1:
        memory.sensed[slot], memory.stamp[slot], memory.action[slot] = word, stamp, action
    return np.int64(action)
