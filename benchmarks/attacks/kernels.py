"""Compiled kernels on disk with one bit flipped: compiled anew, never run as they are.

Machine code that has changed would kill Python at best, and give other results at worst. Every file of the cache has
its turn, and so have the checksum at its beginning and what is behind it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attacks.base import Tally
from hebbarium.kernels.cache import CACHE_VARIABLE, CHECKSUM

LIVE = [sys.executable, "-m", "hebbarium", "live", "t-maze", "--rule=00+-/0000@0.04", "--lifetimes=2", "--json", "-q"]
"""The world that compiles soonest; the four kernels of its lives."""
CLOCK = ("seconds", "steps_per_second")
"""What differs from one time to the next."""
Done = subprocess.CompletedProcess[str]


def attack(count: int, seed: int, words: Sequence[str] = LIVE, variables: Mapping[str, str] | None = None) -> Tally:
    """words, variables: a command that prints JSON, for kernels that compile sooner."""
    tally, draw = Tally("flipped kernels"), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="hebbarium-attack-") as place:
        whole, cache = Path(place) / "whole", Path(place) / "cache"
        first = _start(words, whole, variables or {})
        expected = _result(first)
        assert expected is not None, first.stderr
        files = sorted(path for path in whole.rglob("*.nb?") if path.is_file())
        for number in range(count):
            shutil.copytree(whole, cache)
            file = cache / files[number % len(files)].relative_to(whole)
            what = flip(file, draw, in_checksum=number // len(files) % 4 == 0)
            flipped, start = file.read_bytes(), time.perf_counter()
            done = _start(words, cache, variables or {})
            tally.slowest = max(tally.slowest, time.perf_counter() - start)
            _judge(tally, what, done, expected, replaced=file.read_bytes() != flipped)
            shutil.rmtree(cache)
    return tally


def flip(file: Path, draw: random.Random, in_checksum: bool) -> str:
    """One bit, in the checksum or behind it. Says which."""
    data = bytearray(file.read_bytes())
    place = draw.randrange(CHECKSUM) if in_checksum else draw.randrange(CHECKSUM, len(data))
    bit = draw.randrange(8)
    data[place] ^= 1 << bit
    file.write_bytes(data)
    return f"{file.name}, bit {bit} of byte {place:,} of {len(data):,}"


def _start(words: Sequence[str], cache: Path, variables: Mapping[str, str]) -> Done:
    environment = {**os.environ, **variables, CACHE_VARIABLE: str(cache)}
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False)


def _result(done: Done) -> dict[str, Any] | None:
    """What was printed, or None where it did not go well."""
    if done.returncode != 0 or done.stderr:
        return None
    return {name: value for name, value in json.loads(done.stdout).items() if name not in CLOCK}


def _judge(tally: Tally, what: str, done: Done, expected: dict[str, Any], replaced: bool) -> None:
    result = _result(done)
    if result is None:
        tally.problem(what, f"exit code {done.returncode}: {done.stderr}")
    elif result != expected:
        tally.problem(what, f"another result: {done.stdout}")
    elif not replaced:
        tally.problem(what, "it was taken as it is")
    else:
        tally.outcomes["compiled anew"] += 1
