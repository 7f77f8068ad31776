"""One foraging life on its own, for when weights change rarely.

The rule's reward half is all `0`, or the network is frozen, or the life is traced. The action of each of
the 64 sensory states is remembered until a weight changes, and a straight run over empty cells is
jumped in one go. The network's neurons go eight at a time through `core/lanes.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.core import lanes
from hebbarium.core.compile import creating, inlined
from hebbarium.core.foraging_world import DIRECTION, INPUTS, POSITION, SENSES, act, open_run, sense, write_step
from hebbarium.core.lanes import LANES
from hebbarium.core.network import first_largest
from hebbarium.core.random import draw_below, draw_gap
from hebbarium.core.vectors import fill, mask_of, store
from hebbarium.tasks.foraging import STATES
from hebbarium.tasks.grid import STRAIGHT


class Scratch(NamedTuple):
    """Room for a life while it runs."""

    hidden: lanes.Layer
    output: lanes.Layer
    sums: np.ndarray
    """float64 [lane]"""
    remembered: np.ndarray
    """int8 [state]: the action of each state, -1 where not known."""


@creating
def new_scratch(neurons):
    return Scratch(
        lanes.new_layer((neurons + LANES - 1) // LANES, INPUTS),
        lanes.new_layer(1, neurons + 1),
        lanes.aligned_zeros(LANES),
        np.zeros(STATES, np.int8),
    )


@inlined
def live_alone(constants, worlds, brains, i, season, steps, counts, trace, scratch):
    """One life, eight of its neurons at a time."""
    neurons, outputs = brains.hidden.shape[2], brains.output.shape[2]
    hidden, output, sums, remembered = scratch.hidden, scratch.output, scratch.sums, scratch.remembered
    remembered[:] = -1
    _load_blocks(hidden, brains.hidden[i])
    _load_blocks(output, brains.output[i])
    gap = brains.gap[i]
    may_jump = trace is None and not brains.plastic[i, 1]
    thought = -1  # the state whose activities the layers hold
    t = 0
    state = sense(constants, worlds, i)
    while t < steps:
        random = gap == 0
        if random:
            action = draw_below(brains.stream[i], 3)
            gap = draw_gap(brains.stream[i], constants.survival)
        else:
            action = np.int64(remembered[state])
            if action < 0:
                _think(hidden, output, neurons, state)
                thought = state
                store(sums, 0, lanes.activation(output, 0, neurons + 1))
                action = first_largest(sums[:outputs])
                remembered[state] = action
            if may_jump and state == 0 and action == STRAIGHT:
                run = min(open_run(constants, worlds, i), steps - t, gap)
                worlds.agent[i, POSITION] += run * constants.ahead[worlds.agent[i, DIRECTION]]
                gap -= run
                t += run
                state = sense(constants, worlds, i)
                continue
            gap -= 1
        signal = constants.reinforcement[season, state, action]
        if trace is not None:
            write_step(constants, worlds, i, season, state, action, random, trace, t)
        act(constants, worlds, i, action, counts)
        half = 0 if signal < 0 else 1
        if signal != 0 and not random and brains.plastic[i, half]:
            if thought != state:
                _think(hidden, output, neurons, state)
            thought = -1
            output.post[:] = 0.0
            output.post[action] = 1.0
            _learn(hidden, output, neurons, brains.delta[i, half])
            remembered[:] = -1
        state = sense(constants, worlds, i)
        t += 1
    brains.gap[i] = gap
    _unload_blocks(hidden, brains.hidden[i])
    _unload_blocks(output, brains.output[i])


@inlined
def _load_blocks(layer, weights):
    """weights: float64 [pre, post]; lanes beyond the last neuron stay zero and feed nothing."""
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            layer.weights[(post // LANES * inputs + j) * LANES + post % LANES] = weights[j, post]


@inlined
def _unload_blocks(layer, weights):
    inputs = weights.shape[0]
    for j in range(inputs):
        for post in range(weights.shape[1]):
            weights[j, post] = layer.weights[(post // LANES * inputs + j) * LANES + post % LANES]


@inlined
def _think(hidden, output, neurons, state):
    """Set every activity that the state gives rise to, up to the hidden neurons'."""
    for j in range(SENSES):
        store(hidden.pre, j * LANES, fill(np.float64(state >> (SENSES - 1 - j) & 1)))
    for block in range((neurons + LANES - 1) // LANES):
        store(hidden.post, block * LANES, lanes.step_function(lanes.activation(hidden, block, INPUTS)))
    for j in range(neurons):
        store(output.pre, j * LANES, fill(hidden.post[j]))


@inlined
def _learn(hidden, output, neurons, delta):
    """delta: float64 [pre active, post active]."""
    neither, only_post, only_pre, both = fill(delta[0, 0]), fill(delta[0, 1]), fill(delta[1, 0]), fill(delta[1, 1])
    everywhere = mask_of(0xFF)
    lanes.set_changes(hidden, INPUTS, neither, only_post, only_pre, both)
    for block in range((neurons + LANES - 1) // LANES):
        lanes.change_and_scale(hidden, block, INPUTS, everywhere)
    lanes.set_changes(output, neurons + 1, neither, only_post, only_pre, both)
    lanes.change_and_scale(output, 0, neurons + 1, everywhere)
