"""`hebbarium evolve --cluster`, killed or interrupted: nothing is lost, and no worker stays behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from clusters import wait_for
from commands import heed_interrupts
from hebbarium.store.writing import Run
from hebbarium.tools.errors import RunError

SMALL = {
    "season-steps": 200, "seasons": 2, "grid-size": 20, "green": 10, "blue": 10, "hidden": 5, "seed": 4, "runs": 2,
    "search": "genetic",
    "individuals": 40, "elites": 4, "lifetimes": 40, "stale-generations": 400, "max-generations": 60, "top": 4,
    "rescore": 8,
}  # fmt: skip


def command(out: Path, *words: str) -> list[str]:
    options = [f"--{name}={value}" for name, value in SMALL.items()]
    return [sys.executable, "-m", "hebbarium", "evolve", "foraging", "--json", f"--out={out}", *options, *words]


def finish(out: Path, *words: str) -> dict[str, Any]:
    done = subprocess.run(command(out, *words), capture_output=True, text=True, check=True, timeout=300)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@contextlib.contextmanager
def halfway(out: Path) -> Iterator[tuple[subprocess.Popen[str], list[psutil.Process]]]:
    """The command on two workers, when something is stored, and its workers."""
    process = subprocess.Popen(
        command(out, "--cluster", "local:2"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
        start_new_session=True,
    )
    try:
        wait_for(lambda: stored(out) > 0 or process.poll() is not None, "the first batch")
        yield process, psutil.Process(process.pid).children(recursive=True)
    finally:
        process.kill()
        process.communicate()


def stored(out: Path) -> int:
    try:
        return Run.open(out).totals()[0]
    except RunError:
        return 0


def all_ended(workers: list[psutil.Process]) -> bool:
    return not any(worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE for worker in workers)


@pytest.fixture(scope="module")
def digest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of the same run on threads."""
    return str(finish(tmp_path_factory.mktemp("threads") / "run")["digest"])


def test_killed_and_started_again(tmp_path: Path, digest: str) -> None:
    with halfway(tmp_path) as (process, workers):
        process.kill()
        assert len(workers) >= 2
        wait_for(lambda: all_ended(workers), "the end of the workers")
    assert Run.open(tmp_path).finished is None
    assert finish(tmp_path, "--cluster", "local:2")["digest"] == digest


def test_interrupted_and_started_again(tmp_path: Path, digest: str) -> None:
    with halfway(tmp_path) as (process, workers):
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it, too
        said, complaints = process.communicate(timeout=60)
        assert process.returncode == 130
        assert said == ""
        assert "Traceback" not in complaints
        assert complaints.splitlines()[-1].startswith("Interrupted (SIGINT); everything so far is saved in")
        wait_for(lambda: all_ended(workers), "the end of the workers")
    assert finish(tmp_path)["digest"] == digest
