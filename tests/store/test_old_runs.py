"""Runs that version 0.1 left: read as they are, and resumed in the present format."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attacks import stores
from hebbarium.cli import main
from hebbarium.store.export import export
from hebbarium.store.ledger import Ledger
from hebbarium.store.listing import describe
from hebbarium.store.migration import work_named
from hebbarium.store.pieces import Piece
from hebbarium.store.store import Run
from hebbarium.studies.evolve.evolution import Evolution, carry_out
from hebbarium.tools.errors import RunError
from small_runs import EVOLUTION, as_version_0_1, finished, result, resumed, tampering, unfinished


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return finished(tmp_path_factory.mktemp("whole") / "run")


@pytest.fixture
def old(whole: Run, tmp_path: Path) -> Path:
    """Finished."""
    folder = Path(shutil.copytree(whole.folder, tmp_path / "old"))
    as_version_0_1(folder)
    return folder


@pytest.fixture
def half(tmp_path: Path) -> Path:
    unfinished(tmp_path / "half")
    as_version_0_1(tmp_path / "half")
    return tmp_path / "half"


def format_of(folder: Path) -> int:
    with tampering(folder) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_a_finished_one_is_read_and_left_as_it_is(whole: Run, old: Path) -> None:
    before = (old / "run.sqlite").read_bytes()
    run = Run.open(old)
    assert (run.kind, run.configuration, run.arithmetic) == ("evolve", EVOLUTION.configuration(), 1)
    assert run.table("lifetimes") == whole.table("lifetimes")
    assert export(run, old / "rules.csv", "rules") == len(run.result("rules"))
    assert describe(old)["state"] == "finished"
    assert resumed(old) == (result(whole), 0)
    assert (old / "run.sqlite").read_bytes() == before
    assert format_of(old) == 1


def test_what_changes_meanwhile_is_seen(old: Path) -> None:
    run = Run.open(old)
    assert run.totals()[0] > 3
    with tampering(old) as connection:
        connection.execute("DELETE FROM evaluations WHERE number > 0")
    assert run.totals()[0] == 4


def test_an_unfinished_one_is_resumed(whole: Run, half: Path) -> None:
    stored = Run.open(half).totals()[0]
    created = Run.open(half).created
    assert resumed(half) == (result(whole), whole.totals()[0] - stored)
    assert format_of(half) == 2
    assert Run.open(half).created == created
    assert Run.open(half).versions


@pytest.mark.parametrize("name", ["rules", "best", "curves"])
def test_results_that_are_gone_are_made_again(whole: Run, old: Path, name: str) -> None:
    with tampering(old) as connection:
        connection.execute("DELETE FROM results WHERE name = ?", (name,))
    assert resumed(old) == (result(whole), 0)
    assert Run.open(old).result(name) == whole.result(name)


def test_more_runs_extend_a_finished_one(old: Path) -> None:
    options = {**EVOLUTION.configuration(), "runs": 3}
    assert len(carry_out(Evolution.of_configuration(options), old).result("best")) == 3
    assert format_of(old) == 2


def test_a_refused_one_stays_as_it_was(half: Path) -> None:
    before = (half / "run.sqlite").read_bytes()
    options = {**EVOLUTION.configuration(), "seed": 4}
    with pytest.raises(RunError, match="seed is 3 there and 4 here"):
        carry_out(Evolution.of_configuration(options), half)
    assert (half / "run.sqlite").read_bytes() == before


@pytest.mark.parametrize("moment", ["create_tables", "insert", "check"])
def test_a_kill_while_it_is_put_into_the_new_format_loses_nothing(whole: Run, half: Path, moment: str) -> None:
    script = f"""
import os, signal, sys
sys.path[:0] = {[path for path in sys.path if path.endswith(("tests", "benchmarks"))]!r}
from small_runs import EVOLUTION
from hebbarium.store import schema, sealed
module = schema if {moment!r} == "create_tables" else sealed
real = getattr(module, {moment!r})
def killed(*args):
    real(*args)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(module, {moment!r}, killed)
