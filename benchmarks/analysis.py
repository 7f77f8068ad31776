"""Make what the page of a shipped atlas shows beside the map and takes long to compute, and write it to a file.

    python benchmarks/analysis.py src/hebbarium/data/analysis-foraging.json
    python benchmarks/analysis.py src/hebbarium/data/analysis-prey-predator.json prey-predator
    python benchmarks/analysis.py src/hebbarium/data/analysis-foraging-output-200.json foraging output 200

A minute or two of processor time each, for prey-predator three.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hebbarium.studies.atlas.analysis import SEARCHED, is_fair, search_atlas
from hebbarium.studies.atlas.finished_atlas import Atlas
from hebbarium.studies.atlas.interventions import MOST_LIFETIMES, study_interventions
from hebbarium.studies.engine import Kernels, Lab, Study, carry_out
from hebbarium.tools.progress import Showing
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world


@dataclass(frozen=True)
class Why(Study[dict[str, Any]]):
    """The interventions alone, kept nowhere."""

    atlas: Atlas
    world: World
    doing = "interventions"
    size = MOST_LIFETIMES

    def kernels(self) -> list[Kernels]:
        return [Kernels(self.world)]

    def reduce(self, lab: Lab) -> dict[str, Any]:
        return study_interventions(self.atlas, self.world, lab, seed=self.atlas.about["seed"])


def main(path: Path, task: str = "foraging", layers: str = "same", hidden: str | None = None) -> None:
    atlas = Atlas.of(task, layers, None if hidden is None else int(hidden))
    why = None
    if layers == "same":  # nothing can collapse in a frozen layer
        why = carry_out(Why(atlas, make_world(task)), report=Showing())
    searches = [dataclasses.asdict(search_atlas(atlas, name)) for name in SEARCHED] if is_fair(atlas) else []
    found = {"digest": atlas.about["digest"], "why": why, "searches": searches}
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
