"""Prey-predator lives, fast: a declared acceleration of the generic loop with the tallied arithmetic, to the same bits.

Weights change at nearly every step here, with many inputs and few of them active. Eight lives are lived side by side,
each in a lane of its own: agents and objects (`prey_predator_moves.py`) move together, and output layers are computed
together (`tallied_outputs.py`). Hidden layers are computed one by one while neurons differ (`tallied_sparse.py`), and
together once all of a life's are the same (`tallied_collapsed.py`). What agents see is found out by
`prey_predator_views.py`.

What all lives do alike is done in vectors. Lanes that need more are bits of a number: to go through these, instead of
asking each lane on the way, spares the processor most of its wrong guesses.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast import tallied_collapsed as collapsed
from hebbarium.brains.fast import tallied_outputs as outputs
from hebbarium.brains.fast import tallied_sparse as sparse
from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.brains.tallied import RECOUNT
from hebbarium.kernels.bits import trailing_zeros
from hebbarium.kernels.compile import called, creating, inlined, kernel
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.kernels.random_in_lanes import draw_words
from hebbarium.kernels.vectors import bits_of, both, choose, fill, gather, load, mask_of, store
from hebbarium.life.fast import prey_predator_moves as herd
from hebbarium.life.fast import prey_predator_views as views
from hebbarium.life.loop import random_winner_of
from hebbarium.worlds import prey_predator_objects as objects
from hebbarium.worlds.grid import DIRECTION, POSITION
from hebbarium.worlds.prey_predator import CAUGHT, WALLS, move, window_of
from hebbarium.worlds.prey_predator_objects import Board

LOOK = 64
"""Steps from one look whether weights to outputs have become the same to the next. Not part of the definition of a
life."""
ALIVE, HERDED, NEAR, SEEING, APART = range(5)
"""Places of bits of lanes: which are taken; whose objects are a herd, else they are on their board; where an object may
be in view, or near the agent after its step; where hidden neurons are all the same and something is in view; where they
are not the same."""


class EightLives(NamedTuple):
    """Room for eight lives, one in each lane. Numbers of lanes are uint64, as vectors have it."""

    hidden: sparse.SparseLayers
    collapsed: collapsed.Collapsed
    output: outputs.Outputs
    herds: herd.Herds
    views: views.Views
    life: np.ndarray
    """int64 [lane]: whose it is."""
    bits: np.ndarray
    """int64 [5]: bits of lanes."""
    plastic: np.ndarray
    """int64 [layer, half]: bits of the lanes whose rule has something to say."""
    streams: np.ndarray
    """uint64 [lane, 2], flat: the worlds' random streams."""
    stream: np.ndarray
    """uint64 [lane, 2]: the same memory."""
    position: np.ndarray
    """uint64 [lane]: of its agent."""
    direction: np.ndarray
    """uint64 [lane]"""
    slot: np.ndarray
    """uint64 [lane]: what is seen."""
    which: np.ndarray
    """uint64 [lane]: which of the closest things in view decides about reinforcement."""
    action: np.ndarray
    """uint64 [lane]"""
    target: np.ndarray
    """uint64 [lane]: the cell that the action leads to."""
    gap: np.ndarray
    """uint64 [lane]: steps until the next random action."""
    changes: np.ndarray
    """uint64 [lane]: how often weights have changed."""
    walls: np.ndarray
    """uint64 [lane]: bumps into walls, not counted yet."""
    punished: np.ndarray
    """uint64 [lane]: choices that were punished, not counted yet."""


@creating
def new_room(constants, brains):
    inputs, neurons, streams = brains.hidden.shape[1], brains.hidden.shape[2], np.zeros(2 * LANES, np.uint64)
    return EightLives(
        sparse.new_layers(inputs, neurons),
        collapsed.new_collapsed(inputs),
        outputs.new_outputs(neurons),
        herd.new_herds(constants.rules),
        views.new_views(constants),
        np.zeros(LANES, np.int64),
        np.zeros(5, np.int64),
        np.zeros((2, 2), np.int64),
        streams,
        streams.reshape((LANES, 2)),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
    )


