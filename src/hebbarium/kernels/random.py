"""Random streams that are the same on every machine: whole-number arithmetic, no libm.

A stream is SplitMix64 (Steele, Lea and Flood 2014): a state and an odd stride of its own, both derived
from (seed, trial, which stream). A lifetime has two: its world's and its brain's.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from hebbarium.kernels.compile import inlined

WORLD, BRAIN = 0, 1
NEVER = 1 << 62
GAPS = 256
"""Entries of the table from which gaps between random actions are drawn."""
_GUIDES = 1024

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@inlined
def mix(word):
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inlined
def open_stream(stream, seed, trial, which):
    """stream: uint64 [2], state and stride. Seed and trial are mixed apart, so that neighbours share nothing."""
    key = mix(mix(np.uint64(seed) + _GOLDEN) + _GOLDEN * (np.uint64(2) * np.uint64(trial) + np.uint64(which + 1)))
    stream[0] = mix(key + _GOLDEN)
    stride = mix(key ^ _GOLDEN) | np.uint64(1)
    changes = stride ^ (stride >> np.uint64(1))
    ones = 0
    while changes != np.uint64(0):  # a stride with long runs of equal bits mixes badly
        changes &= changes - np.uint64(1)
        ones += 1
    if ones < 24:
        stride ^= np.uint64(0xAAAAAAAAAAAAAAAA)
    stream[1] = stride


@inlined
def draw_word(stream):
    stream[0] += stream[1]
    return mix(stream[0])


@inlined
def draw_unit(stream):
    """Uniform in [0, 1), a multiple of 2^-53."""
    return np.float64(np.int64(draw_word(stream) >> np.uint64(11))) * (1.0 / 9007199254740992.0)


@inlined
def draw_below(stream, n):
    """Uniform whole number in 0..n-1, n < 2^32; the multiply-shift's bias is below n / 2^32."""
    return np.int64(((draw_word(stream) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


class GapTable(NamedTuple):
    """From which steps between random actions are drawn."""

    survival: np.ndarray
    """float64 [GAPS + 1]: the chance that at least k steps pass before a random action."""
    guide: np.ndarray
    """uint8 [_GUIDES]: the shortest gap of any number in [k, k + 1) / _GUIDES, where its search begins."""


@functools.lru_cache(maxsize=16)
def gap_table(probability: float) -> GapTable:
    """Made once: every batch of lives needs it, and none changes it."""
    survival = np.ones(GAPS + 1)
    for k in range(GAPS):
        survival[k + 1] = survival[k] * (1.0 - probability)
    largest = np.arange(1, _GUIDES + 1) / _GUIDES - 2.0**-53
    longer = np.searchsorted(-survival[:GAPS], -largest)
    return GapTable(survival, (longer - 1).astype(np.uint8))


@inlined
def draw_gap(stream, gaps):
    """Steps until the next random action: one draw in place of one per step.

    Gaps have no memory, so one beyond the table is the table's length and a new draw.
    """
    survival = gaps.survival
    if survival[GAPS] == 1.0:
        return NEVER
    gap = 0
    while True:
        unit = draw_unit(stream)
        if unit >= survival[GAPS]:
            break
        gap += GAPS
    last = np.int64(gaps.guide[np.int64(unit * _GUIDES)])
    last += survival[last + 1] > unit  # one step without a branch, which would often be a surprise
    while survival[last + 1] > unit:  # at the latest it ends with the table
        last += 1
    return gap + last
