"""Evolution: independent searches for rules in one run folder, all cores busy across them.

Whatever the searches wait for is lived together in batches of about a second; each batch is stored in one
transaction before the searches learn of it. Which lifetimes share a batch never matters to any result.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.errors import check_choice, check_integer, check_seed
from hebbarium.lifetime import Jobs, check_hidden, check_threads, live_jobs, prepare
from hebbarium.runs.lineage import RESCORE, SEARCH, Lineage, Wanted
from hebbarium.runs.records import Record
from hebbarium.runs.room import check_room
from hebbarium.runs.signals import Stop, stopped_by_signals
from hebbarium.runs.store import Run, Writer
from hebbarium.runs.table import best_rules, distinct_rules
from hebbarium.search.base import Settings
from hebbarium.search.registry import SEARCHES, make_search
from hebbarium.tasks.base import Task
from hebbarium.tasks.registry import make_task

KIND = "evolve"
USUAL_SEARCH = "genetic"
BATCH_SECONDS = 1.0
"""How long a batch should take: what a kill can lose."""
MOST_RUNS = 100_000
OWN = ("runs", "seed", "top", "rescore")
"""What is neither the task's nor the search's."""


@dataclass(frozen=True, kw_only=True)
class Evolution:
    """What is asked for. Instances are checked, immutable and comparable."""

    task: Task
    search: str = USUAL_SEARCH
    settings: Settings
    """The search's settings."""
    hidden: int
    runs: int = 1
    seed: int = 1
    top: int = 10
    """How many of each run's last population count as found."""
    rescore: int = 100
    """Fresh lifetimes on which each of them is scored anew; 0 for none."""

    def __post_init__(self) -> None:
        plain = {
            "runs": check_integer("runs", self.runs, 1, MOST_RUNS),
            "seed": check_seed(self.seed),
            "top": check_integer("top", self.top, 1),
            "rescore": check_integer("rescore", self.rescore, 0),
            "hidden": check_hidden(self.task, self.hidden),
        }
        for name, number in plain.items():
            object.__setattr__(self, name, number)

    @classmethod
    def of(
        cls, task: str | Task, search: str = USUAL_SEARCH, *, hidden: int | None = None, **options: Any
    ) -> Evolution:
        """options: runs, seed, top, rescore, and any settings of the task and the search."""
        check_choice("search", search, tuple(SEARCHES))
        settings_class = SEARCHES[search].settings_class
        own = {name: options.pop(name) for name in OWN if name in options}
        of_search = {name: options.pop(name) for name in settings_class.names() if name in options}
        whole = make_task(task)
        for name in options:
            check_choice("setting", name, (*whole.settings(), *settings_class.names(), *OWN))
        whole = make_task(whole, **options)
        hidden = whole.default_hidden if hidden is None else hidden
        return cls(task=whole, search=search, settings=settings_class(**of_search), hidden=hidden, **own)

    @classmethod
    def of_configuration(cls, stored: dict[str, Any]) -> Evolution:
        """What `configuration` gave."""
        settings = SEARCHES[stored["search"]].settings_class(**stored["search_settings"])
        task = make_task(stored["task"], **stored["task_settings"])
        own = {name: stored[name] for name in ("search", "hidden", *OWN)}
        return cls(task=task, settings=settings, **own)

    def configuration(self) -> dict[str, Any]:
        """Everything by name, as a run stores it."""
        return {
            "task": self.task.name,
            "search": self.search,
            "runs": self.runs,
            "seed": self.seed,
            "hidden": self.hidden,
            "top": self.top,
            "rescore": self.rescore,
            "task_settings": self.task.settings(),
            "search_settings": self.settings.settings(),
        }

    def folder(self) -> Path:
        """Where it is kept unless told otherwise."""
        search = "" if self.search == USUAL_SEARCH else f"-{self.search}"
        return Path("runs") / f"{KIND}-{self.task.name}{search}-{self.seed}"

    def lineage(self, run: int) -> Lineage:
        search = make_search(self.search, self.seed, run, **self.settings.settings())
        return Lineage(search, self.seed, run, self.top, self.rescore)


@dataclass(frozen=True)
class State:
    """How far an evolution is, for a display."""

    lineages: Sequence[Lineage]
    evaluations: int
    """Lived since this process began, as are the following."""
    lifetimes: int
    seconds: float

    @property
    def leader(self) -> Lineage:
        """The one with the best rule so far."""
        return max(self.lineages, key=lambda one: one.history[-1].best if one.history else float("-inf"))

    @property
    def lifetimes_left(self) -> int:
        """To the stopping rule, should no search find anything better any more."""
        return sum(lineage.lifetimes_left for lineage in self.lineages)

    @property
    def seconds_left(self) -> float:
        return self.lifetimes_left * self.seconds / max(self.lifetimes, 1)


Watch = Callable[[State], None]


