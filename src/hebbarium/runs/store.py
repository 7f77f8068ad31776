"""A run: a folder with one SQLite file, written by one process in transactions, read by anybody.

The file holds what was asked for (kind and configuration), with what (versions), every evaluation, and small
named results and arrays. Evolution, the atlas and the paper's reproduction all keep their work in it.

    run = Run.open("runs/evolve-foraging-1")
    run.configuration, run.finished
    run.evaluations("search")

    with Writer.begin(folder, "evolve", configuration, growing=("runs",)) as writer:
        writer.save(records, results={"note": "anything that JSON can hold"})
        writer.finish()

A kill at any moment loses at most what was not yet saved.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbarium.errors import RunError
from hebbarium.runs import schema, tables
from hebbarium.runs.configuration import check_same
from hebbarium.runs.lock import Lock
from hebbarium.runs.records import COLUMNS, Record, digest_line
from hebbarium.runs.versions import check_version, versions

if TYPE_CHECKING:
    import polars

_SELECT = f"SELECT {', '.join(COLUMNS)} FROM evaluations"
_INSERT = f"INSERT INTO evaluations ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"


class Run:
    """What a run folder holds; reading never changes it and never disturbs the process that writes it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Run:
        """path: the run's folder, or the file in it."""
        folder = Path(path)
        if folder.name == schema.DATABASE:
            folder = folder.parent
        if not (folder / schema.DATABASE).is_file():
            raise RunError(f"{folder} holds no run; `hebbarium runs` lists the runs there are.")
        run = Run(folder)
        with run._reading() as connection:
            schema.check_format(connection, folder)
        return run

    @property
    def kind(self) -> str:
        """The verb that wrote it: `evolve`, `atlas`, ..."""
        return str(self._about("kind"))

    @property
    def configuration(self) -> dict[str, Any]:
        """Everything that was asked for, defaults included."""
        return dict(self._about("configuration"))

    @property
    def versions(self) -> dict[str, str]:
        """What it was begun with."""
        return dict(self._about("versions"))

    @property
    def created(self) -> str:
        """When, in UTC."""
        return str(self._about("created"))

    @property
    def finished(self) -> str | None:
        """When, in UTC; None while there is work left."""
        when = self._about("finished")
        return None if when is None else str(when)

    @property
    def updated(self) -> str:
        """When something was last stored, in UTC."""
        return str(self._rows("SELECT coalesce(max(last), '') FROM sessions")[0][0]) or self.created

    def evaluations(self, stage: str | None = None, run: int | None = None) -> list[Record]:
        """In the order of stage, run and number; all of them, or those of one stage or run."""
        where, values = _where(stage=stage, run=run)
        rows = self._rows(f"{_SELECT}{where} ORDER BY stage, run, number", values)
        with self._decoding():
            return [Record.of_row(row) for row in rows]

    def totals(self, stage: str | None = None) -> tuple[int, int]:
        """How many evaluations and lifetimes are stored."""
        where, values = _where(stage=stage)
        evaluations, lifetimes = self._rows(
            f"SELECT count(*), coalesce(sum(lifetimes), 0) FROM evaluations{where}", values
        )[0]
        return int(evaluations), int(lifetimes)

    def best_evaluation(self) -> tuple[str | None, float | None, float] | None:
        """Rule, eta and mean of the best-scored evaluation so far; None before the first."""
        rows = self._rows("SELECT rule, eta, mean FROM evaluations ORDER BY mean DESC LIMIT 1")
        return tuple(rows[0]) if rows else None

    def table(self, what: str = "evaluations") -> list[dict[str, Any]]:
        """`evaluations`, `lifetimes` or `rules` as flat rows (see `tables.py` for the columns)."""
        return tables.table(self, what)

    def frame(self, what: str = "evaluations") -> polars.DataFrame:
        """The same as a polars DataFrame; needs the extra `tables`."""
        return tables.frame(self, what)

    def result(self, name: str) -> Any:
        """A named result; None where there is none."""
        rows = self._rows("SELECT value FROM results WHERE name = ?", (name,))
        with self._decoding():
            return json.loads(rows[0][0]) if rows else None

    def results(self) -> list[str]:
        """The names of the results stored."""
        return [row[0] for row in self._rows("SELECT name FROM results ORDER BY name")]

    def array(self, name: str) -> np.ndarray | None:
        """A named array; None where there is none."""
        rows = self._rows("SELECT dtype, shape, data FROM arrays WHERE name = ?", (name,))
        if not rows:
            return None
        with self._decoding():
            dtype, shape, data = rows[0]
            return np.frombuffer(data, dtype).reshape(json.loads(shape)).copy()

    def digest(self, stage: str | None = None) -> str:
        """SHA-256 over every evaluation: the same whatever the threads and interruptions (see `digest_line`)."""
        where, values = _where(stage=stage)
        digest = hashlib.sha256()
        for row in self._rows(f"{_SELECT}{where} ORDER BY stage, run, number", values):
            digest.update(digest_line(row).encode())
        return digest.hexdigest()

    def _about(self, name: str) -> Any:
        rows = self._rows("SELECT value FROM about WHERE name = ?", (name,))
        with self._decoding():
            return json.loads(rows[0][0])

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._reading() as connection:
            return connection.execute(query, values).fetchall()

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        database = self.folder / schema.DATABASE
        with schema.told(self.folder):
            _roll_back_if_killed(database)
            with contextlib.closing(schema.connect(database, "ro")) as connection:
                yield connection

    @contextlib.contextmanager
    def _decoding(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError, LookupError) as error:
            raise RunError(schema.damaged(self.folder, error)) from error


