"""A run: a folder with one SQLite file, written by one process in transactions, read by any.

The file holds what was asked for (kind and configuration), with what (versions), every evaluation, pieces of work
with their arrays, and small named results. Evolution, the atlas and the paper's reproduction all keep their work
in it, and go on by way of its ledger.

    with Writer.begin(folder, "evolve", configuration, growing=("runs",)) as writer:
        writer.save(records, results={"note": "anything that JSON can hold"})
        writer.finish()

A kill at any moment loses at most what was not yet saved.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from hebbarium.life.arithmetic import ARITHMETIC
from hebbarium.store import about, door, schema, sealed
from hebbarium.store.configuration import WHEREABOUTS, check_same
from hebbarium.store.lock import Lock
from hebbarium.store.pieces import Arrays, Piece, pack
from hebbarium.store.records import Record
from hebbarium.store.run import Run
from hebbarium.store.text import dump
from hebbarium.store.versions import versions
from hebbarium.tools.errors import RunError

__all__ = ["Run", "Writer"]


class Writer(Run):
    """The one process that writes a run."""

    def __init__(self, folder: Path, lock: Lock, connection: sqlite3.Connection) -> None:
        super().__init__(folder)
        self._lock, self._connection = lock, connection
        self.remark: Callable[[str], None] = logging.getLogger("hebbarium").warning
        """Called once when another process keeps this one from writing."""
        self._waited = False

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
        larger now: its results then go, and it is no longer finished, but all evaluations and pieces stay.
        Raises RunError, at once and without touching anything, where that is not so.
        """
        folder = Path(folder)
        with door.in_sentences(folder):
            if folder.is_file():
                raise RunError(f"{folder} is a file, but a run needs a folder; choose another one.")
            new = not folder.exists()
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
        connection = door.writer(folder)
        try:
            writer = cls(folder, lock, connection)
            schema.wait_briefly(connection)
            # All of it in one transaction, so that a run that is refused stays as it was.
            with writer._transaction():
                sealed.check(connection)
                about.check_arithmetic(folder, writer.arithmetic, writer.versions.get("hebbarium", "unknown"))
                if check_same(folder, writer.kind, writer.configuration, kind, configuration, growing):
                    writer._grow(configuration)
                writer._note_whereabouts(configuration)
                writer._begin_session()
            schema.unlimit(connection)
        except BaseException:
            connection.close()
            raise
        return writer

    def save(
        self,
        records: Sequence[Record] = (),
        *,
        results: Mapping[str, Any] | None = None,
        pieces: Mapping[Piece, Arrays] | None = None,
    ) -> None:
        """Store all of it or nothing; once this returns it survives anything. Results and pieces replace old ones."""
        named = [(name, dump(value)) for name, value in (results or {}).items()]
        packed = [(piece.name, piece.asked, *pack(arrays)) for piece, arrays in (pieces or {}).items()]
        with self._transaction() as connection:
            sealed.insert(connection, schema.EVALUATIONS, [record.row() for record in records])
            sealed.replace(connection, schema.RESULTS, named)
            sealed.replace(connection, schema.PIECES, packed)
            self._save_session()

    def finish(self) -> None:
        """Nothing is left to do."""
        with self._transaction() as connection:
            sealed.replace(connection, schema.ABOUT, about.rows(finished=_now()))

    def reopen(self) -> None:
        """There may be something left to do."""
        if self.finished is not None:
            with self._transaction() as connection:
                sealed.replace(connection, schema.ABOUT, about.rows(finished=None))

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
        """More is asked for now. The results were those of less: they must not be taken for those of the whole."""
        sealed.replace(self._connection, schema.ABOUT, about.rows(configuration=configuration, finished=None))
        sealed.clear(self._connection, schema.RESULTS)

    def _note_whereabouts(self, configuration: Mapping[str, Any]) -> None:
        """A world's file that was moved is looked for where it is now."""
        stored, now = self.configuration, configuration.get(WHEREABOUTS)
        if now is not None and stored.get(WHEREABOUTS) not in (None, now):
            moved = about.rows(configuration={**stored, WHEREABOUTS: now})
            sealed.replace(self._connection, schema.ABOUT, moved)

    def _begin_session(self) -> None:
        number = self._connection.execute("SELECT coalesce(max(number), 0) + 1 FROM sessions").fetchone()[0]
        self._session = (number, _now(), dump(versions()), about.copied(self._rows(schema.ABOUT)))
        self._save_session()

    def _save_session(self) -> None:
        number, began, *rest = self._session
        sealed.replace(self._connection, schema.SESSIONS, [(number, began, _now(), *rest)])

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with door.in_sentences(self.folder):
            self._patiently("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._patiently("COMMIT")
            except BaseException:
                # A failed write may have ended the transaction already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _patiently(self, statement: str) -> None:
        """Wait for readers of the file, however long that takes: what was lived is not given up for it."""
        since = time.monotonic()
        while True:
            try:
                self._connection.execute(statement)
                return
            except sqlite3.OperationalError as error:
                if not schema.is_busy(error):
                    raise
            if not self._waited and time.monotonic() - since > schema.WAIT_SECONDS:
                self._waited = True
                self.remark(f"Waiting for another program that keeps {self.folder / schema.DATABASE} locked.")

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with door.in_sentences(self.folder):
            yield self._connection


def _create(folder: Path, kind: str, configuration: Mapping[str, Any]) -> None:
    rows = about.rows(
        kind=kind,
        configuration=configuration,
        versions=versions(),
        arithmetic=ARITHMETIC,
        created=_now(),
        finished=None,
    )
    with schema.new_file(folder) as connection:
        sealed.insert(connection, schema.ABOUT, rows)


def _abandon(folder: Path, lock: Lock, new: bool) -> None:
    """Leave nothing of a run that could not begin; anything else stays as it is."""
    if not new or (folder / schema.DATABASE).exists():
        lock.release()
        return
    lock.remove()
    with contextlib.suppress(OSError):
        folder.rmdir()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
