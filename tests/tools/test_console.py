"""Escape codes in what others wrote are shown, not sent."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.panel import Panel
from rich.table import Table

from hebbarium.cli import main
from hebbarium.tools.terminal import make_console
from hebbarium.worlds import pond

EVIL = "evil\x1b]0;title\x07\x1b[2J\x9b31m\r\u202e"


def test_in_text_tables_and_panels() -> None:
    out = io.StringIO()
    console = make_console(file=out, width=100)
    table = Table(EVIL)
    table.add_row(EVIL)
    console.print(EVIL, Panel(EVIL), table)
    shown = out.getvalue()
    assert all(each.isprintable() or each == "\n" for each in shown)
    assert shown.count(r"evil\x1b]0;title") >= 3


def test_colours_of_our_own_are_still_sent() -> None:
    out = io.StringIO()
    make_console(file=out, force_terminal=True, color_system="standard").print("fine", style="red")
    assert "\x1b[31mfine" in out.getvalue()


def test_in_the_docstring_of_a_world(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = Path(pond.__file__).read_text(encoding="utf-8")
    source = source.replace('"""Probability that something', r'"""Probability \x1b[2J that something')
    Path("pond.py").write_text(
        source.replace('"""A fish between', r'"""A fish \x1b]0;title\x07 between'), encoding="utf-8"
    )
    assert main(["live", "./pond.py", "--help"]) == 0
    assert "\x1b]0;" not in (said := capsys.readouterr().out)
    assert "\x1b[2J" not in said


def test_in_the_names_of_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "evil\x1b[2J"
    words = ["lifelong", "t-maze", "00+-/0000@0.04", "--season-steps", "40", "--seasons", "2", "--lifetimes", "2", "-q"]
    assert main([*words, "--out", str(folder)]) == 0
    assert main(["runs", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert r"evil\x1b[2J" in out


def test_in_a_link(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its address is the result of the command, so it is printed as it is."""
    monkeypatch.setattr("hebbarium.watch.server.serve", lambda *server: None)
    assert main(["watch", "http://127.0.0.1:1/#rule=00+-/0000@0.1&x=%41\x1b[2J\n\x9b", "--no-open", "--port", "0"]) == 0
    url = capsys.readouterr().out
    assert url.endswith("#rule=00+-/0000@0.1&x=%41%1B[2J%0A%C2%9B\n")
