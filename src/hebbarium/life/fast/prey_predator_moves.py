"""Prey and predators of eight lives as the lanes of vectors: all choose where to go at once.

An object goes where its random choice leads, unless a wall or another object is there or it notices the agent. All
choose at once. In three quarters of the lives nothing is in the way, and all objects go. In the others, the objects
that may meet a wall, another object or the agent go one by one. The board of cells (`worlds/prey_predator_objects.py`)
is not needed for it, but it alone knows what a cell shows on which several stand: when two come to share one, the step
is taken back, and the board takes over (`leave`) until they part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.kernels.bits import trailing_zeros
from hebbarium.kernels.compile import called, creating, inlined
from hebbarium.kernels.random import draw_unit
from hebbarium.kernels.random_in_lanes import draw_words
from hebbarium.kernels.vectors import (
    SHORTS,
    any_of_four,
    bits_of,
    both,
    choose,
    choose_fours,
    fill,
    four_each,
    largest,
    load,
    load_column,
    lowest_pairs,
    mask_of,
    smallest,
    spread,
    store,
    store_column,
    turned_once,
    turned_thrice,
    turned_twice,
    wide_mask_of,
)
from hebbarium.worlds.grid import BLUE, EMPTY, GREEN
from hebbarium.worlds.prey_predator_objects import destination, is_prey

NOWHERE = 0xFF00
"""From here on are the positions of objects that there are not, each another, beyond any board."""
EVERYTHING = 0xFFFF
SHARED = -1
"""Said of objects that did not go, because two would come to share a cell."""


class Herds(NamedTuple):
    """Of eight lives. The first four arrays are [four objects, life, object], flat: a vector holds four objects of each
    life."""

    here: np.ndarray
    """uint16: positions."""
    there: np.ndarray
    """uint16: where they want to go."""
    even: np.ndarray
    """uint16: of both, the cell whose row and column add up to an even number. A step changes one of them by one."""
    odd: np.ndarray
    """uint16: the other one."""
    exists: np.ndarray
    """uint16, the same way: all bits are set, or none if there is no such object."""
    choices: np.ndarray
    """uint64 [life]: random words, two bits for each object."""
    before: np.ndarray
    """uint64 [life, 2], flat: the random streams before they chose."""


@creating
def new_herds(rules):
    exists, here = np.zeros(LANES * SHORTS, np.uint16), np.zeros(LANES * SHORTS, np.uint16)
    for life in range(LANES):
        for number in range(SHORTS):
            exists[place(life, number)] = EVERYTHING if number < rules.objects else 0
            here[place(life, number)] = NOWHERE + number
    return Herds(
        here,
        here.copy(),
        here.copy(),
        here.copy(),
        exists,
        np.zeros(LANES, np.uint64),
        np.zeros(2 * LANES, np.uint64),
    )


@inlined
def place(life, number):
    """Where an object stands in the arrays of herds."""
    return (number >> 2) * SHORTS + 4 * life + (number & 3)


@inlined
def may_form(rules, board):
    """Whether objects are few, the board small and the choices four, as they are unless other settings are asked for;
    and no two share a cell."""
    small = rules.objects <= SHORTS and board.cells.shape[0] < NOWHERE
    return small and rules.around.shape[0] == 4 and board.shared[0] == 0


@inlined
def form(herds, life, board):
    """Take the objects from their board, which is then left as it is."""
    for number in range(board.objects.shape[0]):
        herds.here[place(life, number)] = board.objects[number]


@called
def leave(herds, life, rules, board):
    """Write to the board where they are now."""
    for number in range(rules.objects):
        board.cells[board.objects[number]] = EMPTY
    for number in range(rules.objects):
        position = np.int64(herds.here[place(life, number)])
        board.objects[number] = position
        board.cells[position] = GREEN if number < rules.green else BLUE


@inlined
def near(herds, rules, agents, distance):
    """Bits of the lives in which an object is within so many rows and columns from the agent's. agents: words"""
    shift, mask, far = fill(np.uint16(rules.shift)), (1 << rules.shift) - 1, fill(np.uint64(distance))
    top = four_each((agents >> fill(np.uint64(rules.shift))) - far)
    left, columns = four_each((agents & fill(np.uint64(mask))) - far), fill(np.uint16(mask))
    nearest = fill(np.uint16(EVERYTHING))
    for at in range(0, _end(rules), SHORTS):
        here = load(herds.here, at)
        nearest = smallest(nearest, largest((here >> shift) - top, (here & columns) - left))
    return any_of_four(fill(np.uint16(2 * distance + 1)) > nearest)


