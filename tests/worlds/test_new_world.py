"""The file to start from works as it is written, and is the one of the docs page."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import hebbarium as hb
from hebbarium.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "worlds.md"


def test_the_world_of_the_page_works_in_an_empty_folder(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (world,) = re.findall(r"```python\n(\"\"\"Pond.*?)```", text, re.DOTALL)
    (tmp_path / "pond.py").write_text(world, encoding="utf-8")
    lines = re.findall(r"^\$ hebbarium (\w+ \./pond\.py.*)$", text, re.MULTILINE)
    assert len(lines) > 3
    short = {"evolve": ["--budget", "60", "--rescore", "2"]}
    for line in lines:
        words = [*line.split(), "--season-steps", "50", *short.get(line.split()[0], ["--lifetimes", "3"])]
        command = [sys.executable, "-m", "hebbarium", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (line, done.stdout, done.stderr)


def test_the_page_shows_the_file_that_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = hb.new_world("pond")
    assert file.read_text(encoding="utf-8") in PAGE.read_text(encoding="utf-8")
    assert 60 <= len(file.read_text(encoding="utf-8").splitlines()) <= 120


def test_the_page_shows_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-world", "pond"]) == 0
    assert f"$ hebbarium new-world pond\n{capsys.readouterr().out}" in PAGE.read_text(encoding="utf-8")


def test_the_groups_of_the_page_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (table,) = re.findall(r"```python\n(def group_table.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    text = hb.new_world("pond").read_text(encoding="utf-8")
    own = f'    groups: ClassVar[tuple[str, ...]] = ("food", "nothing")\n\n{textwrap.indent(table, "    ")}\n'
    before = "    def constants(self):"
    Path("pond.py").write_text(text.replace(before, own + before), encoding="utf-8")
    lives = hb.live("./pond.py", "000-/0000@0.04", lifetimes=3, season_steps=50, blame={"food": 0.5})
    ids = hb.live("./pond.py", "000-/0000@0.04", lifetimes=3, season_steps=50, blame={"1": 0.5, "2": 0.5})
    assert lives.digest == ids.digest


def test_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-world", "deep-sea-3"]) == 0
    assert "hebbarium live ./deep_sea_3.py" in capsys.readouterr().out
    world = hb.make_world("./deep_sea_3.py")
    assert (world.name, type(world).__name__) == ("deep-sea-3", "DeepSea3")
    assert not [line for line in Path("deep_sea_3.py").read_text().splitlines() if "pond" in line.lower()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["foraging"], "that is a world of the package"),
        (["My Pond"], "must be a word of a-z, 0-9 and single hyphens"),
        (["there"], "there.py already exists"),
        (["state"], "State means something else in such a file"),
        (["constants"], "Constants means something else in such a file"),
        (["picture"], "Picture means something else in such a file"),
        (["world"], "World means something else in such a file"),
        (["true"], "True means something else in such a file"),
        (["numpy"], "numpy is a module of Python or an installed package"),
        (["random"], "random is a module of Python or an installed package"),
        (["pond", "--out", "json.py"], "the file would be json.py"),
        (["pond", "--out", "pond.txt"], "must end in .py"),
        (["pond", "--out", "no/where/pond.py"], "cannot write"),
    ],
)
def test_refusals(
    words: list[str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there.py").write_text("precious")
    assert main(["new-world", *words]) == 2
    assert expected in capsys.readouterr().err
    assert Path("there.py").read_text() == "precious"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", [10**5000, None, b"pond", "a" * 300 + "!"], ids=["huge", "none", "bytes", "long"])
def test_a_name_is_a_short_word(name: object) -> None:
    with pytest.raises(hb.BadInput, match="must be a word of a-z") as caught:
        hb.new_world(name)
    assert len(str(caught.value)) < 200
