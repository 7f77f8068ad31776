"""Foraging as one would first write it and compile with numba: one life after another, one step at a time.

Loops follow the paper's equations (`plain_network.py`). Nothing is remembered, jumped or shared between
lives. Only the random streams are the package's own: they cost next to nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hebbarium.kernels import random as streams
from hebbarium.kernels.compile import machine_code
from hebbarium.kernels.random import BRAIN, WORLD
from hebbarium.rules.rule import Rule
from hebbarium.worlds.foraging import Foraging, reinforcement
from plain_network import Layout, fill, step_function

draw_below, draw_unit, open_stream = (
    machine_code(streams.draw_below),
    machine_code(streams.draw_unit),
    machine_code(streams.open_stream),
)

EMPTY, BLUE, GREEN, WALL = range(4)
STEPS = np.array([[-1, 0], [0, 1], [1, 0], [0, -1]])
"""Row and column of one cell to the north, east, south and west."""


def live(rule: Rule, lifetimes: int, seed: int, task: Foraging, layout: Layout) -> np.ndarray:
    """int64 [lifetime, season, count]: green, blue and walls of whole lives."""
    counts = np.zeros((lifetimes, task.seasons, 3), np.int64)
    delta = np.array(rule.entries, np.float64).reshape(2, 2, 2) * rule.eta
    table = reinforcement(task.priority)[0]
    for trial in range(lifetimes):
        live_once(
            counts[trial],
            np.array(task.season_kinds),
            task.season_steps,
            task.full_side,
            task.green,
            task.blue,
            task.random_action,
            delta,
            (delta != 0.0).any(axis=(1, 2)),
            table,
            layout.new(task.default_hidden, 7),
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
    counts, kinds, steps, side, green, blue, random_action, delta, plastic, table, hidden, output, add_up, change,
    scale, neurons, seed, trial,
):  # fmt: skip
    world, brain = np.empty(2, np.uint64), np.empty(2, np.uint64)
    open_stream(world, seed, trial, WORLD)
    open_stream(brain, seed, trial, BRAIN)
    senses, active, winner = np.ones(7), np.ones(neurons + 1), np.zeros(3)
    sums, outputs, things = np.zeros(neurons), np.zeros(3), np.zeros(3, np.int64)
    fill(hidden, brain)
    scale(hidden, sums)
    fill(output, brain)
    scale(output, outputs)
    grid = np.full((side, side), EMPTY, np.uint8)
    grid[0, :] = grid[-1, :] = grid[:, 0] = grid[:, -1] = WALL
    row, column, direction = 1 + draw_below(world, side - 2), 1 + draw_below(world, side - 2), draw_below(world, 4)
    for item in range(green + blue):
        place(grid, GREEN if item < green else BLUE, row, column, world)

    for season in range(kinds.shape[0]):
        for _ in range(steps):
            for side_of_agent in range(3):
                step = STEPS[(direction + 3 + side_of_agent) % 4]
                things[side_of_agent] = grid[row + step[0], column + step[1]]
                senses[2 * side_of_agent] = things[side_of_agent] // 2
                senses[2 * side_of_agent + 1] = things[side_of_agent] % 2
            add_up(hidden, senses, sums)
            step_function(sums, active)
            add_up(output, active, outputs)
            action = np.argmax(outputs)
            random = draw_unit(brain) < random_action
            if random:
                action = draw_below(brain, 3)

            signal = table[kinds[season], 16 * things[0] + 4 * things[1] + things[2], action]
            direction = (direction + 3 + action) % 4
            thing = things[action]
            if thing == WALL:
                counts[season, 2] += 1
            else:
                row += STEPS[direction, 0]
                column += STEPS[direction, 1]
            if thing in (GREEN, BLUE):
                counts[season, 0 if thing == GREEN else 1] += 1
                grid[row, column] = EMPTY
                place(grid, thing, row, column, world)

            half = 0 if signal < 0 else 1
            if signal != 0 and not random and plastic[half]:
                winner[:] = 0.0
                winner[action] = 1.0
                change(hidden, delta[half], senses, active)
                scale(hidden, sums)
                change(output, delta[half], active, winner)
                scale(output, outputs)


@njit
def place(grid, item, agent_row, agent_column, stream):
    """On a random empty cell that is not the agent's."""
    while True:
        row, column = 1 + draw_below(stream, grid.shape[0] - 2), 1 + draw_below(stream, grid.shape[1] - 2)
        if grid[row, column] == EMPTY and not (row == agent_row and column == agent_column):
            grid[row, column] = item
            return
