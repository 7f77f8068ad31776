"""`hebbarium evolve` as a process that is killed, interrupted, doubled, starved of disk and cut off."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import commands
from attacks import stores
from commands import started
from hebbarium.cli import main
from hebbarium.store.writing import Run
from hebbarium.studies.evolve.study import Evolution
from hebbarium.tools.errors import BadInput

EVOLVE = ["evolve", "foraging", "--json", "--threads", "2"]
HEBBARIUM = [sys.executable, "-m", "hebbarium"]
COMMAND = [*HEBBARIUM, *EVOLVE]
SMALL = {
    "season-steps": 200, "seasons": 2, "grid-size": 20, "green": 10, "blue": 10, "hidden": 5, "seed": 4, "runs": 3,
    "search": "genetic",
    "individuals": 12, "elites": 4, "lifetimes": 3, "stale-generations": 400, "max-generations": 100, "top": 4,
    "rescore": 8,
}  # fmt: skip
KILLS, LONGEST_WAIT = 10, 0.2
REST = 3 * KILLS * LONGEST_WAIT / SMALL["max-generations"]
WITH_RESTS = f"""
import runpy, time
from hebbarium.executors import base

def run(*args, run=base.run, **options):
    time.sleep({REST})
    return run(*args, **options)

base.run = run
runpy.run_module("hebbarium", run_name="__main__", alter_sys=True)
"""


def words_of(out: Path, **changes: object) -> list[str]:
    options = {**SMALL, **{name.replace("_", "-"): value for name, value in changes.items()}, "out": out}
    return [f"--{name}={value}" for name, value in options.items() if value is not None]


def start(out: Path) -> subprocess.Popen[str]:
    return commands.start([*COMMAND, *words_of(out)])


def slowly(out: Path) -> list[str]:
    """The same command with a rest before each batch, of which every generation needs one: whatever the machine,
    it takes longer than the kills below leave it."""
    return [sys.executable, "-c", WITH_RESTS, *EVOLVE, *words_of(out)]


def finish(out: Path) -> dict[str, Any]:
    process = start(out)
    said, complaints = process.communicate(timeout=120)
    assert process.returncode == 0, complaints
    assert len(said.splitlines()) == 1
    result: dict[str, Any] = json.loads(said)
    return result


def stored(out: Path) -> int:
    return Run.open(out).totals()[0] if (out / "run.sqlite").exists() else 0


def wait_for_progress(process: subprocess.Popen[str], out: Path, beyond: int) -> None:
    while process.poll() is None and stored(out) <= beyond:
        time.sleep(0.01)


def without_place(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name not in ("run", "report")}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return finish(tmp_path_factory.mktemp("uninterrupted") / "run")


def rows(out: Path) -> set[tuple[Any, ...]]:
    return {record.row() for record in Run.open(out).evaluations()} if stored(out) else set()


def test_kills_lose_nothing_that_was_stored(uninterrupted: dict[str, Any], tmp_path: Path) -> None:
    out, moments, before = tmp_path / "run", random.Random(1), set[tuple[Any, ...]]()
    for _ in range(KILLS):
        with started(slowly(out)) as process:
            wait_for_progress(process, out, len(before))
            time.sleep(moments.uniform(0, LONGEST_WAIT))
        assert process.returncode == -signal.SIGKILL
        now = rows(out)
        assert before <= now
        before = now
        with sqlite3.connect(out / "run.sqlite") as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
    assert without_place(finish(out)) == without_place(uninterrupted)


def test_a_kill_at_any_moment_of_starting(uninterrupted: dict[str, Any], tmp_path: Path) -> None:
    moments = random.Random(2)
    for number in range(4):
        with started(slowly(tmp_path / "run")):
            time.sleep(0.2 + 0.4 * number + moments.uniform(0, 0.4))
    assert finish(tmp_path / "run")["digest"] == uninterrupted["digest"]


@pytest.mark.parametrize("words", [stores.ATLAS, stores.REPRODUCE], ids=["atlas", "reproduce"])
def test_kills_of_the_other_verbs_lose_nothing_either(tmp_path: Path, words: str) -> None:
    command = [*words.split(), "--json", "--out"]
    whole = json.loads(subprocess.check_output([*HEBBARIUM, *command, str(tmp_path / "whole")]))
    out, before = tmp_path / "killed", list[str]()
    for _ in range(2):
        with started([sys.executable, "-c", WITH_RESTS, *command, str(out)]) as process:
            while process.poll() is None and len(pieces(out)) <= len(before):
                time.sleep(0.01)
        assert process.returncode == -signal.SIGKILL
        assert set(before) < set(pieces(out))
        before = pieces(out)
    again = json.loads(subprocess.check_output([*HEBBARIUM, *command, str(out)]))
    assert stores.without_place(again) == stores.without_place(whole)


def pieces(out: Path) -> list[str]:
    return Run.open(out).pieces() if (out / "run.sqlite").exists() else []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_heeded_and_the_run_goes_on(uninterrupted: dict[str, Any], tmp_path: Path, number: int) -> None:
    with started(slowly(tmp_path)) as process:
        wait_for_progress(process, tmp_path, 0)
        process.send_signal(number)
        said, complaints = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert said == ""
    assert "Rerun the same command to resume." in complaints
    assert "Traceback" not in complaints
    assert 0 < stored(tmp_path) < uninterrupted["evaluations"]
    assert finish(tmp_path)["digest"] == uninterrupted["digest"]


def test_a_second_process_is_refused_and_the_first_is_not_disturbed(
    uninterrupted: dict[str, Any], tmp_path: Path
) -> None:
    with started(slowly(tmp_path)) as first:
        wait_for_progress(first, tmp_path, 0)
        first.send_signal(signal.SIGSTOP)
        second = start(tmp_path)
        said, complaints = second.communicate(timeout=60)
        assert second.returncode == 2
        assert said == ""
        assert f"is being written by another process (process {first.pid})" in complaints
        first.send_signal(signal.SIGCONT)
        result = json.loads(first.communicate(timeout=120)[0])
    assert result["digest"] == uninterrupted["digest"]


def test_the_same_command_on_a_finished_run_says_so(uninterrupted: dict[str, Any]) -> None:
    out = Path(uninterrupted["run"])
    process = start(out)
    said, complaints = process.communicate(timeout=60)
    assert "this is its result" in complaints
    assert json.loads(said) == uninterrupted


def test_the_contract(uninterrupted: dict[str, Any]) -> None:
    result = uninterrupted
    assert {"run", "task", "search", "runs", "evaluations", "lifetimes", "rules", "best", "digest"} <= set(result)
    assert (result["task"], result["search"], result["runs"], len(result["best"])) == ("foraging", "genetic", 3, 3)
    wanted = {"rule", "count", "median", "std", "max", "min", "eta_mean", "eta_std", "fitness"}
    assert all(wanted <= set(row) and {"mean", "sem"} <= set(row["fitness"]) for row in result["rules"])
    assert result["lifetimes"] == 3 * result["evaluations"]
    assert Path(result["report"]).is_file()


def with_small_files(size: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.skipif(os.name == "nt", reason="limits on a file's size are set with resource")
def test_a_disk_that_fills_up(uninterrupted: dict[str, Any], tmp_path: Path) -> None:
    database = Path(uninterrupted["run"]) / "run.sqlite"
    command = [*COMMAND, *words_of(tmp_path)]
    limit = database.stat().st_size // 2
    outcome = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: with_small_files(limit))
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert "everything stored so far is safe" in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert stored(tmp_path) > 0
    assert finish(tmp_path)["digest"] == uninterrupted["digest"]


def test_a_report_that_cannot_be_written_spoils_nothing(uninterrupted: dict[str, Any], tmp_path: Path) -> None:
    shutil.copy(Path(uninterrupted["run"]) / "run.sqlite", tmp_path)
    (tmp_path / "report.html").mkdir()
    process = start(tmp_path)
    said, complaints = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "its report is missing" in complaints
    assert json.loads(said)["digest"] == uninterrupted["digest"]
    assert json.loads(said)["report"] is None


def test_a_reader_that_went_away(uninterrupted: dict[str, Any]) -> None:
    process = start(Path(uninterrupted["run"]))
    assert process.stdout is not None
    process.stdout.close()
    process.wait(timeout=60)
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"elites": 12}, "must be less than the 12 individuals"),
        ({"search": "random", "individuals": None}, "--elites belongs to search genetic, not to random"),
        ({"search": "genetik"}, "did you mean 'genetic'?"),
        ({"runs": 0}, "runs is 0"),
        ({"runs": 2.5}, "must be a whole number"),
        ({"season_steps": 0}, "season-steps is 0"),
        ({"elite": 3}, "did you mean --elites?"),
        ({"eta_mutation": "nan"}, "eta-mutation is not a number"),
    ],
)
def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any], words: str) -> None:
    assert main(["evolve", "foraging", *words_of(tmp_path / "run", **changes)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_search_that_is_no_word_is_refused() -> None:
    with pytest.raises(BadInput, match="search is"):
        Evolution.of("foraging", np.zeros((2, 0)))
