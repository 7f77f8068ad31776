"""Eight networks in the eight lanes of vector instructions.

Every number of a network becomes eight, the innermost index being the lane, so each lane's sums run in
the same order as in `network.py` and give the same bits. A lane whose weights do not change in a step
gets a change of 0.0 and a factor of 1.0, which leave every bit as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.core.compile import inlined

LANES = 8


class Lanes(NamedTuple):
    hidden: np.ndarray
    """float64 [post, pre, lane]"""
    output: np.ndarray
    """float64 [post, pre, lane]"""
    active: np.ndarray
    """float64 [hidden neuron or bias, lane]: 1.0 where active."""
    winner: np.ndarray
    """int64 [lane]: the output that acts."""
    passive_delta: np.ndarray
    """float64 [half of the layer's pre states: 0 passive 1 active, lane]: change where post is passive."""
    active_delta: np.ndarray
    """float64 [pre passive or active, lane]: change where post is active."""
    changes: np.ndarray
    """float64 [lane]: 1.0 where the lane's weights change in this step."""
    pre_passive: np.ndarray
    """float64 [input or bias, lane]: the hidden layer's change where post is passive."""
    pre_active: np.ndarray
    """float64 [input or bias, lane]: the hidden layer's change where post is active."""


@inlined
def new_network(inputs, hidden, outputs):
    """inputs: with the bias."""
    active = np.zeros((hidden + 1, LANES))
    active[hidden] = 1.0
    return Lanes(
        np.zeros((hidden, inputs, LANES)),
        np.zeros((outputs, hidden + 1, LANES)),
        active,
        np.zeros(LANES, np.int64),
        np.zeros((2, LANES)),
        np.zeros((2, LANES)),
        np.zeros(LANES),
        np.zeros((inputs, LANES)),
        np.zeros((inputs, LANES)),
    )


@inlined
def load(network, lane, hidden, output):
    """hidden, output: float64 [pre, post]."""
    for pre in range(hidden.shape[0]):
        for post in range(hidden.shape[1]):
            network.hidden[post, pre, lane] = hidden[pre, post]
    for pre in range(output.shape[0]):
        for post in range(output.shape[1]):
            network.output[post, pre, lane] = output[pre, post]


@inlined
def unload(network, lane, hidden, output):
    for pre in range(hidden.shape[0]):
        for post in range(hidden.shape[1]):
            hidden[pre, post] = network.hidden[post, pre, lane]
    for pre in range(output.shape[0]):
        for post in range(output.shape[1]):
            output[pre, post] = network.output[post, pre, lane]


@inlined
def set_deltas(network, halves, deltas, senses):
    """What each lane's synapses change by. halves: [lane], -1 where nothing changes. senses: as the agent acted."""
    for lane in range(LANES):
        half = halves[lane]
        network.changes[lane] = 0.0 if half < 0 else 1.0
        for pre in range(2):
            network.passive_delta[pre, lane] = 0.0 if half < 0 else deltas[lane, half, pre, 0]
            network.active_delta[pre, lane] = 0.0 if half < 0 else deltas[lane, half, pre, 1]
    for j in range(senses.shape[0]):
        for lane in range(LANES):
            is_active = senses[j, lane] > 0.0
            network.pre_passive[j, lane] = (
                network.passive_delta[1, lane] if is_active else network.passive_delta[0, lane]
            )
            network.pre_active[j, lane] = network.active_delta[1, lane] if is_active else network.active_delta[0, lane]


@inlined
def first_activation(network, senses):
    """Activate without changing anything: all deltas are still zero."""
    update(network, senses)


@inlined
def update(network, senses):
    """Change and scale both layers, then activate them with the new senses."""
    _change_output(network)
    _update_hidden(network, senses)
    _activate_output(network)


@inlined
def _factors(squares, changes, factors):
    for lane in range(LANES):
        factors[lane] = 1.0 / np.sqrt(squares[lane]) if changes[lane] > 0.0 and squares[lane] > 0.0 else 1.0


@inlined
def _update_hidden(network, senses):
    hidden, active = network.hidden, network.active
    squares, factors, sums = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for i in range(hidden.shape[0]):
        squares[:] = 0.0
        for j in range(hidden.shape[1]):
            for lane in range(LANES):
                weight = hidden[i, j, lane] + (
                    network.pre_active[j, lane] if active[i, lane] > 0.0 else network.pre_passive[j, lane]
                )
                hidden[i, j, lane] = weight
                squares[lane] += weight * weight
        _factors(squares, network.changes, factors)
        sums[:] = 0.0
        for j in range(hidden.shape[1]):
            for lane in range(LANES):
                weight = hidden[i, j, lane] * factors[lane]
                hidden[i, j, lane] = weight
                sums[lane] += weight * senses[j, lane]
        for lane in range(LANES):
            active[i, lane] = 1.0 if sums[lane] > 0.0 else 0.0


@inlined
def _change_output(network):
    output, active, winner = network.output, network.active, network.winner
    squares, factors, passive, acting = np.empty(LANES), np.empty(LANES), np.empty((2, LANES)), np.empty((2, LANES))
    for i in range(output.shape[0]):
        squares[:] = 0.0
        for lane in range(LANES):
            won = winner[lane] == i
            passive[0, lane] = network.active_delta[0, lane] if won else network.passive_delta[0, lane]
            acting[0, lane] = network.active_delta[1, lane] if won else network.passive_delta[1, lane]
        for j in range(output.shape[1]):
            for lane in range(LANES):
                weight = output[i, j, lane] + (acting[0, lane] if active[j, lane] > 0.0 else passive[0, lane])
                output[i, j, lane] = weight
                squares[lane] += weight * weight
        _factors(squares, network.changes, factors)
        for j in range(output.shape[1]):
            for lane in range(LANES):
                output[i, j, lane] *= factors[lane]


@inlined
def _activate_output(network):
    output, active, winner = network.output, network.active, network.winner
    sums, best = np.empty(LANES), np.empty(LANES)
    for i in range(output.shape[0]):
        sums[:] = 0.0
        for j in range(output.shape[1]):
            for lane in range(LANES):
                sums[lane] += output[i, j, lane] * active[j, lane]
        for lane in range(LANES):
            if i == 0 or sums[lane] > best[lane]:
                best[lane] = sums[lane]
                winner[lane] = i
