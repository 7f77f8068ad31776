"""Opening the file of a run folder. All that can be wrong with it is found here, and reported in one sentence.

Nothing is written through a link or outside the folder, neither by us nor by SQLite, which follows any journal that
it finds to undo what a killed process left half-written.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
import sqlite3
import time
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from hebbarium.store.checksums import Damage
from hebbarium.store.schema import APPLICATION, DATABASE, FOREIGN, FORMAT, JOURNAL, SCHEMA, TABLES, UNBORN
from hebbarium.tools.errors import RunError, shown
from hebbarium.tools.files import check_ours, not_ours, open_regular

_MAGIC = b"SQLite format 3\0"
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
WAIT_SECONDS = 20.0
"""How long to wait for another process that is reading or writing the file."""
UNINTERRUPTIBLE_SECONDS = 0.5
"""For how long SQLite itself may wait at a time: meanwhile no signal is heard."""


def connect(database: Path, mode: str) -> sqlite3.Connection:
    """mode: `ro`, `rw` or `rwc`. Transactions are begun and ended by us alone."""
    uri = f"{database.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=WAIT_SECONDS)
    # The file is not trusted: its schema may call no functions, and bytes that are not text are found by checksum.
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    return connection


def configure(connection: sqlite3.Connection) -> None:
    # A rollback journal, because write-ahead logs fail on network file systems. EXTRA also syncs the folder
    # after a commit, so that not even a power cut takes one back.
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = EXTRA")


_LOOK_EVERY = 10_000
"""Steps of SQLite's between two looks at whether a query takes too long."""


def limit(connection: sqlite3.Connection, size: int) -> None:
    """End queries that take more steps or processor time than the size of the file explains: reading a whole one takes
    less than one step per byte. Not by the clock, which runs on while a busy machine does something else."""
    most, end = (10_000_000 + 10 * size) // _LOOK_EVERY, time.thread_time() + 60 + size / 1_000_000
    looks = itertools.count(1)
    connection.set_progress_handler(lambda: next(looks) > most or time.thread_time() > end, _LOOK_EVERY)


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


@contextlib.contextmanager
def reader(folder: Path) -> Iterator[sqlite3.Connection]:
    """A connection that sees the run and cannot change it."""
    check_header(folder)
    settle(folder)
    database = folder / DATABASE
    with contextlib.closing(connect(database, "ro")) as connection:
        limit(connection, database.stat().st_size)
        check_format(connection, folder)
        yield connection


def writer(folder: Path) -> sqlite3.Connection:
    """A connection that may write."""
    database = folder / DATABASE
    check_ours(database)
    check_header(folder)
    check_journal(folder)
    connection = connect(database, "rw")
    try:
        limit(connection, database.stat().st_size)
        check_format(connection, folder)
        configure(connection)
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
        with contextlib.closing(connect(database, "rw")) as connection:
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


def error_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code, or 0."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


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
        if error_code(error) in _DAMAGED:
            raise RunError(_damaged(folder, str(error))) from error
        sentence = _SENTENCES.get(error_code(error), "its file cannot be used ({why})").format(why=error)
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
