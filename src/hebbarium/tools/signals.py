"""Ctrl-C and a polite kill: leave soon, with everything stored."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

Handler = Callable[[int, FrameType | None], object] | int | None

POLITE = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Signals that end a command, as far as the system has them."""
FOREIGN = ("importlib", "_frozen_importlib", "_frozen_importlib_external", "numba", "llvmlite")
"""Packages whose code may swallow an exception, or show it instead of raising it."""
FINALIZERS = ("weakref", "_weakrefset")
"""Modules from which objects are tidied away: Python prints an exception that is raised there, and ignores it."""
PATIENCE = 1.5
"""Seconds after Ctrl-C by which a command has ended, whatever it is doing and however busy the machine is."""
INTERRUPTED = "hebbarium: interrupted."
SHOW_CURSOR = "\x1b[?25h"
"""A live display hides it."""


class Interrupted(KeyboardInterrupt):
    """The process was asked to end."""

    def __init__(self, number: int) -> None:
        super().__init__(f"Interrupted ({signal.Signals(number).name})")
        self.code = 128 + number
        """What a shell expects as exit code."""


class Farewell:
    """What is said on leaving, once, by whichever comes first: the command, or the end of patience on a busy machine.

    more: what follows after `Interrupted (SIGINT)`; None for the usual line, and nothing is said where it is empty."""

    def __init__(self, more: str | None = None) -> None:
        self._more = more
        self._said = False
        self._saying = threading.RLock()  # a second signal may come while the main thread has it

    def say(self, number: int) -> None:
        """It is written when this returns, whichever thread writes it."""
        with self._saying:
            line = INTERRUPTED if self._more is None else f"{Interrupted(number)}{self._more}"
            if self._more != "" and not self._said:
                with contextlib.suppress(OSError):  # past Python's own streams, which may be in use just now
                    os.write(2, f"{line}\n".encode())
            self._said = True


class Stop:
    """Raises Interrupted where the main thread is, and remembers it for where that cannot be seen.

    patience: the process ends after so many seconds at the latest, whatever is still going on in it; at once where
    a module is being imported or a kernel compiled, which may swallow exceptions, and when asked a second time.
    A signal that finds an object being tidied away, where Python drops exceptions, is sent again a moment later.
    """

    def __init__(self, patience: float | None = None, farewell: Farewell | None = None) -> None:
        self.number: int | None = None
        self.farewell = farewell or Farewell()
        self._patience = patience

    def __call__(self, number: int, frame: FrameType | None) -> None:
        functions, modules = [], []  # that are being called
        while frame is not None:
            functions.append(frame.f_code.co_name)
            modules.append(str(frame.f_globals.get("__name__", "")))
            frame = frame.f_back
        if "__del__" in functions or not set(FINALIZERS).isdisjoint(modules):
            _after(0.01, lambda: os.kill(os.getpid(), number))
            return
        again, self.number = self.number is not None, number
        if self._patience is not None:
            if again or any(module.partition(".")[0] in FOREIGN for module in modules):
                self._leave(number)
            # Lives in flight notice a signal soon, but on a crowded machine soon may be late. The store can take it.
            _after(self._patience, lambda: self._leave(number))
        raise Interrupted(number)

    def _leave(self, number: int) -> NoReturn:
        self.farewell.say(number)
        leave_at_once(128 + number)

    def check(self) -> None:
        """A signal that came while foreign code was calling back would otherwise be lost with its exception."""
        if self.number is not None:
            raise Interrupted(self.number)


def leave_at_once(code: int) -> NoReturn:
    """End the process without tidying up, which takes a busy machine a second."""
    if sys.stderr.isatty():
        sys.stderr.write(SHOW_CURSOR)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            stream.flush()
    os._exit(code)


def _after(seconds: float, do: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, do)
    timer.daemon = True
    timer.start()


def heed(stop: Stop) -> dict[int, Handler]:
    """From now on signals call `stop`. Returns who handled them before."""
    numbers = [getattr(signal, name) for name in POLITE if hasattr(signal, name)]
    # A signal that was being ignored stays so: nohup means it.
    before = {number: signal.getsignal(number) for number in numbers if signal.getsignal(number) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, stop)
    return before


def present() -> Stop | None:
    """Who heeds signals now, if it is one of us."""
    handler = signal.getsignal(signal.SIGINT)
    return handler if isinstance(handler, Stop) else None


@contextlib.contextmanager
def stopped_by_signals(patience: float | None = None, more: str | None = None) -> Iterator[Stop]:
    """Within the block signals raise Interrupted; outside the main thread nothing changes. patience: see Stop.
    more: see Farewell; without it, that of the block around this one."""
    around = present()
    stop = Stop(patience, Farewell(more) if more is not None or around is None else around.farewell)
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = heed(stop)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
