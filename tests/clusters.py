"""Schedulers and workers that tests start, as processes of their own, on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).parent
PATIENCE = 120
LOOPBACK = ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0", "--no-dashboard"]
"""Without a dashboard, too, Dask has an HTTP server, which would listen everywhere."""


@contextlib.contextmanager
def process(command: Sequence[str], **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """Ended whatever happens."""
    started = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **variables}
    )
    try:
        yield started
    finally:
        started.kill()
        started.wait()


@contextlib.contextmanager
def scheduler(file: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Its scheduler's file is there when the block begins."""
    words = ["dask", "scheduler", *LOOPBACK, "--port", "0", "--scheduler-file", str(file)]
    with process([sys.executable, "-m", *words]) as started:
        wait_for(lambda: file.exists() and file.stat().st_size > 0, "the scheduler")
        yield started


@contextlib.contextmanager
def worker(file: Path, *options: str, nanny: bool = False, path: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """options: of Python. nanny: starts the worker again when it dies. path: where packages are looked for first."""
    kind = "--nanny" if nanny else "--no-nanny"
    words = ["dask", "worker", *LOOPBACK, "--nthreads", "1", kind]
    command = [sys.executable, *options, "-m", *words, "--scheduler-file", str(file)]
    paths = (path, str(HERE), os.environ.get("PYTHONPATH", "") if not options else "")
    with process([*command, "--local-directory", str(file.parent)], PYTHONPATH=os.pathsep.join(paths)) as started:
        wait_for(lambda: workers(file) > 0, "the worker")
        yield started


def workers(file: Path) -> int:
    from distributed import Client

    with Client(address(file), set_as_default=False) as client:
        return len(client.nthreads())


def address(file: Path) -> str:
    return str(json.loads(file.read_text())["address"])


def wait_for(condition, what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.05)
