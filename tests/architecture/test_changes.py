"""The changes that docs/architecture.md shows as real ones can still be made, in as many files as it says."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"\| (?P<change>[^|]+) \| (?P<files>\d+) \| .*?\((?P<diff>changes/[a-z-]+\.diff)\)")
SHOWN = {found["diff"]: int(found["files"]) for found in ROW.finditer((ROOT / "docs/architecture.md").read_text())}


def test_no_change_takes_more_than_five_files():
    counts = re.findall(r"^\| [^|]+ \| (\d+) \|", (ROOT / "docs/architecture.md").read_text(), re.MULTILINE)
    assert len(counts) == 10
    assert max(map(int, counts)) <= 5
    assert sorted(SHOWN) == sorted(f"changes/{path.name}" for path in (ROOT / "docs/changes").iterdir())


@pytest.mark.parametrize("diff", SHOWN)
def test_a_change_is_as_large_as_said_and_applies(diff):
    path = ROOT / "docs" / diff
    assert path.read_text().count("diff --git a/src/hebbarium/") == SHOWN[diff]
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs git, and a clone of the repository")
    checked = subprocess.run(["git", "apply", "--check", "-C1", path], cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
