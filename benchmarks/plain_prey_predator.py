"""Prey-predator as one would first write it and compile with numba: one life after another, one step at a time.

All weights are touched at every change, as the paper's equations say (`plain_network.py`). Only the random
streams are the package's own: they cost next to nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hebbarium.kernels import random as streams
from hebbarium.kernels.compile import machine_code
from hebbarium.kernels.random import BRAIN, WORLD
from hebbarium.rules.rule import Rule
from hebbarium.worlds.prey_predator import MOVES, PreyPredator, nears, reinforcement
from plain_foraging import STEPS
from plain_network import Layout, fill, step_function

draw_below, draw_unit, open_stream = (
    machine_code(streams.draw_below),
    machine_code(streams.draw_unit),
    machine_code(streams.open_stream),
)

EMPTY, BLUE, GREEN, WALL = range(4)
LEFT, STRAIGHT, RIGHT = range(3)
BORDER = 4
"""Cells of wall on every side: as far as the agent sees."""


def live(rule: Rule, lifetimes: int, seed: int, task: PreyPredator, layout: Layout) -> np.ndarray:
    """int64 [lifetime, season, count]: collected, caught and walls of whole lives."""
    counts = np.zeros((lifetimes, task.seasons, 3), np.int64)
    delta = np.array(rule.entries, np.float64).reshape(2, 2, 2) * rule.eta
    view = np.array(task.view)
    nearing = np.array([[nears(cell, action) for action in MOVES] for cell in task.view], np.int64)
    for trial in range(lifetimes):
        live_once(
            counts[trial],
            np.array(task.season_kinds),
            task.season_steps,
            task.free_side,
            task.green,
            task.green + task.blue,
            task.notice_square,
            task.notice_probability,
            task.random_action,
            view,
            nearing,
            delta,
            (delta != 0.0).any(axis=(1, 2)),
            reinforcement()[0],
            layout.new(task.default_hidden, 2 * len(view) + 1),
            layout.new(3, task.default_hidden + 1),
            layout.add_up,
            layout.change,
            layout.scale,
            task.default_hidden,
            seed,
            trial,
        )
    return counts


@njit
def live_once(
    counts, kinds, steps, free, green, number, notice_square, notice, random_action, view, nearing, delta, plastic,
    table, hidden, output, add_up, change, scale, neurons, seed, trial,
):  # fmt: skip
    world, brain = np.empty(2, np.uint64), np.empty(2, np.uint64)
    open_stream(world, seed, trial, WORLD)
    open_stream(brain, seed, trial, BRAIN)
    cells = view.shape[0]
    sensed, senses = np.zeros(cells, np.uint8), np.ones(2 * cells + 1)
    active, winner = np.ones(neurons + 1), np.zeros(3)
    sums, outputs = np.zeros(neurons), np.zeros(3)
    fill(hidden, brain)
    scale(hidden, sums)
    fill(output, brain)
    scale(output, outputs)
    grid = np.full((free + 2 * BORDER, free + 2 * BORDER), WALL, np.uint8)
    grid[BORDER : BORDER + free, BORDER : BORDER + free] = EMPTY
    row, column, direction = BORDER + draw_below(world, free), BORDER + draw_below(world, free), draw_below(world, 4)
    objects = np.zeros((number, 2), np.int64)
    for o in range(number):
        put_anywhere(grid, objects, o, green, row, column, world)

    for season in range(kinds.shape[0]):
        for _ in range(steps):
            sense(grid, row, column, direction, view, sensed)
            for cell in range(cells):
                senses[2 * cell] = sensed[cell] // 2
                senses[2 * cell + 1] = sensed[cell] % 2
            add_up(hidden, senses, sums)
            step_function(sums, active)
            add_up(output, active, outputs)
            action = largest(outputs, brain)
            random = draw_unit(brain) < random_action
            if random:
                action = draw_below(brain, 3)

            cell = closest(sensed, view, world)
            if cell < 0:
                signal = table[kinds[season], EMPTY, 0 if action == STRAIGHT else 1]
            else:
                signal = table[kinds[season], sensed[cell], nearing[cell, action]]

            direction = (direction + 3 + action) % 4
            if grid[row + STEPS[direction, 0], column + STEPS[direction, 1]] == WALL:
                counts[season, 2] += 1
            else:
                row += STEPS[direction, 0]
                column += STEPS[direction, 1]
            for o in range(number):
                if objects[o, 0] == row and objects[o, 1] == column and is_prey(o, green, kinds[season]):
                    counts[season, 0] += 1
                    lift(grid, objects, o, green)
                    put_anywhere(grid, objects, o, green, row, column, world)
            for o in range(number):
                prey = is_prey(o, green, kinds[season])
                if move(grid, objects, o, green, prey, row, column, notice_square, notice, world):
                    counts[season, 1] += 1

            half = 0 if signal < 0 else 1
            if signal != 0 and not random and plastic[half]:
                winner[:] = 0.0
                winner[action] = 1.0
                change(hidden, delta[half], senses, active)
                scale(hidden, sums)
                change(output, delta[half], active, winner)
                scale(output, outputs)


@njit
def is_prey(o, green, kind):
    return (o < green) == (kind == 0)


@njit
def sense(grid, row, column, direction, view, sensed):
    ahead, right = STEPS[direction], STEPS[(direction + 1) % 4]
    for cell in range(view.shape[0]):
        sensed[cell] = grid[
            row + view[cell, 0] * ahead[0] + view[cell, 1] * right[0],
            column + view[cell, 0] * ahead[1] + view[cell, 1] * right[1],
        ]


@njit
def closest(sensed, view, stream):
    """The cell of the closest thing in view, or -1; objects before walls, else ties at random."""
    best, ties, found = 0, 0, -1
    for cell in range(sensed.shape[0]):
        if sensed[cell] == EMPTY:
            continue
        rank = 2 * (view[cell, 0] ** 2 + view[cell, 1] ** 2) + (1 if sensed[cell] == WALL else 0)
        if found < 0 or rank < best:
            best, ties, found = rank, 1, cell
        elif rank == best:
            ties += 1
            if draw_below(stream, ties) == 0:
                found = cell
    return found


@njit
def largest(sums, stream):
    """The output with the largest sum; ties at random."""
    best, ties = 0, 1
    for i in range(1, sums.shape[0]):
        if sums[i] > sums[best]:
            best, ties = i, 1
        elif sums[i] == sums[best]:
            ties += 1
            if draw_below(stream, ties) == 0:
                best = i
    return best


@njit
def put(grid, objects, o, green, row, column):
    objects[o, 0], objects[o, 1] = row, column
    grid[row, column] = GREEN if o < green else BLUE


@njit
def put_anywhere(grid, objects, o, green, agent_row, agent_column, stream):
    """On a random empty cell that is not the agent's."""
    while True:
        row = BORDER + draw_below(stream, grid.shape[0] - 2 * BORDER)
        column = BORDER + draw_below(stream, grid.shape[1] - 2 * BORDER)
        if grid[row, column] == EMPTY and not (row == agent_row and column == agent_column):
            put(grid, objects, o, green, row, column)
            return


