"""What checksums cost: their share of a run's processor time (docs/store.md).

    python benchmarks/checksums.py                 an evolution, part of an atlas, two items of the paper

Every function that makes or verifies checksums of what is stored is timed from outside, with all it does besides:
`check` also reads the whole file. So the shares are upper bounds. What a start compiles would make them smaller: the
kernels are compiled before.
"""

from __future__ import annotations

import contextlib
import functools
import io
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hebbarium.cli import main as hebbarium
from hebbarium.life.batch import prepare
from hebbarium.store import checksums
from hebbarium.worlds.registry import make_world

FUNCTIONS = ("checksum", "total", "_reseal", "checked", "check")
COMMANDS = (
    "evolve foraging --runs 2 --seed 1",
    "atlas foraging --limit 300 --effort 0.2 --seed 1",
    "reproduce seasons validation --seed 1",
)


class Clock:
    """Processor time of this thread within some functions, each counted once where one calls another."""

    def __init__(self) -> None:
        self.seconds, self.calls, self._within = 0.0, 0, False

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*arguments: Any) -> Any:
            if self._within:
                return function(*arguments)
            self._within, start = True, time.thread_time()
            try:
                return function(*arguments)
            finally:
                self._within = False
                self.seconds += time.thread_time() - start
                self.calls += 1

        return timed


@contextlib.contextmanager
def watched() -> Iterator[Clock]:
    clock = Clock()
    with contextlib.ExitStack() as patches:
        for name in FUNCTIONS:
            patches.enter_context(patch.object(checksums, name, clock.around(getattr(checksums, name))))
        yield clock


def measure(command: str, out: Path) -> None:
    with watched() as clock, contextlib.redirect_stdout(io.StringIO()):
        start = time.process_time()
        code = hebbarium([*command.split(), "--quiet", "--out", str(out)])
        seconds = time.process_time() - start
    assert code == 0, command
    size = (out / "run.sqlite").stat().st_size / 1e6
    share = f"{1000 * clock.seconds:7.1f} ms {100 * clock.seconds / seconds:6.2f} %"
    print(f"{command:50} {seconds:7.1f} s {size:6.2f} MB {clock.calls:8,} {share}", flush=True)


def main() -> None:
    prepare(make_world("foraging"))
    print(f"{'command':50} {'processor':>9} {'stored':>9} {'calls':>8} {'checksums':>10} {'share':>8}")
    with tempfile.TemporaryDirectory(prefix="hebbarium-checksums-") as folder:
        for number, command in enumerate(COMMANDS):
            measure(command, Path(folder) / str(number))


if __name__ == "__main__":
    main()
