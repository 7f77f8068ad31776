"""Runs made apart become one: the same whoever merges them and in which order, or refused with a reason."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import hebbarium as hb
from hebbarium.cli import main
from hebbarium.store.writing import Run, Writer
from hebbarium.studies.evolve.page import command, write_report
from hebbarium.studies.evolve.study import Evolution, carry_out
from hebbarium.tools.errors import BadInput, RunError

SMALL: dict[str, Any] = {
    "season_steps": 40, "seasons": 2, "grid_size": 12, "green": 5, "blue": 5, "hidden": 4, "search": "genetic",
    "individuals": 8,
    "elites": 3, "lifetimes": 2, "stale_generations": 3, "top": 3, "rescore": 4, "threads": 2,
}  # fmt: skip


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """A run of each seed, by seed; of seed 5 two."""
    folder = tmp_path_factory.mktemp("parts")
    for seed, runs in ((5, 2), (3, 1), (11, 1)):
        hb.evolve("foraging", out=folder / str(seed), seed=seed, runs=runs, **SMALL)
    return {seed: folder / str(seed) for seed in (3, 5, 11)}


@pytest.fixture(scope="module")
def merged(parts: dict[int, Path], tmp_path_factory: pytest.TempPathFactory) -> Run:
    return hb.merge(*parts.values(), out=tmp_path_factory.mktemp("merged") / "run")


def test_it_is_finished_and_has_everything(merged: Run, parts: dict[int, Path]) -> None:
    assert merged.finished
    totals = [Run.open(part).totals() for part in parts.values()]
    assert merged.totals() == tuple(map(sum, zip(*totals, strict=True)))
    assert merged.result("best") == [rule for part in parts.values() for rule in Run.open(part).result("best")]
    counts = {row["rule"]: row["count"] for row in merged.result("rules")}
    for part in parts.values():
        for row in Run.open(part).result("rules"):
            counts[row["rule"]] -= row["count"]
    assert set(counts.values()) == {0}


def test_it_is_what_one_process_would_have_made(merged: Run, tmp_path: Path) -> None:
    options = {name: value for name, value in SMALL.items() if name != "threads"}
    run = carry_out(Evolution.of("foraging", seed=(3, 5, 5, 11), runs=4, **options), tmp_path / "run", threads=2)
    assert run.digest() == merged.digest()
    assert run.result("rules") == merged.result("rules")


def test_neither_order_nor_steps_matter(merged: Run, parts: dict[int, Path], tmp_path: Path) -> None:
    again = hb.merge(parts[11], parts[3], parts[5], out=tmp_path / "again")
    assert again.digest() == merged.digest()
    assert again.result("rules") == merged.result("rules")
    first = hb.merge(parts[11], parts[3], out=tmp_path / "first")
    assert first.configuration["seed"] == [3, 11]
    whole = hb.merge(first.folder, parts[5], out=tmp_path / "whole")
    assert whole.totals() == merged.totals()
    rules = [{row["rule"]: row["median"] for row in run.result("rules")} for run in (whole, merged)]
    assert rules[0] == rules[1]


def test_a_merge_that_was_killed_goes_on(merged: Run, parts: dict[int, Path], tmp_path: Path) -> None:
    with Writer.begin(tmp_path / "run", "evolve", merged.configuration) as writer:
        writer.save(merged.evaluations(run=0))
    assert hb.merge(*parts.values(), out=tmp_path / "run").digest() == merged.digest()
    assert hb.merge(*parts.values(), out=tmp_path / "run").digest() == merged.digest()


def test_it_is_shown_like_any_other(merged: Run, parts: dict[int, Path], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["merge", *map(str, parts.values()), "--out", str(merged.folder)]
    assert main([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["seed"], result["runs"], result["digest"]) == ([3, 5, 11], 4, merged.digest())
    assert main(words) == 0
    assert "Distinct rules" in capsys.readouterr().out
    assert "seeds 3, 5, 11" in write_report(merged).read_text()
    assert main(["runs", str(merged.folder.parent), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["state"] == "finished"


def test_the_page_says_how_to_do_it_again(merged: Run) -> None:
    told = command(Evolution.of_configuration(merged.configuration), merged.folder).split(" && ")
    assert len(told) == 4
    assert "--runs 2 --seed 5" in told[1]
    assert told[3].startswith(
        "hebbarium merge runs/evolve-foraging-genetic-3 runs/evolve-foraging-genetic-5 runs/evolve-foraging-genetic-11 "
    )


def refused(*runs: Path, out: Path) -> str:
    with pytest.raises(RunError) as raised:
        hb.merge(*runs, out=out)
    assert not out.exists()
    assert len(str(raised.value).splitlines()) == 1
    return str(raised.value)


def test_duplicates_are_refused(parts: dict[int, Path], merged: Run, tmp_path: Path) -> None:
    assert "both have run 0 of seed 3" in refused(parts[3], parts[3], out=tmp_path / "run")
    assert "both have run 0 of seed 5" in refused(parts[5], merged.folder, out=tmp_path / "run")


def test_contradictions_are_refused(parts: dict[int, Path], tmp_path: Path) -> None:
    """The same seed, but other evaluations: something is wrong with one of them."""
    other = Run.open(parts[3])
    with Writer.begin(tmp_path / "other", "evolve", other.configuration) as writer:
        writer.save(other.evaluations()[1:], results={name: other.result(name) for name in other.results()})
        writer.finish()
    assert "contradict each other" in refused(parts[3], tmp_path / "other", out=tmp_path / "run")


def test_other_settings_are_refused_with_both_values(parts: dict[int, Path], tmp_path: Path) -> None:
    hb.evolve("foraging", out=tmp_path / "other", seed=4, **{**SMALL, "hidden": 5})
    assert "hidden is 4 in the one and 5 in the other" in refused(parts[3], tmp_path / "other", out=tmp_path / "run")


def test_what_is_not_finished_or_no_evolution_is_refused(parts: dict[int, Path], tmp_path: Path) -> None:
    with Writer.begin(tmp_path / "begun", "evolve", {**Run.open(parts[3]).configuration, "seed": 4}):
        pass
    assert "is not finished" in refused(parts[3], tmp_path / "begun", out=tmp_path / "run")
    with Writer.begin(tmp_path / "atlas", "atlas", {}) as writer:
        writer.finish()
    assert "run of `atlas`" in refused(parts[3], tmp_path / "atlas", out=tmp_path / "run")
    with pytest.raises(BadInput, match="at least two"):
        hb.merge(parts[3])


def test_a_damaged_run_is_refused_before_anything_is_written(parts: dict[int, Path], tmp_path: Path) -> None:
    shutil.copytree(parts[3], tmp_path / "damaged")
    with sqlite3.connect(tmp_path / "damaged" / "run.sqlite") as connection:
        connection.execute("UPDATE evaluations SET scores = '[1.0]' WHERE number = 2")
    refused(parts[5], tmp_path / "damaged", out=tmp_path / "run")


def test_seeds_must_be_as_many_as_runs() -> None:
    with pytest.raises(BadInput, match="2 seeds for 3 runs"):
        Evolution.of("foraging", seed=(1, 2), runs=3)
