"""Prey-predator lives, fast: a declared acceleration of the generic loop with the tallied arithmetic, to the same bits.

Weights change at nearly every step here, with many inputs and few of them active. The two layers, which are where most
of the time goes, are in `brains/sparse.py` and `brains/readout.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast import collapsed, outputs, readout, sparse
from hebbarium.brains.fast.lanes import LANES
from hebbarium.brains.fast.sparse_layer import TIDY, USED, SparseLayer, new_layer
from hebbarium.brains.tallied import RECOUNT
from hebbarium.kernels.compile import called, creating, inlined, kernel
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.kernels.vectors import SHORTS
from hebbarium.life.fast import herd, views
from hebbarium.life.loop import random_winner_of
from hebbarium.worlds import prey_predator_objects as objects
from hebbarium.worlds.grid import DIRECTION, POSITION
from hebbarium.worlds.prey_predator import CAUGHT, WALLS, behave, look, may_see, move, window_of
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

    hidden: collapsed.Collapsed
    output: outputs.Outputs
    herds: herd.Herds
    views: views.Views
    life: np.ndarray
    """int64 [lane]: whose it is, or -1."""
    left: np.ndarray
    """int64 [lane]: steps to live."""
    herded: np.ndarray
    """bool [lane]: whether its objects are a herd; else they are on their board."""
    near: np.ndarray
    """bool [lane]: whether an object may be in view, or near the agent after its step."""
    slot: np.ndarray
    """int64 [lane]: what is seen."""
    some: np.ndarray
    """int64 [lane]: those with whom more is to be done than with others. To list them and then do it, instead of asking
    each on the way, spares the processor most of its wrong guesses."""
    position: np.ndarray
    """int64 [lane]: of its agent."""
    direction: np.ndarray
    """int64 [lane]"""
    plastic: np.ndarray
    """int64 [layer, half]: the lanes whose rule has something to say."""


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
def _new_room(constants, neurons, lives):
    """For eight lives whose hidden neurons are all the same, and for how many steps each life has to wait for them."""
    return EightLives(
        collapsed.new_collapsed(2 * constants.seen_square.shape[0] + 1),
        outputs.new_outputs(neurons),
        herd.new_herds(constants.rules),
        views.new_views(constants),
        np.full(LANES, -1, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.bool_),
        np.zeros(LANES, np.bool_),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros((2, 2), np.int64),
    ), np.zeros(lives, np.int64)


@kernel
def advance_prey_predator(constants, state, streams, brains, season, steps, counts, lives):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    cells, neurons = constants.seen_square.shape[0], brains.hidden.shape[2]
    scratch = _new_scratch(cells, neurons, brains.output.shape[2])
    room, left = _new_room(constants, neurons, lives.shape[0])
    for place in range(lives.shape[0]):
        i, left[place] = lives[place], steps
        if collapsed.are_alike(brains.hidden[i], brains.tally[i]):
            continue
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
    while steps > 0:
        steps = 0
        for lane in range(LANES):
            if room.left[lane] == 0:
                _end(constants, state, streams, brains, room, lane)
                while following < lives.shape[0] and left[following] == 0:
                    following += 1
                if following < lives.shape[0]:
                    room.left[lane] = left[following]
                    _begin(state, brains, room, lives[following], lane)
                    following += 1
            if room.left[lane] > 0 and (steps == 0 or room.left[lane] < steps):
                steps = room.left[lane]
        for lane in range(LANES):
            room.left[lane] -= min(steps, room.left[lane])
        for _ in range(steps):
            _step(constants, state, streams, brains, season, counts, room)


@called
def _begin(state, brains, room, i, lane):
    """A life takes a lane."""
    room.life[lane], room.herded[lane] = i, False
    room.position[lane], room.direction[lane] = state.agent[i, POSITION], state.agent[i, DIRECTION]
    collapsed.take(room.hidden, brains.hidden[i], brains.tally[i], brains.delta[i, 0], lane)
    outputs.take(room.output, brains.output[i], brains.delta[i, 1], lane)
    for layer in range(2):
        for half in range(2):
            room.plastic[layer, half] &= ~(np.int64(1) << lane)
            room.plastic[layer, half] |= np.int64(brains.plastic[i, layer, half]) << lane


@called
def _end(constants, state, streams, brains, room, lane):
    """The life in a lane, if any, leaves it."""
    i = room.life[lane]
    if i < 0:
        return
    room.life[lane] = -1
    if room.herded[lane]:
        board = Board(state.cells[i], state.objects[i], state.shared[i], streams[i])
        herd.leave(room.herds, lane, constants.rules, board)
    state.agent[i, POSITION], state.agent[i, DIRECTION] = room.position[lane], room.direction[lane]
    collapsed.give_back(room.hidden, brains.hidden[i], brains.tally[i], lane)
    outputs.give_back(room.output, brains.output[i], lane)


@inlined
def _sense(constants, state, streams, season, room):
    """What each life senses; returns the bits of those whose hidden neurons fire."""
    rules, herds, some, seen = constants.rules, room.herds, room.some, room.views
    far, count = max(rules.border, rules.close + 1), 0
    for lane in range(LANES):
        i, position, direction = room.life[lane], room.position[lane], room.direction[lane]
        if i >= 0 and not room.herded[lane]:
            board, agent = Board(state.cells[i], state.objects[i], state.shared[i], streams[i]), state.agent[i]
            room.herded[lane] = herd.may_form(rules, board)
            if room.herded[lane]:
                herd.form(herds, lane, board)
            else:
                agent[POSITION], agent[DIRECTION] = position, direction
                views.look_around(constants, season, seen, board.cells, agent, lane)
                room.slot[lane] = lane
        if i >= 0 and room.herded[lane]:
            room.slot[lane] = views.slot_among_walls(constants, season, seen, position, direction, lane)
            # One look around, most often in vain, spares two: who is in view, and who may notice the agent afterwards.
            top, left = (position >> rules.shift) - far, (position & ((1 << rules.shift) - 1)) - far
            room.near[lane] = herd.within(herds, lane, rules, top, left, 2 * far + 1, 2 * far + 1) != 0
            some[count] = lane
            count += room.near[lane]
    for place in range(count):
        lane = some[place]
        position, direction = room.position[lane], room.direction[lane]
        top, left, rows, columns = window_of(constants, position, direction)
        things = herd.within(herds, lane, rules, top, left, rows, columns)
        if things:
            positions, walls = herds.here[lane * SHORTS : (lane + 1) * SHORTS], room.slot[lane]
            views.put_objects(constants, season, seen, walls, things, positions, position, direction, lane)
            room.slot[lane] = lane
    count = _list_seeing(room)
    collapsed.feel_nothing(room.hidden)
    for place in range(count):
        lane = some[place]
        collapsed.feel(room.hidden, seen.inputs[room.slot[lane]], seen.active[room.slot[lane]], lane)
    return collapsed.fire(room.hidden)


@inlined
def _list_seeing(room):
    """List the lanes in which something is in view; returns how many these are."""
    count = 0
    for lane in range(LANES):
        room.some[count] = lane
        count += room.life[lane] >= 0 and room.views.active[room.slot[lane]] > 0
    return count


@inlined
def _step(constants, state, streams, brains, season, counts, room):
    """One step of each life."""
    firing = _sense(constants, state, streams, season, room)
    outputs.think(room.output, brains.hidden.shape[2], firing)
    second, third, ties = outputs.winners(room.output)
    punished, rewarded, seen = np.int64(0), np.int64(0), room.views
    for lane in range(LANES):
        i = room.life[lane]
        if i < 0:
            continue
        slot, stream = room.slot[lane], streams[i]
        tied = seen.ties[slot]
        free = tied == 0 or not brains.only_unseeing
        random = free and brains.gap[i] == 0
        if random:
            action = brains.choices[draw_below(brains.stream[i], brains.choices.shape[0])]
            brains.gap[i] = draw_gap(brains.stream[i], brains.gaps)
        else:
            brains.gap[i] -= free
            action = (second >> lane & 1) + 2 * (third >> lane & 1)
            if ties >> lane & 1:
                action = np.int64(random_winner_of(room.output.sums[lane::LANES], 3, brains.stream[i]))
                second &= ~(np.int64(1) << lane)
                third &= ~(np.int64(1) << lane)
                second |= np.int64(action == 1) << lane
                third |= np.int64(action == 2) << lane
        signal = seen.signals[slot, draw_below(stream, tied) if tied > 1 else 0, action]
        _move(constants, state, stream, season, room, i, lane, action, counts[i])
        if not random:
            brains.punished[i] += signal < 0
            punished |= np.int64(signal < 0) << lane
            rewarded |= np.int64(signal > 0) << lane
    hidden_learns = (punished & room.plastic[0, 0]) | (rewarded & room.plastic[0, 1])
    output_learns = (punished & room.plastic[1, 0]) | (rewarded & room.plastic[1, 1])
    for lane in range(LANES):
        if (hidden_learns | output_learns) >> lane & 1:
            i = room.life[lane]
            if brains.changes[i] % RECOUNT == 0:
                collapsed.recount(room.hidden, lane)
                outputs.vanish(room.output, lane)
            brains.changes[i] += 1
    if output_learns:
        outputs.change(room.output, brains.hidden.shape[2], firing, second, third, punished, output_learns)
    if hidden_learns:
        collapsed.change(room.hidden, punished, hidden_learns)
        for place in range(_list_seeing(room)):
            lane = room.some[place]
            if hidden_learns >> lane & 1:
                slot = room.slot[lane]
                collapsed.change_active(room.hidden, seen.inputs[slot], seen.active[slot], lane)
    _move_objects(constants, state, streams, season, counts, room)


@inlined
def _move_objects(constants, state, streams, season, counts, room):
    rules, herds, some, count = constants.rules, room.herds, room.some, 0
    for lane in range(LANES):
        if room.life[lane] >= 0:
            some[count] = lane
            goes = room.herded[lane] and herd.go(herds, lane, rules, room.near[lane], room.position[lane])
            count += not goes
    for place in range(count):
        lane, caught = some[place], np.int64(herd.SHARED)
        i, position = room.life[lane], room.position[lane]
        board = Board(state.cells[i], state.objects[i], state.shared[i], streams[i])
        if room.herded[lane]:
            caught = herd.go_one_by_one(herds, lane, rules, streams[i], position, season)
            if caught == herd.SHARED:
                herd.leave(herds, lane, rules, board)
                room.herded[lane] = False
        if caught == herd.SHARED:
            caught = objects.move_all(rules, board, position, season, True)
        counts[i, CAUGHT] += caught


@inlined
def _move(constants, state, stream, season, room, i, lane, action, counts):
    """The agent moves, and its herd wants to."""
    rules, herds, direction = constants.rules, room.herds, (room.direction[lane] + action + 3) & 3
    target = room.position[lane] + constants.ahead[direction]
    if not room.herded[lane] or (room.near[lane] and herd.stands_on(herds, lane, target)):
        board, agent = Board(state.cells[i], state.objects[i], state.shared[i], stream), state.agent[i]
        if room.herded[lane]:
            herd.leave(herds, lane, rules, board)
            room.herded[lane] = False
        agent[POSITION], agent[DIRECTION] = room.position[lane], room.direction[lane]
        move(constants, board, agent, season, action, counts)
        room.position[lane], room.direction[lane] = agent[POSITION], agent[DIRECTION]
        return
    row, column = (target >> rules.shift) - rules.border, (target & ((1 << rules.shift) - 1)) - rules.border
    if 0 <= row < rules.free and 0 <= column < rules.free:
        room.position[lane], room.direction[lane] = target, direction
    else:
        counts[WALLS] += 1
        if constants.turn_at_wall:
            room.direction[lane] = direction
    herd.wish(herds, lane, rules, stream)


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
