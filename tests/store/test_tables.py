"""What other programs get of a run: tables, files, the list of runs."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hebbarium.cli import main
from hebbarium.cli.evolve import rules_table
from hebbarium.store.evaluation_rows import Record
from hebbarium.store.listing import list_runs
from hebbarium.store.tables import COLUMNS, TABLES, columns, export
from hebbarium.store.writing import Run, Writer
from hebbarium.studies.evolve.study import Evolution, carry_out
from hebbarium.tools.errors import BadInput, RunError
from hebbarium.tools.terminal import make_console

SMALL = Evolution.of(
    "foraging",
    season_steps=30,
    seasons=3,
    grid_size=12,
    green=4,
    blue=4,
    hidden=3,
    search="genetic",
    individuals=6,
    elites=2,
    lifetimes=2,
    max_generations=3,
    runs=2,
    top=2,
    rescore=3,
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run in it."""
    folder = tmp_path_factory.mktemp("runs")
    carry_out(SMALL, folder / "done")
    return folder


@pytest.fixture
def run(runs: Path) -> Run:
    return Run.open(runs / "done")


def test_evaluations_are_flat_and_complete(run: Run) -> None:
    rows, records = run.table("evaluations"), [*run.evaluations("search"), *run.evaluations("rescore")]
    assert len(rows) == len(records) == 2 * (6 + 4 + 4) + 4
    for row, record in zip(rows, records, strict=True):
        assert list(row) == list(columns(run, "evaluations"))
        assert (row["rule"], row["eta"], row["index"]) == (record.rule.notation, record.rule.eta, record.rule.index)
        assert row["eta_hidden"] == row["eta_output"] == row["eta"]
        assert row["fitness"] == pytest.approx(np.mean(record.scores))
        assert row["std"] == pytest.approx(np.std(record.scores, ddof=1))


def test_lifetimes_have_every_count(run: Run) -> None:
    rows = run.table("lifetimes")
    assert len(rows) == run.totals()[1]
    assert list(rows[0])[-9:] == [
        f"{season}_{count}" for season in ("summer1", "winter1", "summer2") for count in ("green", "blue", "walls")
    ]
    for row in rows:
        seasons = [("summer1", 1), ("winter1", -1), ("summer2", 1)]
        score = np.mean([sign * (row[f"{season}_green"] - row[f"{season}_blue"]) for season, sign in seasons])
        assert row["fitness"] == pytest.approx(score)


