"""A user's world within a life: every step of it is checked, so that it can harm neither other lives nor itself.

Its functions are compiled with checks of every index (`kernels/compile.py`) and are given only the row of the life that
they are called for. What they write and return is checked where the loop takes it. What fails becomes one sentence
with file and line (`kernels/user_errors.py`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import signature
from numba.extending import overload
from numba.np.arrayobj import populate_array

from hebbarium.kernels.compile import inlined, raising, theirs, with_values
from hebbarium.kernels.numba_compilers import SINGLE_ROWS
from hebbarium.kernels.stack import byte_at, intrinsic, put_byte, put_word, stacked
from hebbarium.kernels.user_errors import BrokenContract
from hebbarium.life import loop
from hebbarium.life.fast import any_world_remembering
from hebbarium.worlds.base import World
from hebbarium.worlds.checking import UNWRITTEN, broken

NO_SIGNAL = 2
"""In the table of signals, where there is no association."""
SIGNALS = np.zeros((1, 1), np.int8)
"""int8 [kind of season, association id]. Each world's functions have their own; so with the number of counts."""
COUNTS = 1
UNWRITTEN_WORD = np.uint64(int.from_bytes(bytes([UNWRITTEN] * 8), "little"))


def own_row(state, i):
    """The state of one life alone: another life's row is out of bounds."""


@overload(own_row, inline="always")
def _own_row(state, i):
    SINGLE_ROWS.add(state.instance_class)
    # numba can build a NamedTuple of a known class only from fields that are written out.
    scope = {"kind": state.instance_class, "row_of": row_of}
    fields = ", ".join(f"row_of(state.{name}, i)" for name in state.fields)
    exec(f"def row(state, i): return kind({fields})", scope)
    return scope["row"]


@intrinsic
def row_of(typing_context, array, i):
    """array[i : i + 1], which exists: numba would look with six branches whether it does, at every step."""

    def generate(context, builder, sig, arguments):
        whole = context.make_array(array)(context, builder, arguments[0])
        shape = [context.get_constant(types.intp, 1), *cgutils.unpack_tuple(builder, whole.shape)[1:]]
        strides = cgutils.unpack_tuple(builder, whole.strides)
        start = builder.mul(arguments[1], strides[0])
        row = context.make_array(array)(context, builder)
        data = cgutils.pointer_add(builder, whole.data, start)
        populate_array(row, data, shape, strides, whole.itemsize, whole.meminfo, whole.parent)
        return row._getvalue()

    return signature(array, array, types.intp), generate


@theirs
def their_begin(constants, state, i, stream): ...


@theirs
def their_turn(constants, state, i, season, stream): ...


@theirs
def their_sense(constants, state, i, senses): ...


@theirs
def their_judge(constants, state, i, season, action, stream): ...


@theirs
def their_act(constants, state, i, season, action, counts, stream): ...


@theirs
def their_note(constants, state, i, notes, t): ...


@theirs
def their_choose(constants, state, i, season, stream): ...


@theirs
def their_coast(constants, state, i, season, action, most, counts): ...


@inlined
def begin(constants, state, i, stream):
    their_begin(constants, own_row(state, i), 0, stream)


@inlined
def turn(constants, state, i, season, stream):
    their_turn(constants, own_row(state, i), 0, season, stream)


@inlined
def sense(constants, state, i, senses):
    for bit in range(senses.shape[0]):
        put_byte(senses, bit, UNWRITTEN)
    their_sense(constants, own_row(state, i), 0, senses)
    seen = 0
    for bit in range(senses.shape[0]):
        seen |= byte_at(senses, bit)
    if seen > 1:
        refuse_senses(senses, senses.shape[0])


