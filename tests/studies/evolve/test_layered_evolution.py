"""Evolutions of layered rules, with and without blame: stopped, resumed, reported, exported."""

from __future__ import annotations

import csv
import html
import json
from pathlib import Path
from typing import Any

import pytest

from hebbarium.cli import main
from hebbarium.store.tables import export
from hebbarium.store.writing import Run
from hebbarium.studies.evolve.best_rules import rule_of_row
from hebbarium.studies.evolve.page import command, write_report
from hebbarium.studies.evolve.study import Evolution, State, asked_for, carry_out, summary
from hebbarium.tools.errors import BadInput

SMALL: dict[str, Any] = {
    "season_steps": 40, "seasons": 2, "grid_size": 12, "green": 5, "blue": 5, "hidden": 4, "runs": 2, "seed": 3,
    "top": 3, "rescore": 4,
}  # fmt: skip
LIMITS = {
    "genetic": {"individuals": 8, "elites": 3, "max_generations": 4},
    "racing": {"budget": 200, "first_draws": 96},
}


def small(layers: str, search: str = "genetic", **changes: Any) -> Evolution:
    return Evolution.of("foraging", search, layers=layers, **{**SMALL, **LIMITS[search], **changes})


class Stopped(Exception):
    pass


@pytest.mark.parametrize("search", list(LIMITS))
@pytest.mark.parametrize("layers", ["two-etas", "output", "separate"])
def test_it_is_resumed_reported_and_exported(layers: str, search: str, tmp_path: Path) -> None:
    evolution = small(layers, search)
    whole = carry_out(evolution, tmp_path / "whole", threads=1)
    batches = 0

    def stop(state: State) -> None:
        nonlocal batches
        batches += 1
        if batches == 3:
            raise Stopped

    with pytest.raises(Stopped):
        carry_out(evolution, tmp_path / "parts", threads=1, watch=stop)
    parts = carry_out(evolution, tmp_path / "parts", threads=1)
    assert parts.digest() == whole.digest()
    assert asked_for(parts) == evolution
    assert f"--layers {layers}" in command(evolution, evolution.folder)
    found = summary(whole)
    assert found["layers"] == layers
    best = found["rules"][0]
    assert best["rule"].startswith("frozen,") == (layers == "output")
    page = html.unescape(write_report(whole).read_text(encoding="utf-8"))
    assert f"--rule={rule_of_row(best).text}" in page
    rows = _rows(whole, tmp_path / "evaluations.csv", "evaluations")
    assert all(row["eta_output"] and not row["eta"] for row in rows)
    assert all(bool(row["eta_hidden"]) == (layers != "output") for row in rows)
    rules = _rows(whole, tmp_path / "rules.csv", "rules")
    assert bool(rules[0]["hidden_punished_00"]) == (layers != "output")


def _rows(run: Run, path: Path, what: str) -> list[dict[str, str]]:
    export(run, path, what)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_blame_is_a_property_of_all_its_lives(tmp_path: Path) -> None:
    plain = carry_out(small("output"), tmp_path / "plain", threads=1)
    wider = small("output", blame={"open-turn": 0.1}, eligibility={"missed": 0.5})
    blamed = carry_out(wider, tmp_path / "blamed", threads=1)
    assert plain.digest() != blamed.digest()
    assert asked_for(blamed) == wider
    assert "--blame open-turn=0.1 --eligibility missed=0.5" in command(wider, wider.folder)
    with pytest.raises(BadInput, match="open-turn"):
        small("output", blame={"open-tun": 0.1})


def test_the_command_takes_layers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "evolve foraging --layers separate --max-generations 1 --season-steps 40 --hidden 4 --rescore 4 --json -q"
    main([*words.split(), "--out", str(tmp_path / "run"), "--eligibility", "missed=0.5"])
    told = json.loads(capsys.readouterr().out)
    assert told["layers"] == "separate"
    assert told["eligibility"] == {"missed": 0.5}
