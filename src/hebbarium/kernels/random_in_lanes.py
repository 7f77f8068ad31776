"""The random streams of eight lives at a time: the words that `random.py` draws from each alone."""

from __future__ import annotations

import numpy as np

from hebbarium.kernels.compile import inlined
from hebbarium.kernels.vectors import WIDTH, choose, evens, fill, first_pairs, last_pairs, load, odds, store


@inlined
def draw_words(streams, drawing):
    """A word of each stream; those where the mask `drawing` is not set stay as they are.

    streams: uint64 [life, 2], flat"""
    first, last = load(streams, 0), load(streams, WIDTH)
    states, strides = evens(first, last), odds(first, last)
    word = states + strides
    states = choose(drawing, word, states)
    store(streams, 0, first_pairs(states, strides))
    store(streams, WIDTH, last_pairs(states, strides))
    word = (word ^ (word >> fill(np.uint64(30)))) * fill(np.uint64(0xBF58476D1CE4E5B9))
    word = (word ^ (word >> fill(np.uint64(27)))) * fill(np.uint64(0x94D049BB133111EB))
    return word ^ (word >> fill(np.uint64(31)))
