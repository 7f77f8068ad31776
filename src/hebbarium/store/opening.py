"""Opening the file of a run folder. All that can be wrong with it is found here, and reported in one sentence.

Nothing is written through a link or outside the folder, neither by us nor by SQLite, which follows any journal that
it finds to undo what a killed process left half-written.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from hebbarium.store import schema
from hebbarium.store.checksums import Damage
from hebbarium.store.schema import APPLICATION, DATABASE, FOREIGN, FORMAT, JOURNAL, SCHEMA
from hebbarium.tools.errors import RunError, shown
from hebbarium.tools.files import check_ours, not_ours, open_regular

_MAGIC = b"SQLite format 3\0"
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")


@contextlib.contextmanager
def reader(folder: Path) -> Iterator[sqlite3.Connection]:
    """A connection that sees the run and cannot change it."""
    check_header(folder)
    settle(folder)
    database = folder / DATABASE
    with contextlib.closing(schema.connect(database, "ro")) as connection:
        schema.limit(connection, database.stat().st_size)
        check_format(connection, folder)
        yield connection


def writer(folder: Path) -> sqlite3.Connection:
    """A connection that may write."""
    database = folder / DATABASE
    check_ours(database)
    check_header(folder)
    check_journal(folder)
    connection = schema.connect(database, "rw")
    try:
        schema.limit(connection, database.stat().st_size)
        check_format(connection, folder)
        schema.configure(connection)
        check_integrity(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def check_header(folder: Path) -> None:
    """Check the first bytes before SQLite, which trusts them, opens the file."""
    database = folder / DATABASE
    for name in FOREIGN:
        if os.path.lexists(folder / name):
            raise RunError(f"{folder / name} was left by another program, and would change the run; remove it.")
    with open_regular(database) as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise Damage("file is not a database")
    if int.from_bytes(header[68:72], "big") != APPLICATION:
        raise RunError(f"{database} was not written by Hebbarium; choose another folder.")
    if header[18:20] != b"\1\1":
        raise RunError(f"{database} was set to write-ahead logging by another program; set its journal_mode to DELETE.")


def check_journal(folder: Path) -> None:
    """Refuse a journal that is a link, or that names a further file, which SQLite would remove. Ours never do."""
    journal = folder / JOURNAL
    check_ours(journal)
    # It may vanish at any moment: the process that writes ends each transaction by removing it.
    with contextlib.suppress(FileNotFoundError), journal.open("rb") as file:
        if file.seek(0, os.SEEK_END) > 8:
            file.seek(-8, os.SEEK_END)
        if file.read(8) == _JOURNAL_MAGIC:
            raise RunError(f"{journal} was not written by Hebbarium; remove it, or choose another folder.")


def settle(folder: Path) -> None:
    """Undo what a killed writer left half-written: a connection that may write does so when it first reads, a read-only
    one cannot. The journal of a writer that is still running is left alone."""
    database = folder / DATABASE
    if (folder / JOURNAL).exists() and not_ours(database.lstat()) is None and os.access(database, os.W_OK):
        check_journal(folder)
        with contextlib.closing(schema.connect(database, "rw")) as connection:
            connection.execute("PRAGMA user_version").fetchone()


def check_format(connection: sqlite3.Connection, folder: Path) -> None:
    """Refuse a file of another format, or with other than exactly our tables: a view in the place of one, or a trigger,
    could do anything."""
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found != FORMAT:
        raise RunError(
            f"{folder} was written by another version of Hebbarium (format {found}; this one reads format {FORMAT}): "
            "use that version, or choose another folder."
        )
    names = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    others = {name for name in names if not name.startswith("sqlite_")} - SCHEMA.keys()
    for name in [*others, *SCHEMA]:
        if not is_ours(connection, name, SCHEMA.get(name, "")):
            raise Damage(f"table {shown(name)} is not as Hebbarium makes it")


def check_integrity(connection: sqlite3.Connection) -> None:
    """Raise Damage if SQLite finds the file damaged. To be called before a write, which could spread the damage."""
    verdict = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    if verdict != "ok":
        raise Damage(verdict.splitlines()[-1])


def is_ours(connection: sqlite3.Connection, name: str, sql: str) -> bool:
    """Whether this is a table that was created by this very statement."""
    found = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchall()
    return [str(one).split() for (one,) in found] == [sql.split()]


_SENTENCES = {
    sqlite3.SQLITE_FULL: "the disk is full; everything stored so far is safe: make room, then rerun the same command",
    sqlite3.SQLITE_IOERR: "the disk cannot be read or written ({why}); everything stored so far is safe",
    sqlite3.SQLITE_READONLY: "the folder or its file cannot be written (read-only, moved or deleted)",
    sqlite3.SQLITE_CANTOPEN: "the folder or its file cannot be opened for writing (read-only, moved or deleted)",
    sqlite3.SQLITE_PERM: "the folder or its file cannot be opened (permission denied)",
    sqlite3.SQLITE_BUSY: "another program holds its file locked; close it, then rerun the same command",
    sqlite3.SQLITE_INTERRUPT: "reading its file takes longer than its size explains",
}
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)


@contextlib.contextmanager
def in_sentences(folder: Path) -> Iterator[None]:
    """Turn damage and errors of SQLite and the file system into a RunError of one sentence."""
    try:
        yield
    except Damage as damage:
        raise RunError(_damaged(folder, str(damage))) from damage
    except UnicodeError as error:  # in a schema that SQLite quotes
        raise RunError(_damaged(folder, "text that is not UTF-8")) from error
    except sqlite3.Error as error:
        if schema.error_code(error) in _DAMAGED:
            raise RunError(_damaged(folder, str(error))) from error
        sentence = _SENTENCES.get(schema.error_code(error), "its file cannot be used ({why})").format(why=error)
        raise RunError(f"{folder}: {sentence}.") from error
    except OSError as error:
        raise RunError(f"{folder} cannot be used: {(error.strerror or str(error)).lower()}.") from error


_BRIEF: ContextVar[bool] = ContextVar("brief", default=False)


@contextlib.contextmanager
def briefly() -> Iterator[None]:
    """Within the block the error for a damaged run names only the first problem, and not what can be saved."""
    token = _BRIEF.set(True)
    try:
        yield
    finally:
        _BRIEF.reset(token)


def _damaged(folder: Path, why: str) -> str:
    if _BRIEF.get():
        command = f"hebbarium runs --check {shlex.quote(str(folder))}"
        return f"{folder / DATABASE} is damaged: {why}; `{command}` says what can be saved."
    from hebbarium.store.repair import salvage

    return salvage(folder).sentence(why)
