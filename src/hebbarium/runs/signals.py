"""Ctrl-C and a polite kill: leave soon, with everything stored."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

POLITE = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Those that a system has are heeded."""
SHOW_CURSOR = "\x1b[?25h"
"""A live display hides it."""


class Interrupted(KeyboardInterrupt):
    """Somebody asked us to leave."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.code = 128 + number
        """What a shell expects as exit code."""


class Stop:
    """Raises Interrupted where the main thread is, and remembers it for where that cannot be seen."""

    def __init__(self, patience: float | None = None) -> None:
        self.number: int | None = None
        self._patience = patience

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        if self._patience is not None:
            _leave_after(self._patience, 128 + number)
        raise Interrupted(number)

    def check(self) -> None:
        """A signal that came while foreign code was calling back would otherwise be lost with its exception."""
        if self.number is not None:
            raise Interrupted(self.number)


def leave_at_once(code: int) -> NoReturn:
    """End the process without tidying up, which takes a busy machine a second."""
    if sys.stderr.isatty():
        sys.stderr.write(SHOW_CURSOR)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _leave_after(seconds: float, code: int) -> None:
    """Lives in flight notice a signal soon, but on a crowded machine soon may be late. The store can take it."""

    timer = threading.Timer(seconds, leave_at_once, [code])
    timer.daemon = True
    timer.start()


@contextlib.contextmanager
def stopped_by_signals(patience: float | None = None) -> Iterator[Stop]:
    """Within the block signals raise Interrupted; outside the main thread nothing changes.

    patience: the process ends after so many seconds at the latest, whatever is still going on in it.
    """
    stop = Stop(patience)
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    numbers = [getattr(signal, name) for name in POLITE if hasattr(signal, name)]
    # A signal that was being ignored stays so: nohup means it.
    before = {number: signal.getsignal(number) for number in numbers if signal.getsignal(number) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, stop)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