@inlined
def sense_word(constants, state, i, room, inputs):
    """The same for loops that need a word: eight bytes are marked at once, and each is read once for word and check."""
    for j in range(0, inputs, 8):
        put_word(room, j, UNWRITTEN_WORD >> np.uint64(64 - 8 * min(inputs - j, 8)))
    their_sense(constants, own_row(state, i), 0, room[:inputs])
    word, seen = 0, 0
    for j in range(0, inputs, 4):
        first, second, third, fourth = (
            byte_at(room, j),
            byte_at(room, j + 1),
            byte_at(room, j + 2),
            byte_at(room, j + 3),
        )
        seen |= first | second | (third | fourth)
        word |= (first | second << 1 | (third << 2 | fourth << 3)) << j
    if seen > 1:
        refuse_senses(room, inputs)
    return word


@inlined
def refuse_senses(senses, inputs):
    for bit in range(inputs):
        if senses[bit] > 1:
            refuse_sense(bit, senses[bit], inputs)


@inlined
def judge(constants, state, i, season, action, stream):
    signal, association = their_judge(constants, own_row(state, i), 0, season, action, stream)
    known = 0 <= association < SIGNALS.shape[1]
    if not known or SIGNALS[season, association] != signal:
        refuse_signal(season, signal, association)
    return signal, association


@inlined
def act(constants, state, i, season, action, counts, stream):
    before = stacked(counts, COUNTS, COUNTS)
    for place in range(COUNTS):
        before[place] = counts[place]
    their_act(constants, own_row(state, i), 0, season, action, counts, stream)
    for place in range(COUNTS):
        if counts[place] < before[place]:
            refuse_count(place)


@inlined
def coast(constants, state, i, season, action, most, counts):
    before = stacked(counts, COUNTS, COUNTS)
    for place in range(COUNTS):
        before[place] = counts[place]
    gave = their_coast(constants, own_row(state, i), 0, season, action, most, counts)
    taken = np.int64(gave)
    if taken != gave or not 0 <= taken <= most:
        refuse_coast(gave, most)
    for place in range(COUNTS):
        if counts[place] < before[place]:
            refuse_coasted_count(place)
    return taken


@inlined
def note(constants, state, i, notes, t):
    their_note(constants, own_row(state, i), 0, notes, t)


@inlined
def choose(constants, state, i, season, stream):
    return their_choose(constants, own_row(state, i), 0, season, stream)


@inlined
def think_perfectly(constants, state, i, season, brains, mind):
    """As the loop's own, for a world whose perfect agent may name an action that does not exist."""
    action = choose(constants, state, i, season, brains.stream[i])
    if not 0 <= action < brains.output.shape[2]:
        refuse_action(action, brains.output.shape[2])
    return action


@raising
def refuse_sense(bit, value, inputs):
    raise BrokenContract("sense", bit, value, inputs)


@raising
def refuse_signal(season, signal, association):
    raise BrokenContract("judge", season, signal, association)


@raising
def refuse_count(place):
    raise BrokenContract("act", place)


@raising
def refuse_coast(taken, most):
    raise BrokenContract("coast", taken, most)


@raising
def refuse_coasted_count(place):
    raise BrokenContract("coast", place)


@raising
def refuse_action(action, outputs):
    raise BrokenContract("choose", action, outputs)


def signals_of(world: type[World]) -> np.ndarray:
    """int8 [kind of season, association id]"""
    table = np.full((len(world.kinds), max(row.id for row in world.associations) + 1), NO_SIGNAL, np.int8)
    for row in world.associations:
        table[:, row.id] = row.signals
    return table


def parts_of(world: type[World]) -> dict[Any, Any]:
    """What is filled in for the loop's open functions in a user's world."""
    own = {"SIGNALS": signals_of(world), "COUNTS": len(world.counts)}
    parts: dict[Any, Any] = {}
    for name, function in world.kernels().items():
        parts[globals()[f"their_{name}"]] = function
        parts[getattr(loop, name)] = around = globals()[name]
    parts[any_world_remembering.sense_word] = sense_word
    for opened, around in parts.items():
        if around.__module__ == __name__:
            parts[opened] = copy = with_values(around, **own)
            copy.told = functools.partial(broken, world)  # type: ignore[attr-defined]
    return parts
