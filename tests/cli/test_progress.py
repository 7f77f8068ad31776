"""Progress: a bar on a terminal, plain lines in a log, nothing when quiet."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
from collections.abc import Iterator

import pytest

from hebbarium.tools import progress as module
from hebbarium.tools.progress import _Lines, progress

Captured = pytest.CaptureFixture[str]
PROGRAM = """
from hebbarium.tools.progress import progress
with progress("living", 4, "lifetimes") as advance:
    for done in range(4):
        advance(1, note=f"best 00+-/0000 {done}")
"""


class Clock:
    """Time that passes only when told to."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def test_quiet_says_nothing(capsys: Captured) -> None:
    with progress("living", 3, quiet=True) as advance:
        advance(3)
    assert capsys.readouterr() == ("", "")


def test_short_work_says_nothing_in_a_log(clock: Clock, capsys: Captured) -> None:
    with progress("living", 3) as advance:
        for _ in range(3):
            clock.now += 1
            advance(1)
    assert capsys.readouterr() == ("", "")


def test_long_work_says_how_long_and_then_where_it_is(clock: Clock, capsys: Captured) -> None:
    with progress("living", 1000, "lifetimes") as advance:
        for done in range(200):
            clock.now += 1
            advance(5, note=f"best {done}")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "living: this takes about 3 minutes."
    assert lines[1] == "living: 25 of 1,000 lifetimes, 5/s, about 3 minutes left, best 4"
    assert lines[-1] == "living: 1,000 of 1,000 lifetimes, 5/s, best 199"
    # 5, 15, 35, 75, 135 and 195 seconds, and the end: ever more rarely.
    assert len(lines) == 1 + 6 + 1


def test_what_the_first_part_waited_for_is_not_foretold_again(clock: Clock, capsys: Captured) -> None:
    with progress("living", 100) as advance:
        for seconds in (4, 1):
            clock.now += seconds
            advance(5)
    assert capsys.readouterr().err.splitlines()[0] == "living: this takes about 20 seconds."


def test_work_without_a_known_end(clock: Clock) -> None:
    lines = _Lines("evolving", None, "evaluations")
    lines.done = 30
    assert lines.line(clock.now + 10) == "evolving: 30 evaluations, 3/s"


def test_what_a_continued_run_found_done_is_soon_no_rate(clock: Clock, capsys: Captured) -> None:
    with progress("living", 10_000) as advance:
        advance(9_000)
        for _ in range(100):
            clock.now += 1
            advance(5)
    rates = [line.split(", ")[-2] for line in capsys.readouterr().err.splitlines() if " left" in line]
    assert [rates[0], *rates[-2:]] == ["1,805/s", "5/s", "5/s"]


def test_a_resumed_run_starts_from_what_is_stored(clock: Clock, capsys: Captured) -> None:
    with progress("living", 1_000, done=800) as advance:
        for _ in range(40):
            clock.now += 1
            advance(5)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "living: this takes about 40 seconds."
    assert lines[1] == "living: 825 of 1,000 lifetimes, 5/s, about 35 seconds left"
    assert lines[-1] == "living: 1,000 of 1,000 lifetimes, 5/s"


def test_a_terminal_gets_a_bar() -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "120", "TERM": "xterm"}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stderr=theirs, env=environment)
    os.close(theirs)
    text = "".join(_read(ours))
    assert process.wait() == 0
    assert "100%" in text
    assert "best 00+-/0000 3" in text


def _read(terminal: int) -> Iterator[str]:
    """Everything shown on a terminal until its last user has gone."""
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 4096):
            yield part.decode(errors="replace")
    os.close(terminal)
