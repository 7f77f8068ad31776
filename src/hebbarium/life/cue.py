"""A cue: inputs beside the world's own, one for each kind of season, that say which it is, rightly or not.

A world with a cue is the world as it is, in a wrapping: its functions are called by those below, and draw the same
random numbers as without. The cue is drawn anew when a season begins and after each step, from a stream of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hebbarium.kernels.compile import inlined, opened
from hebbarium.kernels.random import WORLD, draw_below, draw_unit, mix, open_stream
from hebbarium.life import loop, rehearsal
from hebbarium.worlds.base import World

_CUE = np.uint64(0xC0E)
"""Tells this stream from any other of the life."""


class Constants(NamedTuple):
    own: Any
    kinds: int
    right: float
    """How likely the cue is right."""


class State(NamedTuple):
    own: Any
    stream: np.ndarray
    """uint64 [lifetime, 2]"""
    season: np.ndarray
    """int64 [lifetime]: the kind that it is."""
    said: np.ndarray
    """int64 [lifetime]: the kind that the cue says it is."""


@opened
def own_begin(constants, state, i, stream):
    """The world's own, as the next six."""


@opened
def own_turn(constants, state, i, season, stream): ...


@opened
def own_sense(constants, state, i, senses): ...


@opened
def own_judge(constants, state, i, season, action, stream): ...


@opened
def own_act(constants, state, i, season, action, counts, stream): ...


@opened
def own_choose(constants, state, i, season, stream): ...


@opened
def own_note(constants, state, i, notes, t): ...


@inlined
def begin(constants, state, i, stream):
    open_stream(state.stream[i], mix(stream[0] ^ _CUE), 0, WORLD)
    own_begin(constants.own, state.own, i, stream)


@inlined
def turn(constants, state, i, season, stream):
    own_turn(constants.own, state.own, i, season, stream)
    state.season[i] = season
    draw_cue(constants, state, i)


@inlined
def sense(constants, state, i, senses):
    first = senses.shape[0] - constants.kinds
    own_sense(constants.own, state.own, i, senses[:first])
    for kind in range(constants.kinds):
        senses[first + kind] = state.said[i] == kind


@inlined
def judge(constants, state, i, season, action, stream):
    return own_judge(constants.own, state.own, i, season, action, stream)


@inlined
def act(constants, state, i, season, action, counts, stream):
    own_act(constants.own, state.own, i, season, action, counts, stream)
    draw_cue(constants, state, i)


@inlined
def choose(constants, state, i, season, stream):
    return own_choose(constants.own, state.own, i, season, stream)


@inlined
def note(constants, state, i, notes, t):
    own_note(constants.own, state.own, i, notes, t)


@inlined
def draw_cue(constants, state, i):
    season = state.season[i]
    if draw_unit(state.stream[i]) < constants.right:
        state.said[i] = season
    else:
        other = draw_below(state.stream[i], constants.kinds - 1)
        state.said[i] = other + (other >= season)


def constants_of(world: World) -> Any:
    """A world's constants, in their wrapping where it has a cue; so the next two."""
    own = rehearsal.constants_of(world)
    return Constants(own, len(world.kinds), world.cue) if world.cue else own


def state_of(world: World, lifetimes: int) -> Any:
    own = rehearsal.state_of(world, lifetimes)
    if not world.cue:
        return own
    season, said = np.zeros((2, lifetimes), np.int64)
    return State(own, np.zeros((lifetimes, 2), np.uint64), season, said)


def parts_of(world: type[World], cued: bool) -> dict[Any, Any]:
    """What is filled in for the loop's open functions."""
    parts = rehearsal.parts_of(world)
    if cued:
        parts.setdefault(loop.turn, loop.turn_nothing)
        for name in ("begin", "turn", "sense", "judge", "act", "choose", "note"):
            wrapped = getattr(loop, name)
            if wrapped in parts:
                parts[globals()[f"own_{name}"]], parts[wrapped] = parts[wrapped], globals()[name]
    return parts


def own_part(world: World, record: Any) -> Any:
    """A world's own constants or state."""
    return record.own if world.cue else record
