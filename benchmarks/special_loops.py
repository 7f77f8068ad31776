"""Each loop that is made for one world beside the loops for any world that cover the same lives.

python benchmarks/special_loops.py [--rounds 7] [--only WORD ...]

All live the same lives in turn, on one thread, by the processor's clock, and must come to the same counts. A special
loop should be at least 1.3 times as fast as the best of the others.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np

from hebbarium.brains.base import Brain
from hebbarium.kernels.compile import Kernel, joined
from hebbarium.life import loop
from hebbarium.life.batch import Batch
from hebbarium.life.cue import parts_of
from hebbarium.life.dispatch import WINNERS
from hebbarium.life.fast import any_world_in_lanes as lanes
from hebbarium.life.fast.any_world_remembering import advance_remembering, sense_unchecked, sense_word
from hebbarium.life.fast.sizes import known_sizes
from hebbarium.rules.layered import read_rule
from hebbarium.studies.live import experiment_of
from hebbarium.worlds.foraging import Foraging

SEED = 11
BLAME = {"open-turn": 0.03, "wall-hit": 0.5, "beside-wall": 0.5}
BEST = {
    "open-turn": 0.045,
    "wall-hit": 0.15,
    "beside-wall": 0.022,
    "taken": 0.088,
    "wall-turn": -0.071,
    "open-straight": 0,
}
CASES: dict[str, tuple[str, str, int, dict[str, Any]]] = {
    "foraging_remembering, rule 1": ("foraging", "foraging:1", 64, {}),
    "foraging_remembering, 000-/0000@0.03": ("foraging", "000-/0000@0.03", 64, {}),
    "foraging_remembering, layered, 400 hidden": (
        "foraging",
        "00+-/0000@0.005,00+-/0000@0.08",
        16,
        {"hidden": 400},
    ),
    "foraging_frozen_in_lanes, frozen,00+-/00-+@0.03": ("foraging", "frozen,00+-/00-+@0.03", 64, {}),
    "foraging_frozen_in_lanes, 200 hidden": ("foraging", "frozen,00+-/00-+@0.03", 16, {"hidden": 200}),
    "foraging_with_blame, rule 1": ("foraging", "foraging:1", 64, {"blame": BLAME}),
    "foraging_with_blame, best known, 20 hidden": (
        "foraging",
        "00+-/0000@0.0068,00+-/000+@0.113",
        64,
        {"blame": BEST, "eligibility": {"missed": 0.28}},
    ),
    "foraging_with_blame, rule 6": ("foraging", "foraging:6", 64, {"blame": BLAME}),
    "prey_predator, rule 1": ("prey-predator", "prey-predator:1", 16, {}),
    "prey_predator, rule 2": ("prey-predator", "prey-predator:2", 16, {}),
}
"""World, rule, lifetimes, and what else is asked for."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="+", metavar="WORD", default=[""])
    options = parser.parse_args()
    print(f"{'million steps/s':50} special  remembering   in lanes    generic  ratio to the best")
    for name, case in CASES.items():
        if any(word in name for word in options.only):
            measure(name, *case, options.rounds)


def measure(name: str, task: str, rule: str, lifetimes: int, settings: dict[str, Any], rounds: int) -> None:
    asked = experiment_of(task, rule, lifetimes=lifetimes, seed=SEED, **settings)
    world, brain, jobs = asked.world, asked.brain, asked.jobs()
    others = {} if "blame" in settings else for_any_world(world, brain, rule)
    ways: dict[str, Any] = {"special": None, **others, "generic": None}
    times: dict[str, list[float]] = {way: [] for way in ways}
    for number in range(rounds + 1):
        counts = []
        for way, kernel in ways.items():
            batch = Batch(world, brain, jobs, fast=way != "generic")
            if kernel is not None:
                batch.accelerations, batch.movable, batch.moves = [(kernel, np.arange(lifetimes))], False, False
            start = time.process_time()
            batch.advance(world.steps)
            if number:  # the first time compiles
                times[way].append(time.process_time() - start)
            counts.append(batch.counts)
        assert all(np.array_equal(counts[0], other) for other in counts)
    rates = {way: lifetimes * world.steps / statistics.median(each) / 1e6 for way, each in times.items()}
    best = max((way for way in ways if way != "special"), key=rates.__getitem__)
    ratio = statistics.median(b / a for a, b in zip(times["special"], times[best], strict=True))
    cells = [
        f"{rates[way]:10.1f}" if way in rates else f"{'':10}"
        for way in ("special", "remembering", "in lanes", "generic")
    ]
    print(f"{name:48} {' '.join(cells)} {ratio:8.2f}", flush=True)


def for_any_world(world: Any, brain: Brain, rule: str) -> dict[str, Kernel]:
    """Those that cover such lives: see `life/dispatch.py`."""
    if not isinstance(world, Foraging):
        return {}  # prey-predator's arithmetic and ties are others
    parts = {sense_word: sense_unchecked, loop.coast: loop.coast_nowhere, **parts_of(type(world), False)}
    parts[loop.winner] = WINNERS[brain.ties]
    parts |= known_sizes(world.inputs + 1, world.outputs)
    own = {
        lanes.sense_lane: lanes.sense_few,
        lanes.sees: lanes.sees_few,
        lanes.set_senses: lanes.set_few_senses,
    }
    found = {"in lanes": joined(lanes.advance_together, {**parts, **own}, "foraging_as_any")}
    if all(layer.notation.endswith("/0000") for layer in read_rule(rule).for_layers(2)):
        found["remembering"] = joined(advance_remembering, parts, "foraging_as_any")
    return found


if __name__ == "__main__":
    main()
