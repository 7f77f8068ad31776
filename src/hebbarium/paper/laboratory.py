"""Doing the work and keeping it: what is stored is never done again."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.executors.base import Executor
from hebbarium.executors.threads import executor_of
from hebbarium.life.batch import prepare
from hebbarium.paper.items.base import Item, Scale
from hebbarium.paper.readings import TEXT
from hebbarium.paper.works import Arrays, Work
from hebbarium.store.ledger import Ledger
from hebbarium.store.store import Run, Writer
from hebbarium.tools.errors import RunError
from hebbarium.tools.progress import progress
from hebbarium.worlds.registry import make_world

KIND = "reproduce"
COST_HANDS, MOST_HANDS = 2, 10
"""Cores for which a work's cost is given, and how many a work keeps busy, as one is done after the other."""
MADE = "made"
"""The result that says whether all that was last asked for is there: some items may be all that is wanted."""


def begin(folder: Path, scale: Scale, seed: int, reading: str = TEXT) -> Writer:
    """Open the folder's run, or begin one."""
    return Writer.begin(folder, KIND, configuration(scale, seed, reading))


def finished(folder: Path, items: Iterable[Item], scale: Scale, seed: int, reading: str = TEXT) -> Run | None:
    """The run, where nothing is left to do."""
    run = Run.finished_in(folder, KIND, configuration(scale, seed, reading))
    return None if run is None or missing(run, items, scale, seed, reading) else run


def configuration(scale: Scale, seed: int, reading: str = TEXT) -> dict[str, Any]:
    """The text's reading is not named: it was the only one once."""
    return {"scale": scale.name, "seed": seed, **({} if reading == TEXT else {"reading": reading})}


def works_of(item: Item, scale: Scale, seed: int, reading: str = TEXT) -> dict[str, Work]:
    """What an item needs, lived under a reading; a work that has one of its own keeps it."""
    return {
        name: replace(work, reading=reading) if work.reading == TEXT else work
        for name, work in item.works(scale, seed).items()
    }


def missing(run: Run, items: Iterable[Item], scale: Scale, seed: int, reading: str = TEXT) -> list[Work]:
    """The works that are not stored yet, each once."""
    done = set(run.pieces())
    return [work for work in wanted(items, scale, seed, reading) if work.piece.name not in done]


def wanted(items: Iterable[Item], scale: Scale, seed: int, reading: str = TEXT) -> list[Work]:
    """The works that items need, in pieces, each once."""
    works = (work for item in items for work in works_of(item, scale, seed, reading).values())
    return list({one.piece: one for work in works for one in work.pieces()}.values())


def do(
    writer: Writer,
    works: Sequence[Work],
    executor: Executor | int | None = None,
    quiet: bool = False,
    whole: float | None = None,
) -> None:
    """Do each work and store it at once; a kill loses at most the one in hand.

    whole: the cost with the works that were stored before, where a reproduction is resumed."""
    if not works:
        return
    ledger = Ledger(writer)
    executor = executor_of(executor)
    total = sum(work.cost for work in works)
    for task in sorted({work.task for work in works}):
        prepare(make_world(task))
    seconds = total * COST_HANDS / min(executor.hands, MOST_HANDS)
    whole = total if whole is None else whole
    before = 100 * (1 - total / whole)
    with progress("reproducing", 100, "%", quiet=quiet, expected_seconds=seconds, done=before) as advance:
        for work in works:
            ledger.done(work.piece, functools.partial(work.do, executor))
            advance(100 * work.cost / whole, note=executor.words)


def results_of(run: Run, item: Item, scale: Scale, seed: int, reading: str = TEXT) -> dict[str, Arrays]:
    """The stored arrays of an item's works, pieces joined."""
    ledger = Ledger(run)
    return {name: _arrays(ledger, work) for name, work in works_of(item, scale, seed, reading).items()}


def _arrays(ledger: Ledger, work: Work) -> Arrays:
    parts = [ledger.piece(one.piece) or {} for one in work.pieces()]
    try:
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    except (LookupError, ValueError):
        raise RunError(f"the arrays of {work.piece.name} in {ledger.run.folder} do not fit together.") from None