def test_rules_have_the_papers_columns(run: Run) -> None:
    rows = run.table("rules")
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        entries = [row[name] for name in row if name.startswith(("punished_", "rewarded_"))]
        assert "".join("-0+"[entry + 1] for entry in entries) == row["rule"].replace("/", "")


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_table_is_a_data_frame(run: Run, library: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wanted = pytest.importorskip(library)
    if library == "pandas":
        monkeypatch.setitem(sys.modules, "polars", None)
    frame = run.frame("evaluations")
    assert isinstance(frame, wanted.DataFrame)
    assert list(frame["fitness"]) == [row["fitness"] for row in run.table("evaluations")]
    with Writer.begin(tmp_path / "run", "evolve", SMALL.configuration()):
        pass
    assert [*Run.open(tmp_path / "run").frame("evaluations").dtypes] == [*frame.dtypes]


@pytest.mark.parametrize("what", TABLES)
def test_csv_and_parquet_hold_the_same_to_the_last_bit(run: Run, tmp_path: Path, what: str) -> None:
    polars = pytest.importorskip("polars")
    rows = run.table(what)
    assert export(run, tmp_path / "table.csv", what) == len(rows)
    assert export(run, tmp_path / "table.parquet", what) == len(rows)
    kinds = columns(run, what)
    with (tmp_path / "table.csv").open(newline="") as file:
        read = [{name: _value(text, kinds[name]) for name, text in row.items()} for row in csv.DictReader(file)]
    plain = [{name: value if value != "" else None for name, value in row.items()} for row in rows]
    assert read == plain
    frame = polars.read_parquet(tmp_path / "table.parquet")
    assert frame.rows(named=True) == rows
    metadata = polars.read_parquet_metadata(tmp_path / "table.parquet")
    assert all(metadata[name] for name in frame.columns)
    assert metadata["rule"] == COLUMNS["rule"][1]
    assert {name: str(kind) for name, kind in frame.schema.items()} == {
        name: {str: "String", int: "Int64", float: "Float64"}[kind] for name, kind in kinds.items()
    }


def _value(text: str, kind: type) -> Any:
    return kind(text) if text else None


def test_an_unfinished_run_has_evaluations_but_no_rules(tmp_path: Path) -> None:
    with Writer.begin(tmp_path / "run", "evolve", SMALL.configuration()):
        pass
    run = Run.open(tmp_path / "run")
    assert run.table("evaluations") == []
    assert export(run, tmp_path / "empty.csv") == 0
    assert (tmp_path / "empty.csv").read_text().startswith("stage,run,number")
    with pytest.raises(RunError, match="not finished"):
        run.table("rules")


def test_what_cannot_be_exported_is_refused(run: Run, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"must end in \.parquet or \.csv"):
        export(run, tmp_path / "table.xlsx")
    with pytest.raises(BadInput, match="cannot write"):
        export(run, tmp_path / "missing" / "table.csv")
    with pytest.raises(BadInput, match="did you mean 'rules'"):
        run.table("rule")
    assert list(tmp_path.iterdir()) == []


def test_the_list_of_runs(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "done", tmp_path / "a" / "done")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.sqlite").write_bytes(b"no database, but long enough to be read as one" * 100)
    (tmp_path / "else").mkdir()
    with Writer.begin(tmp_path / "busy", "evolve", SMALL.configuration()) as writer:
        writer.save([Run.open(runs / "done").evaluations("search")[0]])
        found = {Path(run["run"]).name: run for run in list_runs(tmp_path)}
    assert {name: run["state"] for name, run in found.items()} == {
        "done": "finished",
        "broken": "unreadable",
        "busy": "running",
    }
    assert "is damaged" in found["broken"]["problem"]
    assert found["done"]["best"]["rule"] == Run.open(runs / "done").result("rules")[0]["rule"]
    assert found["busy"]["evaluations"] == 1
    assert {run["state"] for run in list_runs(tmp_path / "busy")} == {"stopped"}


@pytest.mark.parametrize("runs", [1, 2])
def test_the_list_shows_the_fitness_that_evolve_shows(runs: int, tmp_path: Path) -> None:
    """Of one run the mean over fresh lifetimes of all instances of a rule, of several their median."""
    run = carry_out(dataclasses.replace(SMALL, runs=runs, top=6), tmp_path / "run", threads=1)
    first = run.result("rules")[0]
    shown = first["fitness"]["mean"] if runs == 1 else first["median"]
    (found,) = list_runs(tmp_path)
    assert found["best"]["fitness"] == shown
    printed = make_console(file=io.StringIO(), width=200)
    printed.print(rules_table(run.result("rules"), runs))
    assert f"{shown:.2f}" in printed.file.getvalue().splitlines()[3].split()


def test_looking_at_the_list_never_refuses_a_writer(tmp_path: Path) -> None:
    Writer.begin(tmp_path, "evolve", {}).close()
    for _ in range(20):
        list_runs(tmp_path)
        Writer.begin(tmp_path, "evolve", {}).close()


def test_the_verbs(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", str(runs), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [run["state"] for run in listed["runs"]] == ["finished"]
    assert main(["runs", str(runs)]) == 0
    assert "done" in capsys.readouterr().out
    file = tmp_path / "rules.csv"
    assert main(["export", str(runs / "done"), "--to", str(file), "--what", "rules", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == len(file.read_text().splitlines()) - 1
    assert main(["runs", str(tmp_path)]) == 0
    assert "no runs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["runs", "nowhere"], "there is no folder nowhere"),
        (["export", "nowhere", "--to", "a.csv"], "nowhere holds no run"),
        (["export", "nowhere"], "--to"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], words: list[str], complaint: str) -> None:
    assert main(words) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize("what", TABLES)
@pytest.mark.parametrize(("kind", "where"), [("atlas", "atlas.npz"), ("reproduce", "comparison.csv")])
def test_runs_that_keep_their_results_elsewhere_say_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, where: str, what: str
) -> None:
    with Writer.begin(tmp_path / "run", kind, {"task": "foraging"}) as writer:
        writer.finish()
    assert main(["export", str(tmp_path / "run"), "--to", str(tmp_path / "table.csv"), "--what", what]) == 2
    assert where in capsys.readouterr().err
    assert not (tmp_path / "table.csv").exists()


@pytest.mark.parametrize("columns", ["40", "100"])
def test_names_of_runs_stay_whole_on_any_screen(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    name = "a-name-for-a-run-of-which-other-commands-need-every-letter"
    shutil.copytree(runs / "done", tmp_path / name)
    assert main(["runs", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert f" {name} " in out
    assert "…" not in out


def test_records_without_a_task_are_still_evaluations(tmp_path: Path) -> None:
    with Writer.begin(tmp_path, "reproduce", {"scale": "quick"}) as writer:
        writer.save([Record("perfect", 0, 0, None, 1, 0, (1.0, 2.0), np.zeros((2, 4, 3), np.int64))])
    row = Run.open(tmp_path).table("evaluations")[0]
    assert (row["stage"], row["rule"], row["fitness"]) == ("perfect", None, 1.5)
    with pytest.raises(RunError, match="not of one task"):
        Run.open(tmp_path).table("lifetimes")
