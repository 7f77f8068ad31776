"""Foraging with two hidden layers, written plainly and compiled with numba, beside the general network.

    python benchmarks/plain_deep.py

`plain_foraging.py` says what plain means. By the processor's clock, in turns; the best of the repeats counts.
"""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
from numba import njit

from competitors import Competitor
from hebbarium.brains.base import Brain
from hebbarium.executors.base import run
from hebbarium.kernels.random import BRAIN, WORLD
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.worlds.foraging import Foraging, reinforcement
from measure import measure
from plain_foraging import BLUE, EMPTY, GREEN, STEPS, WALL, draw_below, draw_unit, open_stream, place
from plain_network import LAYOUTS, Layout, fill, step_function

SIZES = (20, 10)
RULES = ("foraging:1", "foraging:6", "foraging:17")


def live(rule: Rule, lifetimes: int, seed: int, task: Foraging, layout: Layout) -> np.ndarray:
    """int64 [lifetime, season, count]"""
    counts = np.zeros((lifetimes, task.seasons, 3), np.int64)
    delta = np.array(rule.entries, np.float64).reshape(2, 2, 2) * rule.eta
    plastic, table = (delta != 0.0).any(axis=(1, 2)), reinforcement(task.priority)[0]
    first, second = SIZES
    for trial in range(lifetimes):
        layers = layout.new(first, 7), layout.new(second, first + 1), layout.new(3, second + 1)
        live_once(
            counts[trial], np.array(task.season_kinds), task.season_steps, task.full_side, task.green, task.blue,
            task.random_action, delta, plastic, table, *layers, layout.add_up, layout.change, layout.scale, *SIZES,
            seed, trial,
        )  # fmt: skip
    return counts


@njit
def live_once(
    counts, kinds, steps, side, green, blue, random_action, delta, plastic, table, lower, upper, output, add_up, change,
    scale, first, second, seed, trial,
):  # fmt: skip
    world, brain = np.empty(2, np.uint64), np.empty(2, np.uint64)
    open_stream(world, seed, trial, WORLD)
    open_stream(brain, seed, trial, BRAIN)
    senses, below, above, winner = np.ones(7), np.ones(first + 1), np.ones(second + 1), np.zeros(3)
    lower_sums, upper_sums, outputs = np.zeros(first), np.zeros(second), np.zeros(3)
    things = np.zeros(3, np.int64)
    fill(lower, brain)
    scale(lower, lower_sums)
    fill(upper, brain)
    scale(upper, upper_sums)
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
            add_up(lower, senses, lower_sums)
            step_function(lower_sums, below)
            add_up(upper, below, upper_sums)
            step_function(upper_sums, above)
            add_up(output, above, outputs)
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
                change(lower, delta[half], senses, below)
                scale(lower, lower_sums)
                change(upper, delta[half], below, above)
                scale(upper, upper_sums)
                change(output, delta[half], above, winner)
                scale(output, outputs)


def main() -> None:
    task = Foraging()
    brain = dataclasses.replace(Brain.of(task), hidden=SIZES)

    def ours(rule: Rule, lifetimes: int, seed: int) -> np.ndarray:
        return run(1, task, brain, Jobs.of_rule(rule, lifetimes, seed, layers=brain.layers)).counts

    def plain(layout: Layout) -> Competitor:
        return Competitor("plain", lambda rule, lifetimes, seed: live(rule, lifetimes, seed, task, layout))

    for name in sys.argv[1:] or RULES:
        rule = Rule(name)
        found = measure([Competitor("hebbarium", ours), *map(plain, LAYOUTS.values())], task, rule, 1.0, 5)
        fastest = max(one.rate for one in found[1:])
        rates = ", ".join(f"{one.competitor} {one.rate / 1e6:.2f} (fitness {one.mean:.1f})" for one in found)
        print(f"{name}: {rates} million steps/s; {found[0].rate / fastest:.2f} of the faster plain loop", flush=True)


if __name__ == "__main__":
    main()
