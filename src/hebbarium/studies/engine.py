"""One engine for everything that runs long.

A *study* is a frozen plan: what decides its results (`configuration`), what it asks for, and how that is reduced to a
result. While it reduces, it asks the *lab* for *works*. The lab gives what is kept of a work, or does the work and
keeps it. So a study that was stopped resumes by being carried out again; a study without a folder keeps nothing.

To add a study: a frozen dataclass that derives from `Study`, and `carry_out(study, ...)`. Resume, progress, Ctrl-C,
the executor, compiling beforehand and the store are the engine's.
"""

from __future__ import annotations

import contextlib
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from hebbarium.agents.base import Agent
from hebbarium.brains.base import Brain
from hebbarium.executors.base import Done, Executor, Outcome, run
from hebbarium.executors.threads import executor_of
from hebbarium.experiment import Ways
from hebbarium.life import batch
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import Observer
from hebbarium.rules.rule import AnyRule
from hebbarium.store.kept_arrays import Arrays, Piece
from hebbarium.store.resuming import Ledger
from hebbarium.store.writing import Run, Writer
from hebbarium.tools.errors import BadInput, RunError
from hebbarium.tools.progress import Advance, Report, report_of
from hebbarium.tools.signals import Interrupted, Stop, leave_at_once, stopped_by_signals
from hebbarium.worlds.base import World

Result = TypeVar("Result")


@dataclass(frozen=True)
class Work:
    """Something to be lived, kept under the name of its piece."""

    piece: Piece
    """Everything that decides its arrays, beside the study's configuration."""
    do: Callable[[Executor, Done], Arrays]
    size: float
    """How much of the study it is, in the study's unit."""
    per_life: float = 1.0
    """How much of that each lifetime is."""


Together = Callable[[Sequence[int], Executor, Done], list[Arrays]]
"""Does several works, given by their places in a list, at once."""


@dataclass(frozen=True)
class Kernels:
    """What has to be compiled before some lives can be lived."""

    world: World
    brain: Brain | None = None
    """None for the world's usual one."""
    agents: Sequence[Agent] = ()
    blamed: bool = False
    rules: Sequence[AnyRule] = ()

    @classmethod
    def of(cls, ways: Ways, rules: Sequence[AnyRule], agents: Sequence[Agent] = ()) -> Kernels:
        return cls(ways.world, ways.brain, agents, ways.blamed, rules)

    def prepare(self, say: Callable[[str], None]) -> None:
        """Compile, or load from the cache; what takes long is announced."""
        asked: Any = {"blamed": self.blamed, "rules": self.rules}
        if not (
            batch.is_compiled(self.world, self.brain, **asked)
            and all(maker.is_compiled(self.world) for maker in self.agents)
        ):
            say(
                f"Compiling the simulation of {self.world.label} for this kind of rule (5 to 20 seconds); it is "
                "cached for later runs."
            )
        batch.prepare(self.world, self.brain, **asked)
        for maker in self.agents:
            maker.prepare(self.world)


class Place(Protocol):
    """Where to live, known only when something has to be lived."""

    def executor(self, say: Callable[[str], None]) -> AbstractContextManager[Executor]: ...


class Study(ABC, Generic[Result]):
    """What is asked for. Instances are checked and immutable."""

    kind: ClassVar[str]
    """The verb; the kind of its run."""
    doing: ClassVar[str]
    """What progress says."""
    unit: ClassVar[str] = "lifetimes"
    growing: ClassVar[Collection[str]] = ()
    """Numbers of the configuration that may be larger when it is carried out again."""

    @property
    @abstractmethod
    def size(self) -> float:
        """How much there is to do in all, in its unit, as far as can be said beforehand."""

    @property
    def cost(self) -> str:
        """What it takes, in words, where that can be said beforehand."""
        return ""

    @abstractmethod
    def kernels(self) -> Sequence[Kernels]:
        """What has to be compiled, should anything be left to live."""

    @abstractmethod
    def reduce(self, lab: Lab) -> Result:
        """Ask the lab for works, and make the result of what it gives."""

    # The rest is for studies that are kept in a folder.

    def configuration(self) -> dict[str, Any]:
        """Everything that decides the results, as plain values."""
        raise NotImplementedError

    @property
    def folder(self) -> Path:
        """The run's folder, unless another is asked for."""
        raise NotImplementedError

    def recall(self, lab: Lab) -> Result | None:
        """The result of a finished run, where that is quicker than reducing it again."""
        return None

    def publish(self, result: Result, lab: Lab) -> None:
        """Leave pages and tables in the folder, and small results in the store."""


