"""A reproduction much smaller than the quick one."""

from __future__ import annotations

from hebbarium.paper.items.base import Scale

TINY = Scale(
    "quick", "A very small scale, for tests.", lives=3, climbs=2, hunting_climbs=1, validated=2, test_every=2500,
    traced=1, evolutions=1, hunting_evolutions=1, max_generations=1, iterations=3,
)  # fmt: skip
