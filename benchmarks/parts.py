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
from hebbarium.brains.fast import readout, sparse
from hebbarium.executors.base import run
from hebbarium.kernels.compile import inlined, kernel
from hebbarium.kernels.random import draw_below, draw_gap
from hebbarium.life.batch import Batch
from hebbarium.life.fast.prey_predator import _learn, _list_inputs, _new_scratch
from hebbarium.life.jobs import Jobs
from hebbarium.life.loop import random_winner
from hebbarium.rules.rule import Rule
from hebbarium.worlds import prey_predator_objects as objects
from hebbarium.worlds.base import World
from hebbarium.worlds.grid import POSITION
from hebbarium.worlds.prey_predator import CAUGHT, behave, look, may_see, move
from hebbarium.worlds.prey_predator_objects import Board

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


def nanoseconds(task: World, rule: Rule, lifetimes: int, seed: int = 1) -> dict[str, float]:
    """Of an average step."""
    jobs = Jobs.of_rule(rule, lifetimes, seed)
    _measured_counts(task, jobs[:1])
    spent, number, counts = _measured_counts(task, jobs)
    if not np.array_equal(counts, run(1, task, Brain.of(task), jobs).counts):
        raise SystemExit("The measured lives are not those of the package: benchmarks/parts.py has fallen behind.")
    return dict(zip(PARTS, (spent / number - _reading_ticks()) / _ticks_per_nanosecond(), strict=True))


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
    scratch = _new_scratch(constants.seen_square.shape[0], brains.hidden.shape[2], brains.output.shape[2])
    for i in range(counts.shape[0]):
        sparse.take(scratch.hidden, brains.hidden[i], brains.tally[i])
        readout.take(scratch.output, brains.output[i])
        board = Board(state.cells[i], state.objects[i], state.shared[i], streams[i])
        _live(constants, board, state.agent[i], brains, i, season, steps, counts[i], scratch, spent, number)
        sparse.give_back(scratch.hidden, brains.hidden[i], brains.tally[i])
        readout.give_back(scratch.output, brains.output[i])


@inlined
def _live(constants, board, agent, brains, i, season, steps, counts, scratch, spent, number):
    sensed, found, inputs = scratch.sensed, scratch.found, scratch.inputs
    stream, plastic = brains.stream[i], brains.plastic[i]
    for _ in range(steps):
        since = ticks()
        things = look(constants, board.cells, agent, sensed, found) if may_see(constants, board, agent) else 0
        count = _list_inputs(sensed, found, things, inputs)
        since = _note(0, since, spent, number)
        random = brains.gap[i] == 0
        if random:
            action = draw_below(stream, 3)
            brains.gap[i] = draw_gap(stream, brains.gaps)
        else:
            brains.gap[i] -= 1
            sparse.activate(scratch.hidden, inputs, count)
            readout.activate(scratch.output, scratch.hidden.fires)
            action = np.int64(random_winner(scratch.output.sums[:3], stream))
        since = _note(1, since, spent, number)
        thing, behaviour = behave(constants, sensed, found, things, action, board.stream)
        signal = constants.reinforcement[season, thing, behaviour]
        move(constants, board, agent, season, action, counts)
        since = _note(2, since, spent, number)
        counts[CAUGHT] += objects.move_all(constants.rules, board, agent[POSITION], season, True)
        since = _note(3, since, spent, number)
        half = 0 if signal < 0 else 1
        if signal != 0 and not random and (plastic[0, half] or plastic[1, half]):
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
