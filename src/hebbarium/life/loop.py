"""The one loop of a life: any brain, or agent without one, in any world.

An agent senses, acts, gets a judgement, and learns from it. The loop is compiled for each world and each kind of mind
by filling in the open functions below. Faster loops for some lives are in `fast/`; `dispatch.py` chooses between them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.base import half_of
from hebbarium.brains.plain import activate, learn_specially
from hebbarium.kernels.compile import creating, inlined, kernel, opened
from hebbarium.kernels.random import WORLD, draw_below, draw_gap, open_stream


class Mind(NamedTuple):
    """Room for a network while it thinks."""

    senses: np.ndarray
    """uint8 [input and bias]"""
    sums: np.ndarray
    """float64 [hidden neuron]"""
    active: np.ndarray
    """float64 [hidden neuron and bias]: 1.0 where one is active."""
    outputs: np.ndarray
    """float64 [output]: their sums."""
    won: np.ndarray
    """float64 [output]: 1.0 for the one that acted."""
    before: np.ndarray
    """float64 [output]: the same for the step before."""
    factors: np.ndarray
    """float64: scratch for scaling either layer."""
    table: np.ndarray
    """float64 [pre active, post active]: scratch for a table of changes."""
    aside: np.ndarray
    """uint64 [2]: a copy of a random stream, for looking without touching."""


class Steps(NamedTuple):
    """What is written down at every step of a traced life: one row per step, as it was when the agent acted."""

    senses: np.ndarray
    """uint8 [step, input]"""
    action: np.ndarray
    """int8 [step]: the place in the world's `actions`."""
    random: np.ndarray
    """bool [step]: whether the action was random."""
    reinforcement: np.ndarray
    """int8 [step]: -1, 0 or +1 as the world gave it (a random step changes no weight whatever it says)."""
    association: np.ndarray
    """int8 [step]: id of the association that decided the reinforcement."""
    fired: np.ndarray
    """int32 [step]: hidden neurons that were active when the network chose; at a random step it means nothing."""


@opened
def begin(constants, state, i, stream):
    """The world's, as the next four: see `worlds/base.py`."""


@opened
def turn(constants, state, i, season, stream): ...


@opened
def sense(constants, state, i, senses): ...


@opened
def judge(constants, state, i, season, action, stream): ...


@opened
def act(constants, state, i, season, action, counts, stream): ...


@opened
def note(constants, state, i, notes, t): ...


@opened
def coast(constants, state, i, season, action, most, counts):
    """The world's, in place of `act` where a loop knows the next actions; the loop below does not."""


@opened
def choose(constants, state, i, season, stream): ...


@opened
def think(constants, state, i, season, brains, mind):
    """The mind's: which action to take."""


@opened
def told(constants, state, i, season, action, stream, mind):
    """The mind's: signal and association, for a mind that listens, or without a trace in the world for one that does
    not."""


@opened
def respond(brains, i, mind):
    """The mind's, where an action is random: what its hidden neurons do."""


@opened
def take(brains, extras, i, season, action, random, signal, association, mind):
    """The mind's: learn from what was said of an action that `decide` has just given."""


@opened
def learn(brains, i, half, mind):
    """The brain's."""


@opened
def winner(sums, stream):
    """The brain's: which output acts."""


@kernel
def begin_all(constants, state, streams, seeds, trials):
    """Fresh worlds. seeds, trials: uint64 [lifetime]"""
    for i in range(seeds.shape[0]):
        open_stream(streams[i], seeds[i], trials[i], WORLD)
        begin(constants, state, i, streams[i])


@kernel
def turn_all(constants, state, streams, season):
    """A season begins."""
    for i in range(streams.shape[0]):
        turn(constants, state, i, season, streams[i])


@creating
def new_mind(brains):
    neurons, outputs = brains.hidden.shape[2], brains.output.shape[2]
    return Mind(
        np.ones(brains.inputs + 1, np.uint8),
        np.zeros(neurons),
        np.ones(neurons + 1),
        np.zeros(outputs),
        np.zeros(outputs),
        np.zeros(outputs),
        np.zeros(max(neurons, outputs)),
        np.zeros((2, 2)),
        np.zeros(2, np.uint64),
    )


@kernel
def advance(constants, state, streams, brains, season, steps, counts, extras, trace, notes):
    """Let every lifetime live on for `steps` steps of one season.

    streams: uint64 [lifetime, 2], the worlds'. counts: int64 [lifetime, count], added to.
    extras: None, or the Extras of these lives. trace, notes: None, or the Steps and the world's notes of lifetime 0.
    """
    mind = new_mind(brains)
    senses = mind.senses[:-1]
    for i in range(counts.shape[0]):
        stream, counted = streams[i], counts[i]
        for t in range(steps):
            sense(constants, state, i, senses)
            action, random = decide(constants, state, i, season, brains, extras, mind)
            signal, association = told(constants, state, i, season, action, stream, mind)
            if trace is not None:
                write_step(trace, t, senses, action, random, signal, association)
                write_fired(trace, t, mind)
                note(constants, state, i, notes, t)
            act(constants, state, i, season, action, counted, stream)
            take(brains, extras, i, season, action, random, signal, association, mind)


