"""The way to a step that a page asked for, in short slices: between two of them orders are heard, and others live."""

from __future__ import annotations

import time

from hebbarium.watch.session import Session

SLICE = 0.1
"""Seconds of work at a time."""
FIRST = 1000
"""Steps of the first slice, before it is known how fast this life is."""


class Journey:
    def __init__(self, session: Session, to: int) -> None:
        self.session, self.to = session, to
        self._steps = FIRST

    @property
    def is_over(self) -> bool:
        return self.session.lived >= self.to or self.session.over

    @property
    def share(self) -> float:
        """Of the way that is behind it."""
        return self.session.lived / self.to

    def go_on(self) -> None:
        """One slice."""
        steps = min(self._steps, self.to - self.session.lived)
        start = time.perf_counter()
        self.session.advance(steps)
        seconds = max(time.perf_counter() - start, 1e-6)
        self._steps = int(min(8 * steps, max(1, SLICE / seconds * steps)))
