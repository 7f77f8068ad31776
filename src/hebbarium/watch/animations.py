"""Animated GIFs and PNGs, written frame by frame: of each only what changed, and no two are ever in memory."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from PIL import GifImagePlugin, Image

COLOURS = 255
"""That images may have."""
CLEAR, OVER = 255, 1
"""Stands for a pixel that stays as it was, and lets a PNG draw it so."""


def write_gif(file: BinaryIO, images: Iterator[Image.Image], rate: int) -> None:
    """images: in mode P, all with the palette of the first; rate: in a second."""
    for number, (palette, (left, top), part) in enumerate(_changes(images)):
        if number == 0:
            rows, columns = part.shape
            file.write(b"GIF89a" + struct.pack("<HHBBB", columns, rows, 0xF7, 0, 0) + palette)
            file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")  # again and again
        shown = {"duration": 1000 // rate, "disposal": 1, "transparency": CLEAR}
        file.write(b"".join(GifImagePlugin.getdata(Image.fromarray(part), (left, top), **shown)))
    file.write(b";")


def write_apng(file: BinaryIO, images: Iterator[Image.Image], rate: int) -> None:
    """The same as an animated PNG, whose chunks are numbered."""
    chunks = frames = counted = 0
    file.write(b"\x89PNG\r\n\x1a\n")
    for palette, (left, top), part in _changes(images):
        rows, columns = part.shape
        if frames == 0:
            _chunk(file, b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0))
            _chunk(file, b"PLTE", palette)
            _chunk(file, b"tRNS", b"\xff" * CLEAR + b"\0")
            counted = file.tell()
            _chunk(file, b"acTL", struct.pack(">II", 0, 0))  # how many there are is known in the end
        _chunk(file, b"fcTL", struct.pack(">IIIIIHHBB", chunks, columns, rows, left, top, 1, rate, 0, OVER))
        if frames == 0:
            _chunk(file, b"IDAT", _packed(part))
        else:
            chunks += 1
            _chunk(file, b"fdAT", struct.pack(">I", chunks) + _packed(part))
        chunks += 1
        frames += 1
    _chunk(file, b"IEND", b"")
    file.seek(counted)
    _chunk(file, b"acTL", struct.pack(">II", frames, 0))


def _changes(images: Iterator[Image.Image]) -> Iterator[tuple[bytes, tuple[int, int], np.ndarray]]:
    """Of each image the palette, and where (left, top) and what it is that differs from the image before."""
    before: np.ndarray | None = None
    for image in images:
        now = np.asarray(image)
        palette = bytes(image.getpalette() or ()).ljust(3 * 256, b"\0")
        if before is None:
            yield palette, (0, 0), now
        else:
            rows, columns = _box(before != now)
            yield palette, (columns.start, rows.start), np.where(before == now, CLEAR, now)[rows, columns]
        before = now


def _box(changed: np.ndarray) -> tuple[slice, slice]:
    """Rows and columns with a change: at least one, as every frame needs a place. changed: bool [row, column]"""
    lines = (np.flatnonzero(changed.any(axis=axis)) for axis in (1, 0))
    rows, columns = (slice(int(some[0]), int(some[-1]) + 1) if len(some) else slice(0, 1) for some in lines)
    return rows, columns


def _packed(part: np.ndarray) -> bytes:
    """Rows as PNG has them, each after the number of its filter: none."""
    return zlib.compress(np.pad(part, ((0, 0), (1, 0))).tobytes(), 9)


def _chunk(file: BinaryIO, name: bytes, content: bytes) -> None:
    file.write(struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content)))
