"""Saved networks and atlases, damaged at random or crafted: refused with a sentence, or read as they were."""

from __future__ import annotations

import dataclasses
import io
import json
import random
import resource
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import hebbarium as hb
from attacks.base import Tally, TooLong, timed

MEMORY = 400_000
"""Kilobytes that reading a small file may take at most."""
Members = dict[str, bytes]


def attack(count: int, seed: int, bomb: int = 1_500_000_000) -> Tally:
    """count: files damaged at random, half of them networks. bomb: bytes to which a small file expands."""
    tally, rng = Tally("crafted .npz"), random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.npz"
        for whole, load in ((networks(), hb.Networks.load), (atlas(), hb.Atlas.load)):
            path.write_bytes(whole)
            right = contents(load(path))
            for _ in range(count // 2):
                _try(tally, path, damaged(whole, rng), load, right)
            for what, crafted in crafts(whole, bomb):
                _try(tally, path, crafted, load, None, what)
    return tally


def _try(
    tally: Tally, path: Path, data: bytes, load: Callable[[Path], Any], right: bytes | None, what: str = "damaged"
) -> None:
    """right: what may be read from it; None where nothing may."""
    path.write_bytes(data)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with timed(tally):
            read = load(path)
    except hb.BadInput as error:
        tally.outcomes["refused"] += 1
        if str(error).count("\n") or not str(error).endswith("."):
            tally.problem(what, f"no sentence: {error}")
    except (Exception, TooLong) as error:
        tally.problem(what, repr(error))
    else:
        if right is None or contents(read) != right:
            tally.problem(what, f"was read by {load}")
        else:
            tally.outcomes["read as it was"] += 1
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    if taken > MEMORY:
        tally.problem(what, f"took {taken:,} kB")


def contents(read: Any) -> bytes:
    """Everything in it, to compare."""
    values = [getattr(read, field.name) for field in dataclasses.fields(read)]
    return repr([value.tobytes() if isinstance(value, np.ndarray) else value for value in values]).encode()


def networks() -> bytes:
    """Of two agents that forage."""
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.npz"
        hb.Networks("foraging", rng.normal(size=(2, 20, 7)), rng.normal(size=(2, 3, 21))).save(path)
        return path.read_bytes()


def atlas() -> bytes:
    """The first rules of the one that comes with the package, so that each attack is quick."""
    whole = hb.Atlas.of("foraging")
    columns = {field.name: getattr(whole, field.name) for field in dataclasses.fields(whole)}
    few = {name: column[:30] for name, column in columns.items() if isinstance(column, np.ndarray)}
    return dataclasses.replace(whole, **few).to_bytes()


def damaged(whole: bytes, rng: random.Random) -> bytes:
    """Some bits flipped, a piece cut off, overwritten, moved or doubled. Half of it where the directory is."""
    data = bytearray(whole)
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        place = rng.randrange(len(data)) if rng.random() < 0.5 else max(0, len(data) - 1 - rng.randrange(2000))
        length = rng.randrange(1, 40)
        match rng.randrange(6):
            case 0 | 1:
                data[place] ^= 1 << rng.randrange(8)
            case 2:
                del data[place:]
            case 3:
                data[place : place + length] = rng.randbytes(length)
            case 4:
                data[place : place + length] = b"\xff" * length
            case 5:
                data[place:place] = data[place : place + length]
        if not data:
            break
    return bytes(data)


def crafts(whole: bytes, bomb: int) -> Iterator[tuple[str, bytes]]:
    """What nobody's accident would make. Each must be refused."""
    members = unpacked(whole)
    array = "hidden" if "hidden" in members else "mean"
    for name in members:
        yield f"without {name}", packed({other: data for other, data in members.items() if other != name})
        for what, data in odd_members(members[name]):
            yield f"{name} {what}", packed(members | {name: data})
    yield from _crafted_values(members, array)
    yield from _crafted_zips(members, array, bomb)


def odd_members(right: bytes) -> Iterator[tuple[str, bytes]]:
    """Arrays of a wrong type or shape, and headers that are none."""
    for descr in ("<f4", "<c16", "|O", "|S8", "<M8[s]", "|V8", "<f2", "|b1", "<U100000000", "<f8junk", "", "é"):
        yield f"of type {descr}", npy(f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (1,), }}", bytes(8))
    for shape in (
        "(-1,)",
        "(10**9,)",
        f"({'9' * 4000},)",
        "(1, 'a')",
        "None",
        "(1.5,)",
        f"({'1, ' * 40})",
        "(0,)",
        "(7,)",
    ):
        yield f"of shape {shape}"[:40], npy(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}", bytes(8))
    for header in ("", "{", "((((", "'" * 50, "[" * 5000, "{'descr': __import__('os').abort()}", "\0" * 100, "{}"):
        yield f"with header {header}"[:40], npy(header, bytes(8))
    yield "cut off", right[:-1]
    yield "with more", right + b"\0"
    yield "empty", b""
    yield "of a later format", b"\x93NUMPY\x09\x00" + right[8:]


def npy(header: str, data: bytes) -> bytes:
    text = header.encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


