"""`hebbarium reproduce` in Python: run what is missing, compare, write the report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hebbarium.errors import check_choice, check_seed
from hebbarium.lifetime import check_threads
from hebbarium.paper import laboratory, report
from hebbarium.paper.items import items_of
from hebbarium.paper.items.base import SCALES, Item, Scale, Section
from hebbarium.paper.report import Reproduction
from hebbarium.paper.verdict import Comparison, mind_the_order
from hebbarium.runs.store import Run


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
    threads: int | None = None,
    quiet: bool = True,
) -> Reproduced:
    """Make the paper's tables and figures again, all of them or those named.

    Goes on where it was stopped: what `out` holds already is not run again.
    """
    check_choice("scale", scale, tuple(SCALES))
    seed = check_seed(seed)
    check_threads(threads)
    folder = Path(out) if out is not None else Path("runs") / f"reproduce-{scale}-{seed}"
    return reproduce_at(SCALES[scale], items, folder, seed, threads, quiet)


def reproduce_at(
    scale: Scale, items: Sequence[str], folder: Path, seed: int = 1, threads: int | None = None, quiet: bool = True
) -> Reproduced:
    """The same at any scale."""
    chosen = items_of(items)
    run = laboratory.finished(folder, chosen, scale, seed)
    if run is not None:
        result = Reproduction(scale, seed, sections_of(run, chosen, scale, seed))
        return Reproduced(report.write(folder, result), result.comparisons, 0, scale)
    with laboratory.begin(folder, scale, seed) as writer:
        pieces = laboratory.missing(writer, chosen, scale, seed)
        writer.save(results={laboratory.MADE: False})
        laboratory.do(writer, pieces, threads, quiet)
        writer.save(results={laboratory.MADE: True})
        result = Reproduction(scale, seed, sections_of(writer, chosen, scale, seed))
        page = report.write(folder, result)
        if not items:
            writer.finish()
    return Reproduced(page, result.comparisons, len(pieces), scale)


def sections_of(run: Run, items: Sequence[Item], scale: Scale, seed: int) -> list[tuple[Item, Section]]:
    """Each item's section, its comparisons judged together."""
    sections = []
    for item in items:
        section = item.reduce(scale, laboratory.results_of(run, item, scale, seed))
        sections.append((item, replace(section, comparisons=mind_the_order(section.comparisons))))
    return sections