@kernel
def advance_prey_predator(constants, state, streams, brains, season, steps, counts, lives):
    """Let these lives live on for `steps` steps of one season. lives: int64, which; counts: [lifetime, count]"""
    room = new_room(constants, brains)
    for start in range(0, lives.shape[0], LANES):
        begin(constants, state, streams, brains, lives[start : start + LANES], room)
        for step in range(steps):
            if step % LOOK == 0:
                look_at_outputs(room)
            firing = sense(constants, state, season, room)
            think(brains, room, firing)
            second, third, punished, rewarded = act(constants, state, brains, season, counts, room)
            learn(brains, room, firing, second, third, punished, rewarded)
            move_objects(constants, state, season, counts, room)
        end(constants, state, streams, brains, counts, room)


@called
def begin(constants, state, streams, brains, group, room):
    """Up to eight lives take lanes. group: int64, which"""
    rules = constants.rules
    room.bits[:], room.plastic[:], room.walls[:], room.punished[:] = 0, 0, 0, 0
    # Agents of lanes that are free walk about, too, and are not looked at.
    room.position[:], room.direction[:] = np.uint64((rules.border << rules.shift) + rules.border), 0
    outputs.clear(room.output)
    for lane in range(group.shape[0]):
        i = group[lane]
        room.life[lane], weights, tally = i, brains.hidden[i], brains.tally[i]
        room.bits[ALIVE] |= 1 << lane
        room.stream[lane, 0], room.stream[lane, 1] = streams[i, 0], streams[i, 1]
        room.position[lane], room.direction[lane] = state.agent[i, POSITION], state.agent[i, DIRECTION]
        room.gap[lane], room.changes[lane] = brains.gap[i], brains.changes[i]
        collapsed.take(room.collapsed, weights, tally, brains.delta[i, 0], lane)
        if not collapsed.are_alike(weights, tally):
            room.bits[APART] |= 1 << lane
            sparse.take(room.hidden, lane, weights, tally)
        outputs.take(room.output, brains.output[i], brains.delta[i, 1], lane)
        for entry in range(4):
            room.plastic[entry >> 1, entry & 1] |= np.int64(brains.plastic[i, entry >> 1, entry & 1]) << lane


@called
def end(constants, state, streams, brains, counts, room):
    """They leave their lanes."""
    for lane in range(LANES):
        if room.bits[ALIVE] >> lane & 1:
            i = room.life[lane]
            if room.bits[HERDED] >> lane & 1:
                board = Board(state.cells[i], state.objects[i], state.shared[i], room.stream[lane])
                herd.leave(room.herds, lane, constants.rules, board)
            streams[i, 0] = room.stream[lane, 0]
            state.agent[i, POSITION], state.agent[i, DIRECTION] = room.position[lane], room.direction[lane]
            brains.gap[i], brains.changes[i] = room.gap[lane], room.changes[lane]
            counts[i, WALLS] += np.int64(room.walls[lane])
            brains.punished[i] += np.int64(room.punished[lane])
            if room.bits[APART] >> lane & 1:
                sparse.give_back(room.hidden, lane, brains.hidden[i], brains.tally[i])
            else:
                collapsed.give_back(room.collapsed, brains.hidden[i], brains.tally[i], lane)
            outputs.give_back(room.output, brains.output[i], lane)


@inlined
def look_at_outputs(room):
    """Whether one weight may stand for those from all hidden neurons."""
    if room.bits[APART] == 0 and not room.output.alike[0]:
        room.output.alike[0] = outputs.are_alike(room.output)


