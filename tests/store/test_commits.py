"""First run, rerun, and resumed after a kill in the middle of a commit: every study prints the same to the last bit."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from attacks import commits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="replaces a system call of SQLite's, found by /proc")


@pytest.mark.parametrize("study", commits.STUDIES)
def test_killed_within_a_commit(study: str, tmp_path: Path) -> None:
    tally = commits.attack(study, 2, 1, tmp_path)
    assert not tally.problems
    assert tally.outcomes["journal left"] >= 1
