"""Prey-predator lives, fast: a declared acceleration of the generic loop with the tallied arithmetic, to the same bits.

Weights change at nearly every step here, with many inputs and few of them active. The two layers, which are where most
of the time goes, are in `brains/fast/sparse.py` and `brains/fast/readout.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast import collapsed, readout, sparse
from hebbarium.brains.fast.lanes import LANES
from hebbarium.brains.fast.sparse_layer import TIDY, USED, SparseLayer, new_layer
from hebbarium.brains.tallied import RECOUNT
from hebbarium.kernels.compile import creating, inlined, kernel
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.life.loop import random_winner_of
from hebbarium.worlds import prey_predator_objects as objects
from hebbarium.worlds.grid import POSITION
from hebbarium.worlds.prey_predator import CAUGHT, COLLECTED, behave, beside_wall, look, may_see, move
from hebbarium.worlds.prey_predator_objects import Board


class Scratch(NamedTuple):
    """Room for one life while it runs."""

    hidden: SparseLayer
    output: readout.ReadoutLayer
    sensed: np.ndarray
    """uint8 [sensed cell]: what it holds."""
    found: np.ndarray
    """int64 [sensed cell]: those that are not empty."""
    inputs: np.ndarray
    """int64 [input]: the active ones, the bias last; one more place is written to but not used."""


class EightLives(NamedTuple):
    """Room for eight lives, one in each lane, whose hidden neurons are all the same."""

    network: collapsed.Collapsed
    sensed: np.ndarray
    """uint8 [lane, sensed cell]: what it holds."""
    found: np.ndarray
    """int64 [lane, sensed cell]: those that are not empty."""
    things: np.ndarray
    """int64 [lane]: how many these are."""
    near: np.ndarray
    """bool [lane]: whether an object may be in view, or near the agent after its step."""
    inputs: np.ndarray
    """int64 [lane, input]: the active ones, the bias last."""
    active: np.ndarray
    """int64 [lane]: how many these are."""
    life: np.ndarray
    """int64 [lane]: whose it is, or -1."""
    left: np.ndarray
    """int64 [lane]: steps to live."""
    half: np.ndarray
    """int64 [lane]: the half of its rule that the tables of changes hold, or -1."""


@creating
def _new_scratch(cells, neurons, outputs):
    return Scratch(
        new_layer(2 * cells + 1, neurons),
        readout.new_layer(neurons + 1, outputs),
        np.zeros(cells, np.uint8),
        np.zeros(cells, np.int64),
        np.zeros(2 * cells + 2, np.int64),
    )


@creating
def _new_room(cells, neurons, lives):
    """For eight lives whose hidden neurons are all the same, and for how many steps each life has to wait for them."""
    return EightLives(
        collapsed.new_collapsed(2 * cells + 1, neurons),
        np.zeros((LANES, cells), np.uint8),
        np.zeros((LANES, cells), np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.bool_),
        np.zeros((LANES, 2 * cells + 2), np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
    ), np.zeros(lives, np.int64)


@kernel
def advance_prey_predator(constants, state, streams, brains, season, steps, counts, lives):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    cells, neurons = constants.seen_square.shape[0], brains.hidden.shape[2]
    scratch = _new_scratch(cells, neurons, brains.output.shape[2])
    room, left = _new_room(cells, neurons, lives.shape[0])
    for place in range(lives.shape[0]):
        i = lives[place]
        board = Board(state.cells[i], state.objects[i], state.shared[i], streams[i])
        sparse.take(scratch.hidden, brains.hidden[i], brains.tally[i])
        readout.take(scratch.output, brains.output[i])
        lived = _live(constants, board, state.agent[i], brains, i, season, steps, counts[i], scratch)
        sparse.give_back(scratch.hidden, brains.hidden[i], brains.tally[i])
        readout.give_back(scratch.output, brains.output[i])
        left[place] = steps - lived
    _live_collapsed(constants, state, streams, brains, season, counts, lives, left, room)


@inlined
def _live(constants, board, agent, brains, i, season, steps, counts, scratch):
    """One life until its hidden neurons are all the same; returns how many steps that took."""
    sensed, found, inputs = scratch.sensed, scratch.found, scratch.inputs
    stream, plastic, gap, punished, t = brains.stream[i], brains.plastic[i], brains.gap[i], 0, 0
    small = scratch.hidden.real.shape[0] == LANES  # with up to seven neurons, as many are always computed
    while t < steps and (small or scratch.hidden.numbers[USED] > LANES):
        things = look(constants, board.cells, agent, sensed, found) if may_see(constants, board, agent) else 0
        count = _list_inputs(sensed, found, things, inputs)
        free = things == 0 or not brains.only_unseeing
        random = free and gap == 0
        if random:
            action = brains.choices[draw_below(stream, brains.choices.shape[0])]
            gap = draw_gap(stream, brains.gaps)
        else:
            gap -= free
            sparse.activate(scratch.hidden, inputs, count)
            readout.activate(scratch.output, scratch.hidden.fires)
            action = np.int64(random_winner_of(scratch.output.sums, 3, stream))
        thing, behaviour = behave(constants, sensed, found, things, action, board.stream)
        signal = constants.reinforcement[season, thing, behaviour]
        move(constants, board, agent, season, action, counts)
        counts[CAUGHT] += objects.move_all(constants.rules, board, agent[POSITION], season, True)
        half = 0 if signal < 0 else 1
        punished += signal < 0 and not random
        if signal != 0 and not random and (plastic[0, half] or plastic[1, half]):
            _learn(scratch, brains, i, half, action)
        t += 1
    brains.gap[i] = gap
    brains.punished[i] += punished
    return t


@inlined
def _live_collapsed(constants, state, streams, brains, season, counts, lives, left, room):
    """The rest of these lives, eight at a time: where one is over, the next takes its lane. left: int64 [life]"""
    following, steps = 0, 1
    room.life[:], room.left[:], room.half[:] = -1, 0, -1
    while steps > 0:
        steps = 0
        for lane in range(LANES):
            i = room.life[lane]
            if room.left[lane] == 0 and i >= 0:
                collapsed.give_back(room.network, brains.hidden[i], brains.output[i], brains.tally[i], lane)
                room.life[lane] = i = -1
            while i < 0 and following < lives.shape[0]:
                if left[following] > 0:
                    room.life[lane] = i = lives[following]
                    room.left[lane], room.half[lane] = left[following], -1
                    collapsed.take(room.network, brains.hidden[i], brains.output[i], brains.tally[i], lane)
                    _look_and_feel(constants, state, i, streams[i], room, lane)
                following += 1
            if i >= 0 and (steps == 0 or room.left[lane] < steps):
                steps = room.left[lane]
        if steps > 0:
            collapsed.think(room.network, brains.hidden.shape[2])
        for _ in range(steps):
            _step(constants, state, streams, brains, season, counts, room)
        for lane in range(LANES):
            room.left[lane] -= steps if room.life[lane] >= 0 else 0


@inlined
def _look_and_feel(constants, state, i, stream, room, lane):
    """What a life senses, and its hidden neuron's sum."""
    board, agent = Board(state.cells[i], state.objects[i], state.shared[i], stream), state.agent[i]
    sensed, found, rules = room.sensed[lane], room.found[lane], constants.rules
    # One look around, most often in vain, spares two: what is in view, and who may notice the agent after its step.
    near = objects.any_near(rules, board, agent[POSITION], max(rules.border, rules.close + 1))
    looks = near or beside_wall(constants, agent)
    things = look(constants, board.cells, agent, sensed, found) if looks and may_see(constants, board, agent) else 0
    room.near[lane], room.things[lane] = near, things
    room.active[lane] = _list_inputs(sensed, found, things, room.inputs[lane])
    collapsed.feel(room.network, room.inputs[lane], room.active[lane], lane)


