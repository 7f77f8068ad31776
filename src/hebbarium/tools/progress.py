"""Long work shows how far it is: a bar on a terminal, a plain line now and then otherwise, nothing when quiet.

>>> with progress("living", 3, "lifetimes", quiet=True) as advance:
...     for _ in range(3):
...         advance(1, note="best 00+-/0000 48.1")
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from hebbarium.tools.errors import BadInput, printable, shown
from hebbarium.tools.terminal import make_console

if TYPE_CHECKING:
    from rich.progress import Progress, Task
    from rich.text import Text

FIRST_LINE_SECONDS = 5.0
LAST_LINE_SECONDS = 60.0
"""Plain lines come less and less often, up to this long apart."""
RATE_LINES = 3
"""Lines over which the rate is taken: older ones say little about what is left."""
CERTAIN_SECONDS, LONG_SECONDS = 0.5, 10.0
"""From when on a rate can be trusted, and what counts as long work."""
CERTAIN_SHARE = 0.01
"""How much of the work must be done before the time that is left can be estimated."""


class Advance(Protocol):
    def __call__(
        self, amount: float = 1, *, note: str | None = None, total: float | None = None, stored: bool = False
    ) -> None:
        """`amount` more is done. note: what to show beside the bar. total: a better guess at the whole. stored: it was
        done before, so it says nothing about how long the rest takes."""


@contextlib.contextmanager
def progress(
    description: str,
    total: float | None,
    unit: str = "lifetimes",
    *,
    quiet: bool = False,
    done: float = 0,
) -> Iterator[Advance]:
    """Show progress on standard error while the block runs.

    total: None if unknown. done: how much of the total a resumed run had done before. For long work in a log, an
    estimate of the time it takes is printed once its first parts are done.
    """
    if quiet:
        yield ignore
        return
    if sys.stderr.isatty():
        with _bar(unit) as bar:
            task = bar.add_task(description, total=total, note="")
            bar.update(task, completed=done)

            def advance(
                amount: float = 1, *, note: str | None = None, total: float | None = None, stored: bool = False
            ) -> None:
                if stored and amount:
                    shown = bar.tasks[0]
                    bar.reset(task, completed=int(shown.completed + amount), total=total or shown.total)
                    amount = 0
                bar.update(task, advance=amount, total=total)
                if note is not None:
                    bar.update(task, note=note)

            yield advance
        return
    lines = _Lines(description, total, unit, done)
    yield lines
    lines.end()


class Report:
    """How a study reports to the user. This one prints nothing."""

    patience: ClassVar[float | None] = None
    """Seconds within which the whole process ends after a signal; for commands, not for notebooks."""

    def say(self, text: str) -> None:
        """Something that every user should know."""

    def remark(self, text: str) -> None:
        """Something for users who watch the progress."""

    def progress(
        self, doing: str, total: float | None, unit: str, done: float
    ) -> contextlib.AbstractContextManager[Advance]:
        """Show progress while the block runs. done: how much of the total was done before."""
        return contextlib.nullcontext(ignore)

    def watch(self, state: Any) -> None:
        """The state of a study that has more to show than progress."""

    def farewell(self, folder: Path) -> str:
        """What is printed after `Interrupted (SIGINT)`."""
        return f"; everything so far is saved in {printable(str(folder))}. Rerun the same command to resume."


def report_of(given: Report | None) -> Report:
    """The one that was given, or one that says nothing."""
    if given is None:
        return Report()
    if not isinstance(given, Report):
        raise BadInput(f"report is {shown(given)}, but must be a Report of hebbarium.tools.progress, or None.")
    return given


class Showing(Report):
    """For a terminal or a notebook; elsewhere it prints nothing."""

    def say(self, text: str) -> None:
        if is_watched():
            print(printable(text), file=sys.stderr, flush=True)

    def progress(
        self, doing: str, total: float | None, unit: str, done: float
    ) -> contextlib.AbstractContextManager[Advance]:
        return progress(doing, total, unit, quiet=not is_watched(), done=done)


def is_watched() -> bool:
    """Whether standard error is a terminal or belongs to a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class Telling(Report):
    """Calls functions with progress, with the state of a study that has one, and with messages."""

    def __init__(
        self,
        done: Callable[[float], object] | None = None,
        watch: Callable[[Any], object] | None = None,
        say: Callable[[str], object] | None = None,
    ) -> None:
        self.done, self._watch, self._say = done, watch, say

    def watch(self, state: Any) -> None:
        if self._watch is not None:
            self._watch(state)

    def say(self, text: str) -> None:
        if self._say is not None:
            self._say(text)

    @contextlib.contextmanager
    def progress(self, doing: str, total: float | None, unit: str, done: float) -> Iterator[Advance]:
        def advance(amount: float = 1, **more: object) -> None:
            if self.done is not None and amount:
                self.done(amount)

        yield advance


