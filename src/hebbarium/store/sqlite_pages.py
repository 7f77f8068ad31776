"""Rows straight from the pages of a SQLite file, however damaged the rest of it is.

SQLite finds rows by way of its header, its schema and the inner pages of a table; if one of them is damaged, it
reaches nothing behind it. Here every page is read by itself. Whether a row is what was written is decided by its
checksum. (The file format: https://www.sqlite.org/fileformat2.html)
"""

from __future__ import annotations

import os
import struct
import time
from collections import Counter
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import Any

LEAF, INNER = 0x0A, 0x02
"""First bytes of the pages of our tables, which have no row ids; inner pages hold rows as well."""
SIZES = tuple(1 << power for power in range(9, 17))
USUAL_SIZE = 4096
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Bytes of a whole number by its serial type."""
_MOST_VALUES = 20
"""Of a row; ours have fewer."""
_VISITS = 4
"""How often rows may claim the same further page: one that was deleted, or a copy, may claim it as well."""


class _File:
    """The bytes of a file, read only when needed: one with holes may claim to be larger than memory."""

    def __init__(self, file: FileIO) -> None:
        """file: unbuffered, because looking for holes moves its position."""
        self._file, self._size = file, os.fstat(file.fileno()).st_size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: slice) -> bytes:
        self._file.seek(place.start)
        return self._file.read(max(0, place.stop - place.start))

    def parts(self) -> Iterator[range]:
        """The parts that are not holes; the whole file if the system does not know them."""
        end = 0
        while end < self._size:
            try:
                start = os.lseek(self._file.fileno(), end, os.SEEK_DATA)
                end = os.lseek(self._file.fileno(), start, os.SEEK_HOLE)
            except OSError:  # nothing but a hole is left
                return
            except AttributeError:
                start, end = 0, self._size
            yield range(start, end)


def rows(path: Path) -> Iterator[tuple[Any, ...]]:
    """Everything that looks like a row on any page of the file. The work is bounded by the file's size and by time."""
    with path.open("rb", buffering=0) as file:
        data = _File(file)
        size = int.from_bytes(data[16:18], "big")
        pages = _Pages(data, size if size in SIZES else USUAL_SIZE)
        end = time.monotonic() + 10 + len(data) / 1_000_000
        for place in pages.places():
            if time.monotonic() > end:
                return
            try:
                yield tuple(_values(pages.payload(place)))
            except (LookupError, ValueError, struct.error):
                continue


class _Pages:
    def __init__(self, data: _File, size: int) -> None:
        self.data, self.size = data, size
        self.most = (size - 12) * 64 // 255 - 23
        """Bytes of a row that stay on its page."""
        self.least = (size - 12) * 32 // 255 - 23
        self._room = 0
        """Bytes that the rows of the current page may still claim on it. Damaged ones may claim any number."""
        self._visits: Counter[int] = Counter()
        """Of further pages, by all rows."""

    def places(self) -> Iterator[int]:
        """Where rows begin, on all pages."""
        for part in self.data.parts():
            for start in range(part.start // self.size * self.size, part.stop, self.size):
                yield from self.cells(start)

    def cells(self, start: int) -> Iterator[int]:
        """Where the rows of a page begin, each once."""
        self._room = _VISITS * self.size
        head = self.data[start : start + 12]
        if len(head) < 12 or head[0] not in (LEAF, INNER):
            return
        first, skipped = (8, 0) if head[0] == LEAF else (12, 4)
        count = min(int.from_bytes(head[3:5], "big"), self.size // 2)
        pointers = self.data[start + first : start + first + 2 * count]
        for (pointer,) in dict.fromkeys(struct.iter_unpack(">H", pointers[: len(pointers) // 2 * 2])):
            yield start + pointer + skipped

    def payload(self, place: int) -> bytes:
        """A row's bytes, those on further pages included."""
        length, used = _varint(self.data[place : place + 9], 0)
        place += used
        if length > len(self.data):
            raise ValueError("longer than the file")
        if length <= self.most:
            self._take(length)
            return self.data[place : place + length]
        local = self.least + (length - self.least) % (self.size - 4)
        local = local if local <= self.most else self.least
        self._take(local)
        parts, missing = [self.data[place : place + local]], length - local
        page = int.from_bytes(self.data[place + local : place + local + 4], "big")
        while missing > 0 and page > 0:
            if self._visits[page] == _VISITS:
                raise ValueError("a page of too many rows")
            self._visits[page] += 1
            start = (page - 1) * self.size
            parts.append(self.data[start + 4 : start + min(self.size, missing + 4)])
            missing -= self.size - 4
            page = int.from_bytes(self.data[start : start + 4], "big")
        return b"".join(parts)

    def _take(self, local: int) -> None:
        if local > self._room:
            raise ValueError("more than a page holds")
        self._room -= local


def _values(payload: bytes) -> Iterator[Any]:
    """The values of a row; raises if it cannot be one."""
    end, place = _varint(payload, 0)
    kinds = []
    while place < end:
        kind, place = _varint(payload, place)
        kinds.append(kind)
        if len(kinds) > _MOST_VALUES:
            raise ValueError("not a row of ours")
    for kind in kinds:
        length = _INTEGERS.get(kind, 8 if kind == 7 else max(0, kind - 12) // 2)
        part = payload[place : place + length]
        if len(part) < length:
            raise ValueError("cut short")
        place += length
        if kind in _INTEGERS:
            yield int.from_bytes(part, "big", signed=True)
        elif kind == 7:
            yield struct.unpack(">d", part)[0]
        elif kind >= 12:
            yield part.decode("utf-8") if kind % 2 else part
        else:
            yield {0: None, 8: 0, 9: 1}[kind]


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    number = 0
    for byte in data[place : place + 8]:
        number, place = (number << 7) | (byte & 0x7F), place + 1
        if byte < 0x80:
            return number, place
    return (number << 8) | data[place], place + 1
