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
from pathlib import Path

from hebbarium.studies.atlas.interventions import study
from hebbarium.studies.atlas.simulated_searches import SEARCHED, is_fair, search_atlas
from hebbarium.studies.atlas.table import Atlas
from hebbarium.tools.progress import progress
from hebbarium.worlds.registry import make_world


def main(path: Path, task: str = "foraging", layers: str = "same", hidden: str | None = None) -> None:
    atlas = Atlas.of(task, layers, None if hidden is None else int(hidden))
    why = None
    if layers == "same":  # nothing can collapse in a frozen layer
        with progress("interventions", None, "lifetimes") as advance:
            seed = atlas.about["seed"]
            why = study(atlas, make_world(task), seed=seed, told=lambda lived, left: advance(lived))
    searches = [dataclasses.asdict(search_atlas(atlas, name)) for name in SEARCHED] if is_fair(atlas) else []
    found = {"digest": atlas.about["digest"], "why": why, "searches": searches}
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