@inlined
def sense(constants, state, season, room):
    """What each life senses; returns the bits of those whose hidden neurons fire, if they are all the same."""
    rules, herds, seen, bits = constants.rules, room.herds, room.views, room.bits
    alone = bits[ALIVE] & ~bits[HERDED]
    while alone:  # most often there is none
        lane = trailing_zeros(np.uint64(alone))
        alone &= alone - 1
        i = room.life[lane]
        board = Board(state.cells[i], state.objects[i], state.shared[i], room.stream[lane])
        if herd.may_form(rules, board):
            herd.form(herds, lane, board)
            bits[HERDED] |= np.int64(1) << lane
    positions = load(room.position, 0)
    store(room.target, 0, views.kinds_among_walls(constants, positions, load(room.direction, 0)))
    slots = gather(seen.slots, room.target)
    store(room.slot, 0, slots)
    unknown = bits_of(slots > fill(np.uint64(1 << 62)))
    while unknown:
        lane = trailing_zeros(np.uint64(unknown))
        unknown &= unknown - 1
        room.slot[lane] = views.work_out(constants, season, seen, np.int64(room.target[lane]), lane)
    # One look around, most often in vain, spares two: who is in view, and who may notice the agent afterwards.
    bits[NEAR] = herd.near(herds, rules, positions, max(rules.border, rules.close + 1)) & bits[HERDED]
    looking = bits[NEAR]
    while looking:
        lane = trailing_zeros(np.uint64(looking))
        looking &= looking - 1
        position, direction = np.int64(room.position[lane]), np.int64(room.direction[lane])
        top, left, rows, columns = window_of(constants, position, direction)
        things = herd.within(herds, lane, rules, top, left, rows, columns)
        if things:
            walls = np.int64(room.slot[lane])
            views.put_objects(constants, season, seen, walls, things, herds, position, direction, lane)
            room.slot[lane] = lane
    alone = bits[ALIVE] & ~bits[HERDED]
    while alone:
        lane = trailing_zeros(np.uint64(alone))
        alone &= alone - 1
        agent, cells = state.agent[room.life[lane]], state.cells[room.life[lane]]
        agent[POSITION], agent[DIRECTION] = room.position[lane], room.direction[lane]
        views.look_around(constants, season, seen, cells, agent, lane)
        room.slot[lane] = lane
    bits[SEEING] = bits_of(gather(seen.active, room.slot) > fill(np.uint64(0))) & bits[ALIVE] & ~bits[APART]
    collapsed.feel_nothing(room.collapsed)
    seeing = bits[SEEING]
    while seeing:
        lane = trailing_zeros(np.uint64(seeing))
        seeing &= seeing - 1
        collapsed.feel(room.collapsed, seen.inputs[room.slot[lane]], seen.active[room.slot[lane]], lane)
    return collapsed.fire(room.collapsed)


@inlined
def think(brains, room, firing):
    """The outputs' sums. firing: as `sense` says"""
    apart, fired, seen, neurons = room.bits[APART], room.output.fired, room.views, brains.hidden.shape[2]
    if apart == 0:
        outputs.think(room.output, neurons, firing)
        return
    for block in range(0, fired.shape[0], LANES):
        for lane in range(LANES):
            fired[block + lane] = 255 if firing >> lane & 1 else 0
    while apart:
        lane = trailing_zeros(np.uint64(apart))
        apart &= apart - 1
        slot = room.slot[lane]
        sparse.activate(room.hidden, lane, seen.inputs[slot], seen.active[slot], fired)
    outputs.gather_firing(room.output)
    outputs.think_apart(room.output, neurons)


