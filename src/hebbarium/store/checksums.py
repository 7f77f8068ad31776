"""Rows with a checksum each, and a seal on each table: how many rows it has, and the sum of their checksums.

So a changed row is found by its checksum, and a lost one by the seal, which changes in the same transaction.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

from hebbarium.store.schema import ABOUT, TABLES, Table
from hebbarium.tools.errors import shown

SIZE = 16
"""Bytes of a checksum."""
_SLICE_SECONDS, _PAUSE_SECONDS = 0.25, 0.01
"""How long to read at a time where another process may want to write, and how long to let them."""
_ATTEMPTS = 3
Row = tuple[Any, ...]
"""The values of a table's columns, without the checksum."""


class Damage(Exception):
    """What is stored is not what was written; says what, in a few words."""


class Contradiction(Damage):
    """Intact rows that do not belong together. Reading while another process writes may give the same impression."""


def checksum(table: Table, row: Row) -> bytes:
    """BLAKE2b over the row as Python writes it, table included; of a last value of bytes over its length and itself."""
    *_, last = row
    data = last if isinstance(last, bytes) else b""
    # ascii(), because what repr() escapes depends on the version of Python.
    written = ascii((table.name, *row[:-1], len(data)) if data else (table.name, *row))
    return blake2b(written.encode("ascii") + data, digest_size=SIZE).digest()


def insert(connection: sqlite3.Connection, table: Table, rows: Sequence[Row]) -> None:
    """Raises sqlite3.IntegrityError where a name is taken."""
    checksums = [checksum(table, row) for row in rows]
    connection.executemany(table.insert, [(*row, sum_) for row, sum_ in zip(rows, checksums, strict=True)])
    _reseal(connection, table, checksums, 1)


def replace(connection: sqlite3.Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows in the place of those with the same names."""
    where = " WHERE " + " AND ".join(f"{name} = ?" for name in table.keys)
    for row in rows:
        _delete(connection, table, where, row[: table.key])
    insert(connection, table, rows)


def clear(connection: sqlite3.Connection, table: Table) -> None:
    _delete(connection, table, "", ())


def _delete(connection: sqlite3.Connection, table: Table, where: str, values: Row) -> None:
    gone = [sum_ for (sum_,) in connection.execute(f"SELECT checksum FROM {table.name}{where}", values)]
    connection.execute(f"DELETE FROM {table.name}{where}", values)
    _reseal(connection, table, gone, -1)


def _reseal(connection: sqlite3.Connection, table: Table, checksums: Sequence[bytes], sign: int) -> None:
    if checksums:
        rows, before = seal(connection, table)
        values = (rows + sign * len(checksums), total(checksums, sign, before), table.name)
        connection.execute("UPDATE seals SET rows = ?, total = ? WHERE name = ?", values)


def total(checksums: Iterable[bytes], sign: int = 1, before: bytes = bytes(SIZE)) -> bytes:
    """The sum of checksums, in which their order makes no difference."""
    number = sum(int.from_bytes(one, "big") for one in checksums)
    return ((int.from_bytes(before, "big") + sign * number) % (1 << 8 * SIZE)).to_bytes(SIZE, "big")


def seal(connection: sqlite3.Connection, table: Table) -> tuple[int, bytes]:
    """How many rows there should be, and the sum of their checksums."""
    found = connection.execute("SELECT rows, total FROM seals WHERE name = ?", (table.name,)).fetchone()
    if found is None or type(found[0]) is not int or type(found[1]) is not bytes:
        raise Damage(seal_label(table))
    rows, total = found
    return rows, total


def seal_label(table: Table) -> str:
    return f"the checksum of the table of {table.name}" if table is not ABOUT else "the checksum of the table about"


def checked(table: Table, stored: Row) -> Row:
    """A stored row without its checksum."""
    row = stored[:-1]
    if tuple(map(type, row)) not in table.row_kinds or checksum(table, row) != stored[-1]:
        raise Damage(label(table, row))
    return row


def label(table: Table, row: Row) -> str:
    """A row in a sentence."""
    # Escaped, because damaged text may hold anything.
    key = [shown(value).strip("'") for value in row[: table.key]]
    if table.name == "evaluations":
        return "{0} evaluation {2} of run {1}".format(*key)
    if table.name == "about":
        return f"the record '{key[0]}'"
    return f"{table.name.removesuffix('s')} {key[0]}"


def check_alongside(connection: sqlite3.Connection) -> None:
    """As `check`, but with pauses in which another process can write.

    What was read across a change may contradict itself, and is read again; after some attempts, without pauses."""
    for _ in range(_ATTEMPTS):
        before, problem = changes(connection), None
        try:
            check(connection, _SLICE_SECONDS)
        except Contradiction as found:
            problem = found
        if changes(connection) == before:
            if problem is not None:
                raise problem
            return
    connection.execute("BEGIN")
    try:
        check(connection)
    finally:
        connection.execute("ROLLBACK")


def changes(connection: sqlite3.Connection) -> int:
    """A number that differs once another process has changed the file."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


def check(connection: sqlite3.Connection, pause: float = math.inf) -> None:
    """Read everything; raises Damage at the first row that is not as it was written, or is missing.

    pause: seconds after which to let others write."""
    for table in TABLES:
        checksums, before = [], None
        for stored in _in_slices(connection, table, pause):
            key = checked(table, stored)[: table.key]
            # SQLite finds rows by their order, so a wrong one would hide some.
            if before is not None and not before < key:
                raise Contradiction(f"the order of the {table.name}")
            before = key
            checksums.append(stored[-1])
        rows, sealed = seal(connection, table)
        if (len(checksums), total(checksums)) != (rows, sealed):
            raise Contradiction(f"{table.name} ({len(checksums):,} of {rows:,} are there)")


def _in_slices(connection: sqlite3.Connection, table: Table, pause: float) -> Iterator[Row]:
    """All rows as they are stored, in the order of their key. The table is locked for about `pause` at a time."""
    further = f" WHERE ({', '.join(table.keys)}) > ({', '.join('?' * table.key)})"
    where = ""
    last: Row = ()
    while True:
        end = time.monotonic() + pause
        with contextlib.closing(connection.execute(table.select + where, last)) as cursor:
            for stored in cursor:
                yield stored
                if time.monotonic() > end:
                    where, last = further, stored[: table.key]
                    break
            else:
                return
        time.sleep(_PAUSE_SECONDS)
