"""The one SQLite file of a run: its tables, and what we say when it cannot be used."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from hebbarium.errors import RunError

FORMAT = 1
"""Raised whenever a file written before could be misread."""
APPLICATION = 0x48656262
"""`Hebb`: how a run's file is told from any other SQLite file."""

DATABASE = "run.sqlite"
UNBORN = "run.sqlite.new"
"""A file gets its name only once it is whole, so that an empty or broken `run.sqlite` is always damage."""
LOCK = "run.lock"

TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE evaluations (
  stage TEXT NOT NULL,
  run INTEGER NOT NULL,
  number INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  rule TEXT,
  eta REAL,
  seed INTEGER NOT NULL,
  first_trial INTEGER NOT NULL,
  lifetimes INTEGER NOT NULL,
  mean REAL NOT NULL,
  scores TEXT NOT NULL,
  counts TEXT NOT NULL,
  distinct_hidden TEXT,
  PRIMARY KEY (stage, run, number)
) WITHOUT ROWID;
CREATE TABLE results (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE arrays (name TEXT PRIMARY KEY, dtype TEXT NOT NULL, shape TEXT NOT NULL, data BLOB NOT NULL);
CREATE TABLE sessions (number INTEGER PRIMARY KEY, began TEXT NOT NULL, last TEXT NOT NULL, versions TEXT NOT NULL);
"""

_WAIT_SECONDS = 20.0
"""How long to wait for somebody who is just reading or writing the file."""


def connect(database: Path, mode: str) -> sqlite3.Connection:
    """mode: `ro`, `rw` or `rwc`. Transactions are begun and ended by us alone."""
    uri = f"{database.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_WAIT_SECONDS)


def create(database: Path) -> sqlite3.Connection:
    """A new, empty file with its tables, inside an open transaction that the caller commits."""
    connection = connect(database, "rwc")
    configure(connection)
    connection.execute("BEGIN EXCLUSIVE")
    for statement in TABLES.strip().split(";\n"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    return connection


def configure(connection: sqlite3.Connection) -> None:
    # A rollback journal, because write-ahead logs fail on network file systems. EXTRA also syncs the folder
    # after a commit, so that not even a power cut takes one back.
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = EXTRA")


def check_format(connection: sqlite3.Connection, folder: Path) -> None:
    """Raise RunError where the file is not ours, or of a format that this version does not know."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION:
        raise RunError(f"{folder / DATABASE} was not written by Hebbarium; nothing was changed, choose another folder.")
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found != FORMAT:
        raise RunError(
            f"{folder} was written by another version of Hebbarium (format {found}; this one reads format {FORMAT}); "
            "nothing was changed: use that version, or choose another folder."
        )


def check_whole(connection: sqlite3.Connection, folder: Path) -> None:
    """Raise RunError where SQLite finds any damage."""
    verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if verdict != "ok":
        raise RunError(damaged(folder, verdict))


def damaged(folder: Path, why: object) -> str:
    reason = str(why).splitlines()[-1].rstrip(".")
    return f"{folder / DATABASE} is damaged ({reason}); nothing was changed: restore it, or choose another folder."


_SENTENCES = {
    sqlite3.SQLITE_FULL: "the disk is full; everything stored so far is safe: make room, then give the same command",
    sqlite3.SQLITE_IOERR: "the disk refused to write or read ({why}); everything stored so far is safe",
    sqlite3.SQLITE_READONLY: "the folder or its file cannot be written (read-only, moved or deleted)",
    sqlite3.SQLITE_CANTOPEN: "the folder or its file cannot be opened for writing (read-only, moved or deleted)",
    sqlite3.SQLITE_PERM: "the folder or its file cannot be opened (permission denied)",
    sqlite3.SQLITE_BUSY: "another program holds its file locked; close it, then give the same command",
}


@contextlib.contextmanager
def told(folder: Path) -> Iterator[None]:
    """Say in one sentence what SQLite or the file system could not do."""
    try:
        yield
    except sqlite3.Error as error:
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise RunError(damaged(folder, error)) from error
        sentence = _SENTENCES.get(code, "its file cannot be used ({why})").format(why=error)
        raise RunError(f"{folder}: {sentence}.") from error
    except OSError as error:
        raise RunError(f"{folder} cannot be used: {(error.strerror or str(error)).lower()}.") from error
