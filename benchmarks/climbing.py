"""Hill climbing on prey-predator, read in several ways: which of them gives the paper's 41.9 (std 16.4).

python benchmarks/climbing.py [CLIMBS] [THREADS]
"""

from __future__ import annotations

import sys

from hebbarium.agents.hill_climbing import HillClimbing
from hebbarium.tools.statistics import estimate_mean
from hebbarium.worlds.registry import make_world

READINGS: dict[str, dict[str, bool]] = {
    "scaled (the default)": {},
    "a tie wins, too": {"ties_win": True},
    "not measured again when the season changes": {"measured_anew": False},
    "unscaled": {"scaled": False},
}


def main(climbs: int = 16, threads: int | None = None) -> None:
    world = make_world("prey-predator")
    for name, reading in READINGS.items():
        scores = world.fitness(HillClimbing(**reading).live(world, climbs, seed=1, executor=threads))
        mean = estimate_mean(scores)
        print(f"{name}: {mean.value:.1f} ({mean.low:.1f} to {mean.high:.1f}), std {scores.std(ddof=1):.1f}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
