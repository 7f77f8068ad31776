"""Small real runs for the tests of the store, and ways to tamper with them."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attacks import stores
from hebbarium.store import schema
from hebbarium.store.writing import Run
from hebbarium.studies.evolve.study import Evolution, State, carry_out, summary

EVOLUTION = Evolution.of(
    "foraging", "genetic", season_steps=40, seasons=2, grid_size=12, green=5, blue=5, hidden=4, individuals=8, elites=3,
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