@inlined
def _step(constants, state, streams, brains, season, counts, room):
    """One step of each life, the networks having thought; they learn from it, and think about the next."""
    network, hidden_learns, output_learns = room.network, np.int64(0), np.int64(0)
    for lane in range(LANES):
        i = room.life[lane]
        if i < 0:
            continue
        board, agent = Board(state.cells[i], state.objects[i], state.shared[i], streams[i]), state.agent[i]
        free = room.things[lane] == 0 or not brains.only_unseeing
        random = free and brains.gap[i] == 0
        if random:
            action = brains.choices[draw_below(brains.stream[i], brains.choices.shape[0])]
            brains.gap[i] = draw_gap(brains.stream[i], brains.gaps)
        else:
            brains.gap[i] -= free
            action = np.int64(random_winner_of(network.outputs[lane::LANES], 3, brains.stream[i]))
        sensed, found = room.sensed[lane], room.found[lane]
        thing, behaviour = behave(constants, sensed, found, room.things[lane], action, board.stream)
        signal = constants.reinforcement[season, thing, behaviour]
        collected = counts[i, COLLECTED]
        move(constants, board, agent, season, action, counts[i])
        near = room.near[lane] or counts[i, COLLECTED] > collected  # what was collected may be put anywhere
        counts[i, CAUGHT] += objects.move_all(constants.rules, board, agent[POSITION], season, near)
        half = 0 if signal < 0 else 1
        brains.punished[i] += signal < 0 and not random
        if signal != 0 and not random and (brains.plastic[i, 0, half] or brains.plastic[i, 1, half]):
            if brains.changes[i] % RECOUNT == 0:
                collapsed.recount(network, lane)
            brains.changes[i] += 1
            hidden_learns |= np.int64(brains.plastic[i, 0, half]) << lane
            output_learns |= np.int64(brains.plastic[i, 1, half]) << lane
            for output in range(3):
                network.won[output * LANES + lane] = 1.0 if output == action else 0.0
            if half != room.half[lane]:
                room.half[lane] = half
                for entry in range(8):
                    table = brains.delta[i, entry >> 2, half]
                    network.tables[entry * LANES + lane] = table[entry >> 1 & 1, entry & 1]
    if output_learns:
        collapsed.change_output(network, brains.hidden.shape[2], output_learns)
    if hidden_learns:
        collapsed.change_hidden(network, room.inputs, room.active, hidden_learns)
    for lane in range(LANES):
        i = room.life[lane]
        if i >= 0:
            _look_and_feel(constants, state, i, streams[i], room, lane)
    collapsed.think(network, brains.hidden.shape[2])


@inlined
def _list_inputs(sensed, found, things, inputs):
    """The active inputs in their order, the bias last; returns how many. things: how many cells were found."""
    count = 0
    for place in range(things):
        cell, thing = found[place], int(sensed[found[place]])
        inputs[count] = 2 * cell
        count += thing >> 1
        inputs[count] = 2 * cell + 1
        count += thing & 1
    inputs[count] = 2 * sensed.shape[0]
    return count + 1


@inlined
def _learn(scratch, brains, i, half, action):
    """Change the layers that are plastic, as they were activated by the senses and the action."""
    if brains.changes[i] % RECOUNT == 0:
        sparse.recount(scratch.hidden)
        readout.vanish(scratch.output)
    brains.changes[i] += 1
    if brains.plastic[i, 1, half]:
        readout.change(scratch.output, brains.delta[i, 1, half], scratch.hidden.fires, action)
    if brains.plastic[i, 0, half]:
        sparse.change(scratch.hidden, brains.delta[i, 0, half])
    if brains.changes[i] % TIDY == 0:
        sparse.tidy(scratch.hidden)
