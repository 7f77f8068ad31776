"""Prey-predator's kernels: lives in which weights change at nearly every step, with many inputs and few of them active.

The world is in `prey_predator_world.py`, the moving objects in `objects.py`, and the two layers, which
are where most of the time goes, in `sparse.py` and `readout.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.core import objects, readout, sparse
from hebbarium.core.compile import creating, inlined, kernel
from hebbarium.core.network import Brains, bear
from hebbarium.core.prey_predator_world import (
    CAUGHT,
    DIRECTION,
    POSITION,
    Constants,
    Worlds,
    act,
    board_of,
    constants,
    furnish,
    judge,
    list_inputs,
    may_see,
    new_worlds,
    sense,
)
from hebbarium.core.random import WORLD, draw_below, draw_gap, open_stream
from hebbarium.core.trace import Steps
from hebbarium.tasks.grid import EMPTY

__all__ = ["advance", "begin", "constants", "new_worlds"]


class Scratch(NamedTuple):
    """Room for one life while it runs."""

    hidden: sparse.Layer
    output: readout.Layer
    sensed: np.ndarray
    """uint8 [sensed cell]: what it holds."""
    found: np.ndarray
    """int64 [sensed cell]: those that are not empty."""
    inputs: np.ndarray
    """int64 [input]: the active ones, the bias last; one more place is written to but not used."""


@creating
def _new_scratch(cells, neurons, outputs):
    return Scratch(
        sparse.new_layer(2 * cells + 1, neurons),
        readout.new_layer(neurons + 1, outputs),
        np.zeros(cells, np.uint8),
        np.zeros(cells, np.int64),
        np.zeros(2 * cells + 2, np.int64),
    )


@kernel
def begin(constants: Constants, worlds: Worlds, brains: Brains, seeds, trials) -> None:
    """Newborn brains in fresh worlds. seeds, trials: uint64 [lifetime]."""
    for i in range(seeds.shape[0]):
        open_stream(worlds.stream[i], seeds[i], trials[i], WORLD)
        furnish(constants, board_of(worlds, i), worlds.agent[i])
        bear(brains, i, seeds[i], trials[i], constants.gaps)


@kernel
def advance(constants: Constants, worlds: Worlds, brains: Brains, season, steps, counts, trace) -> None:
    """Let every lifetime live on for `steps` steps of one season.

    season: SUMMER or WINTER. counts: int64 [lifetime, count], added to.
    trace: None, or the Steps of lifetime 0.
    """
    scratch = _new_scratch(constants.seen_square.shape[0], brains.hidden.shape[2], brains.output.shape[2])
    for i in range(counts.shape[0]):
        sparse.take(scratch.hidden, brains.hidden[i], brains.tally[i])
        readout.take(scratch.output, brains.output[i])
        _live(constants, board_of(worlds, i), worlds.agent[i], brains, i, season, steps, counts[i], trace, scratch)
        sparse.give_back(scratch.hidden, brains.hidden[i], brains.tally[i])
        readout.give_back(scratch.output, brains.output[i])


@inlined
def _live(constants, board, agent, brains, i, season, steps, counts, trace, scratch):
    sensed, found, inputs = scratch.sensed, scratch.found, scratch.inputs
    stream, plastic = brains.stream[i], brains.plastic[i]
    for t in range(steps):
        things = sense(constants, board, agent, sensed, found) if may_see(constants, board, agent) else 0
        count = list_inputs(sensed, found, things, inputs)
        random = brains.gap[i] == 0
        if random:
            action = draw_below(stream, 3)
            brains.gap[i] = draw_gap(stream, constants.gaps)
        else:
            brains.gap[i] -= 1
            action = _decide(scratch, count, stream)
        thing, behaviour = judge(constants, sensed, found, things, action, board.stream)
        signal = constants.reinforcement[season, thing, behaviour]
        if trace is not None:
            if things == 0:
                sensed[:] = EMPTY
            _write_step(constants, agent, sensed, action, random, thing, behaviour, season, trace, t)
        act(constants, board, agent, season, action, counts)
        counts[CAUGHT] += objects.move_all(constants.rules, board, agent[POSITION], season)
        half = 0 if signal < 0 else 1
        if signal != 0 and not random and plastic[half]:
            _learn(scratch, brains, i, half, action)


@inlined
def _decide(scratch, count, stream):
    """The output that acts; among equals a random one."""
    sparse.activate(scratch.hidden, scratch.inputs, count)
    readout.activate(scratch.output, scratch.hidden.fires)
    sums, best, ties = scratch.output.sums, 0, 1
    for i in range(1, 3):
        if sums[i] > sums[best]:
            best, ties = i, 1
        elif sums[i] == sums[best]:
            ties += 1
    if ties > 1:
        best = _tied(sums, best, draw_below(stream, ties))
    return np.int64(best)


@inlined
def _tied(sums, best, chosen):
    """One of the outputs whose sums equal the best's."""
    for i in range(best, 3):
        if sums[i] == sums[best]:
            if chosen == 0:
                return i
            chosen -= 1
    return best


@inlined
def _learn(scratch, brains, i, half, action):
    """Change both layers, as they were activated by the senses and the action."""
    if brains.changes[i] % sparse.RECOUNT == 0:
        sparse.recount(scratch.hidden)
        readout.vanish(scratch.output)
    brains.changes[i] += 1
    readout.change(scratch.output, brains.delta[i], half, scratch.hidden.fires, action)
    sparse.change(scratch.hidden, brains.delta[i], half)
    if brains.changes[i] % sparse.TIDY == 0:
        sparse.tidy(scratch.hidden)


@inlined
def _write_step(constants, agent, sensed, action, random, thing, behaviour, season, trace: Steps, t):
    rules = constants.rules
    trace.position[t, 0] = (agent[POSITION] >> rules.shift) - rules.border + 1
    trace.position[t, 1] = (agent[POSITION] & ((1 << rules.shift) - 1)) - rules.border + 1
    trace.direction[t] = agent[DIRECTION]
    for cell in range(sensed.shape[0]):
        trace.sensed[t, cell] = sensed[cell]
    trace.action[t] = action
    trace.random[t] = random
    trace.reinforcement[t] = constants.reinforcement[season, thing, behaviour]
    trace.association[t] = constants.association[thing, behaviour]
