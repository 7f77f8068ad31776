"""What agents of prey-predator see, worked out once where nothing but wall is in view.

A view has all that a step needs of it: which inputs are active, and what the world says to each action. Without
objects it follows from how far the walls ahead and on both sides are, and is kept. With objects it is worked out each
time: from a kept view and where the objects are, or by looking at every cell of the board.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.kernels.bits import trailing_zeros
from hebbarium.kernels.compile import called, creating, inlined
from hebbarium.kernels.vectors import choose, fill, smallest
from hebbarium.life.fast.prey_predator_moves import place as place_in_herd
from hebbarium.worlds.grid import BLUE, EMPTY, GREEN, SOUTH, STRAIGHT, WALL
from hebbarium.worlds.prey_predator import look, rank

KEPT = 128
"""Views that are kept, at most; there are 125 where the agent sees as far as in the paper."""
ACTIONS = 4
"""Three, rounded up."""


class Views(NamedTuple):
    """A view is a row, called slot. The first eight are for the views of eight lives that are not kept."""

    inputs: np.ndarray
    """uint16 [slot, place]: the active ones in their order, but the bias; one more place is written to but not used."""
    active: np.ndarray
    """int64 [slot]: how many these are."""
    ties: np.ndarray
    """int64 [slot]: how many things in view are the closest; 0, if it is empty."""
    signals: np.ndarray
    """int8 [slot, closest thing, ACTIONS]: reinforcement of each action, by which of these decides; with an empty view
    by the first."""
    slots: np.ndarray
    """int64 [view of walls]: where it is kept, or -1."""
    used: np.ndarray
    """int64 [1]: slots that are taken."""
    sensed: np.ndarray
    """uint8 [slot, sensed cell]: what it holds."""
    found: np.ndarray
    """int64 [sensed cell]: those that are not empty."""


@creating
def new_views(constants):
    cells, slots, used = constants.seen_square.shape[0], LANES + KEPT, np.zeros(1, np.int64)
    deep, wide = constants.window[0, 2], constants.window[0, 3] // 2 + 1
    used[0] = LANES
    return Views(
        np.zeros((slots, 2 * cells + 1), np.uint16),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
        np.zeros((slots, cells, ACTIONS), np.int8),
        np.full(deep * wide * wide, -1, np.int64),
        used,
        np.zeros((slots, cells), np.uint8),
        np.zeros(cells, np.int64),
    )


@inlined
def kinds_among_walls(constants, positions, directions):
    """Where `slots` has the views of eight agents, if they see no objects. positions, directions: words"""
    rules, deepest, widest = constants.rules, constants.window[0, 2] - 1, constants.window[0, 3] // 2
    border, last, one = fill(np.uint64(rules.border)), fill(np.uint64(rules.free - 1)), fill(np.uint64(1))
    north = (positions >> fill(np.uint64(rules.shift))) - border
    west = (positions & fill(np.uint64((1 << rules.shift) - 1))) - border
    south, east, side = last - north, last - west, fill(np.uint64(widest))
    aslant, turned = (directions & one) == one, directions > one
    ahead = choose(turned, choose(aslant, west, south), choose(aslant, east, north))
    left = choose(turned, choose(aslant, south, east), choose(aslant, north, west))
    right = choose(turned, choose(aslant, north, west), choose(aslant, south, east))
    kinds = smallest(ahead, fill(np.uint64(deepest))) * (side + one) + smallest(left, side)
    return kinds * (side + one) + smallest(right, side)


@called
def work_out(constants, season, views, kind, lane):
    """The slot of such a view that is not kept yet, or the lane's."""
    slot, side = lane, constants.window[0, 3] // 2 + 1
    ahead, left, right = kind // (side * side), kind // side % side, kind % side
    if views.used[0] < views.active.shape[0]:
        slot = views.used[0]
        views.used[0] += 1
        views.slots[kind] = slot
    for cell in range(views.found.shape[0]):
        forth, aside = constants.seen_from[cell, 0], constants.seen_from[cell, 1]
        views.sensed[slot, cell] = WALL if forth > ahead or aside > right or -aside > left else EMPTY
    _write(constants, season, views, slot, _find(views, slot))
    return slot


@called
def look_around(constants, season, views, cells, agent, lane):
    """Look at every cell in view. cells: of a life's board"""
    _write(constants, season, views, lane, look(constants, cells, agent, views.sensed[lane], views.found))


@inlined
def put_objects(constants, season, views, walls, seen, herds, position, direction, lane):
    """Add objects to a view of walls, in the slot `walls`. seen: their bits"""
    rules, deep, wide = constants.rules, constants.window[0, 2], constants.window[0, 3]
    mask, sensed, found, things = (1 << rules.shift) - 1, views.sensed[lane], views.found, 0
    if views.ties[walls] != 0:
        for cell in range(found.shape[0]):
            sensed[cell] = views.sensed[walls, cell]
    while seen:
        number = trailing_zeros(np.uint64(seen))
        seen &= seen - 1
        there = np.int64(herds.here[place_in_herd(lane, number)])
        down, along = (there >> rules.shift) - (position >> rules.shift), (there & mask) - (position & mask)
        back, right = (down, along) if direction & 1 == 0 else (-along, down)  # for one who looks north or east
        ahead, right = (-back, right) if direction < SOUTH else (back, -right)
        if ahead != 0 or right != 0:
            cell = (deep - 1 - ahead) * wide + right + wide // 2 - (ahead == 0 and right > 0)
            sensed[cell] = GREEN if number < rules.green else BLUE
            place = things  # in their order
            while place > 0 and found[place - 1] > cell:
                found[place] = found[place - 1]
                place -= 1
            found[place] = cell
            things += 1
    if views.ties[walls] != 0:
        things = _find(views, lane)
    _write(constants, season, views, lane, things)


@inlined
def _find(views, slot):
    """List the cells that are not empty; returns how many these are."""
    things, found = 0, views.found
    for cell in range(found.shape[0]):
        found[things] = cell  # and over it again if the cell is empty: no branch that cannot be predicted
        things += views.sensed[slot, cell] != EMPTY
    return things


@inlined
def _write(constants, season, views, slot, things):
    """What follows from what each cell holds. things: how many were found"""
    sensed, found, inputs, signals = views.sensed[slot], views.found, views.inputs[slot], views.signals[slot]
    count, best, ties = 0, 0, 0
    for place in range(things):
        cell, thing = found[place], int(sensed[found[place]])
        inputs[count] = 2 * cell
        count += thing >> 1
        inputs[count] = 2 * cell + 1
        count += thing & 1
        near = rank(constants, sensed, cell)
        if ties == 0 or near < best:
            best, ties = near, 0
        if near == best:
            for action in range(3):
                signals[ties, action] = constants.reinforcement[season, thing, constants.nears[cell, action]]
            ties += 1
    views.active[slot], views.ties[slot] = count, ties
    if things == 0:
        for action in range(3):
            signals[0, action] = constants.reinforcement[season, EMPTY, np.int64(action != STRAIGHT)]
