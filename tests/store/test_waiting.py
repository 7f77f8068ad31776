"""Who reads a run and who writes it do not stand in each other's way."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hebbarium.store import checksums, opening, schema
from hebbarium.store.evaluation_rows import Record
from hebbarium.store.repair import examined
from hebbarium.store.writing import Run, Writer
from hebbarium.tools.errors import RunError
from small_runs import tamper


@contextlib.contextmanager
def reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """Somebody in the middle of it."""
    connection = sqlite3.connect(folder / schema.DATABASE, isolation_level=None, check_same_thread=False)
    with contextlib.closing(connection):
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM evaluations").fetchone()
        yield connection


def records(numbers: range) -> list[Record]:
    return [Record("search", 0, number, None, 1, 0, (1.0,), np.zeros((1, 4, 3), np.int64)) for number in numbers]


def test_a_slow_reader_does_not_end_the_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "WAIT_SECONDS", 0.5)
    said: list[str] = []
    with Writer.begin(tmp_path, "evolve", {}) as writer:
        writer.remark = said.append
        for number in range(2):
            with reading(tmp_path) as reader:
                threading.Timer(2, reader.execute, ["ROLLBACK"]).start()
                writer.save(records(range(number, number + 1)))
    assert Run.open(tmp_path).totals() == (2, 2)
    assert said == [f"Waiting for another program that keeps {tmp_path / 'run.sqlite'} locked."]


def test_waiting_can_be_interrupted(tmp_path: Path) -> None:
    """What was being stored is not there, and nothing else is lost."""

    def interrupt(text: str) -> None:
        raise KeyboardInterrupt

    with Writer.begin(tmp_path, "evolve", {}) as writer:
        writer.save(records(range(1)))
        writer.remark = interrupt
        with pytest.MonkeyPatch.context() as patch, reading(tmp_path):
            patch.setattr(opening, "WAIT_SECONDS", 0.1)
            with pytest.raises(KeyboardInterrupt):
                writer.save(records(range(1, 2)))
        writer.save(records(range(2, 3)))
    assert [record.number for record in Run.open(tmp_path).evaluations()] == [0, 2]


def test_whoever_checks_a_run_pauses_for_the_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading takes five seconds here, and nobody waits for one."""
    monkeypatch.setattr(checksums, "_SLICE_SECONDS", 0.1)
    plain = checksums.checked

    def slowly(table: schema.Table, stored: checksums.Row) -> checksums.Row:
        if threading.current_thread() is not threading.main_thread():
            time.sleep(0.05)
        return plain(table, stored)

    with Writer.begin(tmp_path, "evolve", {}) as writer:
        writer.save(records(range(100)))
        monkeypatch.setattr(checksums, "checked", slowly)
        reader = threading.Thread(target=Run.open, args=[tmp_path])
        reader.start()
        time.sleep(0.5)
        start = time.monotonic()
        writer.save(records(range(100, 101)))
        waited = time.monotonic() - start
        assert reader.is_alive()
        reader.join()
    assert waited < 2


@pytest.mark.parametrize("check", [lambda folder: Run.open(folder), lambda folder: examined(folder).problems])
def test_what_changes_meanwhile_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check) -> None:
    """A row that comes between the rows and their seal is not a lost one."""
    with Writer.begin(tmp_path, "evolve", {}) as writer:
        writer.save(records(range(10)))
        plain, left = checksums.seal, iter(range(20, 24))

        def meanwhile(connection: sqlite3.Connection, table: schema.Table) -> tuple[int, bytes]:
            mine = connection is writer._connection
            if table is schema.EVALUATIONS and not mine and not connection.in_transaction:
                for number in left:
                    writer.save(records(range(number, number + 1)))
                    break
            return plain(connection, table)

        monkeypatch.setattr(checksums, "seal", meanwhile)
        assert not check(tmp_path) or isinstance(check(tmp_path), Run)


def test_slices_find_what_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checksums, "_SLICE_SECONDS", 0.0)
    with Writer.begin(tmp_path, "evolve", {}) as writer:
        writer.save(records(range(30)), results={"a": 1, "b": 2})
    Run.open(tmp_path)
    tamper(tmp_path, "DELETE FROM evaluations WHERE number = 17")
    with pytest.raises(RunError, match=r"is damaged: evaluations \(29 of 30 are there\)"):
        Run.open(tmp_path)