from pathlib import Path
from hebbarium.store.store import Writer
Writer.begin({str(half)!r}, "evolve", EVOLUTION.configuration())
"""
    before = [record.row() for record in Run.open(half).evaluations()]
    outcome = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert outcome.returncode == -signal.SIGKILL, outcome.stderr
    assert [record.row() for record in Run.open(half).evaluations()] == before
    assert format_of(half) == 1
    assert resumed(half)[0] == result(whole)


def test_an_unfinished_atlas_is_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*stores.ATLAS.split(), "--json", "-q", "--out"]
    assert main([*words, str(tmp_path / "whole")]) == 0
    whole = json.loads(capsys.readouterr().out)
    stores.half_an_atlas(tmp_path / "half")
    stored = set(Run.open(tmp_path / "half").pieces())
    as_version_0_1(tmp_path / "half")
    assert set(Run.open(tmp_path / "half").pieces()) == stored
    assert main([*words, str(tmp_path / "half")]) == 0
    assert json.loads(capsys.readouterr().out) == {**whole, "run": str(tmp_path / "half")}
    # Of the pieces that version 0.1 left, nobody knows what was asked.
    run = Run.open(tmp_path / "half")
    assert {name for name in run.pieces() if run.piece(name)[0].asked == ""} == stored


def test_an_unfinished_reproduction_is_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*stores.REPRODUCE.split(), "--json", "-q", "--out"]
    assert main([*words, str(tmp_path / "whole")]) == 0
    whole = json.loads(capsys.readouterr().out)
    stores.half_reproduced(tmp_path / "half")
    run = Run.open(tmp_path / "half")
    stored = {name: run.piece(name)[0] for name in run.pieces()}
    as_version_0_1(tmp_path / "half")
    assert {name: run.piece(name)[0] for name in run.pieces()} == stored
    assert main([*words, str(tmp_path / "half")]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["done"] == whole["done"] - len(stored)
    assert again["comparison"] == whole["comparison"]


def test_works_are_found_by_their_old_names() -> None:
    old = "Lives(task='foraging', seed=1, lifetimes=24, first_trial=0, rule='00+-/0000', hidden=None)"
    asked = {"task": "foraging", "seed": 1, "lifetimes": 24, "first_trial": 0, "rule": "00+-/0000"}
    assert work_named(old) == Piece.of("Lives", asked) == Piece.of("Lives", {**asked, "hidden": None})
    assert work_named(old) != Piece.of("Lives", {**asked, "hidden": 20})
    for name in ("rules", "made", "a b", "f(__import__('os'))", "f(x=open('y'))", "(" * 5000, "f(1)", ""):
        assert work_named(name) is None


def test_a_piece_whose_arrays_are_gone_is_damage(tmp_path: Path) -> None:
    stores.half_an_atlas(tmp_path)
    as_version_0_1(tmp_path)
    with tampering(tmp_path) as connection:
        connection.execute("DELETE FROM arrays WHERE name = 'distinct/000001'")
    with pytest.raises(RunError, match=r"is damaged: piece lives/000001; \d+ pieces of work in it are intact"):
        Run.open(tmp_path)


def test_an_array_without_a_name_is_damage(tmp_path: Path) -> None:
    stores.half_an_atlas(tmp_path)
    as_version_0_1(tmp_path)
    with tampering(tmp_path) as connection:
        connection.execute("UPDATE arrays SET name = NULL WHERE name = 'distinct/000001'")
    with pytest.raises(RunError, match=r"is damaged: array None, piece lives/000001; \d+ pieces of work"):
        Run.open(tmp_path)


def test_pieces_are_checked_against_what_is_asked(tmp_path: Path) -> None:
    stores.half_an_atlas(tmp_path)
    ledger = Ledger(Run.open(tmp_path))
    piece, arrays = ledger.run.piece("lives/000000")
    assert ledger.piece(piece).keys() == arrays.keys()
    assert ledger.piece(Piece("lives/999999", "")) is None
    with pytest.raises(RunError, match=r"piece lives/000000 in .* does not match"):
        ledger.piece(Piece(piece.name, piece.asked.replace("survey", "score")))
    with pytest.raises(RunError, match="is not finished; rerun the command"):
        ledger.done(Piece("lives/999999", ""), dict)
