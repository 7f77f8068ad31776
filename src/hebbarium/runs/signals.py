"""Ctrl-C and a polite kill: leave soon, with everything stored."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

POLITE = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Those that a system has are heeded."""


class Interrupted(KeyboardInterrupt):
    """Somebody asked us to leave."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.code = 128 + number
        """What a shell expects as exit code."""


class Stop:
    """Raises Interrupted where the main thread is, and remembers it for where that cannot be seen."""

    def __init__(self) -> None:
        self.number: int | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        raise Interrupted(number)

    def check(self) -> None:
        """A signal that came while foreign code was calling back would otherwise be lost with its exception."""
        if self.number is not None:
            raise Interrupted(self.number)


@contextlib.contextmanager
def stopped_by_signals() -> Iterator[Stop]:
    """Within the block signals raise Interrupted; outside the main thread nothing changes."""
    stop = Stop()
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
