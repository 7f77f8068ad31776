"""The fitness of every season of lives of any length, kept in a few bars."""

from __future__ import annotations

import numpy as np

ROOM = 64
KEPT = 1000
MIXED = -1
"""The kind of a bar that is the mean of several seasons."""


class Chronicle:
    """One bar for each season; when there is no more room, every two neighbours become one."""

    def __init__(self) -> None:
        self.size = 1
        """Seasons in a bar."""
        self.seasons = 0
        self.kinds: list[int] = []
        self.bars: list[np.ndarray] = []
        """Each float64 [lifetime]: the mean fitness of its seasons."""
        self.counts: list[np.ndarray] = []
        """Each int64 [lifetime, count]: of the first KEPT seasons."""
        self._waiting: list[np.ndarray] = []

    def add(self, kind: int, fitness: np.ndarray, counts: np.ndarray) -> None:
        """fitness: float64 [lifetime], counts: int64 [lifetime, count]"""
        self.seasons += 1
        if len(self.counts) < KEPT:
            self.counts.append(counts.copy())
        self._waiting.append(fitness)
        if len(self._waiting) < self.size:
            return
        self.bars.append(np.mean(self._waiting, axis=0))
        self.kinds.append(kind if self.size == 1 else MIXED)
        self._waiting = []
        if len(self.bars) == ROOM:
            self.bars = [(left + right) / 2 for left, right in zip(self.bars[::2], self.bars[1::2], strict=True)]
            self.kinds = [MIXED] * len(self.bars)
            self.size *= 2
