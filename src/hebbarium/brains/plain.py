"""The paper's three equations for one layer: activate, change, scale. The arithmetic that all others are held against.

weights: float64 [pre, post], the bias being the last of `pre`. Loops run over `post` inside, so that a compiler can
do several neurons at once without touching the order of any sum.
"""

from __future__ import annotations

import numpy as np

from hebbarium.kernels.compile import inlined
from hebbarium.kernels.normal import draw_normal

TINY = 2.0**-500
"""A weight no larger than this becomes 0 when its neuron is scaled. A synapse that a rule lets fade shrinks by the same
factor at every scaling; without this it would live on in numbers so small that processors take a hundred times longer
over each, without a warning."""


@inlined
def activate(weights, pre, sums):
    """Each neuron's sum of the weights from active neurons (equations 1 and 2). pre: above zero where one is active."""
    sums[:] = 0.0
    for j in range(weights.shape[0]):
        if pre[j] > 0:
            for i in range(weights.shape[1]):
                sums[i] += weights[j, i]


@inlined
def change(weights, table, pre, post, rows):
    """w += table[pre active][post active], for the first `rows` of pre (equation 3). table: eta times the rule."""
    for j in range(rows):
        fires = 1 if pre[j] > 0 else 0
        to_passive, to_active = table[fires, 0], table[fires, 1]
        for i in range(weights.shape[1]):
            weights[j, i] += to_active if post[i] > 0.0 else to_passive


@inlined
def scale(weights, factors, rows):
    """Each neuron's first `rows` incoming weights to unit length (equation 4). factors: scratch, [post]"""
    factors[:] = 0.0
    for j in range(rows):
        for i in range(weights.shape[1]):
            factors[i] += weights[j, i] * weights[j, i]
    shrink(weights, factors, rows)


@inlined
def shrink(weights, squares, rows):
    """What has these sums of squares to unit length; they are overwritten."""
    for i in range(weights.shape[1]):
        squares[i] = 1.0 / np.sqrt(squares[i]) if squares[i] > 0.0 else 1.0
    for j in range(rows):
        for i in range(weights.shape[1]):
            weight = weights[j, i] * squares[i]
            weights[j, i] = weight if abs(weight) > TINY else 0.0


@inlined
def change_and_scale(weights, table, pre, post, factors):
    """`change`, then `scale`, in two passes instead of three: most of the time goes here."""
    factors[:] = 0.0
    for j in range(weights.shape[0]):
        fires = 1 if pre[j] > 0 else 0
        to_passive, to_active = table[fires, 0], table[fires, 1]
        for i in range(weights.shape[1]):
            weight = weights[j, i] + (to_active if post[i] > 0.0 else to_passive)
            weights[j, i] = weight
            factors[i] += weight * weight
    shrink(weights, factors, weights.shape[0])


@inlined
def learn(brains, i, half, mind):
    """Change both layers, each as its rule says; one whose rule has nothing to say is neither changed nor scaled."""
    hidden, output = brains.hidden[i], brains.output[i]
    if brains.plastic[i, 0, half]:
        change_and_scale(hidden, brains.delta[i, 0, half], mind.senses, mind.active, mind.factors[: hidden.shape[1]])
    if brains.plastic[i, 1, half]:
        change_and_scale(output, brains.delta[i, 1, half], mind.active, mind.won, mind.factors[: output.shape[1]])


@inlined
def learn_specially(brains, extras, i, half, judgement, mind):
    """The same with blame, eligibility, noise and biases of their own kinds."""
    blame = extras.blame[i, judgement]
    reach = blame * extras.eligibility[i, judgement] if extras.action[i] >= 0 else 0.0
    if blame == 0.0:
        return
    mind.before[:] = 0.0
    if reach != 0.0:
        mind.before[extras.action[i]] = 1.0
    hidden, output = brains.hidden[i], brains.output[i]
    if brains.plastic[i, 0, half]:
        table, rows = brains.delta[i, 0, half], extras.changed[0]
        times(table, blame, mind.table)
        change(hidden, mind.table, mind.senses, mind.active, rows)
        if reach != 0.0:
            times(table, reach, mind.table)
            change(hidden, mind.table, extras.senses[i], extras.active[i], rows)
        add_noise(hidden, extras.noise, extras.stream[i], rows)
        scale(hidden, mind.factors[: hidden.shape[1]], extras.scaled[0])
    if brains.plastic[i, 1, half]:
        table, rows = brains.delta[i, 1, half], extras.changed[1]
        times(table, blame, mind.table)
        change(output, mind.table, mind.active, mind.won, rows)
        if reach != 0.0:
            times(table, reach, mind.table)
            change(output, mind.table, extras.active[i], mind.before, rows)
        add_noise(output, extras.noise, extras.stream[i], rows)
        scale(output, mind.factors[: output.shape[1]], extras.scaled[1])


@inlined
def times(table, factor, product):
    """table, product: float64 [pre active, post active]"""
    for pre in range(2):
        for post in range(2):
            product[pre, post] = factor * table[pre, post]


@inlined
def add_noise(weights, deviation, stream, rows):
    if deviation > 0.0:
        for j in range(rows):
            for i in range(weights.shape[1]):
                weights[j, i] += deviation * draw_normal(stream)
