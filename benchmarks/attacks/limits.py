"""Full disks, long paths, deep files, huge numbers and files that are no files, as processes of their own."""

from __future__ import annotations

import itertools
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from attacks.base import Tally
from attacks.commands import judge, prepared_folder
from attacks.terminals import SECONDS

LIVE = ["live", "foraging", "--rule=foraging:1", "--lifetimes=20", "--season-steps=50"]
EVOLVE = ["evolve", "foraging", "--search=random", "--max-generations=1", "--season-steps=3", "--rescore=0", "-q"]
SMALL_FILES = (0, 100, 1000, 5000, 20_000)
"""Bytes beyond which no file grows: what a full disk is like."""
WRITERS = {
    "networks": [*LIVE, "--save=b.npz"],
    "a plot": [*LIVE, "--plot=b.png"],
    "a picture of weights": [*LIVE, "--weights=b.svg"],
    "Parquet": ["export", "run", "--to=b.parquet"],
    "CSV": ["export", "run", "--to=b.csv"],
    "an evolution": [*EVOLVE, "--out=b"],
    "an atlas": ["atlas", "foraging", "--limit=2", "--effort=0.01", "--season-steps=3", "-q", "--out=c"],
    "a reproduction": ["reproduce", "genotype", "-q", "--out=d"],
    "a long life": ["lifelong", "foraging", "foraging:1", "--lifetimes=2", "--season-steps=3", "-q", "--out=e"],
    "a transfer": ["transfer", "00+-/0000@0.04", "--tasks=t-maze", "--lifetimes=2", "--budget=0", "-q", "--out=f"],
    "a merged run": ["merge", "run", "-q", "--out=g"],
    "a recording": ["watch", "--record=b.html", "--season-steps=3", "--seasons=2"],
    "a sweep's plot": ["sweep", "foraging", "--over=hidden=2:4:2", "--lifetimes=2", "--season-steps=3", "--plot=c.png"],
    "a world": ["new-world", "lake"],
}
PATHS = ("a" * 300, "a/" * 3000, "x[/red]", "[/bold]", ":dog:", "a\x1b[2Jb", "é", "−", "\udcff", "a b\nc", "-", "loop")
PLACES = {
    "--out of evolve": [*EVOLVE, "--out"],
    "--save": [*LIVE, "--save"],
    "--load": [*LIVE, "--load"],
    "--plot": [*LIVE, "--plot"],
    "--config": [*LIVE, "--config"],
    "runs": ["runs"],
    "export": ["export"],
    "--to": ["export", "run", "--to"],
    "--out of atlas": ["atlas", "foraging", "--limit=1", "--effort=0.01", "--season-steps=3", "-q", "--out"],
}
NO_FILES = ("pipe", "null", "zero", "full", "/dev/tty", "/proc/self/mem", "/proc/kmsg", "empty", "loop", "/dev/fd/0")
CONFIGS = {
    "deep": "seed = " + "[" * 5000 + "]" * 5000,
    "deep tables": "seed = " + "{a = " * 900 + "1" + "}" * 900,
    "far too long a key": ".".join(["a"] * 40_000) + " = 1",
    "long key": ".".join(["a"] * 9000) + " = 1",
    "many keys": "\n".join(f"a{number} = 1" for number in range(1800)),
    "digits": "seed = " + "9" * 5000,
    "hexadecimal": "seed = 0x" + "f" * 5000,
    "float": "eta = 0." + "3" * 5000,
    "text": 'rule = "' + "0" * 19_000 + '"',
    "no text": "\x00\x01",
    "escape": 'rule = "\\u001b[2J"',
    "nothing": "",
    "too long": "#" * 200_000,
    "a bad date": "seed = 2020-13-45",
    "a list": "seed = [1, 2]",
}
NUMBERS = ("9" * 5000, "-" + "9" * 5000, "0." + "3" * 5000, "1e99999", "9" * 400, "0" * 5000 + "1", "1" + "_0" * 2000)
OPTIONS = ("--seed", "--lifetimes", "--hidden", "--eta", "--threads", "--season-steps", "--seasons", "--random-action")
Case = tuple[str, list[str], int | None]


def attack(count: int | None, seed: int) -> Tally:
    """count: how many cases, drawn at random; None for all."""
    tally = Tally("limits")
    with prepared_folder():
        cases = list(_cases())
        chosen = cases if count is None else random.Random(seed).sample(cases, min(count, len(cases)))
        for what, words, file_size in chosen:
            _try(tally, what, words, file_size)
    return tally


def _cases() -> Iterator[Case]:
    """What it is, the command line, and bytes beyond which no file grows."""
    for (name, words), size in itertools.product(WRITERS.items(), SMALL_FILES):
        yield f"{name} in {size} bytes", words, size
    for (place, words), path in itertools.product(PLACES.items(), PATHS):
        yield f"{place} {path[:20]!r}", [*words, path], None
    for option, path in itertools.product(("--load", "--config"), NO_FILES):
        yield f"{option} {path}", [*LIVE, option, path], None
    for name, text in CONFIGS.items():
        Path(f"{name}.toml").write_text(text, encoding="utf-8")
        yield f"a config file: {name}", [*LIVE[:2], "--lifetimes=1", "--config", f"{name}.toml"], None
    for option, number in itertools.product(OPTIONS, NUMBERS):
        yield f"{option} {number[:9]}", ["live", "foraging", "--rule=3", f"{option}={number}"], None


def _try(tally: Tally, what: str, words: list[str], file_size: int | None) -> None:
    start = time.perf_counter()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "hebbarium", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            # Python itself would keep its compiled modules cut short, and fail on them ever after.
            env=os.environ if file_size is None else {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            preexec_fn=None if file_size is None else lambda: _limit(file_size),
        )
    except subprocess.TimeoutExpired:
        tally.problem(what, "it took too long")
        return
    tally.slowest = max(tally.slowest, time.perf_counter() - start)
    judge(tally, [what], done.returncode, *(text.decode(errors="replace") for text in (done.stdout, done.stderr)))


def _limit(file_size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
