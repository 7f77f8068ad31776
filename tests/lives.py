"""Short ways to live some lives in tests."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hebbarium.brains.base import Brain
from hebbarium.brains.network_files import Networks
from hebbarium.executors.base import run
from hebbarium.life.batch import Batch, TraceRoom
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import AtTheEnd
from hebbarium.rules.rule import PAPER_RULES
from hebbarium.worlds.base import World


def batch_of(task: World, hidden: int, jobs: Jobs, networks: Networks | None = None, **options: Any) -> Batch:
    return Batch(task, Brain.of(task, hidden), jobs, networks, **options)


def traced(batch: Batch) -> TraceRoom:
    """The rest of a life of its own, written down."""
    batch.trace = TraceRoom(batch.world, batch.step, batch.world.steps - batch.step)
    batch.advance(batch.world.steps)
    return batch.trace


def live_jobs(
    task: World,
    hidden: int,
    jobs: Jobs,
    *,
    threads: int | None = None,
    batch: int | None = None,
    networks: Networks | None = None,
) -> SimpleNamespace:
    """counts, distinct_hidden and the grown networks."""
    brain = Brain.of(task, hidden)
    outcome = run(threads, task, brain, jobs, [AtTheEnd(networks=True)], networks=networks, batch=batch)
    (end,) = outcome.seen
    grown = Networks(task.name, end["hidden"], end["output"])
    return SimpleNamespace(counts=outcome.counts, distinct_hidden=end["distinct"], networks=grown)


def some_rule(task: str, number: int = 1) -> str:
    """One of the paper's rules for the task, or, where it has none, one that learns there."""
    name = f"{task}:{number}"
    return name if name in PAPER_RULES else ("00+-/0000@0.02", "00+-/0-0+@0.04")[number - 1]