BEYOND = [(name, bad) for name in ("eta", "eta_low", "eta_high") for bad in (-1.0, 1.0, 5.0, 1e300, -np.inf)]
BEYOND += [(name, bad) for name in ("distinct", "kinds", "survey_distinct", "sem") for bad in (-1.0, 3e38)]
BEYOND += [("mean", 1e308), ("mean", -1e308), ("survey_mean", 3e38), ("lifetimes", 0), ("lifetimes", -5)]
BEYOND += [("rank_first", 0), ("rank_first", 32767), ("rank_last", 0), ("rank_last", -5), ("rank_last", 32767)]
"""What no figure of an atlas can be: read, it ended in an internal error, or was shown."""


def _crafted_values(members: Members, array: str) -> Iterator[tuple[str, bytes]]:
    values = np.load(io.BytesIO(members[array]))
    for bad in (np.nan, np.inf, -np.inf):
        worse = values.copy()
        worse.flat[-1] = bad
        yield f"{array} with {bad}", packed(members | {array: saved(worse)})
    yield f"{array} reversed", packed(members | {array: saved(values.T[..., None])})
    for name, bad in BEYOND:
        if name in members:
            worse = np.load(io.BytesIO(members[name]))
            worse[3] = bad
            yield f"{name} with {bad}", packed(members | {name: saved(worse)})
    if "about" in members:
        about = json.loads(str(np.load(io.BytesIO(members["about"]))))
        for name, bad in _bad_abouts(about):
            yield f"about {name}", packed(members | {"about": saved(np.array(bad))})


def _bad_abouts(about: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in ("task", "hidden", "seed", "etas", "world", "lifetimes", "digest", "format"):
        for bad in (None, True, -1.5, [], {}, ["x"]):
            if not (name == "world" and bad == {}):
                yield f"with {name} {bad}", json.dumps(about | {name: bad})
    odd = [("task", "\x1b[2J"), ("task", "x" * 90_000), ("task", ""), ("digest", "a\nb"), ("etas", about["etas"][::-1])]
    odd += [("world", {"season_steps": bad}) for bad in ([1], {"a": 1}, None)]
    for name, bad in odd:
        yield f"with {name} {str(bad)[:20]!r}", json.dumps(about | {name: bad})
    for text in ("", "[]", "null", "[" * 20_000, '{"format": ' + "9" * 5000 + "}", "{}", "nan", '{"format": 1e999}'):
        yield f"that is {text[:20]}", text


def _crafted_zips(members: Members, array: str, bomb: int) -> Iterator[tuple[str, bytes]]:
    """A member that expands, or says it does, or is encrypted, or compressed in another way."""
    yield "a bomb", packed_raw(members, array, *_zeros(bomb))
    yield "a bomb that says it is small", packed_raw(members, array, _zeros(bomb)[0], 128 + 8, 0)
    yield "a promise", packed_raw(members, array, zlib.compress(members[array])[2:-4], 1 << 31, 0)
    yield "no deflated data", packed_raw(members, array, b"\xff" * 500, len(members[array]), zlib.crc32(members[array]))
    whole = packed(members)
    start = whole.index(b"PK\x01\x02")
    for offset, value, what in (
        (8, 1, "encrypted"),
        (8, 0x20, "patched"),
        (10, 99, "compressed by 99"),
        (10, 12, "bz2"),
    ):
        yield what, whole[: start + offset] + struct.pack("<H", value) + whole[start + offset + 2 :]
    yield "no zip", b"PK\x03\x04" + b"\0" * 1000
    yield "nothing", b""
    yield "an array alone", members[array]


def _zeros(size: int) -> tuple[bytes, int, int]:
    """An array of zeros as deflated data, with its size and its checksum."""
    head = npy(f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({size // 8}, 1, 1), }}", b"")
    packer, check, parts = zlib.compressobj(1, zlib.DEFLATED, -15), zlib.crc32(head), []
    parts.append(packer.compress(head))
    chunk = bytes(1 << 24)
    for start in range(0, size // 8 * 8, len(chunk)):
        part = chunk[: size // 8 * 8 - start]
        check = zlib.crc32(part, check)
        parts.append(packer.compress(part))
    return b"".join([*parts, packer.flush()]), len(head) + size // 8 * 8, check


def unpacked(whole: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(whole)) as file:
        return {name.removesuffix(".npy"): file.read(name) for name in file.namelist()}


def packed(members: Members) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(f"{name}.npy", data)
    return buffer.getvalue()


def packed_raw(members: Members, name: str, deflated: bytes, size: int, check: int) -> bytes:
    """With one member of the given deflated data, size and checksum, true or not."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as file:
        for other, data in members.items():
            file.writestr(f"{other}.npy", deflated if other == name else data)
        member = file.getinfo(f"{name}.npy")
        member.compress_type, member.file_size, member.CRC = zipfile.ZIP_DEFLATED, size, check
    data = bytearray(buffer.getvalue())
    # What stands before the data must say the same as the directory, which was written last.
    struct.pack_into("<HHHIII", data, member.header_offset + 8, 8, 0, 0, check, len(deflated), size)
    return bytes(data)


def saved(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()
