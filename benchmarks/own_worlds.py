"""How fast users' worlds are lived in, with every step checked, beside another version of the package.

    git worktree add /tmp/before COMMIT
    python benchmarks/own_worlds.py --before /tmp/before/src

    python benchmarks/own_worlds.py --grid

Copies of the package's worlds are lived in as files, and the built-in ones beside them, each with one thread, in turn
with the other version. Prints the least processor time of each and the ratio. With --grid instead: `meadow.py`, a grid
world in one file, with its `coast` and without, beside foraging, which has loops of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import hebbarium

HERE = Path(hebbarium.__file__).parents[1]
RULE = "00+-/0000@0.04"
LIVES = {
    "own pond": ("pond.py", "100"),
    "own t-maze": ("t_maze.py", "200"),
    "own association": ("association.py", "60"),
    "t-maze": ("t-maze", "200"),
    "association": ("association", "60"),
    "foraging": ("foraging", "300"),
    "prey-predator": ("prey-predator", "20"),
}

GRID = ("00+-/0000@0.0375", "-++-/--++@0.0118")
"""Foraging's rules 1, which learns from punishment only, and 6, from both."""

TIMED = """
import sys, time, hebbarium as hb
task, lifetimes, rule = sys.argv[1], int(sys.argv[2]), sys.argv[3]
hb.live(task, rule, lifetimes=2, threads=1)
start = time.process_time()
hb.live(task, rule, lifetimes=lifetimes, threads=1)
print(time.process_time() - start)
"""


def seconds(source: Path, folder: Path, task: str, lifetimes: str, rule: str = RULE) -> float:
    """Of the processor, so that other work on the machine matters little."""
    place = f"./{task}" if task.endswith(".py") else task
    environment = {**os.environ, "PYTHONPATH": str(source)}
    words = [sys.executable, "-c", TIMED, place, lifetimes, rule]
    ended = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return float(ended.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--before", type=Path, help="the src folder of the other version")
    asked.add_argument("--grid", action="store_true", help="a grid world of one's own beside foraging")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    if options.grid:
        return compare_grids(options.rounds)
    with tempfile.TemporaryDirectory() as place:
        folders = {options.before: Path(place) / "before", HERE: Path(place) / "now"}
        for source, folder in folders.items():  # each version has its own copies, which import from it
            folder.mkdir()
            for file in ("pond.py", "t_maze.py", "association.py"):
                text = (source / "hebbarium" / "worlds" / file).read_text(encoding="utf-8")
                (folder / file).write_text(text.replace('name: ClassVar[str] = "', 'name: ClassVar[str] = "own-'))
        print(f"{'world':20} {'before':>9} {'now':>9} {'speed':>7}")
        for name, life in LIVES.items():
            times: dict[Path, list[float]] = {source: [] for source in folders}
            for _ in range(options.rounds):
                for source, folder in folders.items():
                    times[source].append(seconds(source, folder, *life))
            before, now = (min(each) for each in times.values())
            print(f"{name:20} {before:>7.3f} s {now:>7.3f} s {before / now:>7.3f}", flush=True)


def compare_grids(rounds: int) -> None:
    """All have seasons of 5,000 steps, four in a life."""
    text = (Path(__file__).parent / "meadow.py").read_text(encoding="utf-8")
    tasks = {"meadow.py": 128, "meadow_step_by_step.py": 128, "foraging": 512}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "meadow.py").write_text(text, encoding="utf-8")
        (folder / "meadow_step_by_step.py").write_text(text[: text.index("@compiled\ndef coast")], encoding="utf-8")
        for rule in GRID:
            least = dict.fromkeys(tasks, float("inf"))
            for _ in range(rounds):
                for task, lifetimes in tasks.items():
                    least[task] = min(least[task], seconds(HERE, folder, task, str(lifetimes), rule))
            meadow, apart, foraging = (lifetimes * 0.02 / least[task] for task, lifetimes in tasks.items())
            rates = f"meadow {meadow:6.1f}, without coast {apart:6.1f}, foraging {foraging:6.1f} million steps/s"
            print(f"{rule:20} {rates}: {meadow / foraging:.2f}, {apart / foraging:.2f}", flush=True)


if __name__ == "__main__":
    main()
