"""`hebbarium reproduce` in Python: run what is missing, compare, write the report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hebbarium.executors.base import Executor
from hebbarium.executors.threads import executor_of
from hebbarium.paper import laboratory, report
from hebbarium.paper.items import items_of
from hebbarium.paper.items.base import SCALES, Item, Scale, Section
from hebbarium.paper.readings import TEXT, reading_of
from hebbarium.paper.report import Reproduction
from hebbarium.paper.verdict import Comparison, leave_searches, mind_the_order
from hebbarium.store.store import Run
from hebbarium.tools.errors import check_choice, check_seed


@dataclass(frozen=True)
class Reproduced:
    """What came of it."""

    page: Path
    comparisons: Sequence[Comparison]
    done: int
    """Pieces of work that were done now; none where everything was there."""
    scale: Scale


def reproduce(
    *items: str,
    scale: str = "quick",
    out: str | os.PathLike[str] | None = None,
    seed: int = 1,
    reading: str = TEXT,
    threads: Executor | int | None = None,
    quiet: bool = True,
) -> Reproduced:
    """Make the paper's tables and figures again, all of them or those named.

    Goes on where it was stopped: what `out` holds already is not run again.
    reading: how to read what the paper leaves open; each reading has a folder of its own.
    """
    check_choice("scale", scale, tuple(SCALES))
    seed = check_seed(seed)
    reading_of(reading)
    name = f"reproduce-{scale}-{seed}" + ("" if reading == TEXT else f"-{reading}")
    folder = Path(out) if out is not None else Path("runs") / name
    return reproduce_at(SCALES[scale], items, folder, seed, executor_of(threads), quiet, reading)


def reproduce_at(
    scale: Scale,
    items: Sequence[str],
    folder: Path,
    seed: int = 1,
    threads: Executor | int | None = None,
    quiet: bool = True,
    reading: str = TEXT,
) -> Reproduced:
    """The same at any scale."""
    chosen = items_of(items, reading)
    run = laboratory.finished(folder, chosen, scale, seed, reading)
    if run is not None:
        result = Reproduction(scale, seed, sections_of(run, chosen, scale, seed, reading), reading)
        return Reproduced(report.write(folder, result), result.comparisons, 0, scale)
    with laboratory.begin(folder, scale, seed, reading) as writer:
        pieces = laboratory.missing(writer, chosen, scale, seed, reading)
        writer.save(results={laboratory.MADE: False})
        whole = sum(work.cost for work in laboratory.wanted(chosen, scale, seed, reading))
        laboratory.do(writer, pieces, threads, quiet, whole)
        writer.save(results={laboratory.MADE: True})
        result = Reproduction(scale, seed, sections_of(writer, chosen, scale, seed, reading), reading)
        page = report.write(folder, result)
        if not items:
            writer.finish()
    return Reproduced(page, result.comparisons, len(pieces), scale)


def sections_of(
    run: Run, items: Sequence[Item], scale: Scale, seed: int, reading: str = TEXT
) -> list[tuple[Item, Section]]:
    """Each item's section, its comparisons judged together."""
    sections = []
    for item in items:
        section = item.reduce(scale, laboratory.results_of(run, item, scale, seed, reading))
        judged = mind_the_order(section.comparisons)
        sections.append(
            (item, replace(section, comparisons=judged if scale.searches_whole else leave_searches(judged)))
        )
    return sections
