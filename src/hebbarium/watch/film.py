"""A life as moving pictures, drawn in Python: the world, the agent with its trail, and what it has done so far."""

from __future__ import annotations

import itertools
import math
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from PIL import GifImagePlugin, Image, ImageColor, ImageDraw, ImageFont

from hebbarium.show.pages.colours import light, season_colour
from hebbarium.tools.errors import BadInput
from hebbarium.watch.session import Session
from hebbarium.worlds.base import World

SIDE, FOOT = 600, 94
"""Pixels of the longer side of the world, and of the words below it."""
TRAIL = "#b8a4f5"
SHADES = 32
"""From the page's colour to that of letters, whose edges are between."""


def painted(session: Session) -> Image.Image:
    """One frame: the world with the agent and its trail, and three lines of words and a legend below it."""
    world, picture = session.world, session.batch.picture()
    rows, columns = picture.cells.shape
    size = SIDE / max(rows, columns)
    image = Image.new("RGB", (_even(columns * size), _even(rows * size) + FOOT), light("page"))
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, columns * size, rows * size), fill=light(season_colour(session.kind)))
    for row, column in zip(*picture.cells.nonzero(), strict=True):
        thing = world.legend[picture.cells[row, column]]
        if thing.colour:
            box = (column * size, row * size, (column + 1) * size, (row + 1) * size)
            (pen.rectangle if "wall" in thing.name else pen.ellipse)(box, fill=thing.colour)
    for (r0, c0), (r1, c1) in itertools.pairwise(session.trail):
        if abs(r0 - r1) + abs(c0 - c1) <= 2:
            line = ((c0 + 0.5) * size, (r0 + 0.5) * size, (c1 + 0.5) * size, (r1 + 0.5) * size)
            pen.line(line, fill=TRAIL, width=2)
    if picture.agent is not None:
        row, column = picture.agent
        _agent(pen, (column + 0.5) * size, (row + 0.5) * size, picture.direction, max(size * 0.5, 8.0))
    counted = ", ".join(
        f"{name} {number}" for name, number in zip(world.counts, session.counts[0].tolist(), strict=True)
    )
    season = session.chronicle.seasons + (not session.over)
    lines = (
        f"{world.name}, rule {session.rule.text}",
        f"step {session.lived:,}, season {season} ({world.kinds[session.kind]}): {counted}",
        f"fitness {session.fitness()[0] + 0.0:g}",
    )
    font = ImageFont.load_default(15)
    for place, words in enumerate(lines):
        pen.text((8, rows * size + 6 + 21 * place), words, fill=light("ink"), font=font)
    _legend(pen, session, rows * size + 6 + 21 * len(lines), font)
    return image


def _even(length: float) -> int:
    """Films want even sides."""
    return 2 * math.ceil(length / 2)


def _legend(pen: ImageDraw.ImageDraw, session: Session, top: float, font: Any) -> None:
    """What is what, and what it means in this season."""
    x, entries = 16.0, [(thing.name, thing.colour) for thing in session.world.legend if thing.colour]
    if session.batch.picture().agent is not None:
        _agent(pen, x, top + 10, 0, 7.0)
        entries.insert(0, ("agent", ""))
    for name, colour in entries:
        if colour:
            shape = pen.rectangle if "wall" in name else pen.ellipse
            shape((x - 5, top + 5, x + 5, top + 15), fill=colour, outline=light("grey"))
        meanings = session.world.meanings.get(name)
        words = f"{name}: {meanings[session.kind]}" if meanings else name
        pen.text((x + 10, top), words, fill=light("ink"), font=font)
        x += 36 + pen.textlength(words, font=font)


def _agent(pen: ImageDraw.ImageDraw, x: float, y: float, direction: int | None, reach: float) -> None:
    if direction is None:
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=light("accent"))
        return
    turned = direction * math.pi / 2
    points = [(0.0, -1.0), (0.8, 0.8), (0.0, 0.4), (-0.8, 0.8)]
    cos, sin = math.cos(turned), math.sin(turned)
    corners = [(x + reach * (a * cos - b * sin), y + reach * (a * sin + b * cos)) for a, b in points]
    pen.polygon(corners, fill=light("accent"), outline=light("page"))


def save_film(path: Path, images: Iterator[Image.Image], rate: int, palette: Image.Image) -> None:
    """As the file's ending says, one image after another: they are never all in memory."""
    ending = path.suffix.lower()
    if ending == ".mp4":
        _save_mp4(path, images, rate)
        return
    write = {".gif": write_gif, ".apng": write_apng}[ending]
    with path.open("wb") as file:
        write(file, (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images), rate)


def palette_of(world: World) -> Image.Image:
    """All colours that a film of the world has, the shades of its letters among them."""
    ground = [light(name) for name in ("page", "accent", "grey")] + [light(season_colour(kind)) for kind in range(2)]
    known = [*ground, TRAIL, *(thing.colour for thing in world.legend if thing.colour)][: COLOURS - SHADES]
    page, ink = (np.array(ImageColor.getrgb(light(name))) for name in ("page", "ink"))
    letters = [page + (ink - page) * share for share in np.linspace(0, 1, SHADES)]
    colours = [*(ImageColor.getrgb(colour)[:3] for colour in known), *letters]
    palette = Image.new("P", (1, 1))
    palette.putpalette([round(float(channel)) for colour in colours for channel in colour])
    return palette


def _save_mp4(path: Path, images: Iterator[Image.Image], rate: int) -> None:
    try:
        import imageio_ffmpeg
    except ImportError:
        raise BadInput("an .mp4 needs ffmpeg: pip install 'hebbarium[video]', or write a .gif.") from None
    first = next(images)
    writer = imageio_ffmpeg.write_frames(path, first.size, fps=rate, macro_block_size=2)
    writer.send(None)
    try:
        for image in itertools.chain([first], images):
            writer.send(image.tobytes())
    finally:
        writer.close()


# Animated GIFs and PNGs, written frame by frame: of each only what changed, and no two are ever in memory.

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