@inlined
def decide(constants, state, i, season, brains, extras, mind):
    """The action, random now and then, and whether it was: what is sensed stands in `mind.senses`."""
    own = brains.stream[i]
    free = may_be_random(brains, mind.senses)
    random = free and brains.gap[i] == 0
    if random:
        action = brains.choices[draw_below(own, brains.choices.shape[0])]
        brains.gap[i] = draw_gap(own, brains.gaps)
        if extras is not None:
            respond(brains, i, mind)
    else:
        brains.gap[i] -= free
        action = think(constants, state, i, season, brains, mind)
    return action, random


@inlined
def take_plainly(brains, extras, i, season, action, random, signal, association, mind):
    """Of a random action nothing is learnt."""
    half = half_of(signal)
    if half >= 0 and not random:
        brains.punished[i] += signal < 0
        if brains.plastic[i, 0, half] or brains.plastic[i, 1, half]:
            mind.won[:] = 0.0
            mind.won[action] = 1.0
            if extras is None:
                learn(brains, i, half, mind)
            else:
                learn_specially(brains, extras, i, half, extras.judgements[season, association, action], mind)
    if extras is not None:
        remember(extras, i, mind, action)


@inlined
def may_be_random(brains, senses):
    """Whether the next action may be a random one; steps where it may not do not count. senses: with the bias"""
    return not (brains.only_unseeing and senses[:-1].any())


@inlined
def feel(brains, i, mind):
    """The hidden neurons' activities."""
    activate(brains.hidden[i], mind.senses, mind.sums)
    for neuron in range(mind.sums.shape[0]):
        mind.active[neuron] = 1.0 if mind.sums[neuron] > 0.0 else 0.0


@inlined
def think_by_network(constants, state, i, season, brains, mind):
    """Both layers are activated; the output with the largest sum acts."""
    feel(brains, i, mind)
    activate(brains.output[i], mind.active, mind.outputs)
    return winner(mind.outputs, brains.stream[i])


@inlined
def first_winner(sums, stream):
    """The first of the largest."""
    best = 0
    for i in range(1, sums.shape[0]):
        if sums[i] > sums[best]:
            best = i
    return best


@inlined
def random_winner(sums, stream):
    """A random one of the largest."""
    return random_winner_of(sums, sums.shape[0], stream)


@inlined
def random_winner_of(sums, count, stream):
    """The same of the first so many: a loop that knows their number is faster."""
    best, ties = 0, 1
    for i in range(1, count):
        if sums[i] > sums[best]:
            best, ties = i, 1
        elif sums[i] == sums[best]:
            ties += 1
    if ties == 1:
        return best
    chosen = draw_below(stream, ties)
    for i in range(best, count):
        if sums[i] == sums[best]:
            if chosen == 0:
                return i
            chosen -= 1
    return best


@inlined
def told_aloud(constants, state, i, season, action, stream, mind):
    return judge(constants, state, i, season, action, stream)


@inlined
def told_aside(constants, state, i, season, action, stream, mind):
    """Nobody listens: the world must not notice that it was asked, so it draws from a copy of its stream."""
    mind.aside[0], mind.aside[1] = stream[0], stream[1]
    return judge(constants, state, i, season, action, mind.aside)


@inlined
def think_perfectly(constants, state, i, season, brains, mind):
    return choose(constants, state, i, season, brains.stream[i])


@inlined
def learn_nothing(brains, i, half, mind):
    pass


@inlined
def turn_nothing(constants, state, i, season, stream):
    pass


@inlined
def note_nothing(constants, state, i, notes, t):
    pass


@inlined
def coast_nowhere(constants, state, i, season, action, most, counts):
    return 0


@inlined
def write_step(trace, t, senses, action, random, signal, association):
    for bit in range(trace.senses.shape[1]):
        trace.senses[t, bit] = senses[bit]
    trace.action[t] = action
    trace.random[t] = random
    trace.reinforcement[t] = signal
    trace.association[t] = association


@inlined
def write_fired(trace, t, mind):
    fired = 0
    for neuron in range(mind.sums.shape[0]):
        fired += mind.active[neuron] > 0.0
    trace.fired[t] = fired


@inlined
def remember(extras, i, mind, action):
    """This step is the step before the next."""
    for j in range(mind.senses.shape[0]):
        extras.senses[i, j] = mind.senses[j]
    for j in range(mind.active.shape[0]):
        extras.active[i, j] = mind.active[j]
    extras.action[i] = action
