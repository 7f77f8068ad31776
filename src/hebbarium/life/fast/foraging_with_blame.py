"""Foraging lives with blame, eligibility and the like, fast: a declared acceleration of the generic loop, same bits.

The action of each of the 64 sensory states is remembered until a weight changes, and a straight run over empty cells is
jumped in one go where nothing is learned from it. What was active in the step before is asked only when it is blamed:
unless weights have changed since, the network tells it again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.plain import activate, learn_specially
from hebbarium.kernels.compile import creating, inlined, kernel
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.life.fast.foraging_remembering import open_run
from hebbarium.life.loop import Mind, feel, first_winner, new_mind
from hebbarium.worlds.foraging import SENSES, STATES, move, see
from hebbarium.worlds.grid import DIRECTION, POSITION, STRAIGHT

_NOBODY, _TOLD, _ASK = range(3)
"""Of the step before: there was none; its activities stand in `extras`; the network can still tell them."""


class Scratch(NamedTuple):
    """Room for a life while it runs."""

    mind: Mind
    remembered: np.ndarray
    """int8 [state]: the action of each state, -1 where not known."""
    before: np.ndarray
    """int64 [2]: what is known of the step before, and its sensory state."""


@creating
def _new_scratch(brains):
    return Scratch(new_mind(brains), np.zeros(STATES, np.int8), np.zeros(2, np.int64))


@kernel
def advance_foraging_specially(constants, state, streams, brains, season, steps, counts, lives, extras):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    scratch = _new_scratch(brains)
    for i in lives:
        _live(constants, state, streams[i], brains, i, season, steps, counts[i], extras, scratch)


@inlined
def _live(constants, state, stream, brains, i, season, steps, counts, extras, scratch):
    remembered, before = scratch.remembered, scratch.before
    remembered[:] = -1
    before[0] = _TOLD if extras.action[i] >= 0 else _NOBODY
    position, direction = state.agent[i, POSITION], state.agent[i, DIRECTION]
    may_jump = not _learns(brains, extras, i, constants, season, 0, STRAIGHT)
    t = 0
    while t < steps:
        seen = see(constants, state, i, position, direction)
        free = seen == 0 or not brains.only_unseeing
        random = free and brains.gap[i] == 0
        if random:
            action = brains.choices[draw_below(brains.stream[i], brains.choices.shape[0])]
            brains.gap[i] = draw_gap(brains.stream[i], brains.gaps)
        else:
            if remembered[seen] < 0:
                remembered[seen] = _decide(brains, i, seen, scratch.mind)
            action = np.int64(remembered[seen])
            if may_jump and seen == 0 and action == STRAIGHT:
                run = min(open_run(constants, state, i, position, direction), steps - t, brains.gap[i])
                position += run * constants.ahead[direction]
                brains.gap[i] -= run
                t += run
                before[0], before[1], extras.action[i] = _ASK, seen, action
                continue
            brains.gap[i] -= free
        brains.punished[i] += not random and constants.reinforcement[season, seen, action] < 0
        learns = not random and _learns(brains, extras, i, constants, season, seen, action)
        position, direction = move(constants, state, i, position, direction, action, counts, stream)
        if learns:
            _learn(brains, extras, i, constants, season, seen, action, scratch)
            remembered[:] = -1
            before[0] = _TOLD
        else:
            before[0], before[1] = _ASK, seen
        extras.action[i] = action
        t += 1
    if before[0] == _ASK:
        _ask(brains, extras, i, before[1], scratch.mind)
    state.agent[i, POSITION], state.agent[i, DIRECTION] = position, direction


@inlined
def _learns(brains, extras, i, constants, season, seen, action):
    """Whether any weight changes after an action that is the network's own."""
    signal = constants.reinforcement[season, seen, action]
    half = 0 if signal < 0 else 1
    if signal == 0 or not (brains.plastic[i, 0, half] or brains.plastic[i, 1, half]):
        return False
    return extras.blame[i, extras.judgements[season, constants.association[season, seen, action], action]] != 0.0


@inlined
def _set_senses(seen, mind):
    for bit in range(SENSES):
        mind.senses[bit] = seen >> (SENSES - 1 - bit) & 1


@inlined
def _decide(brains, i, seen, mind):
    _set_senses(seen, mind)
    feel(brains, i, mind)
    activate(brains.output[i], mind.active, mind.outputs)
    return first_winner(mind.outputs, brains.stream[i])


@inlined
def _ask(brains, extras, i, seen, mind):
    """The step before's senses and activities, told by weights that have not changed since."""
    _set_senses(seen, mind)
    feel(brains, i, mind)
    _remember(extras, i, mind)


@inlined
def _remember(extras, i, mind):
    for j in range(mind.senses.shape[0]):
        extras.senses[i, j] = mind.senses[j]
    for j in range(mind.active.shape[0]):
        extras.active[i, j] = mind.active[j]


@inlined
def _learn(brains, extras, i, constants, season, seen, action, scratch):
    mind, before = scratch.mind, scratch.before
    association = constants.association[season, seen, action]
    judgement = extras.judgements[season, association, action]
    if before[0] == _ASK and extras.eligibility[i, judgement] != 0.0:
        _ask(brains, extras, i, before[1], mind)
    _set_senses(seen, mind)
    feel(brains, i, mind)
    mind.won[:] = 0.0
    mind.won[action] = 1.0
    half = 0 if constants.reinforcement[season, seen, action] < 0 else 1
    learn_specially(brains, extras, i, half, judgement, mind)
    _remember(extras, i, mind)
