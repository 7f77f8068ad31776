"""Pieces of work whose results are arrays: a chunk of an atlas, a work of the reproduction."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hebbarium.store.stored_json import dump, each, load, named

Arrays = dict[str, np.ndarray]
Held = tuple[str, tuple[int, ...]]
"""What an array must be: numpy's letter for its kind (`i`, `f`, ...), and its shape."""

_PLAIN = re.compile(r"[<>|][biuf][1248]")
"""Types of arrays that are stored: truth values, whole numbers and floats, as numpy names them."""


@dataclass(frozen=True)
class Piece:
    """What is asked for: its name in the run, and everything that decides its arrays."""

    name: str
    asked: str
    """As JSON."""
    holds: Mapping[str, Held] | None = field(default=None, compare=False)
    """What its arrays must be, by name, if the caller says so; not stored."""

    @classmethod
    def of(cls, kind: str, asked: Mapping[str, Any]) -> Piece:
        """Named by what is asked, so that the same question finds it again.

        What is None is left out, so that a later version may ask for more without asking for something else.
        """
        given = {name: asked[name] for name in sorted(asked) if asked[name] is not None}
        text = dump({"kind": kind, **given})
        return cls(f"{kind}/{hashlib.sha256(text.encode()).hexdigest()[:16]}", text)

    def holding(self, **holds: Held) -> Piece:
        """The same, with what its arrays must be."""
        return replace(self, holds=holds)

    def fits(self, arrays: Arrays) -> bool:
        """Whether these can be its arrays; floats must be finite."""
        if self.holds is None:
            return True
        found = {name: (array.dtype.kind, array.shape) for name, array in arrays.items()}
        return found == self.holds and all(np.isfinite(array).all() for array in arrays.values())


def pack(arrays: Mapping[str, np.ndarray]) -> tuple[str, bytes]:
    """Types and shapes as JSON, and all values one after the other in C order."""
    for name, array in arrays.items():
        if not _PLAIN.fullmatch(array.dtype.str):
            raise TypeError(f"array {name!r} of {array.dtype} cannot be stored.")
    described = {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()}
    return dump(described), b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())


def unpack(described: str, data: bytes) -> Arrays:
    """What `pack` was given; raises ValueError where it cannot have been."""
    kinds = load(described, named(_is_described))
    sizes = [math.prod(shape) * np.dtype(kind).itemsize for kind, shape in kinds.values()]
    if len(data) != sum(sizes):
        raise ValueError(f"{len(data)} bytes of arrays, not {sum(sizes)}")
    ends = itertools.accumulate(sizes)
    return {
        name: np.frombuffer(data[end - size : end], kind).reshape(shape).copy()
        for (name, (kind, shape)), size, end in zip(kinds.items(), sizes, ends, strict=True)
    }


def _is_described(value: object) -> bool:
    """Type and shape of an array."""
    if not isinstance(value, list) or len(value) != 2:
        return False
    kind, shape = value
    is_shape = each(lambda length: type(length) is int and 0 <= length < 2**63)
    return isinstance(kind, str) and bool(_PLAIN.fullmatch(kind)) and is_shape(shape)
