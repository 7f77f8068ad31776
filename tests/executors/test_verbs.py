"""What the commands that live much say of where they live, how long it takes, and what stopped them."""

from __future__ import annotations

import contextlib
import json
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hebbarium.cli import main
from hebbarium.executors.base import Done, Piece
from hebbarium.executors.threads import Threads
from hebbarium.studies import engine
from hebbarium.tools import progress as progress_module
from hebbarium.tools import signals
from hebbarium.tools.progress import Report
from hebbarium.tools.signals import Interrupted
from tiny_scale import TINY, reproduce_at

Captured = pytest.CaptureFixture[str]


class Workers:
    """Stands for a cluster."""

    seconds = 1.0

    def __init__(self, hands: int) -> None:
        self.hands, self.words = hands, f"{hands} workers"

    def run(self, pieces: Sequence[Piece], done: Done | None = None) -> list[Any]:
        return Threads(2).run(pieces, done)


class Shown(Report):
    """Keeps what progress says."""

    def __init__(self) -> None:
        self.notes: list[str | None] = []

    @contextlib.contextmanager
    def progress(self, doing: str, total: float | None, unit: str, done: float) -> Iterator[Any]:
        yield lambda amount, *, note=None, total=None, stored=False: self.notes.append(note)


def test_progress_names_the_workers(tmp_path: Path) -> None:
    shown = Shown()
    for hands in (1, 500):
        reproduce_at(TINY, ["seasons"], tmp_path / str(hands), threads=Workers(hands), report=shown)
    assert {"1 workers", "500 workers"} <= set(shown.notes)


class Left(BaseException):
    """Stands for the end of the process."""


def test_an_interrupted_reproduction_ends_in_time_and_says_how_to_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    patience: list[float | None] = []
    stopped = signals.stopped_by_signals

    def leave(code: int) -> None:
        raise Left(code)

    def interrupt(*_: object, **__: object) -> None:
        raise Interrupted(signal.SIGINT)

    monkeypatch.setattr(engine, "leave_at_once", leave)
    monkeypatch.setattr(
        engine, "stopped_by_signals", lambda seconds=None, more=None: patience.append(seconds) or stopped(more=more)
    )
    monkeypatch.setattr("hebbarium.paper.reproduction.ReproduceStudy.reduce", interrupt)
    with pytest.raises(Left, match="130"):
        main(["reproduce", "seasons", "--out", str(tmp_path / "run")])
    assert patience == [signals.PATIENCE]
    said = f"everything so far is saved in {tmp_path / 'run'}. Rerun the same command to resume.\n"
    assert capfd.readouterr().err.endswith(said)


def test_names_of_a_world_are_printed_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """Seasons called [/red] are no markup."""
    named = property(lambda world: ("[/red]",) * world.seasons)
    monkeypatch.setattr("hebbarium.worlds.foraging.Foraging.season_names", named)
    words = ["lifelong", "foraging", "foraging:1", "--lifetimes", "3", "--seasons", "4", "--season-steps", "60", "-q"]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    assert "[/red]" in capsys.readouterr().out


def test_a_path_of_a_new_world_is_shown_without_what_a_terminal_would_obey(tmp_path: Path, capsys: Captured) -> None:
    folder = tmp_path / "a\x1b[2Jb"
    folder.mkdir()
    assert main(["new-world", "pool", "--out", str(folder / "pool.py")]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "a\\x1b[2Jb/pool.py, a small working world" in out
    assert main(["new-world", "puddle", "--out", str(folder / "puddle.py"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == str(folder / "puddle.py")


def test_a_bar_takes_an_empty_note_and_a_total_of_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            return len(text)

        def flush(self) -> None:
            pass

    bars: list[Any] = []
    make = progress_module._bar
    monkeypatch.setattr(progress_module.sys, "stderr", Terminal())
    monkeypatch.setattr(progress_module, "_bar", lambda unit: bars.append(make(unit)) or bars[-1])
    with progress_module.progress("living", 5) as advance:
        advance(1, note="two workers")
        (task,) = bars[0].tasks
        assert (task.fields["note"], task.total) == ("two workers", 5)
        advance(1)
        assert (task.fields["note"], task.total) == ("two workers", 5)
        advance(0, note="", total=0)
        assert (task.fields["note"], task.total) == ("", 0)
