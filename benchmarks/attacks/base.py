"""What every attack counts."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

SECONDS, PATIENCE = 5.0, 60.0
"""What is no work takes less of the processor's time, and less by the clock however busy the machine is."""
WORK = ("hebbarium.life", "hebbarium.executors", "hebbarium.agents", "hebbarium.show.plots", "hebbarium.paper", "numba")
WORK += ("hebbarium.watch", "hebbarium.studies.lifelong", "hebbarium.kernels")
"""Code that rightly takes long: living, compiling, drawing, serving."""


@dataclass
class Tally:
    """What became of one kind of attack."""

    name: str
    outcomes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    slowest: float = 0.0

    @property
    def tried(self) -> int:
        return self.outcomes.total()

    def problem(self, what: object, why: str) -> None:
        self.outcomes["problem"] += 1
        self.problems.append(f"{self.name}: {str(what)[:300]!r}: {why[-500:]}")


class TooLong(BaseException):
    """Nothing in between may catch it. work: whether something that rightly takes long was going on."""

    def __init__(self, work: bool) -> None:
        super().__init__("too long")
        self.work = work


_COMPILED: list[int] = []
"""Signals that came while something was compiled."""
TIMERS = ((signal.ITIMER_PROF, signal.SIGPROF, SECONDS), (signal.ITIMER_REAL, signal.SIGALRM, PATIENCE))


@contextlib.contextmanager
def timed(tally: Tally) -> Iterator[None]:
    """Ends the block with TooLong, in the main thread of a POSIX system."""
    _COMPILED.clear()
    for timer, number, seconds in TIMERS:
        signal.signal(number, _ring)
        signal.setitimer(timer, seconds)
    before, sys.unraisablehook = sys.unraisablehook, _ring_again
    start = time.process_time()
    try:
        yield
    finally:
        for timer, _, _ in TIMERS:
            signal.setitimer(timer, 0)
        sys.unraisablehook = before
        tally.slowest = max(tally.slowest, time.process_time() - start)


def _ring_again(swallowed: Any) -> None:
    """Exceptions in what C calls back, such as the compiler, do not leave it: it rings again a moment later."""
    if isinstance(swallowed.exc_value, TooLong):
        signal.setitimer(signal.ITIMER_PROF, 0.01)
    else:
        sys.__unraisablehook__(swallowed)


def _ring(number: int, frame: FrameType | None) -> None:
    modules = list(_modules(frame))
    if any(name.startswith(("numba", "llvmlite")) for name in modules):
        # An exception in the middle of compiling leaves objects of LLVM behind that are freed twice: a moment later.
        _COMPILED.append(number)
        signal.setitimer(signal.ITIMER_PROF, 0.05)
        return
    raise TooLong(bool(_COMPILED) or any(name.startswith(WORK) for name in modules))


def _modules(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        yield str(frame.f_globals.get("__name__", ""))
        frame = frame.f_back
