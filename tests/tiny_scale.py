"""A reproduction much smaller than the quick one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hebbarium.paper.items import items_of
from hebbarium.paper.items.base import Scale
from hebbarium.paper.readings import TEXT
from hebbarium.paper.reproduction import Reproduced, ReproduceStudy
from hebbarium.studies.engine import carry_out

TINY = Scale(
    "quick", "A very small scale, for tests.", lives=3, climbs=2, hunting_climbs=1, validated=2, test_every=2500,
    traced=1, evolutions=1, hunting_evolutions=1, max_generations=1, iterations=3,
)  # fmt: skip


def reproduce_at(
    scale: Scale, items: Sequence[str], folder: Path, seed: int = 1, reading: str = TEXT, **options: Any
) -> Reproduced:
    """`hebbarium reproduce` at any scale."""
    return carry_out(ReproduceStudy(scale, items_of(items, reading), seed, reading), folder, **options)