@njit
def lift(grid, objects, o, green):
    """Off its cell; several predators may have stood there."""
    grid[objects[o, 0], objects[o, 1]] = EMPTY
    for other in range(objects.shape[0]):
        if other != o and objects[other, 0] == objects[o, 0] and objects[other, 1] == objects[o, 1]:
            grid[objects[o, 0], objects[o, 1]] = GREEN if other < green else BLUE


@njit
def move(grid, objects, o, green, prey, agent_row, agent_column, notice_square, notice, stream):
    """To a random free neighbour, or away from or towards the agent. Returns whether it came onto the agent."""
    square = (objects[o, 0] - agent_row) ** 2 + (objects[o, 1] - agent_column) ** 2
    noticed = square <= notice_square and draw_unit(stream) < notice
    best, ties, to_row, to_column = 0, 0, 0, 0
    for step in STEPS:
        row, column = objects[o, 0] + step[0], objects[o, 1] + step[1]
        at_agent = row == agent_row and column == agent_column
        if prey if at_agent else grid[row, column] != EMPTY:
            continue
        gain = 0
        if noticed:
            gain = (row - agent_row) ** 2 + (column - agent_column) ** 2
            if not prey:
                gain = -gain
        if ties == 0 or gain > best:
            best, ties, to_row, to_column = gain, 1, row, column
        elif gain == best:
            ties += 1
            if draw_below(stream, ties) == 0:
                to_row, to_column = row, column
    if ties == 0:
        return False
    lift(grid, objects, o, green)
    put(grid, objects, o, green, to_row, to_column)
    return to_row == agent_row and to_column == agent_column