@inlined
def act(constants, state, brains, season, counts, room):
    """Agents choose and move. Returns bits of lanes: where the second and the third output acted, and who is punished
    and rewarded for what is not random."""
    seen, bits, one = room.views, room.bits, fill(np.uint64(1))
    second, third, ties = outputs.winners(room.output)
    tied, gaps, free = gather(seen.ties, room.slot), load(room.gap, 0), bits[ALIVE]
    high = fill(np.uint64(32))
    store(room.which, 0, ((draw_words(room.streams, tied > one) >> high) * tied) >> high)  # as `draw_below` does
    if brains.only_unseeing:
        free &= bits_of(one > tied)
    random = bits_of(one > gaps) & free
    store(room.gap, 0, choose(mask_of(free & ~random), gaps - one, gaps))
    left_out = random | (ties & bits[ALIVE])
    chosen_second, chosen_third = second, third
    while left_out:
        lane = trailing_zeros(np.uint64(left_out))
        left_out &= left_out - 1
        only, i = np.int64(1) << lane, room.life[lane]
        if random & only:
            action = np.int64(brains.choices[draw_below(brains.stream[i], brains.choices.shape[0])])
            room.gap[lane] = draw_gap(brains.stream[i], brains.gaps)
        else:
            action = np.int64(random_winner_of(room.output.sums[lane::LANES], 3, brains.stream[i]))
        chosen_second = chosen_second & ~only | np.int64(action == 1) << lane
        chosen_third = chosen_third & ~only | np.int64(action == 2) << lane
    nothing = fill(np.uint64(0))
    actions = choose(mask_of(chosen_second), one, choose(mask_of(chosen_third), one + one, nothing))
    store(room.action, 0, actions)
    punished = rewarded = np.int64(0)
    for lane in range(LANES):
        signal = seen.signals[room.slot[lane], room.which[lane], room.action[lane]]
        punished |= np.int64(signal < 0) << lane
        rewarded |= np.int64(signal > 0) << lane
    punished, rewarded = punished & bits[ALIVE] & ~random, rewarded & bits[ALIVE] & ~random
    store(room.punished, 0, load(room.punished, 0) + choose(mask_of(punished), one, nothing))
    _move_agents(constants, state, season, counts, room, actions)
    return chosen_second, chosen_third, punished, rewarded


@inlined
def _move_agents(constants, state, season, counts, room, actions):
    """actions: words"""
    rules, herds, bits, ahead = constants.rules, room.herds, room.bits, constants.ahead
    one, nothing, border = fill(np.uint64(1)), fill(np.uint64(0)), fill(np.uint64(rules.border))
    positions, directions, free = load(room.position, 0), load(room.direction, 0), fill(np.uint64(rules.free))
    turned = (directions + actions + fill(np.uint64(3))) & fill(np.uint64(3))
    aslant, south_or_west = (turned & one) == one, turned > one
    north_or_east = choose(aslant, fill(np.uint64(ahead[1])), fill(np.uint64(ahead[0])))
    step = choose(south_or_west, choose(aslant, fill(np.uint64(ahead[3])), fill(np.uint64(ahead[2]))), north_or_east)
    target = positions + step
    store(room.target, 0, target)
    row = (target >> fill(np.uint64(rules.shift))) - border
    column = (target & fill(np.uint64((1 << rules.shift) - 1))) - border
    inside, on_board = bits_of(both(free > row, free > column)), bits[ALIVE] & ~bits[HERDED]
    close = bits[NEAR]
    while close:
        lane = trailing_zeros(np.uint64(close))
        close &= close - 1
        if herd.stands_on(herds, lane, room.target[lane]):
            i = room.life[lane]
            board = Board(state.cells[i], state.objects[i], state.shared[i], room.stream[lane])
            herd.leave(herds, lane, rules, board)
            on_board |= np.int64(1) << lane
    bits[HERDED] &= ~on_board
    turns = (inside | -np.int64(constants.turn_at_wall)) & ~on_board
    store(room.position, 0, choose(mask_of(inside & ~on_board), target, positions))
    store(room.direction, 0, choose(mask_of(turns), turned, directions))
    store(room.walls, 0, load(room.walls, 0) + choose(mask_of(~inside & ~on_board), one, nothing))
    while on_board:
        lane = trailing_zeros(np.uint64(on_board))
        on_board &= on_board - 1
        i = room.life[lane]
        board, agent = Board(state.cells[i], state.objects[i], state.shared[i], room.stream[lane]), state.agent[i]
        agent[POSITION], agent[DIRECTION] = room.position[lane], room.direction[lane]
        move(constants, board, agent, season, np.int64(room.action[lane]), counts[i])
        room.position[lane], room.direction[lane] = agent[POSITION], agent[DIRECTION]


