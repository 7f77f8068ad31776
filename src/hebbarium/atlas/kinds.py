"""How many kinds of hidden neurons a network has: neurons whose incoming weights agree to six digits are of one kind.

Neurons that become alike approach each other by a factor at every change, and end equal to the last bit. At a small
eta a life is too short for the last bits, though the neurons long do the same: by bits they would pass for different.
"""

from __future__ import annotations

import numpy as np

from hebbarium.lifetime import Batch
from hebbarium.networks import distinct_rows

DIGITS = 6


def kinds_of(hidden: np.ndarray) -> np.ndarray:
    """int64 [lifetime]. hidden: float64 [lifetime, post, pre]."""
    # Adding 0.0 turns -0.0 into 0.0, which is the same weight in other bits.
    return np.array([distinct_rows(np.round(weights, DIGITS) + 0.0) for weights in hidden], np.int64)


def kinds_now(batch: Batch) -> np.ndarray:
    """int64 [lifetime]: of a batch in progress."""
    return kinds_of(batch.brains.hidden.swapaxes(1, 2))
