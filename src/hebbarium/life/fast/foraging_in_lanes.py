"""What foraging fills in where eight of its lives are lived together: all that is sensed is one number, 0 to 63."""

from __future__ import annotations

from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.kernels.compile import inlined
from hebbarium.kernels.vectors import bit_set, choose, fill, store
from hebbarium.worlds.foraging import SENSES, look


@inlined
def sense_state(constants, state, i, scratch, lane):
    seen = look(constants, state, i)
    state.seen[i] = seen
    scratch.words[lane] = seen


@inlined
def sees_state(scratch, lane):
    return scratch.words[lane] != 0


@inlined
def set_state_senses(scratch, inputs):
    """The first sensor is the highest bit."""
    for j in range(SENSES):
        active = bit_set(scratch.words, SENSES - 1 - j)
        store(scratch.hidden.pre, j * LANES, choose(active, fill(1.0), fill(0.0)))
