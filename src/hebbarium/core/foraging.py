"""Foraging's kernels.

There are two ways of living fast, bit-identical to each other: `foraging_alone.py` for lives whose
weights change rarely, `foraging_together.py` for lives whose weights change at nearly every step.
"""

from __future__ import annotations

import numpy as np

from hebbarium.core.compile import kernel
from hebbarium.core.foraging_alone import live_alone
from hebbarium.core.foraging_alone import new_scratch as new_alone
from hebbarium.core.foraging_together import live_together
from hebbarium.core.foraging_together import new_scratch as new_together
from hebbarium.core.foraging_world import Constants, Worlds, furnish, row_factor
from hebbarium.core.lanes import LANES
from hebbarium.core.network import Brains, bear
from hebbarium.core.random import WORLD, gap_table, open_stream
from hebbarium.tasks.foraging import Foraging, reinforcement
from hebbarium.tasks.grid import EMPTY, WALL


def constants(task: Foraging) -> Constants:
    signals, ids = reinforcement(task.priority)
    return Constants(
        side=task.full_side,
        free=task.free_side,
        row_factor=row_factor(task.full_side),
        green=int(task.green),
        blue=int(task.blue),
        turn_at_wall=bool(task.turn_at_wall),
        ahead=np.array([-task.full_side, 1, task.full_side, -1]),
        gaps=gap_table(task.random_action),
        reinforcement=signals,
        association=ids,
    )


def new_worlds(constants: Constants, lifetimes: int) -> Worlds:
    """Nothing but the wall."""
    side = constants.side
    walls = np.pad(np.zeros((side - 2, side - 2), np.uint8), 1, constant_values=WALL)
    taken = np.pad(walls != EMPTY, ((0, 0), (0, -side % 64)))
    lines = np.packbits(taken, axis=1, bitorder="little").view("<u8").astype(np.uint64)
    return Worlds(
        cells=np.tile(walls.ravel(), (lifetimes, 1)),
        rows=np.tile(lines, (lifetimes, 1, 1)),
        columns=np.tile(lines, (lifetimes, 1, 1)),
        agent=np.zeros((lifetimes, 2), np.int64),
        stream=np.zeros((lifetimes, 2), np.uint64),
    )


@kernel
def begin(constants: Constants, worlds: Worlds, brains: Brains, seeds, trials) -> None:
    """Newborn brains in fresh worlds. seeds, trials: uint64 [lifetime]."""
    for i in range(seeds.shape[0]):
        open_stream(worlds.stream[i], seeds[i], trials[i], WORLD)
        furnish(constants, worlds, i)
        bear(brains, i, seeds[i], trials[i], constants.gaps)


@kernel
def advance(constants: Constants, worlds: Worlds, brains: Brains, season, steps, counts, trace) -> None:
    """Let every lifetime live on for `steps` steps of one season.

    season: SUMMER or WINTER. counts: int64 [lifetime, count], added to.
    trace: None, or the Steps of lifetime 0, which then lives alone.
    """
    neurons, outputs = brains.hidden.shape[2], brains.output.shape[2]
    alone, together = new_alone(neurons), new_together(neurons, outputs)
    group = np.empty(LANES, np.int64)
    size = 0
    for i in range(counts.shape[0]):
        if trace is not None or not brains.plastic[i, 1]:
            live_alone(constants, worlds, brains, i, season, steps, counts, trace, alone)
            continue
        group[size] = i
        size += 1
        if size == LANES:
            live_together(constants, worlds, brains, group, season, steps, counts, together)
            size = 0
    if size > 0:
        live_together(constants, worlds, brains, group[:size], season, steps, counts, together)
