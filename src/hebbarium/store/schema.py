"""The one SQLite file of a run: its name, its tables, and how it is opened."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FORMAT = 2
"""Increased whenever older files could be misread."""
APPLICATION = 0x48656262
"""`Hebb`: how a run's file differs from any other SQLite file."""

DATABASE = "run.sqlite"
JOURNAL = "run.sqlite-journal"
UNBORN = "run.sqlite.new"
"""A file gets its name only once it is whole, so that an empty or broken `run.sqlite` is always damage."""
DAMAGED = "run.sqlite.damaged"
"""What a repair leaves of the file as it was."""
LOCK = "run.lock"
FOREIGN = ("run.sqlite-wal", "run.sqlite-shm")
"""Files of write-ahead logging, which we never use; SQLite would read them as part of the run."""

KINDS = {"TEXT": str, "INTEGER": int, "REAL": float, "BLOB": bytes}


@dataclass(frozen=True)
class Table:
    """A table, each row of which ends with its checksum."""

    name: str
    columns: Mapping[str, str]
    """SQLite's type of each, with a `?` where it may be missing; those of the key come first."""
    key: int = 1
    """How many columns name a row."""

    @functools.cached_property
    def keys(self) -> list[str]:
        """Names of the columns of the key."""
        return list(self.columns)[: self.key]

    @functools.cached_property
    def sql(self) -> str:
        columns = [
            f"{name} {kind.removesuffix('?')}{'' if kind.endswith('?') else ' NOT NULL'}"
            for name, kind in self.columns.items()
        ]
        lines = [*columns, "checksum BLOB NOT NULL", f"PRIMARY KEY ({', '.join(self.keys)})"]
        # Without a row id the key is the table's own order: no index beside it that could be damaged alone.
        return f"CREATE TABLE {self.name} (\n  " + ",\n  ".join(lines) + "\n) WITHOUT ROWID"

    @functools.cached_property
    def select(self) -> str:
        return f"SELECT {', '.join(self.columns)}, checksum FROM {self.name}"

    @functools.cached_property
    def insert(self) -> str:
        names = [*self.columns, "checksum"]
        return f"INSERT INTO {self.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"

    @functools.cached_property
    def row_kinds(self) -> frozenset[tuple[type, ...]]:
        """Python's types of the values of a row, in all combinations there may be."""
        choices = [
            (KINDS[kind.removesuffix("?")], *([type(None)] if kind.endswith("?") else []))
            for kind in self.columns.values()
        ]
        return frozenset(itertools.product(*choices))


ABOUT = Table("about", {"name": "TEXT", "value": "TEXT"})
EVALUATIONS = Table(
    "evaluations",
    {
        "stage": "TEXT",
        "run": "INTEGER",
        "number": "INTEGER",
        "generation": "INTEGER",
        "rule": "TEXT?",
        "eta": "REAL?",
        "seed": "INTEGER",
        "first_trial": "INTEGER",
        "lifetimes": "INTEGER",
        "mean": "REAL",
        "scores": "TEXT",
        "counts": "TEXT",
        "distinct_hidden": "TEXT?",
    },
    key=3,
)
PIECES = Table("pieces", {"name": "TEXT", "asked": "TEXT", "arrays": "TEXT", "data": "BLOB"})
RESULTS = Table("results", {"name": "TEXT", "value": "TEXT"})
SESSIONS = Table(
    "sessions", {"number": "INTEGER", "began": "TEXT", "last": "TEXT", "versions": "TEXT", "asked": "TEXT"}
)
TABLES = (ABOUT, EVALUATIONS, PIECES, RESULTS, SESSIONS)
NAMED = {table.name: table for table in TABLES}
SEALS = "CREATE TABLE seals (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, total BLOB NOT NULL) WITHOUT ROWID"

SCHEMA = {**{table.name: table.sql for table in TABLES}, "seals": SEALS}

WAIT_SECONDS = 20.0
"""How long to wait for another process that is reading or writing the file."""
_INTERRUPTIBLE = 0.5
"""Seconds of it that cannot be interrupted."""


def folder_of(path: Path) -> Path:
    """A run's folder, which may be named by the file in it."""
    return path.parent if path.name == DATABASE and path.is_file() else path


def connect(database: Path, mode: str) -> sqlite3.Connection:
    """mode: `ro`, `rw` or `rwc`. Transactions are begun and ended by us alone."""
    uri = f"{database.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=WAIT_SECONDS)
    # The file is not trusted: its schema may call no functions, and bytes that are not text are found by checksum.
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    return connection


class Limit:
    """Ends a query that takes more steps or processor time than the size of the file explains. Not by the clock, which
    runs on while a busy machine does something else."""

    EVERY = 10_000
    """Steps between two looks."""

    def __init__(self, size: int) -> None:
        """size: of the file in bytes. Reading a whole file takes less than one step per byte."""
        self._looks = (10_000_000 + 10 * size) // self.EVERY
        self._end = time.thread_time() + 60 + size / 1_000_000

    def __call__(self) -> bool:
        self._looks -= 1
        return self._looks < 0 or time.thread_time() > self._end


def limit(connection: sqlite3.Connection, size: int) -> None:
    connection.set_progress_handler(Limit(size), Limit.EVERY)


def unlimit(connection: sqlite3.Connection) -> None:
    connection.set_progress_handler(None, 0)


@contextlib.contextmanager
def new_file(folder: Path) -> Iterator[sqlite3.Connection]:
    """A new run with empty tables, to be filled; it takes the place of `run.sqlite` once the block has ended well."""
    unborn = folder / UNBORN
    for leftover in folder.glob(f"{UNBORN}*"):
        leftover.unlink()
    try:
        with contextlib.closing(connect(unborn, "rwc")) as connection:
            configure(connection)
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            for statement in SCHEMA.values():
                connection.execute(statement)
            connection.executemany("INSERT INTO seals VALUES (?, 0, ?)", [(table.name, bytes(16)) for table in TABLES])
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            yield connection
            connection.execute("COMMIT")
        os.replace(unborn, folder / DATABASE)
    except BaseException:
        unborn.unlink(missing_ok=True)
        raise


def error_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code, or 0."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def configure(connection: sqlite3.Connection) -> None:
    # A rollback journal, because write-ahead logs fail on network file systems. EXTRA also syncs the folder
    # after a commit, so that not even a power cut takes one back.
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = EXTRA")


def wait_briefly(connection: sqlite3.Connection) -> None:
    """For callers that retry: SQLite's own waiting cannot be interrupted."""
    connection.execute(f"PRAGMA busy_timeout = {round(1000 * _INTERRUPTIBLE)}")
