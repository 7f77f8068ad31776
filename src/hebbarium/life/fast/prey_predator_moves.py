"""Prey and predators as the lanes of a vector: all choose where to go at once.

An object goes where its random choice leads, unless wall or another object is there or it notices the agent. So all of
them choose, and those go of whom nothing of that is to be feared; the others, most often none, follow one by one. The
board of cells (`worlds/prey_predator_objects.py`) is not needed for it, but it alone knows what a cell shows on which
several stand: when two come to share one, the step is taken back, and the board takes over (`leave`) until they part.

Moving twenty objects by this takes a third of the time that it takes one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.kernels.bits import trailing_zeros
from hebbarium.kernels.compile import called, creating, inlined
from hebbarium.kernels.random import draw_unit, draw_word
from hebbarium.kernels.vectors import (
    SHORTS,
    bits_of,
    both,
    choose,
    fill,
    load,
    pairs_of,
    smallest,
    spread,
    store,
    wide_mask_of,
)
from hebbarium.worlds.grid import BLUE, EMPTY, GREEN
from hebbarium.worlds.prey_predator_objects import destination, is_prey

NOWHERE = 0xFFFF
"""The position of objects that there are not, beyond any board."""
SHARED = -1
"""Said of objects that did not go, because two would come to share a cell."""
STILL = 1 << 40
"""A bit that no object has: all stand still."""


class Herds(NamedTuple):
    """Of eight lives, one after the other."""

    here: np.ndarray
    """uint16 [life, SHORTS], flat: positions."""
    there: np.ndarray
    """uint16 [life, SHORTS], flat: where they want to go."""
    careful: np.ndarray
    """int64 [life]: bits of those who want to go into a wall or are close to the agent, or STILL."""
    meeting: np.ndarray
    """int64 [life]: not 0 if one wants to go where another is or wants to go."""
    word: np.ndarray
    """uint64 [life]: their choices."""
    before: np.ndarray
    """uint64 [life]: the random stream before they chose."""
    steps: np.ndarray
    """uint16 [4, SHORTS], flat: what each choice adds to a position; nothing, beyond the last object."""


@creating
def new_herds(rules):
    steps = np.zeros(4 * SHORTS, np.uint16)
    for choice in range(min(4, rules.around.shape[0])):
        for number in range(min(rules.objects, SHORTS)):
            steps[choice * SHORTS + number] = np.uint16(rules.around[choice] & NOWHERE)
    return Herds(
        np.full(LANES * SHORTS, NOWHERE, np.uint16),
        np.full(LANES * SHORTS, NOWHERE, np.uint16),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
        steps,
    )


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
        herds.here[life * SHORTS + number] = board.objects[number]


@called
def leave(herds, life, rules, board):
    """Write to the board where they are now."""
    for number in range(rules.objects):
        board.cells[board.objects[number]] = EMPTY
    for number in range(rules.objects):
        position = np.int64(herds.here[life * SHORTS + number])
        board.objects[number] = position
        board.cells[position] = GREEN if number < rules.green else BLUE


@inlined
def within(herds, life, rules, top, left, rows, columns):
    """Bits of the objects within a rectangle, given by its first row and column on the board and its size."""
    return _inside(rules, load(herds.here, life * SHORTS), top, left, rows, columns) & _all_of(rules)


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
    return bits_of(load(herds.here, life * SHORTS) == fill(np.uint16(cell))) != 0


@inlined
def wish(herds, life, rules, stream):
    """Each wants to go somewhere."""
    herds.before[life] = stream[0]
    if rules.move_probability < 1.0 and draw_unit(stream) >= rules.move_probability:
        herds.careful[life] = STILL
        store(herds.there, life * SHORTS, fill(np.uint16(NOWHERE)))
        return
    word = draw_word(stream) if rules.objects > 0 else np.uint64(0)
    steps, choices = herds.steps, pairs_of(word)
    odd, upper = (choices & fill(np.uint16(1))) > fill(np.uint16(0)), choices > fill(np.uint16(1))
    step = choose(
        upper,
        choose(odd, load(steps, 3 * SHORTS), load(steps, 2 * SHORTS)),
        choose(odd, load(steps, SHORTS), load(steps, 0)),
    )
    there = load(herds.here, life * SHORTS) + step
    store(herds.there, life * SHORTS, there)
    inside = _inside(rules, there, rules.border, rules.border, rules.free, rules.free)
    herds.word[life], herds.careful[life] = word, ~inside & _all_of(rules)


@inlined
def go(herds, life, rules, near, agent):
    """They go where they want to, if nothing is in anyone's way: returns whether they did.

    near: whether any may be close to the agent"""
    here, there = load(herds.here, life * SHORTS), load(herds.there, life * SHORTS)
    nearest, wishes, one = fill(np.uint16(NOWHERE)), fill(np.uint16(0)), fill(np.uint16(1))
    for number in range(rules.objects):
        wanted = spread(herds.there, life * SHORTS + number)
        nearest = smallest(nearest, wanted ^ here)  # becomes 0 where another stands
        wishes = choose(wanted == there, wishes + one, wishes)  # everyone's own is one
    meeting = bits_of(nearest == fill(np.uint16(0))) | (bits_of(wishes > one) & _all_of(rules))
    top, left = (agent >> rules.shift) - rules.close, (agent & ((1 << rules.shift) - 1)) - rules.close
    close = _inside(rules, here, top, left, 2 * rules.close + 1, 2 * rules.close + 1) & _all_of(rules)
    herds.careful[life] |= close if near else 0
    herds.meeting[life] = meeting
    goes = herds.careful[life] | meeting == 0
    store(herds.here, life * SHORTS, choose(wide_mask_of(-np.int64(goes)), there, here))
    return goes


@inlined
def go_one_by_one(herds, life, rules, stream, agent, season):
    """The same if something may be in someone's way: those of whom that is true go one by one, in their order. When the
    turn of one comes, those before it have gone.

    Returns how often a predator moved onto the agent, or SHARED"""
    if herds.careful[life] & STILL:
        return np.int64(0)
    here, there = load(herds.here, life * SHORTS), load(herds.there, life * SHORTS)
    careful, caught = herds.careful[life], np.int64(0)
    if herds.meeting[life]:
        for number in range(rules.objects):
            wanted = spread(herds.there, life * SHORTS + number)
            careful |= np.int64(bits_of(wanted == here) != 0) << number
            careful |= bits_of(wanted == there) & (np.int64(-2) << number)
    while careful:
        number = trailing_zeros(np.uint64(careful))
        careful &= careful - 1
        now = choose(wide_mask_of((np.int64(1) << number) - 1), there, here)
        position, prey = np.int64(herds.here[life * SHORTS + number]), is_prey(rules, number, season)
        choice = np.int64(herds.word[life] >> np.uint64(2 * number)) & 3
        goes = destination(rules, _is_empty, now, position, choice, prey, agent, stream)
        careful |= bits_of(there == fill(np.uint16(goes))) & (np.int64(-2) << number)
        there = choose(wide_mask_of(np.int64(1) << number), fill(np.uint16(goes)), there)
        if goes == agent and position != agent:
            caught += 1
            if bits_of(now == fill(np.uint16(agent))) != 0:
                stream[0] = herds.before[life]
                return np.int64(SHARED)
    store(herds.here, life * SHORTS, there)
    return caught


@inlined
def _is_empty(rules, now, cell):
    """now: where everyone is"""
    row, column = (cell >> rules.shift) - rules.border, (cell & ((1 << rules.shift) - 1)) - rules.border
    inside = (np.uint64(row) < np.uint64(rules.free)) & (np.uint64(column) < np.uint64(rules.free))
    return inside & (bits_of(now == fill(np.uint16(cell))) == 0)
