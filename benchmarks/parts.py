"""What the parts of a prey-predator step cost, by the processor's own counter.

The loop is that of `life/fast/prey_predator.py` with the counter read between its parts; it must come to the
same counts. Reading the counter costs something itself, which is measured and taken off. Intervals in
which another program had the core are left out.
"""

from __future__ import annotations

import time

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from hebbarium.brains.base import Brain
from hebbarium.brains.fast.plain_in_lanes import LANES
from hebbarium.executors.base import run
from hebbarium.kernels.compile import kernel
from hebbarium.life.batch import Batch
from hebbarium.life.fast.prey_predator import (
    LOOK,
    act,
    begin,
    end,
    learn,
    look_at_outputs,
    move_objects,
    new_room,
    sense,
    think,
)
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import Rule
from hebbarium.worlds.base import World

PARTS = ("sensing", "forward pass", "reinforcement and move", "update", "objects")
INTERRUPTED = 50_000
"""Ticks, some 20 microseconds: no part of a step takes that long."""


@intrinsic
def ticks(typing_context):
    """The processor's counter."""

    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.IntType(64), [])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.readcyclecounter"), [])

    return types.int64(), generate


def nanoseconds(task: World, rule: Rule, lifetimes: int, seed: int = 1) -> dict[str, float]:
    """Of an average step of one life; lifetimes should fill lanes."""
    jobs = Jobs.of_rule(rule, lifetimes, seed)
    _measured_counts(task, jobs[:1])
    spent, number, counts = _measured_counts(task, jobs)
    if not np.array_equal(counts, run(1, task, Brain.of(task), jobs).counts):
        raise SystemExit("The measured lives are not those of the package: benchmarks/parts.py has fallen behind.")
    each = (spent / number - _reading_ticks()) / _ticks_per_nanosecond() / LANES
    return dict(zip(PARTS, each, strict=True))


def _measured_counts(task: World, jobs: Jobs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ticks spent in each part, how often it was timed, and int64 [lifetime, season, count]."""
    batch = Batch(task, Brain.of(task), jobs)
    spent, number = np.zeros(len(PARTS), np.int64), np.zeros(len(PARTS), np.int64)
    for season, kind in enumerate(task.season_kinds):
        lives = (batch.constants, batch.state, batch.streams, batch.brains, kind, task.season_steps)
        _advance(*lives, batch.counts[season], spent, number)
    return spent, number, batch.counts.swapaxes(0, 1)


@kernel
def _advance(constants, state, streams, brains, season, steps, counts, spent, number):
    room, lives = new_room(constants, brains), np.arange(counts.shape[0])
    for start in range(0, lives.shape[0], LANES):
        begin(constants, state, streams, brains, lives[start : start + LANES], room)
        for step in range(steps):
            if step % LOOK == 0:
                look_at_outputs(room)
            since = ticks()
            firing = sense(constants, state, season, room)
            since = _note(0, since, spent, number)
            think(brains, room, firing)
            since = _note(1, since, spent, number)
            second, third, punished, rewarded = act(constants, state, brains, season, counts, room)
            since = _note(2, since, spent, number)
            learn(brains, room, firing, second, third, punished, rewarded)
            since = _note(3, since, spent, number)
            move_objects(constants, state, season, counts, room)
            _note(4, since, spent, number)
        end(constants, state, streams, brains, counts, room)


@njit(inline="always")
def _note(part, since, spent, number):
    """Add the time since then to a part, and begin the next."""
    now = ticks()
    if now - since < INTERRUPTED:
        spent[part] += now - since
        number[part] += 1
    return ticks()


@njit
def _read_often(times):
    spent, number = np.zeros(1, np.int64), np.zeros(1, np.int64)
    since = ticks()
    for _ in range(times):
        since = _note(0, since, spent, number)
    return spent[0] / number[0]


def _reading_ticks() -> float:
    """What a part of no length would seem to take."""
    return float(min(_read_often(100_000) for _ in range(5)))


@njit
def _read_once():
    return ticks()


def _ticks_per_nanosecond() -> float:
    _read_once()
    start, first = time.perf_counter_ns(), _read_once()
    time.sleep(0.2)
    return float((_read_once() - first) / (time.perf_counter_ns() - start))
