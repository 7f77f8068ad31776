"""What a user's world, file or machine may do wrong ends with one sentence and exit code 2, never otherwise."""

from __future__ import annotations

import datetime
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from hebbarium.brains.network_files import Networks
from hebbarium.cli import main
from hebbarium.store import writing
from hebbarium.tools.files import replacing
from hebbarium.worlds import pond
from hebbarium.worlds.registry import make_world

SOURCE = Path(pond.__file__).read_text(encoding="utf-8")
CHECK, INPUTS, SCORE = 'check_number("food", self.food, 0, 1)', "return 4", "return sign * "
LOOK, METHOD = "return Picture(", "def constants(self)"
LIVE = ["live", "./pond.py", "--rule", "000-/0000@0.04", "--lifetimes", "2", "--season-steps", "20"]
WAYS = {
    "check leaves": (CHECK, "raise SystemExit(0)", "in check: this ends the whole program (SystemExit)."),
    "check raises what is no exception": (CHECK, "raise GeneratorExit", "in check: GeneratorExit."),
    "check fails": (CHECK, "1 / 0", "in check: ZeroDivisionError: division by zero."),
    "inputs fail": (INPUTS, 'raise ValueError("none")', "in inputs: ValueError: none."),
    "too many inputs": (INPUTS, "return 10**9", "pond has 1000000000 inputs and 2 actions, which would not fit"),
    "no inputs": (INPUTS, "pass", "inputs must be a whole number of at least 1, but is None."),
    "input names that are none": (
        'return ("fly left"',
        'return 4\n        return ("fly left"',
        "input_names must be a tuple of 4 words",
    ),
    "turns that are none": (
        METHOD,
        f"@property\n    def turns(self):\n        return 4\n\n    {METHOD}",
        "turns must be",
    ),
    "inputs as a method": ("@property\n    def inputs", "def inputs", "but is a method without @property."),
    "an annotation that is none": ("name: ClassVar[str]", "name: ClassVar[()]", "an annotation of Pond cannot be read"),
    "a fitness of objects": (SCORE, "return np.full(counts.shape[:2], None)\n        return sign * ", "gives object."),
    "a complex fitness": (SCORE, "return 1j * sign * ", "gives complex128."),
    "fitness writes": (SCORE, f"counts[:] = 7\n        {SCORE}", "in fitness: ValueError: assignment "),
    "picture writes": (LOOK, f"state.drifting[i] = 1\n        {LOOK}", "in picture: ValueError: assignment "),
}


@pytest.mark.parametrize("way", WAYS)
def test_worlds(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    before, after, expected = WAYS[way]
    assert before in SOURCE
    Path("pond.py").write_text(SOURCE.replace(before, after), encoding="utf-8")
    assert main(LIVE) == 2
    err = capsys.readouterr().err.strip().splitlines()[-1]
    assert expected in err
    assert err.startswith("hebbarium: ")


def test_a_picture_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where its cells are the state itself: a page compares what it drew last with what is there now."""
    monkeypatch.chdir(tmp_path)
    cells = "np.array([[left, NOTHING, right]], np.uint8)"
    assert cells in SOURCE
    Path("pond.py").write_text(SOURCE.replace(cells, "state.drifting[i : i + 1]"), encoding="utf-8")
    world = make_world("./pond.py")
    state = world.new_state(1)
    picture = world.picture(world.constants(), state, 0)
    state.drifting[:] = 1
    assert not picture.cells.any()


def test_a_link_that_leads_to_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pond.py").symlink_to("pond.py")
    assert main(LIVE) == 2
    assert capsys.readouterr().err.startswith("hebbarium: cannot read the world pond.py: ")


def test_a_number_of_threads_that_numba_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_NUM_THREADS", "0")
    words = [sys.executable, "-m", "hebbarium", "live", "t-maze", "--rule=00+-/0000@0.04"]
    ended = subprocess.run(words, capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.startswith("hebbarium: NUMBA_NUM_THREADS is '0', but must be")


def test_networks_are_saved_whatever_the_clock_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 9_800_000_000.0)  # in the year 2280
    networks = Networks("pond", np.ones((1, 2, 5)), np.ones((1, 2, 3)))
    networks.save(tmp_path / "some.npz")
    assert np.array_equal(Networks.load(tmp_path / "some.npz").hidden, networks.hidden)


def test_runs_are_kept_whatever_the_clock_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Clock:
            return cls.fromtimestamp(9e11, tz)  # in the year 30489

    monkeypatch.setattr(writing, "datetime", Clock)
    words = ["lifelong", "t-maze", "00+-/0000@0.04", "--season-steps=40", "--seasons=2", "--lifetimes=2", "-q", "--out"]
    assert main([*words, str(tmp_path / "run")]) == 0
    assert main(["runs", str(tmp_path)]) == 0
    assert "31 Dec 23:59" in capsys.readouterr().out


def test_what_a_killed_process_left_half_written_is_removed(tmp_path: Path) -> None:
    killed = """
import os, signal, sys
from hebbarium.tools.files import replacing
with replacing(sys.argv[1]) as part:
    part.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    page = tmp_path / "report.html"
    subprocess.run([sys.executable, "-c", killed, str(page)], check=False)
    assert len(list(tmp_path.iterdir())) == 1
    with replacing(page) as part:
        part.write_text("whole")
        with replacing(tmp_path / "other.html"):  # what a process that runs is writing stays
            assert part.exists()
    (tmp_path / "other.html").unlink()
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
