"""Prey-predator lives, fast: a declared acceleration of the generic loop with the tallied arithmetic, to the same bits.

Weights change at nearly every step here, with many inputs and few of them active. Eight lives are lived side by side,
each in a lane of its own: their output layers are computed together (`tallied_outputs.py`), their hidden layers one by
one while neurons differ (`tallied_sparse.py`), and together once all of a life's are the same (`tallied_collapsed.py`).
Objects move by `prey_predator_moves.py`, and what agents see is found out by `prey_predator_views.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast import tallied_collapsed as collapsed
from hebbarium.brains.fast import tallied_outputs as outputs
from hebbarium.brains.fast import tallied_sparse as sparse
from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.brains.tallied import RECOUNT
from hebbarium.kernels.compile import called, creating, inlined, kernel
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.kernels.vectors import SHORTS
from hebbarium.life.fast import prey_predator_moves as herd
from hebbarium.life.fast import prey_predator_views as views
from hebbarium.life.loop import random_winner_of
from hebbarium.worlds import prey_predator_objects as objects
from hebbarium.worlds.grid import DIRECTION, POSITION
from hebbarium.worlds.prey_predator import CAUGHT, WALLS, move, window_of
from hebbarium.worlds.prey_predator_objects import Board


class EightLives(NamedTuple):
    """Room for eight lives, one in each lane."""

    hidden: sparse.SparseLayers
    collapsed: collapsed.Collapsed
    output: outputs.Outputs
    herds: herd.Herds
    views: views.Views
    life: np.ndarray
    """int64 [lane]: whose it is, or -1."""
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
    apart: np.ndarray
    """int64 [1]: the lanes whose hidden neurons are not all the same."""


@creating
def new_room(constants, brains):
    inputs, neurons = brains.hidden.shape[1], brains.hidden.shape[2]
    return EightLives(
        sparse.new_layers(inputs, neurons),
        collapsed.new_collapsed(inputs),
        outputs.new_outputs(neurons),
        herd.new_herds(constants.rules),
        views.new_views(constants),
        np.full(LANES, -1, np.int64),
        np.zeros(LANES, np.bool_),
        np.zeros(LANES, np.bool_),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros((2, 2), np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def advance_prey_predator(constants, state, streams, brains, season, steps, counts, lives):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    room = new_room(constants, brains)
    for start in range(0, lives.shape[0], LANES):
        begin(state, brains, lives[start : start + LANES], room)
        for _ in range(steps):
            firing = sense(constants, state, streams, season, room)
            think(brains, room, firing)
            second, third, punished, rewarded = act(constants, state, streams, brains, season, counts, room)
            learn(brains, room, firing, second, third, punished, rewarded)
            move_objects(constants, state, streams, season, counts, room)
        end(constants, state, streams, brains, room)


@called
def begin(state, brains, group, room):
    """Up to eight lives take lanes. group: int64, which"""
    room.apart[0], room.plastic[:], room.life[:] = 0, 0, -1
    for lane in range(group.shape[0]):
        i = group[lane]
        room.life[lane], room.herded[lane], weights, tally = i, False, brains.hidden[i], brains.tally[i]
        room.position[lane], room.direction[lane] = state.agent[i, POSITION], state.agent[i, DIRECTION]
        collapsed.take(room.collapsed, weights, tally, brains.delta[i, 0], lane)
        if not collapsed.are_alike(weights, tally):
            room.apart[0] |= 1 << lane
            sparse.take(room.hidden, lane, weights, tally)
        outputs.take(room.output, brains.output[i], brains.delta[i, 1], lane)
        for entry in range(4):
            room.plastic[entry >> 1, entry & 1] |= np.int64(brains.plastic[i, entry >> 1, entry & 1]) << lane


@called
def end(constants, state, streams, brains, room):
    """They leave their lanes."""
    for lane in range(LANES):
        i = room.life[lane]
        if i >= 0:
            if room.herded[lane]:
                board = Board(state.cells[i], state.objects[i], state.shared[i], streams[i])
                herd.leave(room.herds, lane, constants.rules, board)
            state.agent[i, POSITION], state.agent[i, DIRECTION] = room.position[lane], room.direction[lane]
            if room.apart[0] >> lane & 1:
                sparse.give_back(room.hidden, lane, brains.hidden[i], brains.tally[i])
            else:
                collapsed.give_back(room.collapsed, brains.hidden[i], brains.tally[i], lane)
            outputs.give_back(room.output, brains.output[i], lane)


@inlined
def sense(constants, state, streams, season, room):
    """What each life senses; returns the bits of those whose hidden neurons fire, if they are all the same."""
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
    collapsed.feel_nothing(room.collapsed)
    for place in range(_list_seeing(room)):
        lane = some[place]
        collapsed.feel(room.collapsed, seen.inputs[room.slot[lane]], seen.active[room.slot[lane]], lane)
    return collapsed.fire(room.collapsed)


@inlined
def _list_seeing(room):
    """List the lanes with equal hidden neurons in which something is in view; returns how many these are."""
    count, alike = 0, ~room.apart[0]
    for lane in range(LANES):
        room.some[count] = lane
        count += alike >> lane & 1 and room.life[lane] >= 0 and room.views.active[room.slot[lane]] > 0
    return count


@inlined
def think(brains, room, firing):
    """The outputs' sums. firing: as `sense` says"""
    apart, fired, seen, neurons = room.apart[0], room.output.fired, room.views, brains.hidden.shape[2]
    if apart == 0:
        outputs.think(room.output, neurons, firing)
        return
    for block in range(0, fired.shape[0], LANES):
        for lane in range(LANES):
            fired[block + lane] = 255 if firing >> lane & 1 else 0
    for lane in range(LANES):
        if apart >> lane & 1:
            slot = room.slot[lane]
            sparse.activate(room.hidden, lane, seen.inputs[slot], seen.active[slot], fired)
    outputs.gather_firing(room.output)
    outputs.think_apart(room.output, neurons)


