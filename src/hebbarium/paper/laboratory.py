"""Doing the work and keeping it: what is stored is never done again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.lifetime import prepare
from hebbarium.paper.items.base import Item, Scale
from hebbarium.paper.works import Arrays, Work
from hebbarium.progress import progress
from hebbarium.runs.schema import DATABASE
from hebbarium.runs.store import Run, Writer
from hebbarium.tasks.registry import make_task

KIND = "reproduce"
MADE = "made"
"""The result that says whether all that was last asked for is there: some items may be all that is wanted."""


def begin(folder: Path, scale: Scale, seed: int) -> Writer:
    """Open the folder's run, or begin one."""
    return Writer.begin(folder, KIND, configuration(scale, seed))


def finished(folder: Path, items: Iterable[Item], scale: Scale, seed: int) -> Run | None:
    """The run, where nothing is left to do: reading is enough then, whoever wrote it."""
    if not (folder / DATABASE).is_file():
        return None
    run = Run.open(folder)
    same = run.kind == KIND and run.configuration == configuration(scale, seed)
    return run if same and run.finished and not missing(run, items, scale, seed) else None


def configuration(scale: Scale, seed: int) -> dict[str, Any]:
    return {"scale": scale.name, "seed": seed}


def missing(run: Run, items: Iterable[Item], scale: Scale, seed: int) -> list[Work]:
    """The pieces of work that are not stored yet, each once."""
    pieces = {
        piece.name: piece for item in items for work in item.works(scale, seed).values() for piece in work.pieces()
    }
    done = set(run.results())
    return [piece for name, piece in pieces.items() if name not in done]


def do(writer: Writer, pieces: Sequence[Work], threads: int | None = None, quiet: bool = False) -> None:
    """Do each piece and store it at once; a kill loses at most the piece in hand."""
    if not pieces:
        return
    total = sum(piece.cost for piece in pieces)
    for task in sorted({piece.task for piece in pieces}):
        prepare(make_task(task))
    with progress("reproducing", 100, "%", quiet=quiet, expected_seconds=total) as advance:
        for piece in pieces:
            arrays = piece.do(threads)
            writer.save(
                results={piece.name: sorted(arrays)},
                arrays={f"{piece.name}#{name}": array for name, array in arrays.items()},
            )
            advance(100 * piece.cost / total)


def results_of(run: Run, item: Item, scale: Scale, seed: int) -> dict[str, Arrays]:
    """The stored arrays of an item's works, pieces joined."""
    return {name: _arrays(run, work) for name, work in item.works(scale, seed).items()}


def _arrays(run: Run, work: Work) -> Arrays:
    pieces = work.pieces()
    names = run.result(pieces[0].name)
    return {name: np.concatenate([_array(run, piece, name) for piece in pieces]) for name in names}


def _array(run: Run, piece: Work, name: str) -> np.ndarray:
    array = run.array(f"{piece.name}#{name}")
    assert array is not None, piece.name
    return array
