"""Pieces of work that do something else than live; in a module that workers can import."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Endless:
    """A piece that only ends when nobody wants it any more, and leaves a file when it does."""

    left: Path

    like = "endless"

    def __len__(self) -> int:
        return 1

    def live(self, stop: threading.Event) -> None:
        while not stop.is_set():
            time.sleep(0.01)
        self.left.touch()


@dataclass(frozen=True)
class Short(Endless):
    def live(self, stop: threading.Event) -> str:
        return self.left.name


@dataclass(frozen=True)
class Deadly(Endless):
    """Kills its worker until it was tried often enough."""

    tries: int = 0

    def live(self, stop: threading.Event) -> int:
        before = len(list(self.left.glob("*")))
        if before < self.tries:
            (self.left / str(before)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return before
