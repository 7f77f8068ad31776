"""Small real runs for the tests of the store, and ways to tamper with them."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attacks import stores
from hebbarium.store import migration, schema
from hebbarium.store.pieces import Piece
from hebbarium.store.store import Run
from hebbarium.studies.evolve.evolution import Evolution, State, carry_out, summary

EVOLUTION = Evolution.of(
    "foraging", season_steps=40, seasons=2, grid_size=12, green=5, blue=5, hidden=4, individuals=8, elites=3,
    lifetimes=2, stale_generations=4, runs=2, seed=3, top=3, rescore=6,
)  # fmt: skip
WORDS = stores.EVOLVE.split()
"""The same as a command."""


def finished(folder: Path) -> Run:
    return carry_out(EVOLUTION, folder, threads=1)


def unfinished(folder: Path) -> Run:
    stores.half_evolved(folder)
    return Run.open(folder)


def result(run: Run) -> dict[str, Any]:
    return {name: value for name, value in summary(run).items() if name != "run"}


def resumed(folder: Path) -> tuple[dict[str, Any], int]:
    """What comes of it in the end, and how many evaluations were lived for that."""
    states: list[State] = []
    run = carry_out(EVOLUTION, folder, threads=1, watch=states.append)
    return result(run), states[-1].evaluations if states else 0


@contextlib.contextmanager
def tampering(folder: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(folder / schema.DATABASE, isolation_level=None)) as connection:
        yield connection


def tamper(folder: Path, statement: str, *values: Any) -> None:
    with tampering(folder) as connection:
        connection.execute(statement, values)


def as_version_0_1(folder: Path) -> None:
    """Rewrite a run as version 0.1 would have: format 1, no checksums, no number of an arithmetic, arrays by name."""
    run = Run.open(folder)
    pieces = [run.piece(name) for name in run.pieces()]
    results, arrays = [], []
    for piece, of_piece in pieces:
        work, names = old_names(piece, of_piece)
        results += [(work, json.dumps(sorted(of_piece)))] if work else []
        arrays += [(names[name], one.dtype.str, json.dumps(one.shape), one.tobytes()) for name, one in of_piece.items()]
    with tampering(folder) as connection:
        rows = {name: connection.execute(f"SELECT {columns} FROM {name}").fetchall() for name, columns in KEPT.items()}
        rows["about"] = [row for row in rows["about"] if row[0] != "arithmetic"]
        rows["results"] += results
        connection.execute("BEGIN")
        for name in schema.SCHEMA:
            connection.execute(f"DROP TABLE {name}")
        for name, statement in migration.SCHEMA.items():
            connection.execute(statement)
            for row in rows.get(name, arrays):
                connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
        connection.execute("PRAGMA user_version = 1")
        connection.execute("COMMIT")


KEPT = {
    name: ", ".join(column for column in schema.NAMED[name].columns if column != "asked")
    for name in ("about", "evaluations", "results", "sessions")
}


def old_names(piece: Piece, arrays: Mapping[str, object]) -> tuple[str | None, dict[str, str]]:
    """The name of a work in version 0.1, where it is one, and the names of its arrays."""
    kind, _, number = piece.name.partition("/")
    if kind in ("lives", "kinds"):
        return None, {name: f"{name}/{number}" for name in arrays}
    asked = json.loads(piece.asked)
    work = f"{asked.pop('kind')}({', '.join(f'{name}={value!r}' for name, value in asked.items())}, hidden=None)"
    return work, {name: f"{work}#{name}" for name in arrays}
