"""Damaged runs: what can be saved of one (every row that is as it was written), and its repair."""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hebbarium.store import about, checksums, opening, schema, sqlite_pages, stored_json
from hebbarium.store.checksums import Damage, Row, label
from hebbarium.store.evaluation_rows import Record
from hebbarium.store.kept_arrays import unpack
from hebbarium.store.lock import Lock
from hebbarium.store.schema import DAMAGED, DATABASE, EVALUATIONS, JOURNAL, PIECES, SESSIONS, TABLES, Table
from hebbarium.store.stored_json import load
from hebbarium.tools.errors import RunError

_SHOWN = 3
"""Problems named in a sentence."""


@dataclass
class Salvage:
    """The rows of a run that are as they were written, and what is wrong with the others."""

    folder: Path
    rows: dict[str, list[Row]] = field(default_factory=lambda: {table.name: [] for table in TABLES})
    """By table."""
    problems: list[str] = field(default_factory=list)
    format: int | None = None

    @property
    def evaluations(self) -> int:
        return len(self.rows["evaluations"])

    @property
    def pieces(self) -> int:
        return len(self.rows["pieces"])

    @property
    def kept(self) -> str:
        """What is whole, in words."""
        counts = {"evaluations": self.evaluations, "pieces of work": self.pieces}
        return " and ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "no evaluations"

    def summary(self) -> dict[str, Any]:
        """What `hebbarium runs --check --json` prints of it."""
        counts = {"evaluations": self.evaluations, "pieces": self.pieces}
        whole = not self.problems
        return {"run": str(self.folder), "whole": whole, "format": self.format, **counts, "problems": self.problems}

    def about(self) -> dict[str, Any]:
        """What is known about the run, from its own table or from the last session that is left."""
        known: dict[str, Any] = {}
        for *_, versions, asked in self.rows["sessions"]:
            known = {"versions": load(versions), **known, **load(asked)}
        return known | {name: load(value) for name, value in self.rows["about"]}

    @property
    def repairable(self) -> bool:
        """Whether it is still known what the run was asked for."""
        return self.about().keys() >= {"kind", "configuration", "arithmetic", "versions", "created"}

    def sentence(self, why: str) -> str:
        """What the run is refused with. why: what was found first."""
        problems = [why, *(problem for problem in self.problems if problem != why)]
        more = [f"{len(problems) - _SHOWN} more"] if len(problems) > _SHOWN else []
        damaged = f"{self.folder / DATABASE} is damaged: {', '.join([*problems[:_SHOWN], *more])}"
        if not self.repairable:
            return f"{damaged}; nothing in it can be saved: restore it from a copy, or choose another folder."
        command = f"hebbarium runs --repair {shlex.quote(str(self.folder))}"
        return (
            f"{damaged}; {self.kept} in it are intact: `{command}` keeps them; then rerun the command that started the "
            "run to redo the rest."
        )


def examined(folder: Path) -> Salvage:
    """A run looked through; one that cannot even be opened has that as its problem."""
    try:
        with opening.in_sentences(folder):
            opening.check_header(folder)
            opening.settle(folder)
    except RunError as error:
        return Salvage(folder, problems=[str(error)])
    return salvage(folder)


def salvage(folder: Path) -> Salvage:
    """Read what can be read; raises nothing for any kind of damage."""
    found = Salvage(folder)
    try:
        with contextlib.closing(opening.connect(folder / DATABASE, "ro")) as connection:
            opening.limit(connection, (folder / DATABASE).stat().st_size)
            before = checksums.changes(connection)
            _look(connection, found)
            if found.problems and checksums.changes(connection) != before:  # what seems missing may have come meanwhile
                found = Salvage(folder)
                connection.execute("BEGIN")
                _look(connection, found)
    except (sqlite3.Error, UnicodeError) as error:
        found.problems.append(str(error))
    if found.problems and found.format in (None, schema.FORMAT):
        _look_at_pages(found)
    return found


def _look(connection: sqlite3.Connection, found: Salvage) -> None:
    """Check every row; if all are intact, also check the file as when it is opened."""
    try:
        found.format = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if found.format != schema.FORMAT:
            raise Damage(f"format {found.format} is of another version of Hebbarium")
        for table in TABLES:
            stored = _scanned(connection, table, found)
            for row in stored:
                if _is_whole(table, row):
                    found.rows[table.name].append(row[:-1])
                else:
                    found.problems.append(label(table, row))
            try:
                rows, _ = checksums.seal(connection, table)
                if len(stored) < rows:
                    found.problems.append(f"{rows - len(stored):,} of {rows:,} {table.name} are missing")
            except (Damage, sqlite3.Error):
                found.problems.append(checksums.seal_label(table))
        if not found.problems:
            opening.check_format(connection, found.folder)
            checksums.check(connection)
            opening.check_integrity(connection)
    except (sqlite3.Error, Damage, RunError) as error:
        found.problems.append(str(error))
    except UnicodeError:
        found.problems.append("text that is not UTF-8")


