"""A piece of work that only waits: what takes longer than it says is the engine's doing. Workers import it by name."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Waiting:
    seconds: float

    like = "waiting"

    def __len__(self) -> int:
        return 1

    def live(self, stop: threading.Event) -> None:
        threading.Event().wait(self.seconds)
