"""Kill a real run a hundred times, and see whether anything was lost.

    python benchmarks/kill.py --kills 100 -- --runs 4
    python benchmarks/kill.py --verb atlas --kills 50 -- --limit 300 --effort 0.2
    python benchmarks/kill.py --verb reproduce --kills 50 -- seasons validation

First the run is done without interruption. Then the same command is started again and again in another
folder and killed with SIGKILL: every fourth time while it starts, else at a random moment after it has stored
something new. After each kill the file is opened, checked by SQLite, and
compared with what it held before. At the end the run is finished and compared with the uninterrupted one.
"""

from __future__ import annotations

import argparse
import hashlib
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

from hebbarium.store.kept_arrays import Arrays, Piece
from hebbarium.store.writing import Run

Rows = dict[Any, str]
"""Each evaluation, as text, and each piece of work, as a digest, by its name."""


@dataclass
class Tally:
    """What became of the kills."""

    kills: int = 0
    before_anything_new: int = 0
    half_written: int = 0
    """Kills that left a journal to be rolled back."""
    stored: list[int] = field(default_factory=list)
    """Evaluations and pieces in the file after each kill."""
    problems: list[str] = field(default_factory=list)


def command(options: argparse.Namespace, out: Path) -> list[str]:
    task = [] if options.verb == "reproduce" else [options.task]
    words = [sys.executable, "-m", "hebbarium", options.verb, *task, *options.more]
    return [*words, "--seed", str(options.seed), "--json", "--quiet", "--out", str(out)]


def finish(options: argparse.Namespace, out: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(subprocess.run(command(options, out), check=True, capture_output=True).stdout)
    return {name: value for name, value in result.items() if name not in ("run", "report", "done")}


def rows(out: Path) -> Rows:
    """Of the run in a folder; of those below it, for a phase diagram."""
    found: Rows = {}
    for file in out.rglob("run.sqlite"):
        run, place = Run.open(file.parent), str(file.parent.relative_to(out))
        found |= {(place, one.name): repr(one.row()) for one in run.evaluations()}
        found |= {(place, name): digest(run.piece(name)) for name in run.pieces()}
    return found


def digest(piece: tuple[Piece, Arrays] | None) -> str:
    assert piece is not None
    hashed = hashlib.sha256(piece[0].asked.encode())
    for name, array in piece[1].items():
        hashed.update(name.encode() + array.tobytes())
    return hashed.hexdigest()


def stored(out: Path) -> int:
    if not (out / "run.sqlite").exists():
        return 0
    run = Run.open(out)
    return run.totals()[0] + len(run.pieces())


def kill_once(options: argparse.Namespace, out: Path, delay: float, before: int | None) -> bool:
    """After a delay, counted from the first thing stored beyond `before`. Whether the kill came before the end."""
    process = subprocess.Popen(command(options, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if before is not None:
        wait_for_more(process, out, before)
    try:
        process.wait(delay)
    except subprocess.TimeoutExpired:
        process.kill()
    return process.wait() == -signal.SIGKILL


def wait_for_more(process: subprocess.Popen[bytes], out: Path, before: int) -> None:
    while process.poll() is None and stored(out) <= before:
        time.sleep(0.01)


def check(out: Path, before: Rows, tally: Tally) -> Rows:
    tally.half_written += (out / "run.sqlite-journal").exists()
    now = rows(out)
    lost = [name for name, row in before.items() if now.get(name) != row]
    if lost:
        tally.problems.append(f"kill {tally.kills}: {len(lost)} lost, such as {lost[0]}")
    if (out / "run.sqlite").exists():
        with sqlite3.connect(out / "run.sqlite") as connection:
            verdict = connection.execute("PRAGMA integrity_check").fetchone()[0]
        connection.close()
        if verdict != "ok":
            tally.problems.append(f"kill {tally.kills}: {verdict}")
    tally.before_anything_new += len(now) == len(before)
    tally.stored.append(len(now))
    return now


def kill_many(options: argparse.Namespace, folder: Path, start: float, share: float) -> Tally:
    """In one folder after the other, should a run end before all kills are done.

    start: seconds to the first thing stored. share: seconds of work after it for each kill, on average.
    """
    moments, tally, there, out = random.Random(options.seed), Tally(), Rows(), folder / "killed-0"
    while tally.kills < options.kills:
        early = tally.kills % 4 == 0
        delay = moments.uniform(0, start if early else 2 * share)
        if not kill_once(options, out, delay, None if early else len(there)):
            there, out = {}, folder / f"killed-{tally.kills}"
            continue
        tally.kills += 1
        there = check(out, there, tally)
        print(f"\r{tally.kills} kills, {len(there)} stored ", end="", flush=True, file=sys.stderr)
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
    parser.add_argument("--verb", choices=("evolve", "atlas", "reproduce"), default="evolve")
    parser.add_argument("--task", default="foraging")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("more", nargs="*", help="further options of the verb, after --")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="hebbarium-kill-"))
    time_to_first_commit(options, folder / "compiling")
    start = time_to_first_commit(options, folder / "start")
    began = time.perf_counter()
    whole = finish(options, folder / "whole")
    seconds = time.perf_counter() - began
    print(f"uninterrupted: {seconds:.1f} s, first commit after {start:.1f} s", flush=True)
    # Three quarters of the kills share three quarters of the work, so that some is left for the end.
    tally = kill_many(options, folder, start, 0.75 * (seconds - start) / options.kills)
    print(f"\n{tally.kills} kills; {tally.before_anything_new} before anything new was stored,")
    print(f"{tally.half_written} in the middle of a write; stored after each: {tally.stored}")
    ends = [finish(options, out) for out in sorted(folder.glob("killed-*"))]
    same = sum(end == whole for end in ends)
    print(f"{same} of {len(ends)} killed runs, finished afterwards, equal the uninterrupted one")
    for problem in tally.problems:
        print(problem)
    shutil.rmtree(folder)
    return 0 if same == len(ends) and not tally.problems else 1


if __name__ == "__main__":
    sys.exit(main())
