"""A run: a folder with one SQLite file, written by one process in transactions, read by any.

The file holds what was asked for (kind and configuration), with what (versions), every evaluation, pieces of work
with their arrays, and small named results. Studies are resumed from it by way of the ledger.

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

from hebbarium.life.arithmetic_version import ARITHMETIC
from hebbarium.store import about, checksums, opening, schema
from hebbarium.store.about import WHEREABOUTS, check_same, versions
from hebbarium.store.evaluation_rows import Record
from hebbarium.store.kept_arrays import Arrays, Piece, pack
from hebbarium.store.lock import Lock
from hebbarium.store.reading import Run
from hebbarium.store.stored_json import dump
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
        self._session: tuple[Any, ...] = ()
        """Its row in the table of sessions, without the time of the last write."""

    @classmethod
    def begin(
        cls,
        folder: str | os.PathLike[str],
        kind: str,
        configuration: Mapping[str, Any],
        *,
        growing: Collection[str] = (),
    ) -> Writer:
        """Start a run, or resume the one in the folder.

        The configuration must be the same as before, except for numbers named in `growing`, which may be larger now:
        the results are then removed, and the run is no longer finished, but all evaluations and pieces stay.
        Otherwise RunError is raised, at once and without touching anything.
        """
        folder = Path(folder)
        with opening.in_sentences(folder):
            if folder.is_file():
                raise RunError(f"{folder} is a file, but a run needs a folder; choose another one.")
            new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            lock = Lock(folder / schema.LOCK)
            try:
                if not (folder / schema.DATABASE).exists():
                    rows = about.rows(
                        kind=kind,
                        configuration=configuration,
                        versions=versions(),
                        arithmetic=ARITHMETIC,
                        created=_now(),
                        finished=None,
                    )
                    with opening.new_file(folder) as connection:
                        checksums.insert(connection, schema.ABOUT, rows)
                return cls._resume(folder, lock, kind, configuration, growing)
            except BaseException:
                if new and not (folder / schema.DATABASE).exists():  # leave nothing of a run that could not begin
                    lock.remove()
                    with contextlib.suppress(OSError):
                        folder.rmdir()
                lock.release()
                raise

    @classmethod
    def _resume(
        cls, folder: Path, lock: Lock, kind: str, configuration: Mapping[str, Any], growing: Collection[str]
    ) -> Writer:
        connection = opening.writer(folder)
        try:
            writer = cls(folder, lock, connection)
            # SQLite's own waiting cannot be interrupted, and `_patiently` tries again.
            connection.execute(f"PRAGMA busy_timeout = {round(1000 * opening.UNINTERRUPTIBLE_SECONDS)}")
            # All of it in one transaction, so that a run that is refused stays as it was.
            with writer._transaction():
                checksums.check(connection)
                about.check_arithmetic(folder, writer.arithmetic, writer.versions.get("hebbarium", "unknown"))
                if check_same(folder, writer.kind, writer.configuration, kind, configuration, growing):
                    # The results so far are those of a smaller run, and must not be taken for the whole one's.
                    more = about.rows(configuration=configuration, finished=None)
                    checksums.replace(connection, schema.ABOUT, more)
                    checksums.clear(connection, schema.RESULTS)
                stored, now = writer.configuration, configuration.get(WHEREABOUTS)
                if now is not None and stored.get(WHEREABOUTS) not in (None, now):
                    moved = about.rows(configuration={**stored, WHEREABOUTS: now})
                    checksums.replace(connection, schema.ABOUT, moved)
                number = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM sessions").fetchone()[0]
                writer._session = (number, _now(), dump(versions()), about.copied(writer._rows(schema.ABOUT)))
                writer._save_session()
            connection.set_progress_handler(None, 0)  # what was there is checked, so no query is endless
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
        """Store all of it or nothing; once this has returned, it is on disk. Results and pieces replace old ones."""
        named = [(name, dump(value)) for name, value in (results or {}).items()]
        packed = [(piece.name, piece.asked, *pack(arrays)) for piece, arrays in (pieces or {}).items()]
        with self._transaction() as connection:
            checksums.insert(connection, schema.EVALUATIONS, [record.row() for record in records])
            checksums.replace(connection, schema.RESULTS, named)
            checksums.replace(connection, schema.PIECES, packed)
            self._save_session()

    def finish(self) -> None:
        """Mark the run as finished."""
        with self._transaction() as connection:
            checksums.replace(connection, schema.ABOUT, about.rows(finished=_now()))

    def reopen(self) -> None:
        """Mark the run as not finished."""
        if self.finished is not None:
            with self._transaction() as connection:
                checksums.replace(connection, schema.ABOUT, about.rows(finished=None))

    def close(self) -> None:
        self._connection.close()
        self._lock.release()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _save_session(self) -> None:
        number, began, *rest = self._session
        checksums.replace(self._connection, schema.SESSIONS, [(number, began, _now(), *rest)])

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with opening.in_sentences(self.folder):
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
        """Wait for readers of the file, however long that takes, so that no result is lost."""
        since = time.monotonic()
        while True:
            try:
                self._connection.execute(statement)
                return
            except sqlite3.OperationalError as error:
                if opening.error_code(error) != sqlite3.SQLITE_BUSY:
                    raise
            if not self._waited and time.monotonic() - since > opening.WAIT_SECONDS:
                self._waited = True
                self.remark(f"Waiting for another program that keeps {self.folder / schema.DATABASE} locked.")

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with opening.in_sentences(self.folder):
            yield self._connection


def _now() -> str:
    try:
        now = datetime.now(UTC)
    except (ValueError, OverflowError, OSError):  # the clock is beyond all years that Python knows
        now = datetime.max.replace(tzinfo=UTC)
    return now.isoformat(timespec="seconds")
