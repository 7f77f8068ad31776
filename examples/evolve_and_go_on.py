"""Evolve rules for a few rounds, be interrupted, go on, and look at what was found.

The world is small and life short, so that it takes seconds; leave the settings out for the paper's.
"""

import tempfile
from pathlib import Path

import hebbarium as hb

world = {"season_steps": 500, "grid_size": 30, "green": 20, "blue": 20}
folder = Path(tempfile.mkdtemp()) / "run"


def pull_the_plug(state: object) -> None:
    raise KeyboardInterrupt


try:
    hb.evolve("foraging", **world, runs=2, max_generations=8, rescore=20, out=folder, watch=pull_the_plug)
except KeyboardInterrupt:
    print(f"interrupted with {hb.Run.open(folder).totals()[0]} evaluations stored")

# The same call again continues; the result is the same to the last bit as without the interruption.
run = hb.evolve("foraging", **world, runs=2, max_generations=8, rescore=20, out=folder)
for row in run.table("rules")[:3]:
    print(f"{row['rule']}  median {row['median']:.1f}  eta {row['eta_mean']:.3f}  {row['words']}")
print("digest", run.digest())
