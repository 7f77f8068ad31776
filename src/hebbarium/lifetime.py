"""One agent lives one task under one rule; here many do at once, on all cores.

A lifetime is fixed to the last bit by its task, its network's size, its rule and eta, and (seed, trial):
not by threads, batches or what else is lived beside it.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.core.compile import is_kept
from hebbarium.core.contract import core_of
from hebbarium.core.network import Brains, new_brains
from hebbarium.core.trace import Steps
from hebbarium.errors import BadInput, check_integer
from hebbarium.networks import Networks, distinct_rows
from hebbarium.rule import Rule
from hebbarium.tasks.base import Task

BATCH = 96
"""Lifetimes in a batch where memory allows."""
SLICE_SECONDS = 0.2
"""How long a kernel may run before it looks up, so that Ctrl-C is never far."""
_SECONDS_PER_WEIGHT = 2e-9
FROZEN = Rule("0000/0000", 0.0)
"""The rule that changes nothing."""


@dataclass(frozen=True)
class Jobs:
    """Lifetimes to be lived: each its own rule, eta, seed and trial."""

    entries: np.ndarray
    """int8 [lifetime, 8]"""
    eta: np.ndarray
    """float64 [lifetime]"""
    seed: np.ndarray
    """uint64 [lifetime]"""
    trial: np.ndarray
    """uint64 [lifetime]"""

    def __len__(self) -> int:
        return len(self.eta)

    def __getitem__(self, rows: slice) -> Jobs:
        return Jobs(self.entries[rows], self.eta[rows], self.seed[rows], self.trial[rows])

    @classmethod
    def of(cls, rules: Sequence[Rule], seeds: Iterable[int], trials: Iterable[int]) -> Jobs:
        """One lifetime for each rule, seed and trial, taken together."""
        for rule in rules:
            if rule.eta is None:
                raise BadInput(f"rule {rule} needs an eta to live by, a number in [0, 1), such as eta 0.04.")
        return cls(
            np.array([rule.entries for rule in rules], np.int8).reshape(-1, 8),
            np.array([rule.eta for rule in rules], np.float64),
            np.array(list(seeds), np.uint64),
            np.array(list(trials), np.uint64),
        )

    @classmethod
    def of_rule(cls, rule: Rule, lifetimes: int, seed: int, first_trial: int = 0) -> Jobs:
        """Trials first_trial, first_trial + 1, ... of one rule."""
        one = cls.of([rule], [seed], [first_trial])
        trials = np.arange(first_trial, first_trial + lifetimes, dtype=np.uint64)
        entries, eta, seeds = (np.repeat(array, lifetimes, axis=0) for array in (one.entries, one.eta, one.seed))
        return cls(entries, eta, seeds, trials)

    @classmethod
    def joined(cls, parts: Sequence[Jobs]) -> Jobs:
        """One after the other."""
        return cls(
            np.concatenate([part.entries for part in parts]),
            np.concatenate([part.eta for part in parts]),
            np.concatenate([part.seed for part in parts]),
            np.concatenate([part.trial for part in parts]),
        )


@dataclass(frozen=True)
class Outcome:
    """What became of some jobs, in their order."""

    counts: np.ndarray
    """int64 [lifetime, season, count]"""
    distinct_hidden: np.ndarray | None = None
    """int64 [lifetime]: hidden neurons with different incoming weights at the end of life."""
    networks: Networks | None = None
    """The grown networks, where they were asked for."""


class Batch:
    """Some lifetimes in progress: born together, advanced together by one thread."""

    def __init__(self, task: Task, hidden: int, jobs: Jobs, networks: Networks | None = None) -> None:
        """networks: lives begin with these weights instead of newborn ones (their random streams are the same)."""
        self.task, self.hidden, self.jobs = task, hidden, jobs
        self.core = core_of(task)
        self.constants = _constants(task)
        self.worlds = self.core.new_worlds(self.constants, len(jobs))
        self.brains: Brains = new_brains(len(jobs), task.inputs, hidden, task.outputs)
        self.counts = np.zeros((task.seasons, len(jobs), len(task.counts)), np.int64)
        self.step = 0
        self.season_kinds = task.season_kinds
        self.set_rules(jobs.entries, jobs.eta)
        self.core.begin(self.constants, self.worlds, self.brains, jobs.seed, jobs.trial)
        if networks is not None:
            self.brains.hidden[:] = networks.hidden.swapaxes(1, 2)
            self.brains.output[:] = networks.output.swapaxes(1, 2)

    def set_rules(self, entries: np.ndarray, eta: np.ndarray) -> None:
        """From now on live by these rules. entries: int8 [lifetime, 8], eta: float64 [lifetime]."""
        signs = entries.reshape(-1, 2, 2, 2)
        self.brains.delta[:] = eta[:, None, None, None] * signs
        self.brains.plastic[:] = (signs != 0).any(axis=(2, 3))

    def advance(self, steps: int, trace: Steps | None = None) -> None:
        """Live on; seasons change as they come, and life ends with the last one.

        trace: of a batch of one; the first of these steps is written to its first row.
        """
        if trace is not None and len(self.jobs) != 1:
            raise ValueError(f"a trace is of one lifetime, but this batch holds {len(self.jobs)}")
        while steps > 0 and self.step < self.task.steps:
            season, within = divmod(self.step, self.task.season_steps)
            part = min(steps, self.task.season_steps - within)
            kind = self.season_kinds[season]
            self.core.advance(self.constants, self.worlds, self.brains, kind, part, self.counts[season], trace)
            self.step += part
            steps -= part
            trace = None if trace is None else Steps(*(rows[part:] for rows in trace))

    def live(self, stop: threading.Event | None = None) -> None:
        """To the end of life, or until `stop` is set."""
        slice_steps = self._first_slice()
        while self.step < self.task.steps and not (stop is not None and stop.is_set()):
            before, start = self.step, time.perf_counter()
            self.advance(slice_steps)
            pace = (time.perf_counter() - start) / (self.step - before)
            slice_steps = min(8 * slice_steps, max(1, int(SLICE_SECONDS / max(pace, 1e-9))))

    def _first_slice(self) -> int:
        """Short enough on any machine."""
        weights = weights_of(self.task, self.hidden)
        return max(1, int(SLICE_SECONDS / (_SECONDS_PER_WEIGHT * weights * len(self.jobs))))

    def networks(self) -> Networks:
        """A copy of the networks as they are now."""
        hidden, output = self.brains.hidden.swapaxes(1, 2), self.brains.output.swapaxes(1, 2)
        return Networks(self.task.name, hidden.copy(), output.copy())

    def distinct_hidden(self) -> np.ndarray:
        """int64 [lifetime]"""
        return np.array([distinct_rows(hidden.T) for hidden in self.brains.hidden], np.int64)


@functools.lru_cache(maxsize=16)
def _constants(task: Task) -> Any:
    return core_of(task).constants(task)


def weights_of(task: Task, hidden: int) -> int:
    """Weights of one network, biases included."""
    return (task.inputs + 1) * hidden + (hidden + 1) * task.outputs


def live_jobs(
    task: Task,
    hidden: int,
    jobs: Jobs,
    *,
    threads: int | None = None,
    batch: int | None = None,
    networks: Networks | None = None,
    keep_networks: bool = False,
    distinct: bool = False,
    done: Callable[[int], None] | None = None,
) -> Outcome:
    """Live all jobs on all cores. `done` is told after each batch how many lifetimes it held."""
    threads = check_threads(threads)
    check_hidden(task, hidden, len(jobs) if keep_networks else 0, threads)
    size = batch or _batch_size(task, hidden)
    batches = list(_batches(len(jobs), size, 1 if batch else threads))
    counts = np.zeros((len(jobs), task.seasons, len(task.counts)), np.int64)
    distinct_hidden = np.zeros(len(jobs), np.int64)
    grown: list[Networks | None] = [None] * len(batches)
    stop = threading.Event()

    def live_batch(number: int) -> int:
        rows = batches[number]
        some = Networks(task.name, networks.hidden[rows], networks.output[rows]) if networks is not None else None
        lives = Batch(task, hidden, jobs[rows], some)
        lives.live(stop)
        counts[rows] = lives.counts.swapaxes(0, 1)
        if distinct:
            distinct_hidden[rows] = lives.distinct_hidden()
        if keep_networks:
            grown[number] = lives.networks()
        return len(lives.jobs)

    with ThreadPoolExecutor(threads) as pool:
        try:  # from the first batch on: an interrupt that comes while the others are handed out must stop it too
            futures = [pool.submit(live_batch, number) for number in range(len(batches))]
            for future in as_completed(futures):
                lived = future.result()
                if done is not None:
                    done(lived)
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return Outcome(counts, distinct_hidden if distinct else None, _joined(task, grown) if keep_networks else None)


def _joined(task: Task, parts: Sequence[Networks | None]) -> Networks:
    whole = [part for part in parts if part is not None]
    return Networks(
        task.name,
        np.concatenate([part.hidden for part in whole]),
        np.concatenate([part.output for part in whole]),
    )


def prepare(task: Task) -> None:
    """Compile, or load from the cache, what the task needs; later calls cost nothing."""
    Batch(task, 1, Jobs.of_rule(FROZEN, 1, 0)).advance(1)


def is_compiled(task: Task, *kernels: Any) -> bool:
    """Whether `prepare` will find the task's kernels, and these others, compiled already."""
    return all(is_kept(kernel) for kernel in (core_of(task).advance, *kernels))


