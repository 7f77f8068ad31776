"""Kill a real evolution a hundred times, and see whether anything was lost.

    python benchmarks/kill.py --kills 100 --runs 4

First the run is done without interruption. Then the same command is started again and again in another
folder and killed with SIGKILL: every fourth time while it starts, else at a random moment after it has stored
something new. After each kill the file is opened, checked by SQLite, and
compared with what it held before. At the end the run is finished and compared with the uninterrupted one.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hebbarium.runs.store import Run

Rows = dict[tuple[str, int, int], str]
"""Each evaluation by its name (stage, run, number), as text."""


@dataclass
class Tally:
    """What became of the kills."""

    kills: int = 0
    before_anything_new: int = 0
    half_written: int = 0
    """Kills that left a journal to be rolled back."""
    stored: list[int] = field(default_factory=list)
    """Evaluations in the file after each kill."""
    problems: list[str] = field(default_factory=list)


def command(options: argparse.Namespace, out: Path) -> list[str]:
    words = [sys.executable, "-m", "hebbarium", "evolve", options.task, "--json", "--quiet", "--out", str(out)]
    return [*words, "--runs", str(options.runs), "--seed", str(options.seed), *options.more]


def finish(options: argparse.Namespace, out: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(subprocess.run(command(options, out), check=True, capture_output=True).stdout)
    return {name: value for name, value in result.items() if name not in ("run", "report")}


def rows(out: Path) -> Rows:
    if not (out / "run.sqlite").exists():
        return {}
    return {(one.stage, one.run, one.number): repr(one.row()) for one in Run.open(out).evaluations()}


def kill_once(options: argparse.Namespace, out: Path, delay: float, stored: int | None) -> bool:
    """After a delay, counted from the first evaluation beyond `stored`. Whether the kill came before the end."""
    process = subprocess.Popen(command(options, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if stored is not None:
        wait_for_more(process, out, stored)
    try:
        process.wait(delay)
    except subprocess.TimeoutExpired:
        process.kill()
    return process.wait() == -signal.SIGKILL


def wait_for_more(process: subprocess.Popen[bytes], out: Path, stored: int) -> None:
    while process.poll() is None and not ((out / "run.sqlite").exists() and Run.open(out).totals()[0] > stored):
        time.sleep(0.01)


def check(out: Path, before: Rows, tally: Tally) -> Rows:
    tally.half_written += (out / "run.sqlite-journal").exists()
    now = rows(out)
    lost = [name for name, row in before.items() if now.get(name) != row]
    if lost:
        tally.problems.append(f"kill {tally.kills}: {len(lost)} evaluations lost, such as {lost[0]}")
    if (out / "run.sqlite").exists():
        with sqlite3.connect(out / "run.sqlite") as connection:
            verdict = connection.execute("PRAGMA integrity_check").fetchone()[0]
        connection.close()
        if verdict != "ok":
            tally.problems.append(f"kill {tally.kills}: {verdict}")
    tally.before_anything_new += len(now) == len(before)
    tally.stored.append(len(now))
    return now


def kill_many(options: argparse.Namespace, out: Path, start: float, share: float) -> Tally:
    """start: seconds to the first evaluation. share: seconds of work after it for each kill, on average."""
    moments, tally, stored = random.Random(options.seed), Tally(), Rows()
    while tally.kills < options.kills:
        early = tally.kills % 4 == 0
        delay = moments.uniform(0, start if early else 2 * share)
        if not kill_once(options, out, delay, None if early else len(stored)):
            break
        tally.kills += 1
        stored = check(out, stored, tally)
        print(f"\r{tally.kills} kills, {len(stored)} evaluations stored ", end="", flush=True, file=sys.stderr)
    return tally


def time_to_first_commit(options: argparse.Namespace, out: Path) -> float:
    began = time.perf_counter()
    process = subprocess.Popen(command(options, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for_more(process, out, 0)
    process.kill()
    process.wait()
    return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="foraging")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("more", nargs="*", help="further options of `hebbarium evolve`, after --")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="hebbarium-kill-"))
    time_to_first_commit(options, folder / "compiling")
    start = time_to_first_commit(options, folder / "start")
    began = time.perf_counter()
    whole = finish(options, folder / "whole")
    seconds = time.perf_counter() - began
    print(f"uninterrupted: {seconds:.1f} s, first commit after {start:.1f} s, digest {whole['digest']}", flush=True)
    # Three quarters of the kills share three quarters of the work, so that some is left for the end.
    tally = kill_many(options, folder / "killed", start, 0.75 * (seconds - start) / options.kills)
    print(f"\n{tally.kills} kills; {tally.before_anything_new} before anything new was stored,")
    print(f"{tally.half_written} in the middle of a write; evaluations stored after each: {tally.stored}")
    same = finish(options, folder / "killed") == whole
    print(f"finished afterwards: table and digest {'equal' if same else 'DIFFER FROM'} the uninterrupted run's")
    for problem in tally.problems:
        print(problem)
    shutil.rmtree(folder)
    return 0 if same and not tally.problems and tally.kills == options.kills else 1


if __name__ == "__main__":
    sys.exit(main())