@inlined
def _end(rules):
    """Of the vectors that hold objects. More objects than there is room for are never in a herd."""
    return (min(rules.objects, SHORTS) + 3) // 4 * SHORTS


@inlined
def within(herds, life, rules, top, left, rows, columns):
    """Bits of the objects within a rectangle, given by its first row and column on the board and its size."""
    return _inside(rules, load_column(herds.here, life), top, left, rows, columns) & _all_of(rules)


@inlined
def _inside(rules, positions, top, left, rows, columns):
    row = (positions >> fill(np.uint16(rules.shift))) - fill(np.uint16(top))
    column = (positions & fill(np.uint16((1 << rules.shift) - 1))) - fill(np.uint16(left))
    return bits_of(both(fill(np.uint16(rows)) > row, fill(np.uint16(columns)) > column))


@inlined
def _all_of(rules):
    return (np.int64(1) << rules.objects) - 1


@inlined
def stands_on(herds, life, cell):
    return bits_of(load_column(herds.here, life) == fill(np.uint16(cell))) != 0


@inlined
def go(herds, rules, stream, streams, moving, agent_near):
    """In the lives of the bits `moving` all choose, and go if nothing is in anyone's way.

    stream, streams: uint64 [life, 2], also flat; agent_near: bits of the lives in which one may be close to the agent.
    Returns bits of the lives that are left to `go_one_by_one`, and of those in which two may be in each other's way."""
    store(herds.before, 0, load(streams, 0))
    store(herds.before, LANES, load(streams, LANES))
    if rules.move_probability < 1.0:
        for life in range(LANES):
            if moving >> life & 1 and draw_unit(stream[life]) >= rules.move_probability:
                moving &= ~(np.int64(1) << life)
    if rules.objects == 0:
        return np.int64(0), np.int64(0)
    choices = draw_words(streams, mask_of(moving))
    store(herds.choices, 0, choices)
    walls = _wish(herds, rules, choices)
    meeting = _meeting(herds, rules)
    going = moving & ~(walls | meeting | agent_near)
    goes = mask_of(going)
    for at in range(0, _end(rules), SHORTS):
        store(herds.here, at, choose_fours(goes, load(herds.there, at), load(herds.here, at)))
    return moving & ~going, meeting


@inlined
def _wish(herds, rules, choices):
    """Each wants to go somewhere; returns bits of the lives in which one wants to go into a wall."""
    shift, columns, border = rules.shift, fill(np.uint16((1 << rules.shift) - 1)), fill(np.uint16(rules.border))
    none, one, shorts_shift = fill(np.uint16(0)), fill(np.uint16(1)), fill(np.uint16(shift))
    north, east = fill(np.uint16(rules.around[0] & EVERYTHING)), fill(np.uint16(rules.around[1] & EVERYTHING))
    south, west = fill(np.uint16(rules.around[2] & EVERYTHING)), fill(np.uint16(rules.around[3] & EVERYTHING))
    farthest = none
    for at in range(0, _end(rules), SHORTS):
        here, exists, choice = load(herds.here, at), load(herds.exists, at), lowest_pairs(choices)
        choices = choices >> fill(np.uint64(8))
        turned, upper = (choice & one) > none, choice > one
        there = here + (choose(upper, choose(turned, west, south), choose(turned, east, north)) & exists)
        is_odd = (((here >> shorts_shift) ^ here) & one) > none
        store(herds.there, at, there)
        store(herds.even, at, choose(is_odd, there, here))
        store(herds.odd, at, choose(is_odd, here, there))
        outside = largest((there >> shorts_shift) - border, (there & columns) - border)
        farthest = largest(farthest, outside & exists)
    return any_of_four(farthest > fill(np.uint16(rules.free - 1)))


