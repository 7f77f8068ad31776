"""Arrays in .npz files. A file may come from elsewhere, so nothing in it is expanded before it is checked.

numpy's own reader trusts a file: it allocates what a header asks for, and fails in a dozen ways on a damaged one. Here
sizes, types and shapes are read from the zip directory and the headers first, and every problem becomes one sentence.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, BinaryIO, NamedTuple

import numpy as np

from hebbarium.tools.errors import BadInput
from hebbarium.tools.files import open_regular

MAGIC = b"\x93NUMPY\x01\x00"
HEADER = re.compile(
    rb"\{'descr': '([<>|=][fiuU][0-9]{1,9})', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\), \}\s*"
)
"""Exactly what numpy writes for plain arrays."""
EXPANSION, HARMLESS = 16, 16_000_000
"""A file may expand to EXPANSION times its own size, and always to HARMLESS bytes; our own expand a few times."""
CHUNK = 1 << 20


class Damaged(Exception):
    """What is wrong with a file, as the end of a sentence."""


class Declared(NamedTuple):
    """A member's header."""

    dtype: np.dtype
    shape: tuple[int, ...]
    fortran: bool
    start: int
    """Bytes of the header."""

    def __str__(self) -> str:
        return f"{self.dtype.name} {list(self.shape)}"

    @property
    def size(self) -> int:
        """Bytes of the array."""
        return math.prod(self.shape) * self.dtype.itemsize


def save_arrays(file: IO[bytes], **arrays: object) -> None:
    """An .npz file. numpy's own writer fails where the clock is wrong: a zip file knows no year after 2107."""
    with zipfile.ZipFile(file, "w") as members:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            member.compress_type = zipfile.ZIP_DEFLATED
            with members.open(member, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)


@contextlib.contextmanager
def reading(path: str | os.PathLike[str], what: str, by: str) -> Iterator[Arrays]:
    """The arrays in a file. Within the block, any problem with them becomes BadInput.

    what: the arrays are, such as "networks". by: the command that saves them.
    """
    path = os.fspath(path)
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as members:
            yield Arrays(file, members)
    except BadInput:
        raise
    except Damaged as error:
        raise BadInput(f"{path} does not hold {what} saved by {by}: {error}.") from None
    except OSError as error:
        raise BadInput(f"cannot read {what} from {path}: {error.strerror or error}.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, TypeError, OverflowError, RuntimeError):
        raise BadInput(f"{path} does not hold {what} saved by {by}.") from None


class Arrays:
    """The members of an .npz file by name."""

    def __init__(self, file: BinaryIO, members: zipfile.ZipFile) -> None:
        self._members = members
        size = os.fstat(file.fileno()).st_size
        whole = sum(member.file_size for member in members.infolist())
        if whole > max(EXPANSION * size, HARMLESS):
            raise Damaged(f"its {size:,} bytes would expand to {whole:,}")

    def names(self) -> list[str]:
        return [name.removesuffix(".npy") for name in self._members.namelist()]

    def declared(self, name: str) -> Declared:
        """The header of an array of any plain type, whose size has been checked against that of the member."""
        member = self._members.getinfo(f"{name}.npy")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Damaged(f"{name} is compressed in an unknown way")
        with self._members.open(member) as stream:
            if stream.read(len(MAGIC)) != MAGIC:
                raise Damaged("one of its members is not an array")
            length = int.from_bytes(stream.read(2), "little")
            found = HEADER.fullmatch(stream.read(length))
        if found is None:
            raise Damaged("one of its arrays holds neither plain numbers nor text")
        shape = tuple(int(number) for number in found[3].decode().replace(" ", "").split(",") if number)
        start = len(MAGIC) + 2 + length
        declared = Declared(np.dtype(found[1].decode()), shape, found[2] == b"True", start)
        if declared.start + declared.size != member.file_size:
            raise Damaged(f"{name} is {declared}, but has {member.file_size - declared.start:,} bytes")
        return declared

    def read(self, name: str) -> np.ndarray:
        """Call `declared` first, and look at what it says."""
        declared = self.declared(name)
        buffer = np.empty(declared.size, np.uint8)
        with self._members.open(f"{name}.npy") as stream:
            stream.read(declared.start)
            for start in range(0, declared.size, CHUNK):
                part = stream.read(CHUNK)
                buffer[start : start + CHUNK] = np.frombuffer(part, np.uint8)
            stream.read(1)  # the end of the member, where its checksum is compared
        array = buffer.view(declared.dtype).reshape(declared.shape, order="F" if declared.fortran else "C")
        return array.astype(declared.dtype.newbyteorder("="), copy=False)

    def number(self, name: str) -> int:
        """A whole number."""
        declared = self.declared(name)
        if declared.dtype.kind not in "iu" or declared.shape:
            raise Damaged(f"{name} is {declared}, but must be a whole number")
        return int(self.read(name))

    def text(self, name: str, longest: int) -> str:
        declared = self.declared(name)
        if declared.dtype.kind != "U" or declared.shape or declared.size > 4 * longest:
            raise Damaged(f"{name} is {declared}, but must be a text of at most {longest:,} characters")
        return str(self.read(name))

    def finite(self, name: str) -> np.ndarray:
        array = self.read(name)
        if not np.isfinite(array).all():
            raise Damaged(f"{name} holds infinite numbers or nan")
        return array
