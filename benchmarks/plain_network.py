"""The plastic network as plain loops for numba, in two layouts.

`ROWS` keeps weights as [post][pre], as the paper's equations are written. `COLUMNS` keeps them as
[pre][post]: the same loops the other way round, which a compiler can vectorise without changing any sum.
Nothing is skipped or remembered in either, except that columns of inactive inputs add nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from hebbarium.kernels import random as streams
from hebbarium.kernels.compile import machine_code

draw_unit = machine_code(streams.draw_unit)


class Layout(NamedTuple):
    new: Callable[[int, int], np.ndarray]
    """(post, pre) -> room for weights"""
    add_up: Any
    """(weights, pre, sums): the weighted sum of each post-synaptic neuron"""
    change: Any
    """(weights, delta, pre, post): w += delta[pre][post]"""
    scale: Any
    """(weights, lengths): every neuron's incoming weights to unit length"""


@njit
def add_up_rows(weights, pre, sums):
    for i in range(weights.shape[0]):
        total = 0.0
        for j in range(weights.shape[1]):
            total += weights[i, j] * pre[j]
        sums[i] = total


@njit
def change_rows(weights, delta, pre, post):
    for i in range(weights.shape[0]):
        by_passive, by_active = delta[0, int(post[i])], delta[1, int(post[i])]
        for j in range(weights.shape[1]):
            weights[i, j] += by_active if pre[j] > 0.0 else by_passive


@njit
def scale_rows(weights, lengths):
    for i in range(weights.shape[0]):
        squares = 0.0
        for j in range(weights.shape[1]):
            squares += weights[i, j] * weights[i, j]
        if squares > 0.0:
            factor = 1.0 / np.sqrt(squares)
            for j in range(weights.shape[1]):
                weights[i, j] *= factor


@njit
def add_up_columns(weights, pre, sums):
    sums[:] = 0.0
    for j in range(weights.shape[0]):
        if pre[j] > 0.0:
            for i in range(weights.shape[1]):
                sums[i] += weights[j, i]


@njit
def change_columns(weights, delta, pre, post):
    for j in range(weights.shape[0]):
        to_passive, to_active = delta[int(pre[j]), 0], delta[int(pre[j]), 1]
        for i in range(weights.shape[1]):
            weights[j, i] += to_active if post[i] > 0.0 else to_passive


@njit
def scale_columns(weights, lengths):
    lengths[:] = 0.0
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            lengths[i] += weights[j, i] * weights[j, i]
    for i in range(weights.shape[1]):
        lengths[i] = 1.0 / np.sqrt(lengths[i]) if lengths[i] > 0.0 else 1.0
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            weights[j, i] *= lengths[i]


ROWS = Layout(lambda post, pre: np.zeros((post, pre)), add_up_rows, change_rows, scale_rows)
COLUMNS = Layout(lambda post, pre: np.zeros((pre, post)), add_up_columns, change_columns, scale_columns)
LAYOUTS = {"[post][pre]": ROWS, "[pre][post]": COLUMNS}


@njit
def fill(weights, stream):
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            weights[i, j] = 2.0 * draw_unit(stream) - 1.0


@njit
def step_function(sums, active):
    for i in range(sums.shape[0]):
        active[i] = 1.0 if sums[i] > 0.0 else 0.0
