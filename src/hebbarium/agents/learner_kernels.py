"""What learners do at each step, and what they know: values of sensory states, or of inputs, for each action."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.kernels.compile import inlined, kernel, opened
from hebbarium.life.loop import act, decide, first_winner, judge, new_mind, note, random_winner, sense, write_step


class Values(NamedTuple):
    """What learners know: one row per lifetime."""

    values: np.ndarray
    """float64 [lifetime, state, action], or float64 [lifetime, input and bias, action] for a linear one."""
    senses: np.ndarray
    """uint8 [lifetime, input and bias]: of the step before."""
    action: np.ndarray
    """int64 [lifetime]: of the step before; -1 at birth."""
    reward: np.ndarray
    """float64 [lifetime]: of the step before."""
    worth: np.ndarray
    """float64 [season kind, count]: what each thing counted is worth; all 0 for one that learns from the signal."""
    by_signal: bool
    step_size: float
    discount: float


@opened
def evaluate(values, senses, totals):
    """The value of each action. values: float64 [row, action], senses: with the bias, totals: float64 [action]"""


@opened
def correct(values, senses, action, error):
    """Change the value of an action. error: what is to be added to it"""


@inlined
def evaluate_table(values, senses, totals):
    state = state_of(senses)
    for action in range(totals.shape[0]):
        totals[action] = values[state, action]


@inlined
def correct_table(values, senses, action, error):
    values[state_of(senses), action] += error


@inlined
def state_of(senses):
    """The bits as a number, without the bias."""
    state = 0
    for bit in range(senses.shape[0] - 1):
        state = 2 * state + senses[bit]
    return state


@inlined
def evaluate_sum(values, senses, totals):
    for action in range(totals.shape[0]):
        totals[action] = 0.0
        for bit in range(senses.shape[0]):
            if senses[bit]:
                totals[action] += values[bit, action]


@inlined
def correct_sum(values, senses, action, error):
    """Shared among the bits that are on, so that a step size means the same whatever their number."""
    on = 0
    for bit in range(senses.shape[0]):
        on += senses[bit]
    share = error / on
    for bit in range(senses.shape[0]):
        if senses[bit]:
            values[bit, action] += share


@kernel
def advance(constants, state, streams, brains, season, steps, counts, learners, trace, notes):
    """As the loop of a life (`life/loop.py`), whose place it takes. learners: Values"""
    mind = new_mind(brains)
    senses, before = mind.senses[:-1], np.zeros(counts.shape[1], np.int64)
    for i in range(counts.shape[0]):
        stream, counted = streams[i], counts[i]
        for t in range(steps):
            sense(constants, state, i, senses)
            learn_last(learners, i, mind)
            evaluate(learners.values[i], mind.senses, mind.outputs)
            action, random = decide(constants, state, i, season, brains, None, mind)
            signal, association = judge(constants, state, i, season, action, stream)
            brains.punished[i] += signal < 0 and not random
            if trace is not None:
                write_step(trace, t, senses, action, random, signal, association)
                note(constants, state, i, notes, t)
            before[:] = counted
            act(constants, state, i, season, action, counted, stream)
            learners.senses[i, :] = mind.senses
            learners.action[i] = action
            learners.reward[i] = signal if learners.by_signal else worth(learners.worth[season], before, counted)


@inlined
def learn_last(learners, i, mind):
    """Only now is it known where the last action has led."""
    action, values = learners.action[i], learners.values[i]
    if action < 0:
        return
    evaluate(values, learners.senses[i], mind.outputs)
    value, following = mind.outputs[action], 0.0
    if learners.discount > 0.0:
        evaluate(values, mind.senses, mind.outputs)
        following = mind.outputs[first_winner(mind.outputs, None)]
    error = learners.reward[i] + learners.discount * following - value
    correct(values, learners.senses[i], action, learners.step_size * error)


@inlined
def worth(each, before, after):
    total = 0.0
    for count in range(each.shape[0]):
        total += each[count] * (after[count] - before[count])
    return total


@inlined
def think_by_values(constants, state, i, season, brains, mind):
    return random_winner(mind.outputs, brains.stream[i])
