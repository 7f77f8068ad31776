"""Mending a damaged run: what is whole is kept, and the damaged file put aside."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from hebbarium.store import about, checksums, opening, schema
from hebbarium.store.checksums import Damage
from hebbarium.store.lock import Lock
from hebbarium.store.salvage import Salvage, salvage
from hebbarium.store.schema import DAMAGED, DATABASE, EVALUATIONS, JOURNAL, PIECES, SESSIONS
from hebbarium.tools.errors import RunError


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
            with _put_aside(folder) as aside, schema.new_file(folder) as connection:
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
