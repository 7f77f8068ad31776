"""Runs of version 0.1 (format 1) in the present format: the same evaluations and results, with checksums.

It kept arrays by name, without what was asked for: an atlas numbered its chunks, a reproduction named its works
as Python writes them. Both become pieces here.
"""

from __future__ import annotations

import ast
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hebbarium.store import schema, sealed
from hebbarium.store.about import copied
from hebbarium.store.pieces import Piece
from hebbarium.store.sealed import Damage, Row
from hebbarium.store.text import dump, load
from hebbarium.tools.errors import shown

FORMAT = 1
ARITHMETIC = 1
"""Of all lives that version 0.1 lived."""

SCHEMA = {
    "about": "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "evaluations": """CREATE TABLE evaluations (
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
) WITHOUT ROWID""",
    "results": "CREATE TABLE results (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "arrays": "CREATE TABLE arrays "
    "(name TEXT PRIMARY KEY, dtype TEXT NOT NULL, shape TEXT NOT NULL, data BLOB NOT NULL)",
    "sessions": "CREATE TABLE sessions "
    "(number INTEGER PRIMARY KEY, began TEXT NOT NULL, last TEXT NOT NULL, versions TEXT NOT NULL)",
}

Rows = Mapping[str, Sequence[Any]]


def migrate_if_old(connection: sqlite3.Connection) -> None:
    """Put everything into new tables, within the transaction that is open."""
    if connection.execute("PRAGMA user_version").fetchone() == (FORMAT,):
        migrate(connection)


def migrate(connection: sqlite3.Connection) -> None:
    old = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in SCHEMA}
    new, lost = renewed(old)
    if lost:
        raise Damage(lost[0])
    for name in SCHEMA:
        connection.execute(f"DROP TABLE {name}")
    schema.create_tables(connection)
    for table, rows in new.items():
        sealed.insert(connection, schema.NAMED[table], rows)


def renewed(old: Rows) -> tuple[dict[str, list[Row]], list[str]]:
    """The rows of the new tables from those of the old ones, and the pieces that lack a part."""
    about = [*old["about"], ("arithmetic", dump(ARITHMETIC))]
    asked = copied(about)
    pieces, lost = _pieces(old)
    new = {
        "about": about,
        "evaluations": list(old["evaluations"]),
        "pieces": pieces,
        "results": [row for row in old["results"] if work_named(row[0]) is None],
        "sessions": [(*session, asked) for session in old["sessions"]],
    }
    return new, lost


def _pieces(old: Rows) -> tuple[list[Row], list[str]]:
    arrays = {name: values for name, *values in old["arrays"]}
    rows: list[Row] = []
    lost = [f"array {shown(name)}" for name in arrays if not isinstance(name, str)]
    for piece, names in (*_works(old["results"]), *_chunks(map(str, arrays))):
        try:
            described = {name: [arrays[place][0], load(arrays[place][1])] for name, place in names.items()}
            data = b"".join(arrays[place][2] for place in names.values())
            rows.append((piece.name, piece.asked, dump(described), data))
        except (LookupError, TypeError, ValueError):
            lost.append(f"piece {piece.name}")
    return rows, lost


def _works(results: Sequence[tuple[str, str]]) -> Iterator[tuple[Piece, dict[str, str]]]:
    """Of a reproduction, with the names of their arrays, and where those are."""
    for name, value in results:
        work = work_named(name)
        if work is not None:
            yield work, {str(array): f"{name}#{array}" for array in _listed(value)}


def _listed(value: str) -> list[Any]:
    """Names in a stored text; where it cannot be read, one that no array has."""
    try:
        names = load(value)
    except (ValueError, TypeError):
        names = None
    return names if isinstance(names, list) else [None]


def _chunks(arrays: Iterable[str]) -> Iterator[tuple[Piece, dict[str, str]]]:
    """Of an atlas."""
    for name in arrays:
        kind, _, number = name.partition("/")
        if kind == "counts":
            yield Piece(f"lives/{number}", ""), {"counts": name, "distinct": f"distinct/{number}"}
        elif kind == "kinds":
            yield Piece(name, ""), {"kinds": name}


def work_named(name: str) -> Piece | None:
    """A work of the reproduction by its name in version 0.1, such as `Lives(task='foraging', seed=1, lifetimes=24)`."""
    try:
        call = ast.parse(name, mode="eval").body
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args:
            return Piece.of(call.func.id, {str(word.arg): ast.literal_eval(word.value) for word in call.keywords})
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        pass
    return None