def duration(seconds: float) -> str:
    """A time in words, roughly.

    >>> duration(0.4), duration(50), duration(300), duration(5400)
    ('1 second', '50 seconds', '5 minutes', '1.5 hours')
    """
    for size, name in ((3600, "hour"), (60, "minute")):
        if seconds >= 1.5 * size:
            amount = seconds / size
            number = f"{amount:.0f}" if amount >= 10 or name == "minute" else f"{amount:.1f}".removesuffix(".0")
            return f"{number} {name}{'' if number == '1' else 's'}"
    whole = max(1, round(seconds))
    return f"{whole} second{'' if whole == 1 else 's'}"


def ignore(amount: float = 1, **more: object) -> None:
    """An Advance that shows nothing."""


def _bar(unit: str) -> Progress:
    from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class RateColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{_number(speed)} {unit}/s" if speed else "", style="cyan")

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        RateColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        console=make_console(stderr=True),
        transient=True,
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


class _Lines:
    """Progress as plain lines, for logs."""

    def __init__(self, description: str, total: float | None, unit: str, done: float = 0.0) -> None:
        self.estimated = False
        self.description, self.total, self.unit = description, total, unit
        self.done = self.resumed = done
        self.note = ""
        self.start = self.last = time.monotonic()
        self.pause = FIRST_LINE_SECONDS
        self.first: tuple[float, float] | None = None
        """When the first part was done, and how much it was."""
        self.before: deque[tuple[float, float]] = deque([(self.start, done)], maxlen=RATE_LINES)
        """The same for the latest lines."""

    def __call__(
        self, amount: float = 1, *, note: str | None = None, total: float | None = None, stored: bool = False
    ) -> None:
        self.done += amount
        if stored and amount:
            self.resumed += amount
            self.first = None
            self.before = deque([(when, done + amount) for when, done in self.before], maxlen=RATE_LINES)
        self.note = note if note is not None else self.note
        self.total = total if total is not None else self.total
        if not self.estimated:
            self.estimate(time.monotonic())
        if time.monotonic() - self.last >= self.pause:
            self.print_line()
            self.pause = min(2 * self.pause, LAST_LINE_SECONDS)

    def estimate(self, now: float) -> None:
        """Print how long the whole will take, if that is long. The first part is left out of the estimate, because it
        may have waited for kernels."""
        self.first = self.first or (now, self.done)
        seconds, done = now - self.first[0], self.done - self.first[1]
        if self.total is None or seconds < CERTAIN_SECONDS or not done:
            return
        self.estimated = True
        whole = seconds * (self.total - self.resumed) / done
        if whole >= LONG_SECONDS:
            print(f"{self.description}: this takes about {duration(whole)}.", file=sys.stderr, flush=True)

    def print_line(self) -> None:
        self.last = time.monotonic()
        print(self.line(self.last), file=sys.stderr, flush=True)
        self.before.append((self.last, self.done))

    def line(self, now: float) -> str:
        seconds, done = now - self.before[0][0], self.done - self.before[0][1]
        rate = done / seconds if seconds > 0 else 0.0
        whole = "" if self.total is None or self.unit == "%" else f" of {self.total:,.0f}"
        parts = [f"{self.description}: {self.done:,.0f}{whole} {self.unit}"]
        if self.unit != "%":
            parts.append(f"{_number(rate)}/s")
        if self.total is not None and self.done < self.total and rate > 0:
            certain = self.done - self.resumed >= CERTAIN_SHARE * (self.total - self.resumed)
            parts += [f"about {duration((self.total - self.done) / rate)} left"] if certain else []
        return ", ".join([*parts, *([self.note] if self.note else [])])

    def end(self) -> None:
        """A last line, where there were others and the last of them does not say the same."""
        if self.last > self.start and self.done != self.before[-1][1]:
            self.print_line()
