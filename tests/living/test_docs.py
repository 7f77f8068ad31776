"""The Python blocks of the README and of the Python page run, in their order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hebbarium as hb
from hebbarium.cli import VERBS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_python_blocks(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    exec("import hebbarium as hb", names)
    for block in blocks:
        exec(block, names)


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), (page.name, target)


def test_every_verb_of_the_command_is_in_python_and_on_its_page() -> None:
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    others = {"atlas": "make_atlas", "runs": "list_runs"}  # `hb.atlas` and `hb.runs` are packages
    for verb in VERBS:
        name = others.get(verb, verb)
        assert callable(getattr(hb, name))
        assert name in hb.__all__
        assert f"hb.{name}(" in page


def test_every_public_name_is_there() -> None:
    assert {name: getattr(hb, name) for name in hb.__all__}
    assert set(hb.__all__) <= set(dir(hb))
