"""One life, written down as it is lived: every step, and the network every so often."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.core.trace import Steps, new_steps
from hebbarium.errors import BadInput, check_integer, check_seed
from hebbarium.lifetime import FROZEN, Batch, Jobs, check_hidden, total_memory, weights_of
from hebbarium.living import read_networks, rule_to_live_by, sizes
from hebbarium.networks import Networks
from hebbarium.rule import Rule
from hebbarium.tasks.base import Task
from hebbarium.tasks.registry import make_task

_SLICE_STEPS = 500


@dataclass(frozen=True)
class Trace:
    """One life. Snapshots are taken at birth, every `every` steps and at the end."""

    task: Task
    rule: Rule
    hidden: int
    """Hidden neurons."""
    seed: int
    trial: int
    frozen: bool
    """Whether it was lived without plasticity."""
    steps: Steps | None
    """Arrays with one row per step of the life (see `hebbarium.core.trace`), where they were asked for."""
    lived: np.ndarray
    """int64 [snapshot]: steps lived when the snapshot was taken; 0 is birth."""
    counts: np.ndarray
    """int64 [snapshot, count]: everything counted since birth, in the order of `task.counts`."""
    distinct_hidden: np.ndarray
    """int64 [snapshot]: hidden neurons with different incoming weights."""
    hidden_weights: np.ndarray | None
    """float64 [snapshot, post, pre]: from inputs and bias (the last) to the hidden neurons, where asked for."""
    output_weights: np.ndarray | None
    """float64 [snapshot, post, pre]: from hidden neurons and bias (the last) to the outputs, where asked for."""


def trace(
    task: str | Task = "foraging",
    rule: str | int | Rule | None = None,
    *,
    eta: float | None = None,
    hidden: int | None = None,
    seed: int = 1,
    trial: int = 0,
    every: int | None = None,
    frozen: bool = False,
    networks: Networks | str | os.PathLike[str] | None = None,
    keep_steps: bool = True,
    keep_weights: bool = True,
    **settings: Any,
) -> Trace:
    """Live one life and write it down: the very life that `live` lives as that trial of that seed.

    every: steps between snapshots; without it one season. Other arguments: see `live`.

    >>> life = trace("foraging", "foraging:1", seed=7, season_steps=500)
    >>> life.steps.action.shape, life.hidden_weights.shape
    ((2000,), (5, 20, 7))
    """
    task = make_task(task, **settings)
    rule = rule_to_live_by(task, rule, eta, frozen)
    born = _only(read_networks(networks), trial)
    hidden, _ = sizes(task, hidden, None, born)
    seed, trial = check_seed(seed), check_seed(trial, "trial")
    every = task.season_steps if every is None else check_integer("every", every, 1)
    check_hidden(task, hidden)
    life = _blank(task, rule, hidden, seed, trial, frozen, every, keep_steps, keep_weights)
    jobs = Jobs.of_rule(FROZEN if frozen else rule, 1, seed, trial)
    _write(life, Batch(task, hidden, jobs, born))
    return life


def _blank(
    task: Task,
    rule: Rule,
    hidden: int,
    seed: int,
    trial: int,
    frozen: bool,
    every: int,
    keep_steps: bool,
    keep_weights: bool,
) -> Trace:
    snapshots = -(-task.steps // every) + 1
    _check_room(task, hidden, snapshots, keep_steps, keep_weights)
    return Trace(
        task=task,
        rule=rule,
        hidden=hidden,
        seed=seed,
        trial=trial,
        frozen=frozen,
        steps=new_steps(task.steps, task.sensed_cells) if keep_steps else None,
        lived=np.minimum(np.arange(snapshots, dtype=np.int64) * every, task.steps),
        counts=np.zeros((snapshots, len(task.counts)), np.int64),
        distinct_hidden=np.zeros(snapshots, np.int64),
        hidden_weights=np.zeros((snapshots, hidden, task.inputs + 1)) if keep_weights else None,
        output_weights=np.zeros((snapshots, task.outputs, hidden + 1)) if keep_weights else None,
    )


def _write(life: Trace, batch: Batch) -> None:
    """Live the life and fill in its arrays."""
    for snapshot, until in enumerate(life.lived):
        while batch.step < until:
            # A slice never crosses seasons, so that its rows of the trace are one season's.
            left = life.task.season_steps - batch.step % life.task.season_steps
            some = min(int(until) - batch.step, _SLICE_STEPS, left)
            rows = slice(batch.step, batch.step + some)
            batch.advance(some, None if life.steps is None else Steps(*(column[rows] for column in life.steps)))
        life.counts[snapshot] = batch.counts[:, 0].sum(axis=0)
        life.distinct_hidden[snapshot] = batch.distinct_hidden()[0]
        if life.hidden_weights is not None and life.output_weights is not None:
            networks = batch.networks()
            life.hidden_weights[snapshot], life.output_weights[snapshot] = networks.hidden[0], networks.output[0]


def _only(networks: Networks | None, trial: int) -> Networks | None:
    """The one network that lives the trial."""
    if networks is None:
        return None
    check_integer("trial", trial, 0, len(networks) - 1)
    rows = slice(trial, trial + 1)
    return Networks(networks.task, networks.hidden[rows], networks.output[rows])


def _check_room(task: Task, hidden: int, snapshots: int, keep_steps: bool, keep_weights: bool) -> None:
    """Refuse at once what would not fit in memory."""
    memory = total_memory()
    a_step = 16 + task.sensed_cells if keep_steps else 0
    a_snapshot = 8 * (len(task.counts) + 2 + (weights_of(task, hidden) if keep_weights else 0))
    if memory is not None and task.steps * a_step + snapshots * a_snapshot > memory / 2:
        raise BadInput(
            f"a trace of {task.steps} steps with {snapshots} snapshots would not fit in memory; "
            "take fewer steps, or fewer snapshots with a larger every."
        )
