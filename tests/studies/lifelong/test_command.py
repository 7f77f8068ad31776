"""The command `hebbarium lifelong`, its JSON and its page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hebbarium.cli import main

Captured = pytest.CaptureFixture[str]
SMALL = ("--lifetimes", "5", "--seasons", "4", "--season-steps", "500")
BOTH = ("lifelong", "foraging", "foraging:1", "-0+-/0000@0.01", *SMALL, "--out")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("study") / "run"
    assert main([*BOTH, str(made), "-q"]) == 0
    return made


def test_json_carries_every_measure_of_every_rule(folder: Path, capsys: Captured) -> None:
    """From what is kept: a finished study is not lived again."""
    assert main([*BOTH, str(folder), "--json"]) == 0
    out, err = capsys.readouterr()
    assert "this takes" not in err
    result = json.loads(out)
    assert (result["task"], result["lifetimes"], len(result["rules"])) == ("foraging", 5, 2)
    rule = result["rules"][1]
    assert (rule["rule"], rule["eta"]) == ("-0+-/0000", 0.01)
    assert [season["season"] for season in rule["recovery"]] == ["summer1", "winter1", "summer2", "winter2"]
    assert [len(row) for row in rule["forgetting"]] == [2, 2, 2, 2]
    assert all({"fitness", "sem"} <= season.keys() for season in rule["ageing"])
    assert rule["savings"].keys() == {"summer", "winter"}
    assert isinstance(rule["late_over_young"], float | None)
    assert isinstance(rule["half_life"], int | None)


def test_a_person_gets_tables_and_a_page(folder: Path, capsys: Captured) -> None:
    assert main(["lifelong", "foraging", "foraging:1", *SMALL, "--out", str(folder), "-q"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines if not line.startswith("A dash")) <= 80
    for word in ("Ageing", "Recovery", "Transfer", "foraging:1"):
        assert any(word in line for line in lines)
    assert last.endswith("lifelong.html")


def test_dashes_are_explained(tmp_path: Path, capsys: Captured) -> None:
    words = ["lifelong", "foraging", "0000/0000@0.1", "--agent", "perfect", "--season-lengths", "random", *SMALL]
    assert main([*words, "--out", str(tmp_path / "run"), "-q"]) == 0
    out = capsys.readouterr().out
    assert "A dash in late/young, half or relative: " in out
    assert "A dash in recovery: nothing was learned in the first season of that kind" in out
    assert "(0000/0000@0.1)." in out
    assert "Fitness is for seasons of" in out
    one_kind = ["lifelong", "association", "--agent", "perfect", "--seasons", "2", "--season-steps", "50"]
    assert main([*one_kind, "--lifetimes", "2", "--out", str(tmp_path / "other"), "-q"]) == 0
    out = capsys.readouterr().out
    assert "A dash in transfer: all seasons are of one kind (perfect agent)." in out
    assert "association: lifetimes 2, seed 1, seasons 2" in out  # who has no network has no hidden neurons
    assert "Fitness is for" not in out


def test_another_number_of_seasons_is_refused_with_both_values(folder: Path, capsys: Captured) -> None:
    assert main(["lifelong", "foraging", "foraging:1", *SMALL[:2], *SMALL[4:], "--out", str(folder)]) == 2
    assert "seasons is 4 there and 32 here" in capsys.readouterr().err


def test_the_command_without_a_rule_says_what_is_missing(capsys: Captured) -> None:
    assert main(["lifelong", "foraging"]) == 2
    assert capsys.readouterr().err.startswith("hebbarium: a rule is missing")


@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_fits_the_screen(folder: Path, browser: Any, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(f"file://{folder / 'lifelong.html'}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("svg.chart").count() >= 9
    assert complaints == []
    page.close()


def test_the_page_needs_nothing_else(folder: Path) -> None:
    text = (folder / "lifelong.html").read_text(encoding="utf-8")
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert "https://" not in text


def test_export_says_where_the_numbers_are(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    for what in ("evaluations", "rules"):
        assert main(["export", str(folder), "--to", str(tmp_path / "x.csv"), "--what", what]) == 2
        assert "rerun its command with --json" in capsys.readouterr().err
    assert not (tmp_path / "x.csv").exists()
