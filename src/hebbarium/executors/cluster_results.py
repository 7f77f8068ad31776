"""What workers of a cluster return, and the checks before it is believed: its form always, its bits for a sample."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.executors.base import Piece

MOST = 2**53
"""No count of a life is as large."""


@dataclass(frozen=True)
class Results:
    """What became of some pieces."""

    outcomes: list[Any]
    digests: list[bytes]
    """Of each outcome, made as soon as it was lived."""
    seconds: float
    worker: str
    """Its address."""


def arrays_in(outcome: Any, name: str = "what was seen") -> list[tuple[str, Any]]:
    """All values in an outcome by name, however deep."""
    if dataclasses.is_dataclass(outcome):
        parts = {field.name: getattr(outcome, field.name) for field in dataclasses.fields(outcome)}
        return [pair for key, part in parts.items() if not isinstance(part, str) for pair in arrays_in(part, key)]
    if isinstance(outcome, Mapping):
        return [pair for key, part in outcome.items() for pair in arrays_in(part, str(key))]
    if isinstance(outcome, (list, tuple)):
        return [pair for part in outcome for pair in arrays_in(part, name)]
    return [(name, outcome)]


def digest_of(outcome: Any) -> bytes:
    """Of every bit of an outcome: two that differ have different ones."""
    hashed = hashlib.blake2b(digest_size=16)
    for name, value in arrays_in(outcome):
        if isinstance(value, np.ndarray):
            hashed.update(f"{name} {value.dtype.str} {value.shape};".encode() + value.tobytes())
        else:
            hashed.update(f"{name} {value!r};".encode())
    return hashed.digest()


def wrong_with(pieces: Sequence[Piece], lived: Any) -> str | None:
    """What is wrong with the form of what came back for some pieces."""
    if not isinstance(lived, Results) or not isinstance(lived.outcomes, list):
        return f"an answer that is no result ({type(lived).__name__})"
    seconds = lived.seconds
    if not isinstance(seconds, float) or not math.isfinite(seconds) or seconds < 0:
        return f"a time of {seconds!r} seconds"
    if len(lived.outcomes) != len(pieces):
        return f"{len(lived.outcomes)} outcomes for {len(pieces)} batches"
    for piece, outcome in zip(pieces, lived.outcomes, strict=True):
        shapes = getattr(piece, "shapes", None)
        found = None if shapes is None else _wrong_outcome(outcome, len(piece), shapes)
        if found is not None:
            return found
    if [digest_of(outcome) for outcome in lived.outcomes] != lived.digests:
        return "a result that was changed after it had been lived, in memory or on its way"
    return None


def _wrong_outcome(outcome: Any, rows: int, shapes: Mapping[str, tuple[int, ...]]) -> str | None:
    """shapes: of the arrays whose shape is known, by name; all others have a row per lifetime."""
    if not dataclasses.is_dataclass(outcome):
        return f"an outcome that is none ({type(outcome).__name__})"
    for name, shape in shapes.items():
        array = getattr(outcome, name, None)
        if not isinstance(array, np.ndarray) or array.shape != shape:
            return f"{name} of the wrong shape: {getattr(array, 'shape', array)!r}, not {shape}"
    counts = getattr(outcome, "counts", None)
    if not isinstance(counts, np.ndarray) or counts.dtype != np.int64:
        return f"counts that are no whole numbers ({getattr(counts, 'dtype', type(counts).__name__)})"
    if counts.size and not 0 <= counts.min() <= counts.max() < MOST:
        return f"counts from {counts.min()} to {counts.max()}"
    for name, array in arrays_in(outcome):
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf" or array.shape[:1] != (rows,):
            return f"{name} that is no array with {rows} rows"
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            return f"{name} with numbers that are not finite"
    return None
