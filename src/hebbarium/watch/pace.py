"""How fast a watched life goes on: so many steps for each frame, and ahead to a step that a page asked for."""

from __future__ import annotations

import time

from hebbarium.watch.session import Session

SLICE = 0.1
"""Seconds of work at a time."""
FIRST = 1000
"""Steps of the first slice, before it is known how fast this life is."""


class Pace:
    """How many steps to live before the next frame, so that frames come often and speed is as wished."""

    FRAME = 1 / 50
    BUSY = 0.016
    """Seconds to live between two frames at most: what is asked for meanwhile waits no longer."""

    def __init__(self) -> None:
        self.speed = 60.0
        """Steps a second; 0 for as many as possible."""
        self.measured = 0.0
        self._most, self._owed = 100, 0.0
        self._last = self._since = time.perf_counter()
        self._lived = 0

    def restart(self) -> None:
        """Time that has passed does not count."""
        self._owed = 1.0
        self._last = self._since = time.perf_counter()
        self._lived = 0

    def due(self) -> int:
        """Steps that are due now; 0 before it is time for a frame."""
        now = time.perf_counter()
        passed = now - self._last
        if passed < self.FRAME:
            return 0
        if self.speed == 0:
            self._last = now
            return self._most
        owed = min(self._owed + passed * self.speed, 1 + self.speed / 5)
        if owed < 1:
            return 0
        self._last = now
        steps = min(int(owed), self._most)
        self._owed = owed - steps
        return steps

    def wait(self) -> float:
        """Seconds until something may be due."""
        passed = time.perf_counter() - self._last
        step = 0.0 if self.speed == 0 else (1 - self._owed) / self.speed
        return max(self.FRAME, step) - passed

    def took(self, steps: int, seconds: float) -> None:
        """So many steps took so long to live."""
        self._most = int(min(8 * self._most, max(1, self.BUSY * steps / max(seconds, 1e-7))))
        now = time.perf_counter()
        self._lived += steps
        if now - self._since > 0.5:
            self.measured = self._lived / (now - self._since)
            self._lived, self._since = 0, now


class Journey:
    """The way to a step that a page asked for, in short slices: between two of them orders are heard, and others
    live."""

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
