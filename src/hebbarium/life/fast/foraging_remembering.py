"""One foraging life on its own, for when weights change rarely.

The rules' reward halves are all `0`, or the network is frozen. The action of each of the 64 sensory states is
remembered until a weight changes, and a straight run over empty cells is jumped in one go.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.kernels.bits import leading_zeros, trailing_zeros, word_at
from hebbarium.kernels.compile import creating, inlined, kernel
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.life.fast import foraging_network
from hebbarium.life.fast.foraging_network import OUTPUTS, UNKNOWN, Network, new_network
from hebbarium.worlds.foraging import STATES, WALLS_COUNT, collect, row_of, see
from hebbarium.worlds.grid import DIRECTION, EMPTY, POSITION, STRAIGHT, WALL

_PUNISHED, _JUMP = 4, 8
"""What is remembered of a state beside the action: that it is punished; that what is in view will be the same after."""
REACH = 56
"""Cells that one look reaches."""
_SIGNS = np.array([-1, 1, 1, -1])
"""int64 [direction]: what a step adds to the place in a line, which is a row or a column."""
_AHEAD = 16
"""Random actions that are drawn ahead."""


class Scratch(NamedTuple):
    """Room for a life while it runs."""

    network: Network
    ahead: np.ndarray
    """int64: the random actions that come next; from _GAPS on the steps between each of them and the one after it; from
    _DRAWN on the random stream's state before each of them was drawn, and after the last."""


_GAPS, _DRAWN = _AHEAD, 2 * _AHEAD


@creating
def _new_scratch(constants, brains, season):
    network = new_network(brains.hidden.shape[2])
    for state in range(STATES):
        for action in range(OUTPUTS):
            punished = constants.reinforcement[season, state, action] < 0
            network.codes[state * OUTPUTS + action] = action + _PUNISHED * punished
    network.codes[STRAIGHT] = STRAIGHT + _JUMP  # of state 0
    return Scratch(network, np.zeros(_DRAWN + _AHEAD + 1, np.int64))


@kernel
def advance_foraging_alone(constants, state, streams, brains, season, steps, counts, lives):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    scratch = _new_scratch(constants, brains, season)
    for i in lives:
        _live(constants, state, streams[i], brains, i, steps, counts[i], scratch, False)


@kernel
def advance_foraging_alone_unseeing(constants, state, streams, brains, season, steps, counts, lives):
    """The same where actions are random only while nothing is sensed."""
    scratch = _new_scratch(constants, brains, season)
    for i in lives:
        _live(constants, state, streams[i], brains, i, steps, counts[i], scratch, True)


@inlined
def _live(constants, state, stream, brains, i, steps, counts, scratch, unseeing):
    """One life. Where it is and its gap are held in registers and written back at the end.

    A turn of the loop is a jump, which may be one over no cell, and a step: whether there is something to jump over
    cannot be foreseen, so that a branch for it would often be guessed wrong. Whether an action is random is a
    branch, because what depends on a right guess need not wait for it.

    unseeing: whether actions are random only where nothing is seen. Callers give it as a constant, which makes two
    loops of this one, so that it is not asked at every step."""
    neurons, network, remembered = brains.hidden.shape[2], scratch.network, scratch.network.remembered
    delta, plastic = brains.delta[i, :, 0], brains.plastic[i, :, 0]
    learns = plastic[0] or plastic[1]
    foraging_network.take(network, brains.hidden[i], brains.output[i], delta)
    gap, position, direction = brains.gap[i], state.agent[i, POSITION], state.agent[i, DIRECTION]
    line, place = _line_and_place(constants, position, direction)
    ahead, used = scratch.ahead, _AHEAD
    ahead[_DRAWN + used] = np.int64(brains.stream[i, 0])
    # It jumps as soon as it is known to go straight on where nothing is in view.
    t = punished = reach = 0
    while t < steps:
        run = min(clear_cells(state, i, line, place, direction), min(reach, gap, steps - t))
        position += run * constants.ahead[np.uint64(direction)]
        place += run * _SIGNS[np.uint64(direction)]
        gap -= run
        t += run
        if t == steps:
            break
        seen = see(constants, state, i, position, direction)
        code = np.int64(remembered[seen])
        if code == UNKNOWN:
            foraging_network.decide(network, neurons, seen)
            code = np.int64(remembered[seen])
            reach = REACH if remembered[0] == STRAIGHT + _JUMP else 0
        gap -= not unseeing or seen == 0
        if gap < 0:
            if used == _AHEAD:
                _draw_ahead(brains, i, ahead)
                used = 0
            code, gap = ahead[used], ahead[_GAPS + used]
            used += 1
        action = code & 3
        turned, thing = (direction + action + 3) & 3, seen >> (4 - 2 * action) & 3
        if thing == WALL:
            counts[WALLS_COUNT] += 1
            if constants.turn_at_wall:
                line, place = (line, place) if action == STRAIGHT else (place, line)
                direction = turned
        else:
            position += constants.ahead[np.uint64(turned)]
            line, place = (line, place) if action == STRAIGHT else (place, line)
            place += _SIGNS[np.uint64(turned)]
            direction = turned
            if thing != EMPTY:
                collect(constants, state, i, position, thing, counts, stream)
        if code & _PUNISHED:
            punished += 1
            if learns:
                foraging_network.learn(network, neurons, seen, action, plastic)
                reach = REACH if remembered[0] == STRAIGHT + _JUMP else 0
        t += 1
    brains.punished[i] += punished
    brains.gap[i], state.agent[i, POSITION], state.agent[i, DIRECTION] = gap, position, direction
    brains.stream[i, 0] = np.uint64(ahead[_DRAWN + used])
    foraging_network.give_back(network, brains.hidden[i], brains.output[i], plastic)


@inlined
def _draw_ahead(brains, i, ahead):
    """The next random actions, all at once: no step waits for them."""
    own = brains.stream[i]
    for k in range(_AHEAD):
        ahead[_DRAWN + k] = np.int64(own[0])
        ahead[k] = brains.choices[draw_below(own, brains.choices.shape[0])]
        ahead[_GAPS + k] = draw_gap(own, brains.gaps)
    ahead[_DRAWN + _AHEAD] = np.int64(own[0])


@inlined
def open_run(constants, state, i, position, direction):
    """Straight steps until something comes into view, or REACH of them; none where something is."""
    line, place = _line_and_place(constants, position, direction)
    return min(clear_cells(state, i, line, place, direction), REACH)


@inlined
def _line_and_place(constants, position, direction):
    """The row or the column that an agent goes along, and where in it."""
    row = row_of(constants, position)
    column = position - row * constants.side
    return (row, column) if direction & 1 == 1 else (column, row)


@inlined
def clear_cells(state, i, line, place, direction):
    """From how many cells on, this one first, nothing is in view; of the number, what is beyond REACH means nothing.

    Going along a line of a bit board, something is in view from a place when a bit of the lines beside it is set there,
    or one of its own at the place after. 64 bits are read from a byte on, towards where the agent goes: after shifting
    at least REACH of them count. The wall ends every run.
    """
    onward, lines = direction == 1 or direction == 2, state.lines[i]
    width = 8 * lines.shape[2]
    byte = line * width + (place >> 3) + ((direction & 1) * lines.shape[1] * width - (0 if onward else 7))
    beside, own = word_at(lines, byte) | word_at(lines, byte + 2 * width), word_at(lines, byte + width)
    up = (beside | own >> np.uint64(1)) >> np.uint64(place & 7)
    down = (beside | own << np.uint64(1)) << np.uint64(7 - (place & 7))
    return trailing_zeros(up) if onward else leading_zeros(down)
