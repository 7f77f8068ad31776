"""What workers return is checked before it is believed: its form always, its bits for a sample."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hebbarium.executors import cluster_worker
from hebbarium.executors.base import Piece, arrays_in, digest_of

MOST = 2**53
"""No count of a life is as large."""


def wrong_with(pieces: Sequence[Piece], lived: Any) -> str | None:
    """What is wrong with the form of what came back for some pieces."""
    if not isinstance(lived, cluster_worker.Results) or not isinstance(lived.outcomes, list):
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
