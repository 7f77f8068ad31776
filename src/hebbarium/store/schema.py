"""The one SQLite file of a run: its name, its tables, and how it is opened."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
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


def folder_of(path: Path) -> Path:
    """A run's folder, which may be named by the file in it."""
    return path.parent if path.name == DATABASE and path.is_file() else path
