"""The engine: what every study has in common."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.executors.base import Done, Executor
from hebbarium.store.kept_arrays import Arrays, Piece
from hebbarium.store.writing import Run
from hebbarium.studies.engine import Kernels, Lab, Study, Work, carry_out
from hebbarium.tools.errors import RunError
from hebbarium.tools.progress import Report
from hebbarium.tools.signals import Interrupted


@dataclass(frozen=True)
class Squares(Study[list[int]]):
    """The squares of some numbers."""

    numbers: Sequence[int]
    done: list[int]
    """Those that were worked out."""
    stop_at: int | None = None
    unit = "numbers"
    kind = "squares"
    doing = "squaring"

    @property
    def size(self) -> float:
        return len(self.numbers)

    def kernels(self) -> list[Kernels]:
        return []

    def configuration(self) -> dict[str, Any]:
        return {"power": 2}

    def reduce(self, lab: Lab) -> list[int]:
        return [int(lab.fetch(self.work(number))["square"][0]) for number in self.numbers]

    def work(self, number: int) -> Work:
        def do(executor: Executor, done: Done) -> Arrays:
            if number == self.stop_at:
                raise Interrupted(signal.SIGINT)
            self.done.append(number)
            done(0.5)
            return {"square": np.array([number**2])}

        return Work(Piece.of("square", {"number": number}), do, 1)

    def publish(self, result: list[int], lab: Lab) -> None:
        (lab.folder / "page.txt").write_text(str(result))


class Heard(Report):
    def __init__(self) -> None:
        self.said: list[str] = []
        self.advanced: list[tuple[float, bool]] = []
        self.totals: list[float | None] = []
        self.begun: list[tuple[str, float | None, str, float]] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    @contextlib.contextmanager
    def progress(self, doing: str, total: float | None, unit: str, done: float) -> Iterator[Any]:
        self.begun.append((doing, total, unit, done))

        def advance(
            amount: float, *, note: str | None = None, total: float | None = None, stored: bool = False
        ) -> None:
            self.advanced.append((amount, stored))
            self.totals.append(total)

        yield advance


def test_without_a_folder_nothing_is_kept() -> None:
    done: list[int] = []
    for _ in range(2):
        assert carry_out(Squares([2, 3], done)) == [4, 9]
    assert done == [2, 3, 2, 3]


def test_interrupted_it_resumes_where_it_was_and_says_so(tmp_path: Path) -> None:
    done: list[int] = []
    heard = Heard()
    with pytest.raises(Interrupted):
        carry_out(Squares([1, 2, 3, 4], done, stop_at=3), tmp_path / "run", report=heard)
    assert Run.open(tmp_path / "run").finished is None
    heard = Heard()
    assert carry_out(Squares([1, 2, 3, 4], done), tmp_path / "run", report=heard) == [1, 4, 9, 16]
    assert done == [1, 2, 3, 4]
    assert heard.said == [f"Resuming {tmp_path / 'run'}: 2 of about 4 numbers are already done."]
    assert heard.begun == [("squaring", 4, "numbers", 2)]
    assert sum(amount for amount, _ in heard.advanced) == 2
    assert Run.open(tmp_path / "run").finished


def test_what_is_done_of_a_work_is_not_left_of_it(tmp_path: Path) -> None:
    """Else progress counts towards twice as much, until the work is done."""

    class AtOnce(Squares):
        def reduce(self, lab: Lab) -> list[int]:
            works = [self.work(number) for number in self.numbers]
            return [int(arrays["square"][0]) for arrays in lab.fetch_all(works)]

    heard = Heard()
    assert carry_out(AtOnce([1, 2, 3], []), tmp_path / "run", report=heard) == [1, 4, 9]
    assert heard.totals == [3] * 6


def test_a_finished_study_is_read_and_nothing_is_got_ready(tmp_path: Path) -> None:
    done: list[int] = []
    carry_out(Squares([5], done), tmp_path / "run")
    (tmp_path / "run/page.txt").unlink()
    heard = Heard()

    class Nowhere:
        def executor(self, say: object) -> Any:
            raise AssertionError("nothing is left to live")

    assert carry_out(Squares([5], done), tmp_path / "run", threads=Nowhere(), report=heard) == [25]
    assert done == [5]
    assert heard.begun == []
    assert (tmp_path / "run/page.txt").read_text() == "[25]"


def test_a_finished_study_can_be_asked_for_more(tmp_path: Path) -> None:
    done: list[int] = []
    carry_out(Squares([5], done), tmp_path / "run")
    assert carry_out(Squares([5, 6], done), tmp_path / "run") == [25, 36]
    assert done == [5, 6]
    assert Run.open(tmp_path / "run").finished


def test_arrays_have_one_layout_whether_stored_or_not(tmp_path: Path) -> None:
    """Sums over them depend on it in the last bits."""
    layouts = []

    class Transposed(Squares):
        def work(self, number: int) -> Work:
            made = {"square": np.asfortranarray(np.arange(12.0).reshape(3, 4))}
            return Work(Piece.of("layout", {}), lambda executor, done: made, 1)

        def reduce(self, lab: Lab) -> list[int]:
            layouts.append(lab.fetch(self.work(0))["square"].flags.c_contiguous)
            return []

    for _ in range(2):
        carry_out(Transposed([], []), tmp_path / "run")
    assert layouts == [True, True]


def test_other_settings_and_other_kinds_are_refused(tmp_path: Path) -> None:
    class Cubes(Squares):
        def configuration(self) -> dict[str, Any]:
            return {"power": 3}

    class Roots(Squares):
        kind = "roots"

    carry_out(Squares([5], []), tmp_path / "run")
    with pytest.raises(RunError, match="power is 2 there and 3 here"):
        carry_out(Cubes([5], []), tmp_path / "run")
    with pytest.raises(RunError, match="holds a run of `squares`, not of `roots`"):
        carry_out(Roots([5], []), tmp_path / "run")


@pytest.mark.parametrize("report", [3, "x", [1], np.zeros(2), object()])
def test_what_is_no_report_is_refused(report: Any, tmp_path: Path) -> None:
    world = hb.make_world("association", season_steps=3, seasons=1)
    with pytest.raises(hb.BadInput, match="must be a Report"):
        hb.make_atlas(world, tmp_path / "run", limit=2, effort=0.1, report=report)
    assert not (tmp_path / "run").exists()
