"""Damage to a run is seen, told, and mended."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from attacks import stores
from hebbarium.cli import main
from hebbarium.store import checksums
from hebbarium.store.lock import Lock
from hebbarium.store.repair import repair
from hebbarium.store.writing import Run
from hebbarium.studies.evolve.study import carry_out
from hebbarium.tools.errors import RunError
from small_runs import EVOLUTION, finished, result, resumed, tamper, unfinished


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return finished(tmp_path_factory.mktemp("whole") / "run")


@pytest.fixture
def folder(whole: Run, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole.folder, tmp_path / "run"))


AT = "WHERE stage = 'search' AND run ="
CHANGES = {
    "search evaluation 2 of run 1": f"UPDATE evaluations SET scores = '[1.0,2.0]' {AT} 1 AND number = 2",
    "search evaluation 3 of run 0": f"UPDATE evaluations SET eta = 0.5 {AT} 0 AND number = 3",
    "rescore evaluation 0 of run 0": "UPDATE evaluations SET mean = 1 WHERE stage = 'rescore' AND run + number = 0",
    "result rules": "UPDATE results SET value = replace(value, '\"count\":1', '\"count\":2') WHERE name = 'rules'",
    "result best": "UPDATE results SET value = '[\"00+-/0000\"]' WHERE name = 'best'",
    "the record 'finished'": "UPDATE about SET value = '\"2020-01-01T00:00:00+00:00\"' WHERE name = 'finished'",
    "the record 'configuration'": "UPDATE about SET value = replace(value, '40', '41') WHERE name = 'configuration'",
    "session 1": "UPDATE sessions SET last = began || 'Z'",
    "evaluations": "DELETE FROM evaluations WHERE stage = 'rescore' AND run = 1 AND number = 2",
    "results": "DELETE FROM results WHERE name = 'best'",
    "the checksum of the table of results": "DELETE FROM seals WHERE name = 'results'",
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_was_changed_is_named_by_everybody_who_reads(folder: Path, what: str) -> None:
    tamper(folder, CHANGES[what])
    before = (folder / "run.sqlite").read_bytes()
    for read in (Run.open, lambda path: carry_out(EVOLUTION, path)):
        with pytest.raises(RunError, match=rf"run\.sqlite is damaged: {what}") as caught:
            read(folder)
        assert "\n" not in str(caught.value)
        assert "hebbarium runs --repair" in str(caught.value)
        assert "nothing was changed" not in str(caught.value)
    assert (folder / "run.sqlite").read_bytes() == before


@pytest.mark.parametrize("what", CHANGES)
def test_a_repair_keeps_what_is_whole_and_the_command_lives_the_rest(whole: Run, folder: Path, what: str) -> None:
    tamper(folder, CHANGES[what])
    lost = what.endswith(("of run 1", "of run 0")) or what == "evaluations"
    found, aside = repair(folder)
    assert found.evaluations == whole.totals()[0] - lost
    assert aside == folder / "run.sqlite.damaged"
    assert len(Run.open(folder).evaluations()) == found.evaluations
    assert not Run.open(folder).finished
    assert resumed(folder) == (result(whole), int(lost))
    assert repair(folder)[1] is None


def test_where_the_settings_are_lost_the_copy_of_a_session_tells_them(whole: Run, folder: Path) -> None:
    tamper(folder, "DELETE FROM about")
    assert repair(folder)[0].about()["configuration"] == EVOLUTION.configuration()
    assert resumed(folder) == (result(whole), 0)


def test_without_any_settings_nothing_can_be_saved(folder: Path) -> None:
    tamper(folder, "DELETE FROM about")
    tamper(folder, "DELETE FROM sessions")
    with pytest.raises(RunError, match="nothing in it can be saved: restore it from a copy"):
        Run.open(folder)
    with pytest.raises(RunError, match="nothing in it can be saved"):
        repair(folder)
    assert sorted(os.listdir(folder)) == ["run.lock", "run.sqlite"]


def test_a_file_cut_short_is_saved_as_far_as_it_goes(whole: Run, folder: Path) -> None:
    database = folder / "run.sqlite"
    os.truncate(database, database.stat().st_size - 4 * 4096)
    with pytest.raises(RunError, match="is damaged"):
        Run.open(folder)
    found, _ = repair(folder)
    assert 0 < found.evaluations < whole.totals()[0]
    assert resumed(folder) == (result(whole), whole.totals()[0] - found.evaluations)


def test_a_run_that_is_being_written_is_not_repaired(folder: Path) -> None:
    tamper(folder, CHANGES["result best"])
    lock = Lock(folder / "run.lock")
    with pytest.raises(RunError, match="being written by another process"):
        repair(folder)
    lock.release()


def test_a_second_repair_keeps_the_first_damaged_file(folder: Path) -> None:
    for number in range(2):
        tamper(folder, "UPDATE evaluations SET mean = 7 WHERE number = ?", number)
        repair(folder)
    assert {"run.sqlite.damaged", "run.sqlite.damaged-2"} < set(os.listdir(folder))


def test_a_file_with_holes_takes_no_memory(folder: Path) -> None:
    """It says that it is larger than memory; all but its beginning are zeros that are on no disk."""
    tamper(folder, CHANGES["result best"])
    os.truncate(folder / "run.sqlite", 1 << 35)
    script = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
from hebbarium.cli import main
sys.exit(main(["runs", "--check", {str(folder)!r}]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "")
    assert "result best" in done.stdout


def test_a_folder_without_a_run_is_not_repaired(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="holds no run"):
        repair(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_checks_and_repairs(whole: Run, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(whole.folder, folder.parent / "other")
    tamper(folder, CHANGES["search evaluation 2 of run 1"])
    count = whole.totals()[0]
    assert main(["runs", "--check", str(folder.parent)]) == 2
    other, damaged = capsys.readouterr().out.splitlines()
    assert other == f"{folder.parent / 'other'}: {count} evaluations are intact."
    assert damaged == f"{folder}: search evaluation 2 of run 1; {count - 1} evaluations are intact."
    assert main(["runs", "--repair", str(folder)]) == 0
    said = capsys.readouterr().out
    assert f"{count - 1} evaluations are kept. Rerun the command that started the run" in said
    assert str(folder / "run.sqlite.damaged") in said
    assert main(["runs", "--check", str(folder.parent)]) == 0
    capsys.readouterr()
    assert main(["runs", "--repair", str(folder)]) == 0
    assert "There is nothing to repair" in capsys.readouterr().out
    assert main(["runs", "--check", "--repair", str(folder)]) == 2


def test_the_contract_of_check_and_repair(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tamper(folder, CHANGES["result best"])
    assert main(["runs", "--check", str(folder), "--json"]) == 2
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run == {
        "run": str(folder), "whole": False, "format": 2, "evaluations": run["evaluations"], "pieces": 0,
        "problems": ["result best"],
    }  # fmt: skip
    assert main(["runs", "--repair", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {**run, "damaged": str(folder / "run.sqlite.damaged")}


def test_one_damaged_run_does_not_hide_the_others(whole: Run, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(whole.folder, folder.parent / "other")
    tamper(folder, CHANGES["result best"])
    assert main(["runs", str(folder.parent), "--json"]) == 0
    runs = {Path(run["run"]).name: run for run in json.loads(capsys.readouterr().out)["runs"]}
    assert runs["other"]["state"] == "finished"
    assert runs["run"]["state"] == "unreadable"
    assert "is damaged: result best" in runs["run"]["problem"]


@pytest.fixture(scope="module")
def cases(whole: Run, tmp_path_factory: pytest.TempPathFactory) -> list[stores.Case]:
    """The same as benchmarks/attacks/stores.py has, of evolutions only, which are quick."""
    place = tmp_path_factory.mktemp("cases")
    printed = json.loads(stores.said([*stores.EVOLVE.split(), "--out", str(whole.folder)])[1])
    expected = stores.without_place(printed)
    half = unfinished(place / "half").folder
    words = stores.EVOLVE.split()
    return [
        stores.Case("finished", words, whole.folder, expected),
        stores.Case("unfinished", words, half, expected),
    ]


def test_runs_of_few_pieces_are_mended_too(tmp_path: Path) -> None:
    """Of lifelong studies, transfers and merged runs."""
    cases = stores.more_cases(tmp_path)
    for seed, case in enumerate(cases):
        for number in range(2):
            damage = stores.DAMAGES[(seed + len(cases) * number) % len(stores.DAMAGES)]
            assert stores.damaged(case, damage, seed, tmp_path)


@pytest.mark.parametrize("damage", stores.DAMAGES, ids=lambda damage: damage.__name__)
def test_random_corruptions_are_refused_or_harmless(cases: Any, damage: Any, tmp_path: Path) -> None:
    outcomes = [stores.damaged(cases[seed % 2], damage, seed, tmp_path) for seed in range(4)]
    assert set(outcomes) <= {"harmless", "refused, repaired", "refused, nothing to save"}


def test_checksums_tell_tables_types_and_places_apart() -> None:
    from hebbarium.store.schema import ABOUT, PIECES, RESULTS

    rows = [("a", "1"), ("a", 1), ("a", 1.0), ("a1", ""), ("a", b"1"), ("a", None), ("á", "1"), ("\udce1", "1")]
    sums = [checksums.checksum(table, row) for table in (ABOUT, RESULTS) for row in rows]
    sums += [checksums.checksum(PIECES, ("a", "b", "c", data)) for data in (b"", b"d", b"dd")]
    assert len(set(sums)) == len(sums)
