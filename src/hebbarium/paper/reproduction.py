"""`hebbarium reproduce` in Python: run what is missing, compare, write the report."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.executors.base import Executor
from hebbarium.paper import report
from hebbarium.paper.items import items_of
from hebbarium.paper.items.base import SCALES, Item, Scale
from hebbarium.paper.readings import TEXT, reading_of
from hebbarium.paper.report import Reproduction
from hebbarium.paper.verdict import VERDICTS, Comparison, leave_searches, mind_the_order
from hebbarium.paper.works import Arrays, PaperWork
from hebbarium.studies.engine import Kernels, Lab, Place, Study, carry_out
from hebbarium.tools.data_frames import frame_of_rows
from hebbarium.tools.errors import RunError, check_choice, check_seed
from hebbarium.tools.progress import Report
from hebbarium.worlds.registry import make_world


@dataclass(frozen=True)
class ReproduceStudy(Study["Reproduced"]):
    """Make some of the paper's tables and figures again, under one reading of it."""

    scale: Scale
    items: Sequence[Item]
    seed: int = 1
    reading: str = TEXT

    kind = "reproduce"
    doing = "reproducing"
    unit = "%"
    size = 100

    def configuration(self) -> dict[str, Any]:
        """Without the items, which may be added to a run later; the text's reading is not named."""
        reading = {} if self.reading == TEXT else {"reading": self.reading}
        return {"scale": self.scale.name, "seed": self.seed, **reading}

    @property
    def folder(self) -> Path:
        other = "" if self.reading == TEXT else f"-{self.reading}"
        return Path("runs") / f"{self.kind}-{self.scale.name}-{self.seed}{other}"

    def works_of(self, item: Item) -> dict[str, PaperWork]:
        """What an item needs, lived under the reading; a work that has a reading of its own keeps it."""
        return {
            name: replace(work, reading=self.reading) if work.reading == TEXT else work
            for name, work in item.works(self.scale, self.seed).items()
        }

    def works(self) -> list[PaperWork]:
        """The works that all items need, in pieces, each once."""
        works = (work for item in self.items for work in self.works_of(item).values())
        return list({one.piece: one for work in works for one in work.pieces()}.values())

    def kernels(self) -> list[Kernels]:
        return [Kernels(make_world(task)) for task in sorted({work.task for work in self.works()})]

    def reduce(self, lab: Lab) -> Reproduced:
        """Get what all items need, and compare each item's numbers with the paper's."""
        works = self.works()
        share = 100 / max(sum(work.cost for work in works), 1e-9)
        arrays = {work.piece: lab.fetch(work.work(share)) for work in works}
        sections = []
        for item in self.items:
            results = {name: self._joined(work, arrays, lab) for name, work in self.works_of(item).items()}
            section = item.reduce(self.scale, results)
            judged = mind_the_order(section.comparisons)
            judged = judged if self.scale.searches_whole else leave_searches(judged)
            sections.append((item, replace(section, comparisons=judged)))
        return Reproduced(Reproduction(self.scale, self.seed, sections, self.reading), lab.folder, lab.lived)

    def _joined(self, work: PaperWork, arrays: dict[Any, Arrays], lab: Lab) -> Arrays:
        parts = [arrays[one.piece] for one in work.pieces()]
        try:
            return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        except (LookupError, ValueError):
            raise RunError(f"the arrays of {work.piece.name} in {lab.folder} do not fit together.") from None

    def publish(self, result: Reproduced, lab: Lab) -> None:
        report.write(lab.folder, result.reproduction)


@dataclass(frozen=True, repr=False)
class Reproduced:
    """The result of `reproduce`."""

    reproduction: Reproduction
    folder: Path
    done: int
    """Pieces of work that were done now; 0 if everything was stored already."""

    @property
    def page(self) -> Path:
        return self.folder / report.PAGE

    @property
    def comparisons(self) -> Sequence[Comparison]:
        return self.reproduction.comparisons

    @property
    def scale(self) -> Scale:
        return self.reproduction.scale

    def __repr__(self) -> str:
        return f"Reproduced({len(self.comparisons)} numbers, scale {self.scale.name}, {self.page})"

    def frame(self) -> Any:
        """A row for each number of the paper and ours, as in comparison.json."""
        kinds: dict[str, type] = dict.fromkeys(("paper", "ours", "low", "high", "error", "difference"), float)
        return frame_of_rows((one.entry() for one in self.comparisons), kinds | {"lives": int})

    def _repr_html_(self) -> str:
        """How many numbers of each table and figure are reproduced."""
        from hebbarium.show.pages import table
        from hebbarium.show.pages.skeleton import notebook

        counts = Counter((one.item, one.verdict) for one in self.comparisons)
        items = dict.fromkeys(one.item for one in self.comparisons)
        rows = [(item, *(counts[item, verdict] for verdict in VERDICTS)) for item in items]
        words = f"The paper's numbers and ours, at the scale {self.scale.name}; the report is {self.page}"
        return notebook(words, table(("item", *VERDICTS), rows))


def reproduce(
    *items: str,
    scale: str = "quick",
    out: str | os.PathLike[str] | None = None,
    seed: int = 1,
    reading: str = TEXT,
    threads: Place | Executor | int | None = None,
    report: Report | None = None,
) -> Reproduced:
    """Make the paper's tables and figures again, all of them or those named.

    Resumes where it was stopped: what `out` holds already is not run again.
    reading: how to read what the paper leaves open; each reading has a folder of its own.
    """
    check_choice("scale", scale, tuple(SCALES))
    reading_of(reading)
    study = ReproduceStudy(SCALES[scale], items_of(items, reading), check_seed(seed), reading)
    return carry_out(study, study.folder if out is None else Path(out), threads=threads, report=report)
