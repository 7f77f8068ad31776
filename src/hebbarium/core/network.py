"""What a network is, and how it is born.

A layer's weights are stored [pre, post], the bias being the last pre-synaptic neuron. The paper's three
equations, activate, change and scale, stand as plain code in `tests/naive.py`; the kernels compute them
to the same bits, each in the way that suits its lives: `lanes.py`, `foraging_alone.py`, `readout.py`.
Only `sparse.py` has an arithmetic of its own.
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
