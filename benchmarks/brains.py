"""Facts or artefacts of the paper's network? The best ternary rule of each kind of network, and what becomes of it.

    python benchmarks/brains.py artefacts depth traces --out brains.json

For each kind: all 6,561 rules are lived at several etas in short lives; the best go on to whole lives at more etas; the
best few are scored on lives that no choice rests on. What is finished is kept in the file and not done again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.brains.base import Brain
from hebbarium.executors.base import Outcome, run
from hebbarium.executors.threads import Threads
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import AtTheEnd
from hebbarium.rules.layered import read_rule
from hebbarium.rules.shape import RULES
from hebbarium.tools.statistics import estimate_mean
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

ETAS = (0.003, 0.012, 0.05, 0.2, 0.6)
SURVEY, SHORTLIST, FRESH, LONG = 1, 2, 3, 4
"""Seeds, apart so that nothing chosen is scored on what it was chosen by."""
FACTORS = (0.4, 0.7, 1.0, 1.4, 2.5)
"""Of the eta found first, tried in whole lives."""
FEW_PATTERNS = 1
"""Hidden neurons are alike where they have so many patterns of answers to all inputs."""


def artefacts() -> Iterator[tuple[str, World, Brain]]:
    world = make_world("foraging")
    for activation in ("step", "sign"):
        for scaling in ("unit", "clip", "oja", "none"):
            yield f"{activation} {scaling}", world, Brain.of(world, activation=activation, scaling=scaling)


def depth() -> Iterator[tuple[str, World, Brain]]:
    worlds = {
        "foraging": make_world("foraging"),
        "t-maze": make_world("t-maze", maze="double", arm=4),
        "association": make_world("association", stimuli=16),
    }
    kinds: dict[str, dict[str, Any]] = {
        "none": {"hidden": 0},
        "one": {"hidden": 20},
        "two": {"hidden": (20, 10)},
        "recurrent": {"hidden": 20, "recurrent": True},
    }
    for task, world in worlds.items():
        for name, settings in kinds.items():
            yield f"{task} {name}", world, Brain.of(world, **settings)


def traces() -> Iterator[tuple[str, World, Brain]]:
    for arm in (1, 2, 4, 8):
        world = make_world("t-maze", arm=arm)
        for trace in (0.0, 0.5, 0.8):
            yield f"arm {arm} trace {trace}", world, Brain.of(world, trace=trace)


PARTS = {"artefacts": artefacts, "depth": depth, "traces": traces}


def studied(world: World, brain: Brain, threads: int, rules: int, long: bool) -> dict[str, Any]:
    """What one kind of network can do. rules: how many of all are surveyed, evenly spread."""
    executor, start = Threads(threads), time.process_time()

    def lived(jobs: Jobs, world: World = world, **how: Any) -> Outcome:
        return run(executor, world, brain, jobs, **how)

    short = make_world(world, season_steps=max(100, world.season_steps // 10), seasons=4)
    indices = np.linspace(0, RULES - 1, rules).astype(int)
    candidates = [read_rule(int(index)).with_eta(eta) for index in indices for eta in ETAS]
    jobs = Jobs.of(candidates, [SURVEY] * len(candidates), range(len(candidates)), brain.layers)
    outcome = lived(jobs, short, observers=[AtTheEnd(networks=bool(brain.sizes))])
    scores = short.life_fitness(outcome.counts)
    found: dict[str, Any] = {"rules": rules}
    if len(brain.sizes) == 1 and not brain.recurrent:
        alike = patterns(outcome.seen[0]["hidden"], world.all_inputs).reshape(rules, -1) == FEW_PATTERNS
        equal = outcome.seen[0]["distinct"].reshape(rules, -1) == 1
        learns = np.array([rule.index != RULES // 2 for rule in candidates]).reshape(rules, -1)[:, 0]
        limit = np.sort(scores.reshape(rules, -1).max(axis=1))[-max(1, rules // 100)]  # the best hundredth of all rules
        good, at = scores.reshape(rules, -1).max(axis=1) >= limit, scores.reshape(rules, -1).argmax(axis=1)
        for name, share in (("alike", alike), ("equal", equal)):
            found[name] = float(share[learns].mean())
            found[f"{name}_good"] = float(share[np.arange(rules), at][good].mean())
    order = np.argsort(-scores, kind="stable")
    for lives, kept in ((4, 60), (20, 15)):
        chosen = [candidates[place] for place in order[:kept]]
        again = [rule.with_eta(min(0.95, float(rule.eta or 0) * factor)) for rule in chosen for factor in FACTORS]
        candidates = again if lives == 4 else chosen
        jobs = Jobs.of(candidates, [SHORTLIST] * len(candidates), [0] * len(candidates), brain.layers).repeated(
            [lives] * len(candidates), np.tile(np.arange(lives, dtype=np.uint64), len(candidates))
        )
        scores = world.life_fitness(lived(jobs).counts).reshape(-1, lives).mean(axis=1)
        order = np.argsort(-scores, kind="stable")
    best = candidates[order[0]]
    fresh = lived(Jobs.of_rule(best, 400, FRESH, layers=brain.layers), observers=[AtTheEnd()])
    estimate = estimate_mean(world.life_fitness(fresh.counts))
    found |= {"rule": str(best), "eta": best.eta, "fitness": estimate.value, "low": estimate.low, "high": estimate.high}
    if brain.sizes:
        found["distinct"] = float(np.median(fresh.seen[0]["distinct"]))
    if long:
        ages = make_world(world, seasons=32)
        by_season = ages.fitness(lived(Jobs.of_rule(best, 100, LONG, layers=brain.layers), ages).counts)
        young, old = by_season[:, 2:6].mean(axis=1), by_season[:, -4:].mean(axis=1)
        change = estimate_mean(old - young)
        found |= {"young": float(young.mean()), "old": float(old.mean())}
        found |= {"ageing": change.value, "ageing_low": change.low, "ageing_high": change.high}
    return found | {"seconds": round(time.process_time() - start)}


def patterns(hidden: np.ndarray, inputs: int) -> np.ndarray:
    """int64 [life]: how many different answers hidden neurons give to all inputs. hidden: float64 [life, post, pre]"""
    bits = np.arange(2**inputs)[:, None] >> np.arange(inputs) & 1
    heard = np.concatenate([bits, np.ones((len(bits), 1))], axis=1)
    found = np.empty(len(hidden), np.int64)
    for life, weights in enumerate(hidden):
        found[life] = len(np.unique(heard @ weights.T > 0, axis=1).T)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=tuple(PARTS))
    parser.add_argument("--out", type=Path, default=Path("brains.json"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rules", type=int, default=RULES)
    asked = parser.parse_args()
    kept: dict[str, Any] = json.loads(asked.out.read_text()) if asked.out.exists() else {}
    for part in asked.parts or PARTS:
        for name, world, brain in PARTS[part]():
            key = f"{part}: {name}"
            if key not in kept:
                kept[key] = studied(world, brain, asked.threads, asked.rules, long=part == "artefacts")
                asked.out.write_text(json.dumps(kept, indent=1))
            print(key, json.dumps(kept[key]), flush=True)


if __name__ == "__main__":
    main()
