"""A run as its readers see it: a folder with one SQLite file.

run = Run.open("runs/evolve-foraging-racing-1")
run.configuration, run.finished
run.evaluations("search")
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hebbarium.store import about, checksums, opening, schema, tables
from hebbarium.store.about import are_same
from hebbarium.store.checksums import Damage, Row, label
from hebbarium.store.evaluation_rows import Record, digest_line
from hebbarium.store.kept_arrays import Arrays, Piece, unpack
from hebbarium.store.stored_json import RESULTS, anything, load, moment
from hebbarium.store.world_of_run import Named
from hebbarium.tools.errors import RunError


class Run:
    """What a run folder holds; reading never changes it and never disturbs the process that writes it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"

    def _repr_html_(self) -> str:
        """What Jupyter shows: the best ten rules, as far as they are known."""
        from hebbarium.show.pages import element, paragraph, table
        from hebbarium.show.pages.skeleton import notebook

        rows = [
            (row["rank"], element("code", row["rule"]), f"{row['median']:z.2f}", f"{row['eta_mean']:.3g}", row["count"])
            for row in (self.result("rules") or [])[:10]
        ]
        evaluations, lifetimes = self.totals()
        state = f"finished on {self.finished}" if self.finished else "not finished"
        return notebook(
            f"{self.kind} {self.configuration.get('task', '')}, {self.folder}",
            *([table(("rank", "rule", "median fitness", "eta", "instances"), rows, words=(1,))] if rows else []),
            paragraph(f"{evaluations:,} evaluations, {lifetimes:,} lifetimes; {state}."),
        )

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Run:
        """path: the run's folder, or the file in it. Everything stored is checked; raises RunError for damage."""
        folder = Path(path)
        if folder.name == schema.DATABASE:
            folder = folder.parent
        with opening.in_sentences(folder):
            there = (folder / schema.DATABASE).is_file()
        if not there:
            raise RunError(f"{folder} holds no run; `hebbarium runs` lists the runs there are.")
        run = Run(folder)
        run.check()
        return run

    @classmethod
    def finished_in(cls, folder: Path, kind: str, configuration: Mapping[str, Any]) -> Run | None:
        """The folder's run, if it is finished and has exactly these settings. It is only read then, so the folder need
        not be writable."""
        if not (folder / schema.DATABASE).is_file():
            return None
        run = cls.open(folder)
        return run if run.finished and run.kind == kind and are_same(run.configuration, configuration) else None

    def check(self) -> None:
        """Read everything, also while another process writes; raises RunError for damage."""
        with self._reading() as connection:
            checksums.check_alongside(connection)

    @property
    def kind(self) -> str:
        """The verb that wrote it: `evolve`, `atlas`, ..."""
        return str(self._about("kind"))

    @property
    def configuration(self) -> dict[str, Any]:
        """All settings, defaults included."""
        return dict(self._about("configuration"))

    @property
    def versions(self) -> dict[str, str]:
        """Of the packages it was started with."""
        return dict(self._about("versions"))

    @property
    def arithmetic(self) -> int:
        """Of its lives."""
        return int(self._about("arithmetic"))

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
        sessions = self._rows(schema.SESSIONS, " ORDER BY number DESC LIMIT 1")
        when = sessions[0][2] if sessions else self.created
        if not moment(when):
            with opening.in_sentences(self.folder):
                raise Damage("a session")
        return str(when)

    def evaluations(self, stage: str | None = None, run: int | None = None) -> list[Record]:
        """In the order of stage, run and number; all of them, or those of one stage or run."""
        rows = self._rows(schema.EVALUATIONS, *_where(stage=stage, run=run))
        return [self._record(row) for row in rows]

    def evaluation(self, stage: str, run: int, number: int) -> Record | None:
        """One of them, or None."""
        rows = self._rows(schema.EVALUATIONS, *_where(stage=stage, run=run, number=number))
        return self._record(rows[0]) if rows else None

    def names(self) -> list[tuple[str, int, int]]:
        """Stage, run and number of every evaluation."""
        with self._reading() as connection:
            return connection.execute("SELECT stage, run, number FROM evaluations").fetchall()

    def totals(self, stage: str | None = None) -> tuple[int, int]:
        """How many evaluations and lifetimes are stored."""
        where, values = _where(stage=stage)
        query = f"SELECT count(*), coalesce(sum(lifetimes), 0) FROM evaluations{where}"
        with self._reading() as connection:
            evaluations, lifetimes = connection.execute(query, values).fetchone()
        return int(evaluations), int(lifetimes)

    def best_evaluation(self, lifetimes: int = 1) -> Record | None:
        """The best so far among those with at least this many lifetimes; None before the first."""
        rows = self._rows(schema.EVALUATIONS, " WHERE lifetimes >= ? ORDER BY mean DESC LIMIT 1", [lifetimes])
        return self._record(rows[0]) if rows else None

    def table(self, what: str = "evaluations", world: Named | None = None) -> list[dict[str, Any]]:
        """`evaluations`, `lifetimes` or `rules` as flat rows (see `tables.py` for the columns).

        world: the run's, if it is your own and the run did not keep its names."""
        return tables.table(self, what, world)

    def frame(self, what: str = "evaluations", world: Named | None = None) -> Any:
        """The same as a data frame; polars or pandas, whichever is installed."""
        return tables.frame(self, what, world)

    def result(self, name: str) -> Any:
        """A result by name, or None."""
        rows = self._rows(schema.RESULTS, *_where(name=name))
        if not rows:
            return None
        with self._decoding(f"result {name}"):
            return load(rows[0][1], RESULTS.get(name, anything))

    def results(self) -> list[str]:
        """The names of the results stored."""
        return [row[0] for row in self._rows(schema.RESULTS)]

    def pieces(self) -> list[str]:
        """The names of the pieces of work stored."""
        with self._reading() as connection:
            return [name for (name,) in connection.execute("SELECT name FROM pieces")]

    def piece(self, name: str) -> tuple[Piece, Arrays] | None:
        """A piece of work by name: what was asked, and its arrays; or None."""
        rows = self._rows(schema.PIECES, *_where(name=name))
        if not rows:
            return None
        _, asked, described, data = rows[0]
        with self._decoding(f"piece {name}"):
            return Piece(name, asked), unpack(described, data)

    def digest(self, stage: str | None = None) -> str:
        """SHA-256 over every evaluation, which depends on neither threads nor interruptions (see `digest_line`)."""
        digest = hashlib.sha256()
        for row in self._rows(schema.EVALUATIONS, *_where(stage=stage)):
            digest.update(digest_line(row).encode())
        return digest.hexdigest()

    def _about(self, name: str) -> Any:
        rows = self._rows(schema.ABOUT, *_where(name=name))
        with opening.in_sentences(self.folder):
            if not rows:
                raise about.damage(name)
            return about.read(*rows[0])

    def _record(self, row: Row) -> Record:
        with self._decoding(label(schema.EVALUATIONS, row)):
            return Record.of_row(row)

    def _rows(self, table: schema.Table, where: str = "", values: Sequence[Any] = ()) -> list[Row]:
        """Raises RunError where one is not as it was written."""
        with self._reading() as connection:
            # All are read before any is checked, so that a process that wants to write does not wait for the checks.
            stored = connection.execute(table.select + where, values).fetchall()
            return [checksums.checked(table, row) for row in stored]

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with opening.in_sentences(self.folder), opening.reader(self.folder) as connection:
            yield connection

    @contextlib.contextmanager
    def _decoding(self, what: str) -> Iterator[None]:
        """Report rows whose checksum is right but whose content is not what we would write."""
        try:
            yield
        except (ValueError, TypeError, LookupError, OverflowError):
            with opening.in_sentences(self.folder):
                raise Damage(what) from None


def _where(**values: Any) -> tuple[str, list[Any]]:
    given = {name: value for name, value in values.items() if value is not None}
    conditions = " AND ".join(f"{name} = ?" for name in given)
    return (f" WHERE {conditions}" if given else ""), list(given.values())
