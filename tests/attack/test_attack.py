"""A small sample of each attack of benchmarks/attack.py; the whole of it takes half an hour.

Those of stores and of flipped kernels are in tests/store/test_damage.py and tests/kernels/test_compile.py, which have
small runs and a small kernel at hand.
"""

from __future__ import annotations

import pytest

from attacks import calls, commands, extremes, files, interrupts, limits, processes, terminals, worlds
from attacks.base import Tally


def check(tally: Tally) -> None:
    assert tally.problems == []
    assert tally.tried > 0


def test_command_lines() -> None:
    within, processes = commands.attack(200, 3, seed=7)
    check(within)
    check(processes)
    assert min(within.outcomes["done"], within.outcomes["refused"]) > 0


def test_files() -> None:
    check(files.attack(60, seed=7, bomb=20_000_000))


@pytest.mark.parametrize(
    ("attack", "count"), [(terminals.attack, 6), (limits.attack, 6), (calls.attack, 300), (extremes.attack, 10)]
)
def test_others(attack: object, count: int) -> None:
    check(attack(count, seed=7))


def test_interrupts() -> None:
    check(interrupts.attack(4, seed=7))


def test_worlds_of_runs() -> None:
    check(worlds.attack())


def test_wrong_clocks() -> None:
    check(processes.clocks(2))


def test_worlds_that_were_edited_at_random() -> None:
    check(processes.edited_worlds(3, seed=7))