@inlined
def learn(brains, room, firing, second, third, punished, rewarded):
    """The lanes of these bits learn."""
    apart, seen, neurons = room.bits[APART], room.views, brains.hidden.shape[2]
    hidden_learns = (punished & room.plastic[0, 0]) | (rewarded & room.plastic[0, 1])
    output_learns = (punished & room.plastic[1, 0]) | (rewarded & room.plastic[1, 1])
    learning, changes, one = hidden_learns | output_learns, load(room.changes, 0), fill(np.uint64(1))
    recounting = bits_of(one > (changes & fill(np.uint64(RECOUNT - 1)))) & learning
    store(room.changes, 0, choose(mask_of(learning), changes + one, changes))
    while recounting:
        lane = trailing_zeros(np.uint64(recounting))
        recounting &= recounting - 1
        outputs.vanish(room.output, lane)
        if apart >> lane & 1:
            sparse.recount(room.hidden, lane)
        else:
            collapsed.recount(room.collapsed, lane)
    # Square root and division are slow: the outputs' change goes on meanwhile.
    collapsed.tally(room.collapsed, punished, hidden_learns)
    if output_learns:
        outputs.change(room.output, neurons, firing, apart != 0, second, third, punished, output_learns)
    if hidden_learns & ~apart:
        collapsed.change(room.collapsed, hidden_learns & ~apart)
        seeing = hidden_learns & room.bits[SEEING]
        while seeing:
            lane = trailing_zeros(np.uint64(seeing))
            seeing &= seeing - 1
            slot = room.slot[lane]
            collapsed.change_active(room.collapsed, seen.inputs[slot], seen.active[slot], lane)
    differing = apart & learning
    while differing:
        lane = trailing_zeros(np.uint64(differing))
        differing &= differing - 1
        i = room.life[lane]
        if hidden_learns >> lane & 1:
            sparse.change(room.hidden, lane, brains.delta[i, 0, 1 - (punished >> lane & 1)])
        if sparse.tidies(room.changes[lane]) and sparse.tidy(room.hidden, lane):
            room.bits[APART] &= ~(np.int64(1) << lane)
            sparse.give_back(room.hidden, lane, brains.hidden[i], brains.tally[i])
            collapsed.take(room.collapsed, brains.hidden[i], brains.tally[i], brains.delta[i, 0], lane)


@inlined
def move_objects(constants, state, season, counts, room):
    """All at once, or one by one where something may be in someone's way."""
    rules, herds, bits = constants.rules, room.herds, room.bits
    left, meeting = herd.go(herds, rules, room.stream, room.streams, bits[HERDED], bits[NEAR])
    left |= bits[ALIVE] & ~bits[HERDED]
    while left:
        lane, caught = trailing_zeros(np.uint64(left)), np.int64(herd.SHARED)
        left &= left - 1
        i, position, only = room.life[lane], np.int64(room.position[lane]), np.int64(1) << lane
        board = Board(state.cells[i], state.objects[i], state.shared[i], room.stream[lane])
        if bits[HERDED] & only:
            meets = meeting & only != 0
            caught = herd.go_one_by_one(herds, lane, rules, room.stream[lane], position, season, meets)
            if caught == herd.SHARED:
                herd.leave(herds, lane, rules, board)
                bits[HERDED] &= ~only
        if caught == herd.SHARED:
            caught = objects.move_all(rules, board, position, season)
        counts[i, CAUGHT] += caught