class Writer(Run):
    """The one process that writes a run."""

    def __init__(self, folder: Path, lock: Lock, connection: sqlite3.Connection) -> None:
        super().__init__(folder)
        self._lock, self._connection = lock, connection

    @classmethod
    def begin(
        cls,
        folder: str | os.PathLike[str],
        kind: str,
        configuration: Mapping[str, Any],
        *,
        growing: Collection[str] = (),
    ) -> Writer:
        """Begin a run, or go on with the one in the folder.

        The configuration must be the same as it was, except for numbers named in `growing`, which may be
        larger now: its results then go, and it is no longer finished, but all evaluations and arrays stay.
        Raises RunError, at once and without touching anything, where that is not so.
        """
        folder = Path(folder)
        if folder.is_file():
            raise RunError(f"{folder} is a file, but a run needs a folder; choose another one.")
        new = not folder.exists()
        with schema.told(folder):
            folder.mkdir(parents=True, exist_ok=True)
            lock = Lock(folder / schema.LOCK)
            try:
                if not (folder / schema.DATABASE).exists():
                    _create(folder, kind, configuration)
                return cls._go_on(folder, lock, kind, configuration, growing)
            except BaseException:
                _abandon(folder, lock, new)
                raise

    @classmethod
    def _go_on(
        cls, folder: Path, lock: Lock, kind: str, configuration: Mapping[str, Any], growing: Collection[str]
    ) -> Writer:
        connection = schema.connect(folder / schema.DATABASE, "rw")
        try:
            schema.check_format(connection, folder)
            schema.check_whole(connection, folder)
            schema.configure(connection)
            writer = cls(folder, lock, connection)
            check_version(folder, writer.versions)
            if check_same(folder, writer.kind, writer.configuration, kind, configuration, growing):
                writer._grow(configuration)
            writer._begin_session()
        except BaseException:
            connection.close()
            raise
        return writer

    def save(
        self,
        records: Sequence[Record] = (),
        *,
        results: Mapping[str, Any] | None = None,
        arrays: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        """Store all of it or nothing; once this returns it survives anything. Results and arrays replace old ones."""
        with self._transaction() as connection:
            connection.executemany(_INSERT, [record.row() for record in records])
            for name, value in (results or {}).items():
                connection.execute("REPLACE INTO results VALUES (?, ?)", (name, json.dumps(value, allow_nan=False)))
            for name, array in (arrays or {}).items():
                connection.execute("REPLACE INTO arrays VALUES (?, ?, ?, ?)", (name, *_array_row(array)))
            connection.execute("UPDATE sessions SET last = ? WHERE number = ?", (_now(), self._session))

    def finish(self) -> None:
        """Nothing is left to do."""
        with self._transaction() as connection:
            _set_about(connection, finished=_now())

    def close(self) -> None:
        self._connection.close()
        self._lock.release()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _grow(self, configuration: Mapping[str, Any]) -> None:
        """More is asked for now. The results were those of less: nobody should take them for those of the whole."""
        with self._transaction() as connection:
            _set_about(connection, configuration=configuration, finished=None)
            connection.execute("DELETE FROM results")

    def _begin_session(self) -> None:
        with self._transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO sessions (began, last, versions) VALUES (?, ?, ?)",
                (_now(), _now(), json.dumps(versions())),
            )
            self._session = cursor.lastrowid

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with schema.told(self.folder):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # A failed write may have ended the transaction already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with schema.told(self.folder):
            yield self._connection


def _create(folder: Path, kind: str, configuration: Mapping[str, Any]) -> None:
    unborn = folder / schema.UNBORN
    try:
        for leftover in folder.glob(f"{schema.UNBORN}*"):
            leftover.unlink()
        with contextlib.closing(schema.create(unborn)) as connection:
            _set_about(
                connection,
                kind=kind,
                configuration=configuration,
                versions=versions(),
                created=_now(),
                finished=None,
            )
            connection.execute("COMMIT")
        os.replace(unborn, folder / schema.DATABASE)
    except BaseException:
        unborn.unlink(missing_ok=True)
        raise


def _set_about(connection: sqlite3.Connection, **values: Any) -> None:
    for name, value in values.items():
        connection.execute("REPLACE INTO about VALUES (?, ?)", (name, json.dumps(value, allow_nan=False)))


def _roll_back_if_killed(database: Path) -> None:
    """A read-only connection cannot undo what a killed writer left half-written; one that may write does so at once.

    While a writer is at work its journal is there too, and SQLite leaves it alone.
    """
    journal = database.with_name(f"{database.name}-journal")
    if journal.exists() and os.access(database, os.W_OK):
        with contextlib.closing(schema.connect(database, "rw")) as connection:
            connection.execute("SELECT count(*) FROM about").fetchone()


def _abandon(folder: Path, lock: Lock, new: bool) -> None:
    """Leave nothing of a run that could not begin; anything else stays as it is."""
    if not new or (folder / schema.DATABASE).exists():
        lock.release()
        return
    lock.remove()
    with contextlib.suppress(OSError):
        folder.rmdir()


def _where(**values: Any) -> tuple[str, list[Any]]:
    given = {name: value for name, value in values.items() if value is not None}
    conditions = " AND ".join(f"{name} = ?" for name in given)
    return (f" WHERE {conditions}" if given else ""), list(given.values())


def _array_row(array: np.ndarray) -> tuple[str, str, bytes]:
    if array.dtype.hasobject:
        raise TypeError(f"an array of {array.dtype} cannot be stored.")
    return array.dtype.str, json.dumps(array.shape), np.ascontiguousarray(array).tobytes()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
