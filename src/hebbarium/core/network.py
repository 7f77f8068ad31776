"""The network's three equations, each for one layer: activate, change, scale.

A layer's weights are stored [pre, post], the bias being the last pre-synaptic neuron: loops whose
innermost index runs over post-synaptic neurons vectorise without reordering any sum, so they stay
bit-identical to naive code.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.core.compile import creating, inlined
from hebbarium.core.random import BRAIN, draw_gap, draw_unit, open_stream

TINY = 2.0**-500
"""A weight no larger than this becomes 0 when its neuron is scaled. A synapse that a rule lets fade shrinks by the same
factor at every scaling; without this it would live on in numbers so small that processors take a hundred times longer
over each, and tell nobody."""


class Brains(NamedTuple):
    """What learns: one row per lifetime."""

    hidden: np.ndarray
    """float64 [lifetime, pre, post]: weights from the inputs and their bias to the hidden neurons."""
    output: np.ndarray
    """float64 [lifetime, pre, post]: weights from the hidden neurons and their bias to the outputs."""
    delta: np.ndarray
    """float64 [lifetime, half, pre active, post active]: eta times the rule's entry; half 0 is punishment."""
    plastic: np.ndarray
    """bool [lifetime, half]: whether that half of the rule has any entry but `0`."""
    stream: np.ndarray
    """uint64 [lifetime, 2]: birth weights, random actions, ties."""
    gap: np.ndarray
    """int64 [lifetime]: steps until the next random action."""
    tally: np.ndarray
    """float64 [lifetime, 2, post]: what `core/sparse.py` carries along of the hidden neurons."""
    changes: np.ndarray
    """int64 [lifetime]: how often the weights have changed, counted where something is carried along."""


def new_brains(lifetimes: int, inputs: int, hidden: int, outputs: int) -> Brains:
    return Brains(
        hidden=np.zeros((lifetimes, inputs + 1, hidden)),
        output=np.zeros((lifetimes, hidden + 1, outputs)),
        delta=np.zeros((lifetimes, 2, 2, 2)),
        plastic=np.zeros((lifetimes, 2), np.bool_),
        stream=np.zeros((lifetimes, 2), np.uint64),
        gap=np.zeros(lifetimes, np.int64),
        tally=np.zeros((lifetimes, 2, hidden)),
        changes=np.zeros(lifetimes, np.int64),
    )


@inlined
def activate(weights, pre, sums):
    """sums[post] = sum over pre of weight * activation, in the order of pre (paper, appendix A)."""
    sums[:] = 0.0
    for j in range(weights.shape[0]):
        if pre[j]:
            for i in range(weights.shape[1]):
                sums[i] += weights[j, i]


@inlined
def change(weights, delta, pre, post):
    """w += eta * rule[m][pre][post] (paper, equations 1 and 2)."""
    for j in range(weights.shape[0]):
        passive, active = delta[pre[j], 0], delta[pre[j], 1]
        for i in range(weights.shape[1]):
            weights[j, i] += active if post[i] else passive


@inlined
def scale(weights, factors):
    """Each post-synaptic neuron's incoming weights to unit length (paper, equation 4). factors: scratch, [post]."""
    factors[:] = 0.0
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            factors[i] += weights[j, i] * weights[j, i]
    for i in range(weights.shape[1]):
        factors[i] = 1.0 / np.sqrt(factors[i]) if factors[i] > 0.0 else 1.0
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            weight = weights[j, i] * factors[i]
            weights[j, i] = weight if abs(weight) > TINY else 0.0


@inlined
def step_function(sums, active):
    """Active (1) where the sum is above zero; the bias, one place further, stays active."""
    for i in range(sums.shape[0]):
        active[i] = 1 if sums[i] > 0.0 else 0
    active[sums.shape[0]] = 1


@inlined
def first_largest(sums):
    """The output that acts; among equals the first."""
    best = 0
    for i in range(1, sums.shape[0]):
        if sums[i] > sums[best]:
            best = i
    return best


@creating
def bear(brains, i, seed, trial, gaps):
    """Give lifetime i its random weights in U[-1, 1), scaled to unit length, and its first gap."""
    stream = brains.stream[i]
    open_stream(stream, seed, trial, BRAIN)
    for weights in (brains.hidden[i], brains.output[i]):
        for post in range(weights.shape[1]):
            for pre in range(weights.shape[0]):
                weights[pre, post] = 2.0 * draw_unit(stream) - 1.0
        scale(weights, np.empty(weights.shape[1]))
    brains.gap[i] = draw_gap(stream, gaps)
