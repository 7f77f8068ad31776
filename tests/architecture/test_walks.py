"""The walks in docs/architecture.md are those that commands take."""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from hebbarium.cli import main
from hebbarium.executors.threads import Threads
from hebbarium.life.batch import Batch

PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")
WALKS = {
    "live": "live foraging --rule foraging:1 --lifetimes 2 --season-steps 50",
    "evolve": "evolve foraging --search random --evaluations 4 --top 1 --rescore 1 --season-steps 50",
}
MOST_HOPS = {"live": 12, "evolve": 16}
"""From the command line to the kernel."""


def functions(frame: FrameType | None) -> list[str]:
    """Those of the package that led to a frame, the first one first."""
    found = []
    while frame is not None:
        module, _, name = frame.f_globals.get("__name__", "").partition("hebbarium.")
        if not module and name:
            found.append(f"{name}:{frame.f_code.co_qualname}")
        frame = frame.f_back
    return found[::-1]


@pytest.mark.parametrize("verb", WALKS)
def test_a_command_walks_as_the_page_says(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked: list[list[str]] = []
    lived: list[list[str]] = []
    run, advance = Threads.run, Batch.advance

    def noted_run(self: Threads, *given: Any) -> Any:
        asked.append(functions(sys._getframe().f_back))
        return run(self, *given)

    def noted_advance(self: Batch, steps: int) -> None:
        if threading.current_thread() is not threading.main_thread():  # not while kernels are prepared
            lived.append(functions(sys._getframe().f_back))
        advance(self, steps)

    monkeypatch.setattr(Threads, "run", noted_run)
    monkeypatch.setattr(Batch, "advance", noted_advance)
    assert main([*WALKS[verb].split(), "-q", "--json"]) == 0
    walk = [*asked[0], "executors.threads:Threads.run", *lived[0], "life.batch:Batch.advance"]
    found = re.search(rf"```{verb}walk\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    assert walk == found.group(1).split()
    assert len(walk) <= MOST_HOPS[verb]  # the last one calls the kernel
