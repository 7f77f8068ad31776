"""Rows with a checksum each, and a seal on each table: how many rows it has, and the sum of their checksums.

So a changed row is told by its checksum, and a lost one by the seal, which changes in the same transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

from hebbarium.errors import shown
from hebbarium.runs.schema import TABLES, Table

SIZE = 16
"""Bytes of a checksum."""
Row = tuple[Any, ...]
"""The values of a table's columns, without the checksum."""


class Damage(Exception):
    """What is stored is not what was written: says what, in a few words."""


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
    """Those that are there by the same name go."""
    for row in rows:
        _delete(connection, table, f" WHERE {_key(table)}", row[: table.key])
    insert(connection, table, rows)


def clear(connection: sqlite3.Connection, table: Table) -> None:
    _delete(connection, table, "", ())


def _delete(connection: sqlite3.Connection, table: Table, where: str, values: Row) -> None:
    gone = [sum_ for (sum_,) in connection.execute(f"SELECT checksum FROM {table.name}{where}", values)]
    connection.execute(f"DELETE FROM {table.name}{where}", values)
    _reseal(connection, table, gone, -1)


def _key(table: Table) -> str:
    return " AND ".join(f"{name} = ?" for name in list(table.columns)[: table.key])


def _reseal(connection: sqlite3.Connection, table: Table, checksums: Sequence[bytes], sign: int) -> None:
    if checksums:
        rows, before = seal(connection, table)
        values = (rows + sign * len(checksums), total(checksums, sign, before), table.name)
        connection.execute("UPDATE seals SET rows = ?, total = ? WHERE name = ?", values)


def total(checksums: Iterable[bytes], sign: int = 1, before: bytes = bytes(SIZE)) -> bytes:
    """The sum of checksums, whatever their order."""
    number = sum(int.from_bytes(one, "big") for one in checksums)
    return ((int.from_bytes(before, "big") + sign * number) % (1 << 8 * SIZE)).to_bytes(SIZE, "big")


def seal(connection: sqlite3.Connection, table: Table) -> tuple[int, bytes]:
    """How many rows there should be, and the sum of their checksums."""
    found = connection.execute("SELECT rows, total FROM seals WHERE name = ?", (table.name,)).fetchone()
    if found is None or type(found[0]) is not int or type(found[1]) is not bytes:
        raise Damage(f"the seal of the {table.name}")
    rows, total = found
    return rows, total


def read(connection: sqlite3.Connection, table: Table, where: str = "", values: Sequence[Any] = ()) -> Iterator[Row]:
    """Rows in the order of their key, each as it was written; raises Damage at the first that is not."""
    for row in connection.execute(table.select + where, values):
        yield checked(table, row)


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
    return f"{table.name.removesuffix('s')} {key[0]}"


def check(connection: sqlite3.Connection) -> None:
    """Read everything; raises Damage at the first row that is not as it was written, or is not there."""
    for table in TABLES:
        check_table(connection, table)


def check_table(connection: sqlite3.Connection, table: Table) -> None:
    checksums, before = [], None
    for stored in connection.execute(table.select):
        key = checked(table, stored)[: table.key]
        # Rows are looked up by their order, so it must be one.
        if before is not None and not before < key:
            raise Damage(f"the order of the {table.name}")
        before = key
        checksums.append(stored[-1])
    rows, sealed = seal(connection, table)
    if (len(checksums), total(checksums)) != (rows, sealed):
        raise Damage(f"{table.name} ({len(checksums):,} of {rows:,} are there)")
