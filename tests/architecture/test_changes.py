"""What docs/architecture.md says about changes is true: each patch in tests/changes touches as many files as it says.
Applied to a copy of the package, it passes the check of its name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SAID = {name: int(files) for files, name in re.findall(r"^\| [^|]+ \| (\d+) \|.*changes/([a-z-]+)\.diff", PAGE, re.M)}
CHANGES = sorted(path.stem for path in (ROOT / "tests" / "changes").glob("*.diff"))


def test_the_page_lists_all_changes_and_none_takes_more_than_five_files() -> None:
    assert sorted(SAID) == CHANGES
    assert max(SAID.values()) <= 5


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="patches are applied by git")
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_as_small_as_said_and_works(change: str, tmp_path: Path) -> None:
    patch = ROOT / "tests" / "changes" / f"{change}.diff"
    assert patch.read_text(encoding="utf-8").count("diff --git a/src/hebbarium/") == SAID[change]
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    applied = subprocess.run(["git", "apply", patch], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert applied.returncode == 0, applied.stderr
    paths = {"PYTHONPATH": os.pathsep.join(map(str, (tmp_path / "src", ROOT / "tests")))}
    check = [sys.executable, patch.with_suffix(".py")]
    done = subprocess.run(check, cwd=tmp_path, env=os.environ | paths, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