@inlined
def _meeting(herds, rules):
    """Bits of the lives in which one wants to go where another is or wants to go.

    Then, and only then, both have the same even cell or the same odd one: if they stand on cells of one kind, they want
    to go to the same cell of the other kind; else one stands where the other wants to go. So every two vectors are
    compared, and one with itself, turned as often as it takes for each object to meet each other one."""
    even, odd = herds.even, herds.odd
    nearest_even = nearest_odd = fill(np.uint16(EVERYTHING))
    for at in range(0, _end(rules), SHORTS):
        even_0, odd_0 = load(even, at), load(odd, at)
        even_1, even_2, even_3 = turned_once(even_0), turned_twice(even_0), turned_thrice(even_0)
        odd_1, odd_2, odd_3 = turned_once(odd_0), turned_twice(odd_0), turned_thrice(odd_0)
        nearest_even = smallest(nearest_even, smallest(even_0 ^ even_1, even_0 ^ even_2))
        nearest_odd = smallest(nearest_odd, smallest(odd_0 ^ odd_1, odd_0 ^ odd_2))
        for other in range(0, at, SHORTS):
            others, odd_others = load(even, other), load(odd, other)
            nearest_even = smallest(nearest_even, smallest(others ^ even_0, others ^ even_1))
            nearest_odd = smallest(nearest_odd, smallest(odd_others ^ odd_0, odd_others ^ odd_1))
            nearest_even = smallest(nearest_even, smallest(others ^ even_2, others ^ even_3))
            nearest_odd = smallest(nearest_odd, smallest(odd_others ^ odd_2, odd_others ^ odd_3))
    return any_of_four(smallest(nearest_even, nearest_odd) == fill(np.uint16(0)))


@inlined
def go_one_by_one(herds, life, rules, stream, agent, season, meeting):
    """The same in a life where something may be in someone's way: those of whom that is true go one by one, in their
    order. When the turn of one comes, those before it have gone. meeting: whether two may be in each other's way

    Returns how often a predator moved onto the agent, or SHARED"""
    here, there, caught = load_column(herds.here, life), load_column(herds.there, life), np.int64(0)
    careful = ~_inside(rules, there, rules.border, rules.border, rules.free, rules.free)
    top, left = (agent >> rules.shift) - rules.close, (agent & ((1 << rules.shift) - 1)) - rules.close
    careful |= _inside(rules, here, top, left, 2 * rules.close + 1, 2 * rules.close + 1)
    careful &= _all_of(rules)
    if meeting:
        for number in range(rules.objects):
            wanted = spread(herds.there, place(life, number))
            careful |= np.int64(bits_of(wanted == here) != 0) << number
            careful |= bits_of(wanted == there) & (np.int64(-2) << number)
    while careful:
        number = trailing_zeros(np.uint64(careful))
        careful &= careful - 1
        now = choose(wide_mask_of((np.int64(1) << number) - 1), there, here)
        position, prey = np.int64(herds.here[place(life, number)]), is_prey(rules, number, season)
        choice = np.int64(herds.choices[life] >> np.uint64(2 * number)) & 3
        goes = destination(rules, _is_empty, now, position, choice, prey, agent, stream)
        careful |= bits_of(there == fill(np.uint16(goes))) & (np.int64(-2) << number)
        there = choose(wide_mask_of(np.int64(1) << number), fill(np.uint16(goes)), there)
        if goes == agent and position != agent:
            caught += 1
            if bits_of(now == fill(np.uint16(agent))) != 0:
                stream[0] = herds.before[2 * life]
                return np.int64(SHARED)
    store_column(herds.here, life, there)
    return caught


@inlined
def _is_empty(rules, now, cell):
    """now: where everyone is"""
    row, column = (cell >> rules.shift) - rules.border, (cell & ((1 << rules.shift) - 1)) - rules.border
    inside = (np.uint64(row) < np.uint64(rules.free)) & (np.uint64(column) < np.uint64(rules.free))
    return inside & (bits_of(now == fill(np.uint16(cell))) == 0)
