"""The hand-coded agents: they know the task from birth, and what their life counts is the yardstick.

Each function stands in for a task's `advance`, in the same worlds with the same random actions.
"""

from __future__ import annotations

import numpy as np

from hebbarium.core import objects
from hebbarium.core import prey_predator_world as hunting
from hebbarium.core.compile import inlined, kernel
from hebbarium.core.foraging_world import look, step
from hebbarium.core.random import draw_below, draw_gap, draw_unit
from hebbarium.tasks.grid import BLUE, EMPTY, GREEN, LEFT, RIGHT, STRAIGHT, SUMMER, WALL

LEAVE_WALL = 0.5
"""Chance at each step beside the wall to turn away from it."""
DANGER_SQUARE = 2
"""Squared distance up to which a predator is too near."""
_WORST = 1 << 20


@kernel
def forage(constants, worlds, brains, season, steps, counts, trace):
    for i in range(counts.shape[0]):
        for _ in range(steps):
            if brains.gap[i] == 0:
                action = draw_below(brains.stream[i], 3)
                brains.gap[i] = draw_gap(brains.stream[i], constants.gaps)
            else:
                brains.gap[i] -= 1
                action = _forage_action(brains.stream[i], look(constants, worlds, i), season)
            step(constants, worlds, i, action, counts)


@inlined
def _forage_action(stream, state, season):
    """A wanted item first; else straight on, except that a wall beside is left now and then; else any free side."""
    left, front, right = state >> 4 & 3, state >> 2 & 3, state & 3
    wanted = GREEN if season == SUMMER else BLUE
    if front == wanted:
        return STRAIGHT
    if left == wanted:
        return LEFT
    if right == wanted:
        return RIGHT
    if front == EMPTY:
        if left == WALL and right == EMPTY and draw_unit(stream) < LEAVE_WALL:
            return RIGHT
        if right == WALL and left == EMPTY and draw_unit(stream) < LEAVE_WALL:
            return LEFT
        return STRAIGHT
    return _free_side(stream, left, right)


@inlined
def _free_side(stream, left, right):
    """The empty side, a random one of two; where neither is empty, rather an unwanted item than the wall."""
    if left == EMPTY and right == EMPTY:
        return LEFT if draw_below(stream, 2) == 0 else RIGHT
    if left == EMPTY:
        return LEFT
    if right == EMPTY:
        return RIGHT
    return RIGHT if left == WALL else LEFT


@kernel
def hunt(constants, worlds, brains, season, steps, counts, trace):
    sensed, found = (
        np.empty(constants.seen_square.shape[0], np.uint8),
        np.empty(constants.seen_square.shape[0], np.int64),
    )
    for i in range(counts.shape[0]):
        board, agent = hunting.board_of(worlds, i), worlds.agent[i]
        for _ in range(steps):
            if brains.gap[i] == 0:
                action = draw_below(brains.stream[i], 3)
                brains.gap[i] = draw_gap(brains.stream[i], constants.gaps)
            else:
                brains.gap[i] -= 1
                hunting.sense(constants, board, agent, sensed, found)
                action = _hunt_action(constants, sensed, season)
            hunting.act(constants, board, agent, season, action, counts[i])
            counts[i, hunting.CAUGHT] += objects.move_all(constants.rules, board, agent[hunting.POSITION], season)


@inlined
def _hunt_action(constants, sensed, season):
    """The action of least harm; among equals straight on, then left."""
    best, least = STRAIGHT, _harm(constants, sensed, season, STRAIGHT)
    for action in (LEFT, RIGHT):
        harm = _harm(constants, sensed, season, action)
        if harm < least:
            best, least = action, harm
    return best


@inlined
def _harm(constants, sensed, season, action):
    """How bad the cell is that an action leads to: a wall, near a predator, far from the nearest prey in view."""
    prey = GREEN if season == SUMMER else BLUE
    forth, aside = 1 if action == STRAIGHT else 0, action - 1
    nearest, danger, wall = 1000, 0, 0
    for cell in range(sensed.shape[0]):
        if sensed[cell] == EMPTY:
            continue
        ahead, right = constants.seen_from[cell, 0] - forth, constants.seen_from[cell, 1] - aside
        square = ahead * ahead + right * right
        if sensed[cell] == WALL:
            wall += square == 0
        elif sensed[cell] == prey:
            nearest = min(nearest, square)
        elif square <= DANGER_SQUARE:
            danger += DANGER_SQUARE + 1 - square
    return _WORST * wall + _WORST // 100 * danger + nearest
