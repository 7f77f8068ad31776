"""Compiled code is kept between starts, and no fault of the folder it is kept in ever reaches the user.

A small kernel stands for the real ones, which take half a minute to compile.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np
from hebbarium.core.compile import kernel

@kernel
def double(values):
    for i in range(values.shape[0]):
        values[i] *= 2

values = np.arange(4)
double(values)
print(values.tolist(), sum(double.stats.cache_hits.values()), sum(double.stats.cache_misses.values()))
"""
COMPILED, FOUND = "[0, 2, 4, 6] 0 1\n", "[0, 2, 4, 6] 1 0\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def start(program: Path, cache: Path) -> str:
    environment = {**os.environ, "HEBBARIUM_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_second_start_finds_compiled_code(program: Path, tmp_path: Path) -> None:
    assert start(program, tmp_path / "cache") == COMPILED
    assert start(program, tmp_path / "cache") == FOUND


def test_without_a_writable_folder(program: Path, tmp_path: Path) -> None:
    assert start(program, program / "below a file") == COMPILED


@pytest.mark.parametrize("keep", [0.0, 0.5])
@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
def test_a_truncated_file_is_compiled_anew_and_kept(ending: str, keep: float, program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    start(program, cache)
    files = list(cache.rglob(f"*{ending}"))
    assert files
    for path in files:
        data = path.read_bytes()
        path.write_bytes(data[: int(keep * len(data))])
    assert start(program, cache) == COMPILED
    assert start(program, cache) == FOUND


def test_a_first_start_knows_that_it_must_compile(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import hebbarium as hb\n"
        "from hebbarium.lifetime import is_compiled\n"
        "print([is_compiled(hb.make_task(name)) for name in hb.TASKS])\n"
    )
    assert set(start(program, tmp_path / "cache").strip("[]\n").split(", ")) == {"False"}
