"""What the parts of a prey-predator step cost, by the processor's own counter.

The loop is that of `core/prey_predator.py` with the counter read between its parts; it must come to the
same counts. Reading the counter costs something itself, which is measured and taken off. Intervals in
which another program had the core are left out.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from hebbarium.core import objects, readout, sparse
from hebbarium.core.prey_predator import _decide, _learn, _new_scratch
from hebbarium.core.prey_predator_world import CAUGHT, POSITION, act, board_of, judge, list_inputs, may_see, sense
from hebbarium.core.random import draw_below, draw_gap
from hebbarium.lifetime import Batch, Jobs, live_jobs
from hebbarium.rule import Rule
from hebbarium.tasks.base import Task

PARTS = ("sensing", "forward pass", "reinforcement and move", "objects", "update")
INTERRUPTED = 50_000
"""Ticks, some 20 microseconds: no part of a step takes that long."""


@intrinsic
def ticks(typing_context):
    """The processor's counter."""

    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.IntType(64), [])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.readcyclecounter"), [])

    return types.int64(), generate


def nanoseconds(task: Task, rule: Rule, lifetimes: int, seed: int = 1) -> dict[str, float]:
    """Of an average step."""
    jobs = Jobs.of_rule(rule, lifetimes, seed)
    _measured_counts(task, jobs[:1])
    spent, number, counts = _measured_counts(task, jobs)
    if not np.array_equal(counts, live_jobs(task, task.default_hidden, jobs, threads=1).counts):
        raise SystemExit("The measured lives are not those of the package: benchmarks/parts.py has fallen behind.")
    return dict(zip(PARTS, (spent / number - _reading_ticks()) / _ticks_per_nanosecond(), strict=True))


def _measured_counts(task: Task, jobs: Jobs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ticks spent in each part, how often it was timed, and int64 [lifetime, season, count]."""
    batch: Any = Batch(task, task.default_hidden, jobs)
    spent, number = np.zeros(len(PARTS), np.int64), np.zeros(len(PARTS), np.int64)
    for season, kind in enumerate(task.season_kinds):
        _advance(
            batch.constants, batch.worlds, batch.brains, kind, task.season_steps, batch.counts[season], spent, number
        )
    return spent, number, batch.counts.swapaxes(0, 1)


@njit(error_model="numpy")
def _advance(constants, worlds, brains, season, steps, counts, spent, number):
    scratch = _new_scratch(constants.seen_square.shape[0], brains.hidden.shape[2], brains.output.shape[2])
    for i in range(counts.shape[0]):
        sparse.take(scratch.hidden, brains.hidden[i], brains.tally[i])
        readout.take(scratch.output, brains.output[i])
        board = board_of(worlds, i)
        _live(constants, board, worlds.agent[i], brains, i, season, steps, counts[i], scratch, spent, number)
        sparse.give_back(scratch.hidden, brains.hidden[i], brains.tally[i])
        readout.give_back(scratch.output, brains.output[i])


@njit(error_model="numpy")
def _live(constants, board, agent, brains, i, season, steps, counts, scratch, spent, number):
    sensed, found, inputs = scratch.sensed, scratch.found, scratch.inputs
    stream, plastic = brains.stream[i], brains.plastic[i]
    for _ in range(steps):
        since = ticks()
        things = sense(constants, board, agent, sensed, found) if may_see(constants, board, agent) else 0
        count = list_inputs(sensed, found, things, inputs)
        since = _note(0, since, spent, number)
        random = brains.gap[i] == 0
        if random:
            action = draw_below(stream, 3)
            brains.gap[i] = draw_gap(stream, constants.gaps)
        else:
            brains.gap[i] -= 1
            action = _decide(scratch, count, stream)
        since = _note(1, since, spent, number)
        thing, behaviour = judge(constants, sensed, found, things, action, board.stream)
        signal = constants.reinforcement[season, thing, behaviour]
        act(constants, board, agent, season, action, counts)
        since = _note(2, since, spent, number)
        counts[CAUGHT] += objects.move_all(constants.rules, board, agent[POSITION], season)
        since = _note(3, since, spent, number)
        half = 0 if signal < 0 else 1
        if signal != 0 and not random and plastic[half]:
            _learn(scratch, brains, i, half, action)
        _note(4, since, spent, number)


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
