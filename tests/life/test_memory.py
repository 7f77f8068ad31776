"""No kernel writes beyond its arrays: lives of unusual sizes, under the C library's own checks of the heap."""

from __future__ import annotations

import ctypes.util
import os
import subprocess
import sys

import pytest

CHECKS = ctypes.util.find_library("c_malloc_debug")
"""glibc's; elsewhere there is none."""
LIVES = """
import hebbarium as hb

few = {"lifetimes": 9, "season_steps": 150, "seasons": 2, "threads": 1}
for rule in ("prey-predator:1", "prey-predator:2", "prey-predator:1@0.001", "-0+-/+0-+@0.04"):
    for green, blue in ((0, 0), (1, 0), (16, 16), (16, 17), (23, 22), (60, 70)):
        hb.live("prey-predator", rule, green=green, blue=blue, **few)
    for settings in ({"hidden": 1}, {"hidden": 57}, {"view_width": 9, "view_depth": 5}, {"neighbourhood": 8}):
        hb.live("prey-predator", rule, **settings, **few)
frozen = ("frozen,000-/0000@0.03", "frozen,00+-/00-+@0.03")
for rule in ("foraging:1", "foraging:6", *frozen, "00+-/0000@0.005,000-/0000@0.1"):
    for hidden in (1, 7, 8, 9, 17, 200):
        hb.live("foraging", rule, hidden=hidden, **few)
        hb.live("foraging", rule, hidden=hidden, grid_size=9, green=5, blue=5, **few)
for task in ("t-maze", "association"):
    for rule in ("00+-/0000@0.04", "-0+-/+0-+@0.04", "frozen,000-/0000@0.03"):
        for hidden in (1, 9, 30):
            hb.live(task, rule, hidden=hidden, **few)
"""


@pytest.mark.skipif(CHECKS is None, reason="the C library has no checks of the heap")
def test_lives_of_unusual_sizes_stay_within_their_arrays() -> None:
    environment = {**os.environ, "LD_PRELOAD": str(CHECKS), "MALLOC_CHECK_": "3"}
    done = subprocess.run([sys.executable, "-c", LIVES], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