def _scanned(connection: sqlite3.Connection, table: Table, found: Salvage) -> list[Row]:
    """The rows of a table that can be reached, from its beginning and, if that ends early, from its end."""
    name, keys = table.name, table.keys
    if not opening.is_ours(connection, name, table.sql):
        found.problems.append(f"table {name} is not as Hebbarium makes it")
        return []
    rows: dict[Row, Row] = {}
    for order in ("", " DESC"):
        try:
            for row in connection.execute(f"SELECT * FROM {name} ORDER BY {', '.join(key + order for key in keys)}"):
                rows[row[: len(keys)]] = row
            return list(rows.values())
        except sqlite3.Error as error:
            problem = f"table {name} ({error})"
    found.problems.append(problem)
    return list(rows.values())


def _is_whole(table: Table, stored: Row) -> bool:
    """Whether the checksum is right, and the content is what we would write."""
    try:
        row = checksums.checked(table, stored)
        match table.name:
            case "about":
                about.read(*row)
            case "evaluations":
                Record.of_row(row)
            case "pieces":
                unpack(row[2], row[3])
            case "results":
                load(row[1], stored_json.RESULTS.get(row[0], stored_json.anything))
            case "sessions":
                _, began, last, versions, asked = row
                values = {"created": began, "finished": last, "versions": load(versions), **load(asked)}
                return stored_json.fields(**stored_json.ABOUT)(values)
    except (Damage, ValueError, TypeError, LookupError, OverflowError):
        return False
    return True


def _look_at_pages(found: Salvage) -> None:
    """Add the rows that SQLite no longer reaches."""
    known = {table.name: {row[: table.key] for row in found.rows[table.name]} for table in TABLES}
    for values in sqlite_pages.rows(found.folder / DATABASE):
        for table in TABLES:
            kinds = [*table.columns.values(), "BLOB"]
            if len(values) != len(kinds):
                continue
            # SQLite stores whole floats as whole numbers.
            row = tuple(
                float(value) if kind.startswith("REAL") and type(value) is int else value
                for kind, value in zip(kinds, values, strict=True)
            )
            if row[: table.key] not in known[table.name] and _is_whole(table, row):
                known[table.name].add(row[: table.key])
                found.rows[table.name].append(row[:-1])


def repair(folder: Path) -> tuple[Salvage, Path | None]:
    """Keep what is intact, and put the damaged file aside; returns what was found, and where the old file is.

    An undamaged run stays as it is. Results are left out: they follow from the rest, and are made again.
    folder: the run's, or the file in it.
    """
    folder = schema.folder_of(folder)
    with opening.in_sentences(folder):
        if not (folder / DATABASE).is_file():
            raise RunError(f"{folder} holds no run; `hebbarium runs` lists the runs there are.")
        lock = Lock(folder / schema.LOCK)
        try:
            with contextlib.suppress(Damage, sqlite3.Error):
                opening.check_header(folder)
                opening.settle(folder)
            found = salvage(folder)
            if not found.problems:
                return found, None
            if not found.repairable:
                raise RunError(found.sentence(found.problems[0]))
            with _put_aside(folder) as aside, opening.new_file(folder) as connection:
                checksums.insert(connection, schema.ABOUT, about.rows(**{**found.about(), "finished": None}))
                for table in (EVALUATIONS, PIECES, SESSIONS):
                    checksums.insert(connection, table, found.rows[table.name])
            return found, aside
        finally:
            lock.release()


@contextlib.contextmanager
def _put_aside(folder: Path) -> Iterator[Path]:
    """The damaged file is copied, so that there is a run.sqlite at every moment; its journal is moved, because it would
    spoil the new file. If the block fails before there is a new file, as on a full disk, both are put back."""
    names = itertools.chain([DAMAGED], (f"{DAMAGED}-{number}" for number in itertools.count(2)))
    aside = next(folder / name for name in names if not os.path.lexists(folder / name))
    journal, old = Path(f"{aside}-journal"), (folder / DATABASE).stat()
    try:
        shutil.copyfile(folder / DATABASE, aside)
        with contextlib.suppress(FileNotFoundError):
            os.replace(folder / JOURNAL, journal)
        yield aside
    except BaseException:
        if os.path.samestat(old, (folder / DATABASE).stat()):
            with contextlib.suppress(FileNotFoundError):
                os.replace(journal, folder / JOURNAL)
            aside.unlink(missing_ok=True)
        raise
