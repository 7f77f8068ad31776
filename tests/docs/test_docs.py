"""Every command and code block of the README and the docs runs; links lead somewhere, and verbs are documented."""

from __future__ import annotations

import functools
import glob
import json
import os
import re
import sqlite3
import sys
import tomllib
import types
from pathlib import Path
from typing import Any

import platformdirs
import pytest

import hebbarium as hb
from blocks import PAGES, ROOT, SMALL, WHOLE, Block, blocks, reason_not_to_run, words_to_run
from hebbarium.cli import VERBS, main
from hebbarium.kernels.cache import CACHE_VARIABLE

LIFE = {"season_steps": 40}
CALLS: dict[str, dict[str, Any]] = {
    "evolve": LIFE | {"max_generations": 2, "rescore": 2},
    "make_atlas": {"limit": 3, "effort": 0.1, "etas": (0.02, 0.1)},
    "lifelong": LIFE | {"lifetimes": 2, "seasons": 4},
    "reproduce": {"items": ("genotype",)},
}
"""Arguments that make the calls in Python blocks short, where a block does not give them itself."""
BEFORE = {"docs/store.md": ["hebbarium evolve foraging"]}
"""What a page takes for granted."""
GIVEN = {"docs/search.md": {"scores_of": lambda request: [1.0] * request.lifetimes}}
"""Names that a page leaves to its reader."""


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder and an empty home; compiled code stays where it is."""
    home = tmp_path / "home"
    home.mkdir()
    usual = os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("hebbarium", appauthor=False)
    monkeypatch.setenv(CACHE_VARIABLE, usual)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda url: True)
    start_cluster = hb.cluster
    monkeypatch.setattr(hb, "cluster", lambda where: start_cluster("local:1"))
    for name, arguments in CALLS.items():
        monkeypatch.setattr(hb, name, functools.partial(getattr(hb, name), **arguments))
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_every_block_runs(
    page: str, scratch: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = types.ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    names = vars(module)
    names |= {"hb": hb, **GIVEN.get(page, {})}
    for command in BEFORE.get(page, []):
        _run(command, page, [], capsys)
    for block in blocks(page):
        for command, printed in block.commands():
            if reason_not_to_run(command) is None:
                _run(command, page, printed, capsys)
        _use(block, names)


def _run(command: str, page: str, printed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    numbers = ("1", "2") if "$SLURM_ARRAY_TASK_ID" in command else ("",)
    for number in numbers:
        words = words_to_run(command.replace("$SLURM_ARRAY_TASK_ID", number), page)
        words = [name for word in words for name in (sorted(glob.glob(word)) or [word])]
        code, (out, err) = main(words), capsys.readouterr()
        assert code == 0, (command, words, err)
    if command.startswith(WHOLE):
        _check_printed(printed, out)


def _check_printed(printed: list[str], out: str) -> None:
    """What the page prints is what the command prints, up to the time it took and the width of the lines."""
    told = _without_time(out)
    for line in printed:
        assert line == "..." or _without_time(line) in told


def _without_time(text: str) -> str:
    return re.sub(r"in [0-9.]+ s \([^)]*\)", "", " ".join(text.split()))


def _use(block: Block, names: dict[str, Any]) -> None:
    """Python is executed, tables are made, and what else a program would read is read."""
    if block.language == "python" and reason_not_to_run(block.text) is None:
        exec(compile(block.text, f"{block.page}, line {block.line}", "exec"), names)
        _write_if_named(block)
    elif block.language == "json":
        json.loads(block.text)
    elif block.language == "sql":
        sqlite3.connect(":memory:").executescript(block.text)
    elif block.language == "toml":
        tomllib.loads(block.text)
        _write_if_named(block)
    else:
        assert block.language in ("", "console", "bash", "python", "rooms", "livewalk", "evolvewalk", "mermaid"), block


def _write_if_named(block: Block) -> None:
    """A first line such as `# life.toml` names a file that a command below reads."""
    if name := re.match(r"# ([\w-]+\.(?:toml|py))\n", block.text):
        Path(name[1]).write_text(block.text, encoding="utf-8")


def test_what_is_not_run_is_little() -> None:
    """Most commands do run, and the table that makes lives short is used."""
    commands = [command for page in PAGES for block in blocks(page) for command, _ in block.commands()]
    run = [command for command in commands if reason_not_to_run(command) is None]
    assert len(run) > 0.7 * len(commands) > 25
    assert words_to_run("hebbarium live foraging --rule foraging:1")[-2:] == ["--seasons", SMALL["--seasons"]]


def test_every_block_is_found() -> None:
    """Also those in lists, and of any language."""
    for page in PAGES:
        fences = re.findall(r"^\s*(?:```|~~~)", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert len(fences) == 2 * len(blocks(page)), page


def test_benchmarks_know_the_options_that_pages_give_them() -> None:
    """They take long, so they are not run."""
    commands = {command for page in PAGES for block in blocks(page) for command, _ in block.commands()}
    named = [command.split() for command in sorted(commands) if command.startswith("python benchmarks/")]
    assert named
    for _, script, *words in named:
        text = (ROOT / script).read_text(encoding="utf-8")
        for option in (word for word in words if word.startswith("--")):
            assert f'"{option}"' in text, (script, option)


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), (page.name, target)


def test_every_verb_of_the_command_is_in_python_and_on_its_page() -> None:
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    # `hb.atlas`, `hb.runs` and `hb.watch` are packages.
    others = {"atlas": "make_atlas", "runs": "list_runs", "new-world": "new_world", "watch": "record"}
    for verb in VERBS.keys() - {"cache", "completion"}:  # they are for a terminal
        name = others.get(verb, verb.replace("-", "_"))
        assert callable(getattr(hb, name))
        assert name in hb.__all__
        assert f"hb.{name}(" in page


def test_every_public_name_is_there() -> None:
    assert {name: getattr(hb, name) for name in hb.__all__}
    assert set(hb.__all__) <= set(dir(hb))