class Lab:
    """Does what a study asks for, once: what is kept in the run is not done again.

    Executor, kernels and progress bar are made ready when the first work has to be done, so that a finished study
    neither connects nor compiles anything."""

    def __init__(
        self, study: Study[Any], run: Run | None, place: Any, report: Report, stack: ExitStack, stop: Stop
    ) -> None:
        self.study, self.run, self.report = study, run, report
        self.ledger = None if run is None else Ledger(run)
        self._place, self._stack, self._stop = place, stack, stop
        self._executor: Executor | None = None
        self._advance: Advance | None = None
        self.done = self._stored = 0.0
        self.lived = 0
        """Works that were done now."""

    @property
    def folder(self) -> Path:
        """The run's folder."""
        assert self.run is not None
        return self.run.folder

    @property
    def executor(self) -> Executor:
        """Where lives are lived, from now on with progress."""
        if self._executor is None:
            if self.run is not None and not isinstance(self.run, Writer):
                raise Missing(f"{self.run.folder} is not finished; rerun the command that started it to resume it.")
            place = self._place
            self._executor = (
                self._stack.enter_context(place.executor(self.report.say))
                if hasattr(place, "executor")
                else executor_of(place)
            )
            if self.run is not None and self._stored:
                whole = f" of about {self.study.size:,.0f}" if self.study.size > self._stored else ""
                self.report.say(
                    f"Resuming {self.run.folder}: {self._stored:,.0f}{whole} {self.study.unit} are already done."
                )
            if self.study.cost:
                self.report.say(self.study.cost)
            for kernels in self.study.kernels():
                kernels.prepare(self.report.say)
            showing = self.report.progress(self.study.doing, self.study.size, self.study.unit, self._stored)
            self._advance = self._stack.enter_context(showing)
        return self._executor

    def advance(self, amount: float, note: str = "", left: float = 0, stored: bool = False) -> None:
        """Count so much more as done, or as found stored. left: how much there still is, at least."""
        self.done += amount
        if self._advance is None:
            self._stored += amount if stored else 0
            return
        words = "" if self._executor is None else self._executor.words
        total = max(self.study.size, self.done + left)
        self._advance(amount, note=", ".join(filter(None, (note, words))), total=total, stored=stored)

    def live(
        self, world: World, brain: Brain, jobs: Jobs, observers: Sequence[Observer] = (), **options: Any
    ) -> Outcome:
        """Lives that are not kept as a work. options: as in `executors.base.run`"""
        self._stop.check()
        return run(self.executor, world, brain, jobs, observers, done=self.advance, **options)

    def timed(self, *lives: Any, **options: Any) -> tuple[Outcome, float]:
        """As `live`, and the seconds spent living, without compiling."""
        executor = self.executor  # which gets everything ready
        start = time.perf_counter()
        return run(executor, *lives, done=self.advance, **options), time.perf_counter() - start

    def fetch(self, work: Work, note: str = "") -> Arrays:
        """The arrays of a work: those kept, or what comes of doing it, kept at once. note: what progress says."""
        return self.fetch_all([work], note)[0]

    def fetch_all(self, works: Sequence[Work], note: str = "", together: Together | None = None) -> list[Arrays]:
        """As `fetch`, for several works. together: does several of them at once, where the executor has many hands."""
        found = [None if self.ledger is None else self.ledger.piece(work.piece) for work in works]
        left = sum(work.size for work, arrays in zip(works, found, strict=True) if arrays is None)
        self.advance(sum(work.size for work in works) - left, note, left, stored=True)
        missing = [place for place, arrays in enumerate(found) if arrays is None]
        while missing:
            self._stop.check()
            executor = self.executor
            many = max(1, round(executor.hands * executor.seconds / 2)) if together else 1
            places, missing = missing[:many], missing[many:]
            asked = [works[place] for place in places]
            size, before = sum(work.size for work in asked), self.done

            def done(lives: float, each: float = asked[0].per_life, whole: float = before + left) -> None:
                self.advance(lives * each, note, whole - self.done - lives * each)

            came = together(places, executor, done) if together else [asked[0].do(executor, done)]
            self.lived += len(asked)
            left -= size
            self.advance(before + size - self.done, note, left)
            # One memory layout, whether arrays come from the store or not: sums depend on it in the last bits.
            whole = [{name: np.ascontiguousarray(array) for name, array in arrays.items()} for arrays in came]
            if isinstance(self.run, Writer):
                self.run.save(pieces={work.piece: arrays for work, arrays in zip(asked, whole, strict=True)})
            for place, arrays in zip(places, whole, strict=True):
                found[place] = arrays
        return [arrays for arrays in found if arrays is not None]

    def save(self, records: Sequence[Any] = (), results: Mapping[str, Any] | None = None) -> None:
        if isinstance(self.run, Writer):
            self.run.save(records, results=results)


class Missing(RunError):
    """A work is not in a run that can only be read."""


def carry_out(
    study: Study[Result],
    folder: str | os.PathLike[str] | None = None,
    *,
    threads: Place | Executor | int | None = None,
    report: Report | None = None,
) -> Result:
    """Do what is not done yet, and return the result.

    folder: where works are kept; interrupted at any moment, the same call resumes there and ends with the same result
    to the last bit. threads: how many, an executor, or a Place. report: what is said, and where progress is shown."""
    report = report_of(report)
    if folder is None:
        with ExitStack() as stack:
            stop = stack.enter_context(stopped_by_signals(report.patience)) if report.patience else Stop()
            return study.reduce(Lab(study, None, threads, report, stack, stop))
    folder = Path(folder)
    with stopped_by_signals(report.patience, report.farewell(folder)) as stop:
        try:
            finished = Run.finished_in(folder, study.kind, study.configuration())
            if finished is not None:
                # Reading is enough, even in a folder that cannot be written, unless more is asked for now.
                with ExitStack() as stack, contextlib.suppress(Missing):
                    lab = Lab(study, finished, None, report, stack, stop)
                    result = study.recall(lab)
                    if result is None:
                        result = study.reduce(lab)
                        with contextlib.suppress(OSError, BadInput):  # pages that are there already
                            study.publish(result, lab)
                    return result
            with ExitStack() as stack:
                begun = Writer.begin(folder, study.kind, study.configuration(), growing=study.growing)
                writer = stack.enter_context(begun)
                writer.remark = report.say
                writer.reopen()
                lab = Lab(study, writer, threads, report, stack, stop)
                result = study.reduce(lab)
                study.publish(result, lab)
                writer.finish()
                return result
        except Interrupted as error:
            if report.patience is not None:  # a command ends here: tidying up takes a busy machine a second
                stop.farewell.say(error.code - 128)
                leave_at_once(error.code)
            raise