def evolve(
    task: str | Task = "foraging",
    search: str = USUAL_SEARCH,
    *,
    out: str | os.PathLike[str] | None = None,
    hidden: int | None = None,
    threads: int | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> Run:
    """Evolve rules, or go on with a run that was begun, or just open one that is finished.

    out: the run's folder; `runs/evolve-TASK-SEED` unless given, `runs/evolve-TASK-SEARCH-SEED` for another search.
    options: runs, seed, top, rescore (see Evolution), and any settings of the task and the search.
    watch: told of the State after each batch.
    """
    return carry_out(Evolution.of(task, search, hidden=hidden, **options), out, threads=threads, watch=watch)


def carry_out(
    evolution: Evolution,
    out: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    watch: Watch | None = None,
    patience: float | None = None,
    prepare: Callable[[Task], None] = prepare,
) -> Run:
    """Begin the run, go on with it or just open it, and return it finished.

    patience: after a signal the whole process ends within so many seconds; for commands, not for notebooks.
    prepare: compiles the task's kernels, should anything be left to live.
    Interrupted at any moment, the same call goes on where it was, and ends with the same results to the last bit.
    """
    folder = evolution.folder() if out is None else Path(out)
    threads = check_threads(threads)
    done = _finished(folder, evolution)
    if done is not None:
        return done
    check_room(evolution)
    with (
        stopped_by_signals(patience) as stop,
        Writer.begin(folder, KIND, evolution.configuration(), growing=("runs",)) as run,
    ):
        lineages = [evolution.lineage(number) for number in range(evolution.runs)]
        _replay(run, lineages)
        if not all(lineage.finished for lineage in lineages):
            prepare(evolution.task)
            _live_on(evolution, run, lineages, threads, watch, stop)
        run.save(results=_results(lineages))
        run.finish()
    return Run.open(folder)


def _finished(folder: Path, evolution: Evolution) -> Run | None:
    """The run, where nothing is left to do: reading is enough then, even in a folder that cannot be written."""
    if not (folder / "run.sqlite").is_file():
        return None
    run = Run.open(folder)
    same = run.kind == KIND and run.configuration == evolution.configuration()
    return run if same and run.finished else None


def _replay(run: Run, lineages: Sequence[Lineage]) -> None:
    for stage in (SEARCH, RESCORE):
        for lineage in lineages:
            for record in run.evaluations(stage, lineage.run):
                lineage.take(record)


def _live_on(
    evolution: Evolution, run: Writer, lineages: Sequence[Lineage], threads: int, watch: Watch | None, stop: Stop
) -> None:
    pace = Pace(threads)
    while wanted := _batch(lineages, pace.lifetimes):
        stop.check()
        began = time.perf_counter()
        records = _lived(evolution, wanted, threads)
        run.save(records)
        for record in records:
            lineages[record.run].take(record)
        pace.learn(sum(record.lifetimes for record in records), time.perf_counter() - began)
        pace.evaluations += len(records)
        if watch is not None:
            watch(State(lineages, pace.evaluations, pace.lived, pace.seconds))


class Pace:
    """How many lifetimes fill a batch, learnt on the way."""

    def __init__(self, threads: int) -> None:
        self.lifetimes = self._least = 16 * threads
        self.evaluations, self.lived, self.seconds = 0, 0, 0.0

    def learn(self, lived: int, seconds: float) -> None:
        self.lived += lived
        self.seconds += seconds
        # No more than doubled at once: the next rules may be slower to live by.
        fitting = int(lived * BATCH_SECONDS / max(seconds, 1e-6))
        self.lifetimes = max(self._least, min(fitting, 2 * self.lifetimes))


def _batch(lineages: Sequence[Lineage], lifetimes: int) -> list[Wanted]:
    """What is wanted first, from those who are furthest behind, until there are enough lifetimes."""
    batch: list[Wanted] = []
    active = [lineage for lineage in lineages if not lineage.finished]
    for lineage in sorted(active, key=lambda one: (one.searched, one.search.generation)):
        for wanted in lineage.waiting():
            if batch and lifetimes < wanted.lifetimes:
                return batch
            batch.append(wanted)
            lifetimes -= wanted.lifetimes
    return batch


def _lived(evolution: Evolution, batch: Sequence[Wanted], threads: int) -> list[Record]:
    sizes = [wanted.lifetimes for wanted in batch]
    jobs = Jobs(
        np.repeat(np.array([wanted.rule.entries for wanted in batch], np.int8), sizes, axis=0),
        np.repeat(np.array([wanted.rule.eta for wanted in batch], np.float64), sizes),
        np.repeat(np.array([wanted.seed for wanted in batch], np.uint64), sizes),
        np.concatenate([wanted.first_trial + np.arange(wanted.lifetimes, dtype=np.uint64) for wanted in batch]),
    )
    counts = live_jobs(evolution.task, evolution.hidden, jobs, threads=threads).counts
    scores = evolution.task.life_fitness(counts)
    parts = np.cumsum(sizes)[:-1]
    return [
        Record(
            wanted.stage,
            wanted.run,
            wanted.number,
            wanted.rule,
            wanted.seed,
            wanted.first_trial,
            tuple(some_scores.tolist()),
            some_counts,
            generation=wanted.generation,
        )
        for wanted, some_scores, some_counts in zip(
            batch, np.split(scores, parts), np.split(counts, parts), strict=True
        )
    ]


def _results(lineages: Sequence[Lineage]) -> dict[str, Any]:
    instances = [lineage.instances() for lineage in lineages]
    return {
        "rules": distinct_rules([one for some in instances for one in some]),
        "best": best_rules(instances),
        "curves": [[vars(moment) for moment in lineage.history] for lineage in lineages],
    }


def summary(run: Run) -> dict[str, Any]:
    """What `hebbarium evolve --json` prints of a finished run."""
    configuration = run.configuration
    evaluations, lifetimes = run.totals(SEARCH)
    rescored, rescored_lifetimes = run.totals(RESCORE)
    return {
        "run": str(run.folder),
        "task": configuration["task"],
        "search": configuration["search"],
        "runs": configuration["runs"],
        "seed": configuration["seed"],
        "evaluations": evaluations,
        "lifetimes": lifetimes,
        "rescored": {"evaluations": rescored, "lifetimes": rescored_lifetimes},
        "rules": run.result("rules"),
        "best": run.result("best"),
        "digest": run.digest(),
    }
