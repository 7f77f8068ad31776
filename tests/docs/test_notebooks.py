"""Every notebook runs from top to bottom, and shows what it shows in the repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs/notebooks").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path: Path, tmp_path: Path) -> None:
    stored = nbformat.read(path, as_version=4)
    again = nbformat.read(path, as_version=4)
    NotebookClient(again, timeout=600, startup_timeout=600, kernel_name="python3").execute(cwd=tmp_path)
    assert _shown(again) == _shown(stored) != []


def _shown(notebook: Any) -> list[str]:
    """The plain text of all results."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return [output.data["text/plain"] for output in outputs if "data" in output]


def test_there_are_five() -> None:
    assert len(NOTEBOOKS) == 5