def check_threads(threads: int | None) -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return check_integer("threads", threads, 1, 1024)


def check_hidden(task: Task, hidden: int, kept: int = 0, threads: int | None = None) -> int:
    """Refuse a hidden layer that would not fit in memory. kept: networks held until the end."""
    hidden = check_integer("hidden", hidden, 1)
    memory = total_memory()
    if memory is None:
        return hidden
    # Brains, their copy in lanes, scratch: at most twelve networks at once for each thread.
    networks = 12 * check_threads(threads) + kept
    most = int(memory * 0.5 / (8 * networks) / (task.inputs + 1 + task.outputs)) - 1
    if hidden > most:
        raise BadInput(f"hidden is {hidden}, which would not fit in memory; the nearest that fits is {most}.")
    return hidden


def total_memory() -> int | None:
    """Bytes of memory in this machine, where it can be told."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _batch_size(task: Task, hidden: int) -> int:
    """As many as stay in little memory."""
    in_memory = int(256e6 / (8 * weights_of(task, hidden) + 2 * task.full_side**2))
    return max(1, min(BATCH, in_memory))


def _batches(jobs: int, size: int, threads: int) -> Iterator[slice]:
    """Jobs in batches of up to `size`, for several threads smaller and smaller towards the end.

    So no thread waits long for the last one. Batches fill lanes, eight at a time, while they can.
    """
    start = 0
    while start < jobs:
        share = size if threads == 1 else -(-(jobs - start) // (2 * threads * 8)) * 8
        stop = min(start + min(size, share), jobs)
        yield slice(start, stop)
        start = stop
