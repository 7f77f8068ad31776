"""Make what the page of the shipped atlas shows beside the map and takes long to compute, and write it to a file.

    python benchmarks/analysis.py src/hebbarium/data/analysis-foraging.json

A minute or two on two cores.
"""

from __future__ import annotations

import sys
from pathlib import Path

from hebbarium.atlas.shown import analyse
from hebbarium.atlas.table import Atlas
from hebbarium.progress import progress


def main(path: Path, task: str = "foraging") -> None:
    with progress("interventions", None, "rules") as advance:
        path.write_text(analyse(Atlas.of(task), lambda: advance(1)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