@inlined
def act(constants, state, streams, brains, season, counts, room):
    """Agents move, and their herds want to. Returns lanes as bits: where the second and the third output acted, and who
    is punished and rewarded for what is not random."""
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
    return second, third, punished, rewarded


@inlined
def learn(brains, room, firing, second, third, punished, rewarded):
    """The lanes of these bits learn."""
    apart, seen, neurons = room.apart[0], room.views, brains.hidden.shape[2]
    hidden_learns = (punished & room.plastic[0, 0]) | (rewarded & room.plastic[0, 1])
    output_learns = (punished & room.plastic[1, 0]) | (rewarded & room.plastic[1, 1])
    for lane in range(LANES):
        if (hidden_learns | output_learns) >> lane & 1:
            i = room.life[lane]
            if brains.changes[i] % RECOUNT == 0:
                outputs.vanish(room.output, lane)
                if apart >> lane & 1:
                    sparse.recount(room.hidden, lane)
                else:
                    collapsed.recount(room.collapsed, lane)
            brains.changes[i] += 1
    # Square root and division are slow: the outputs' change goes on meanwhile.
    collapsed.tally(room.collapsed, punished, hidden_learns)
    if output_learns:
        outputs.change(room.output, neurons, firing, apart != 0, second, third, punished, output_learns)
    if hidden_learns & ~apart:
        collapsed.change(room.collapsed, hidden_learns & ~apart)
        for place in range(_list_seeing(room)):
            lane = room.some[place]
            if hidden_learns >> lane & 1:
                slot = room.slot[lane]
                collapsed.change_active(room.collapsed, seen.inputs[slot], seen.active[slot], lane)
    if apart != 0:
        for lane in range(LANES):
            i = room.life[lane]
            if (apart & hidden_learns) >> lane & 1:
                sparse.change(room.hidden, lane, brains.delta[i, 0, 1 - (punished >> lane & 1)])
            tidies = (apart & (hidden_learns | output_learns)) >> lane & 1 and brains.changes[i] % sparse.TIDY == 0
            if tidies and sparse.tidy(room.hidden, lane):
                room.apart[0] &= ~(np.int64(1) << lane)
                sparse.give_back(room.hidden, lane, brains.hidden[i], brains.tally[i])
                collapsed.take(room.collapsed, brains.hidden[i], brains.tally[i], brains.delta[i, 0], lane)


@inlined
def move_objects(constants, state, streams, season, counts, room):
    """All at once, or one by one where something may be in someone's way."""
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
            caught = objects.move_all(rules, board, position, season)
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
