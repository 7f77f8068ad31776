"""Measure the ages of the best rules of the shipped atlas, and write them to a file.

    python benchmarks/ages.py src/hebbarium/data/ages-foraging.npz

About five minutes of processor time. Rerun it to resume: what was lived is kept in runs/ages-TASK.
"""

from __future__ import annotations

import sys
from pathlib import Path

from hebbarium.studies.atlas.ages import measure_ages
from hebbarium.studies.atlas.finished_atlas import Atlas
from hebbarium.tools.progress import Showing
from hebbarium.worlds.registry import make_world


def main(path: Path, task: str = "foraging") -> None:
    measure_ages(Atlas.of(task), make_world(task), out=f"runs/ages-{task}", report=Showing()).save(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
