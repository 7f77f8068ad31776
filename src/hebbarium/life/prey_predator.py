"""Prey-predator lives, fast: a declared acceleration of the generic loop with the tallied arithmetic, to the same bits.

Weights change at nearly every step here, with many inputs and few of them active. The two layers, which are where most
of the time goes, are in `brains/sparse.py` and `brains/readout.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains import readout, sparse
from hebbarium.brains.sparse_layer import TIDY, SparseLayer, new_layer
from hebbarium.brains.tallied import RECOUNT
from hebbarium.kernels.compile import creating, inlined, kernel
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.life.loop import random_winner_of
from hebbarium.worlds import objects
from hebbarium.worlds.grid import POSITION
from hebbarium.worlds.objects import Board
from hebbarium.worlds.prey_predator import CAUGHT, behave, look, may_see, move


class Scratch(NamedTuple):
    """Room for one life while it runs."""

    hidden: SparseLayer
    output: readout.ReadoutLayer
    sensed: np.ndarray
    """uint8 [sensed cell]: what it holds."""
    found: np.ndarray
    """int64 [sensed cell]: those that are not empty."""
    inputs: np.ndarray
    """int64 [input]: the active ones, the bias last; one more place is written to but not used."""


@creating
def _new_scratch(cells, neurons, outputs):
    return Scratch(
        new_layer(2 * cells + 1, neurons),
        readout.new_layer(neurons + 1, outputs),
        np.zeros(cells, np.uint8),
        np.zeros(cells, np.int64),
        np.zeros(2 * cells + 2, np.int64),
    )


@kernel
def advance_prey_predator(constants, state, streams, brains, season, steps, counts):
    """Let every lifetime live on for `steps` steps of one season. counts: int64 [lifetime, count], added to."""
    scratch = _new_scratch(constants.seen_square.shape[0], brains.hidden.shape[2], brains.output.shape[2])
    for i in range(counts.shape[0]):
        board = Board(state.cells[i], state.objects[i], state.shared[i], streams[i])
        sparse.take(scratch.hidden, brains.hidden[i], brains.tally[i])
        readout.take(scratch.output, brains.output[i])
        _live(constants, board, state.agent[i], brains, i, season, steps, counts[i], scratch)
        sparse.give_back(scratch.hidden, brains.hidden[i], brains.tally[i])
        readout.give_back(scratch.output, brains.output[i])


@inlined
def _live(constants, board, agent, brains, i, season, steps, counts, scratch):
    sensed, found, inputs = scratch.sensed, scratch.found, scratch.inputs
    stream, plastic, gap, punished = brains.stream[i], brains.plastic[i], brains.gap[i], 0
    for _ in range(steps):
        things = look(constants, board.cells, agent, sensed, found) if may_see(constants, board, agent) else 0
        count = _list_inputs(sensed, found, things, inputs)
        free = things == 0 or not brains.only_unseeing
        random = free and gap == 0
        if random:
            action = brains.choices[draw_below(stream, brains.choices.shape[0])]
            gap = draw_gap(stream, brains.gaps)
        else:
            gap -= free
            sparse.activate(scratch.hidden, inputs, count)
            readout.activate(scratch.output, scratch.hidden.fires)
            action = np.int64(random_winner_of(scratch.output.sums, 3, stream))
        thing, behaviour = behave(constants, sensed, found, things, action, board.stream)
        signal = constants.reinforcement[season, thing, behaviour]
        move(constants, board, agent, season, action, counts)
        counts[CAUGHT] += objects.move_all(constants.rules, board, agent[POSITION], season)
        half = 0 if signal < 0 else 1
        punished += signal < 0 and not random
        if signal != 0 and not random and (plastic[0, half] or plastic[1, half]):
            _learn(scratch, brains, i, half, action)
    brains.gap[i] = gap
    brains.punished[i] += punished


@inlined
def _list_inputs(sensed, found, things, inputs):
    """The active inputs in their order, the bias last; returns how many. things: how many cells were found."""
    count = 0
    for place in range(things):
        cell, thing = found[place], int(sensed[found[place]])
        inputs[count] = 2 * cell
        count += thing >> 1
        inputs[count] = 2 * cell + 1
        count += thing & 1
    inputs[count] = 2 * sensed.shape[0]
    return count + 1


@inlined
def _learn(scratch, brains, i, half, action):
    """Change the layers that are plastic, as they were activated by the senses and the action."""
    if brains.changes[i] % RECOUNT == 0:
        sparse.recount(scratch.hidden)
        readout.vanish(scratch.output)
    brains.changes[i] += 1
    if brains.plastic[i, 1, half]:
        readout.change(scratch.output, brains.delta[i, 1, half], scratch.hidden.fires, action)
    if brains.plastic[i, 0, half]:
        sparse.change(scratch.hidden, brains.delta[i, 0, half])
    if brains.changes[i] % TIDY == 0:
        sparse.tidy(scratch.hidden)
