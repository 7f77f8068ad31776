"""An arithmetic of its own, for layers with many inputs of which few are active.

Every weight changes and is scaled on its own, w -> (w + change) * factor, where all passive inputs of a neuron share
one change c and all active ones another, d. The factor is one over the new length, which needs no pass over the
weights: with T the sum and Q the squared length of the neuron's n incoming weights before the change, and A the sum of
its k active ones (that is its activation),

    length^2 = Q + 2 (c T + (d - c) A) + (n - k) c^2 + k d^2.

T and Q are carried along, T -> (T + n c + k (d - c)) * factor, and counted anew from the weights before every
RECOUNT-th change, so that rounding never gathers. Weights of at most TINY become 0: active ones at once, all others
when they are counted. The output layer is scaled as in `plain.py`, but its tiniest weights, too, become 0 only then.

Here this stands as plain loops; `fast/tallied_*.py` compute the same bits
faster.
"""

from __future__ import annotations

import numpy as np

from hebbarium.brains.plain import TINY, change
from hebbarium.kernels.compile import inlined

RECOUNT = 64
"""Changes from one count of T and Q to the next. Part of the definition of a life."""


@inlined
def learn(brains, i, half, mind):
    """Change both layers, each as its rule says; one whose rule has nothing to say is neither changed nor scaled."""
    hidden, output, tally = brains.hidden[i], brains.output[i], brains.tally[i]
    if brains.changes[i] % RECOUNT == 0:
        recount(hidden, tally)
        vanish(output)
    brains.changes[i] += 1
    if brains.plastic[i, 1, half]:
        change(output, brains.delta[i, 1, half], mind.active, mind.won, output.shape[0])
        scale(output, mind.factors[: output.shape[1]])
    if brains.plastic[i, 0, half]:
        change_and_scale(hidden, tally, brains.delta[i, 0, half], mind.senses, mind.sums)


@inlined
def change_and_scale(weights, tally, table, pre, sums):
    """sums: what `activate` gave. tally: float64 [2, post], T and Q."""
    inputs, active = np.float64(weights.shape[0]), 0.0
    for j in range(weights.shape[0]):
        active += 1.0 if pre[j] > 0 else 0.0
    for i in range(weights.shape[1]):
        fires = 1 if sums[i] > 0.0 else 0
        to_passive, to_active = table[0, fires], table[1, fires]
        total, square = tally[0, i], tally[1, i]
        cross = to_passive * total + (to_active - to_passive) * sums[i]
        own = (inputs - active) * to_passive * to_passive + active * to_active * to_active
        length = square + (cross + cross) + own
        factor = 1.0 / np.sqrt(length) if length > 0.0 else 1.0
        added = inputs * to_passive + active * (to_active - to_passive)
        tally[0, i], tally[1, i] = (total + added) * factor, length * factor * factor
        for j in range(weights.shape[0]):
            if pre[j] > 0:
                weights[j, i] = _unless_tiny((weights[j, i] + to_active) * factor)
            else:
                weights[j, i] = (weights[j, i] + to_passive) * factor


@inlined
def recount(weights, tally):
    """T and Q from the weights, once the tiniest have become 0."""
    vanish(weights)
    tally[:] = 0.0
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            tally[0, i] += weights[j, i]
            tally[1, i] += weights[j, i] * weights[j, i]


@inlined
def vanish(weights):
    """Weights of at most TINY become 0."""
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            weights[j, i] = _unless_tiny(weights[j, i])


@inlined
def scale(weights, factors):
    """Unit length, tiny weights left as they are."""
    factors[:] = 0.0
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            factors[i] += weights[j, i] * weights[j, i]
    for i in range(weights.shape[1]):
        factors[i] = 1.0 / np.sqrt(factors[i]) if factors[i] > 0.0 else 1.0
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            weights[j, i] *= factors[i]


@inlined
def _unless_tiny(weight):
    return weight if abs(weight) > TINY else 0.0
