"""Facts or artefacts of the paper's network and its three values? What the best rules of other kinds are worth.

    python benchmarks/brains.py artefacts depth traces values --out brains.json

Artefacts: all 6,561 rules are lived at several etas in short lives; the best go on to whole lives at more etas; the
best few are scored on lives that no choice rests on. Depth, traces and values: searches with several seeds, each of
whose best rules are scored again to choose one, which is then scored on lives that no choice rests on.
What is finished is kept in the file and not done again.
"""

from __future__ import annotations

import argparse
import functools
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.brains.base import Brain
from hebbarium.executors.base import Outcome, run
from hebbarium.executors.threads import Threads
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import AtTheEnd
from hebbarium.rules.layered import read_rule
from hebbarium.rules.rule import AnyRule
from hebbarium.rules.shape import RULES
from hebbarium.search.base import Search
from hebbarium.search.catcma import CatCMASearch, CatCMASettings
from hebbarium.search.registry import make_search
from hebbarium.search.space import SIGNED, Scale, Signed, Space
from hebbarium.studies.evolve.one_search import RESCORE, lifetime_seed
from hebbarium.tools.statistics import estimate_mean
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world
from searches import Run

Kinds = Iterator[tuple[str, Callable[[int], dict[str, Any]]]]
"""A name, and what gives its figures, called with the number of threads."""
ETAS = (0.003, 0.012, 0.05, 0.2, 0.6)
SURVEY, SHORTLIST, FRESH, LONG, AGAIN = 1, 2, 3, 4, (21, 22)
"""Seeds, apart so that nothing chosen is scored on what it was chosen by."""
FACTORS = (0.4, 0.7, 1.0, 1.4, 2.5)
"""Of the eta found first, tried in whole lives."""
FEW_PATTERNS = 1
"""Hidden neurons are alike where they have so many patterns of answers to all inputs."""


def artefacts(seeds: int) -> Kinds:
    world = make_world("foraging")
    for activation in ("step", "sign"):
        for scaling in ("unit", "clip", "oja", "none"):
            brain = Brain.of(world, activation=activation, scaling=scaling)
            yield f"{activation} {scaling}", functools.partial(studied, world, brain)


def values(seeds: int) -> Kinds:
    """What three values cost: as many lifetimes for ternary and for real entries."""
    spaces = {"one table": "same", "one table, two etas": "two-etas", "two tables": "separate"}
    lifetimes = 24_000
    for task in KNOWN:
        world = make_world(task)
        brain = Brain.of(world)
        generations = {"individuals": 32, "lifetimes": 5, "generations": lifetimes // 160}
        for number, rule in enumerate(KNOWN[task]):
            yield f"{task}: known {number}", functools.partial(scored, world, brain, read_rule(rule))
        for seed in range(1, seeds + 1):
            for words, layers in spaces.items():
                ways: dict[str, Search] = {
                    "ternary, racing": make_search("racing", seed, layers=layers, budget=lifetimes)
                }
                if layers != "two-etas":
                    ways |= {
                        "real": make_search("catcma", seed, layers=layers, genes=("entries",), **generations),
                        "real, from the best ternary": near(BEGIN[task][layers], seed, layers, generations),
                    }
                if layers != "two-etas" and task == "foraging":
                    smooth = CatCMASearch(CatCMASettings(**generations), seed, 0, NoZeros(layers, real=True))
                    ways |= {
                        "ternary, CatCMA": make_search("catcma", seed, layers=layers, **generations),
                        "real, no exact zeros": smooth,
                    }
                for way, search in ways.items():
                    yield (
                        f"{task}: {words}, {way}: seed {seed}",
                        functools.partial(found_by, search, seed, world, brain),
                    )


KNOWN = {
    "foraging": ("00+-/0000@0.0343", "00+-/0000@0.005,00+-/0000@0.08", "+0+-/0000@0.0025,0++-/0000@0.04"),
    "prey-predator": ("++0-/-++0@0.25", "0-+0/0-00@0.83", "+-+0/0-00@0.99,0-+0/0-00@0.7"),
}
"""The best ternary rules of docs/findings.md."""
BEGIN = {
    "foraging": {"same": "00+-/0000@0.0343", "separate": "00+-/0000@0.005,00+-/0000@0.08"},
    "prey-predator": {"same": "0-+0/0-00@0.83", "separate": "+-+0/0-00@0.99,0-+0/0-00@0.7"},
}


def near(rule: str, seed: int, layers: str, settings: dict[str, int]) -> Search:
    """CMA-ES on real entries that begins at a ternary rule, with small steps."""
    from cmaes import CMA

    search = make_search("catcma", seed, layers=layers, genes=("entries",), **settings)
    assert isinstance(search, CatCMASearch)
    low, high = np.log10(search.settings.smallest_eta), 0.0
    etas, entries = np.split(np.array(search.space.numbers_of(read_rule(rule))), [search.space.etas])
    # Entries of 1 would begin at the edge of what is searched: half of it, at twice the eta, is the same rule.
    half = 0.5 if etas.max() < 0.5 else 1.0
    places = np.array([SIGNED.place(half * float(entry)) for entry in entries])
    mean = np.concatenate([np.log10(etas / half), low + (high - low) * (places + 1) / 2])
    search._optimiser._strategy = CMA(
        mean=np.clip(mean, low + 1e-6, high - 1e-6),
        sigma=(high - low) / 20,
        bounds=np.tile([low, high], (len(mean), 1)),
        seed=search.optimiser_seed,
        population_size=settings["individuals"],
    )
    return search


class NoZeros(Space):
    """Real entries that are 0 by chance only, which is never."""

    @property
    def scales(self) -> tuple[Scale, ...]:
        return tuple(Signed(0.0) if scale is SIGNED else scale for scale in super().scales)


def depth(seeds: int) -> Kinds:
    worlds: dict[str, dict[str, Any]] = {
        "foraging": {},
        "t-maze": {"maze": "double", "arm": 4},
        "association": {"stimuli": 16},
    }
    networks = ({"hidden": 0}, {"hidden": 20}, {"hidden": (20, 10)}, {"hidden": 20, "recurrent": True})
    for task, settings in worlds.items():
        for network in networks:
            yield from raced(task, settings, network, seeds)


def traces(seeds: int) -> Kinds:
    for arm in (1, 2, 4, 8):
        for trace in (0, 0.8):
            yield from raced("t-maze", {"arm": arm}, {"trace": trace}, seeds)


BUDGET = {"foraging": 4000, "t-maze": 2500, "association": 2500}
"""Lifetimes of a search: general networks live more slowly than the paper's."""


def raced(task: str, settings: dict[str, Any], network: dict[str, Any], seeds: int) -> Kinds:
    """Named as on the command line, so that `hebbarium live` and a rule live the same."""
    world = make_world(task, **settings)
    name = " ".join([task, *(option_of(*setting) for setting in (settings | network).items())])
    for seed in range(1, seeds + 1):
        search = make_search("racing", seed, budget=BUDGET[task])
        brain = Brain.of(world, **network)
        yield f"{name}: seed {seed}", functools.partial(found_by, search, seed, world, brain, fresh=AGAIN[:1])


def option_of(name: str, value: Any) -> str:
    """
    >>> option_of("hidden", (20, 10)), option_of("recurrent", True)
    ('--hidden 20,10', '--recurrent')
    """
    if value is True:
        return f"--{name}"
    return f"--{name} {','.join(map(str, value)) if isinstance(value, tuple) else value}"


def table(part: str, kept: dict[str, Any], seeds: int) -> str:
    """Of searches: a row for what was lived, a cell for each search's rule, with its interval."""
    rows: dict[str, list[str]] = {}
    for key, _ in PARTS[part](seeds):
        found = kept[f"{part}: {key}"]
        score = estimate_mean(found["scores"])
        cell = f"{score.value:.1f} ({score.low:.1f} to {score.high:.1f}) `{found['rule']}`"
        rows.setdefault(f"`{key.partition(': seed')[0]}`", []).append(cell)
    lines = [["", *(f"search {seed}" for seed in range(1, seeds + 1))], ["---"] * (seeds + 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [*lines, *([name, *cells] for name, cells in rows.items())])


PARTS = {"artefacts": artefacts, "depth": depth, "traces": traces, "values": values}


def fitness(world: World, brain: Brain, jobs: Jobs, threads: int) -> np.ndarray:
    """float64 [lifetime]"""
    return world.life_fitness(run(Threads(threads), world, brain, jobs).counts)


def found_by(
    search: Search, seed: int, world: World, brain: Brain, threads: int, fresh: tuple[int, ...] = AGAIN
) -> dict[str, Any]:
    """The best rule of a search: of its five best, the one that is best in 100 more lives."""
    start, lived = time.process_time(), Run(seed, search)
    while jobs := lived.jobs():
        rules, seeds, trials = zip(*jobs, strict=True)
        lived.tell(fitness(world, brain, Jobs.of(rules, seeds, trials, brain.layers), threads).tolist())
    best = [one.rule for one in search.top(5)]
    again = [Jobs.of_rule(rule, 100, lifetime_seed(seed, 0, RESCORE), layers=brain.layers) for rule in best]
    means = fitness(world, brain, Jobs.joined(again), threads).reshape(len(best), -1).mean(axis=1)
    found = scored(world, brain, best[int(means.argmax())], threads, fresh)
    return found | {
        "chosen_at": float(means.max()),
        "lifetimes": lived.lifetimes,
        "seconds": round(time.process_time() - start),
    }


def scored(world: World, brain: Brain, rule: AnyRule, threads: int, fresh: tuple[int, ...] = AGAIN) -> dict[str, Any]:
    """On 400 lives of each of some seeds that no choice rests on: those of `hebbarium live --lifetimes 400`."""
    jobs = Jobs.joined([Jobs.of_rule(rule, 400, seed, layers=brain.layers) for seed in fresh])
    return {"rule": rule.text, "scores": fitness(world, brain, jobs, threads).round(4).tolist()}


def studied(world: World, brain: Brain, threads: int) -> dict[str, Any]:
    """What one kind of network can do."""
    executor, start = Threads(threads), time.process_time()

    def lived(jobs: Jobs, world: World = world, **how: Any) -> Outcome:
        return run(executor, world, brain, jobs, **how)

    short = make_world(world, season_steps=max(100, world.season_steps // 10), seasons=4)
    candidates = [read_rule(index).with_eta(eta) for index in range(RULES) for eta in ETAS]
    jobs = Jobs.of(candidates, [SURVEY] * len(candidates), range(len(candidates)), brain.layers)
    outcome = lived(jobs, short, observers=[AtTheEnd(networks=True)])
    scores = short.life_fitness(outcome.counts)
    found: dict[str, Any] = {}
    alike = patterns(outcome.seen[0]["hidden"], world.all_inputs).reshape(RULES, -1) == FEW_PATTERNS
    equal = outcome.seen[0]["distinct"].reshape(RULES, -1) == 1
    learns = np.arange(RULES) != RULES // 2
    limit = np.sort(scores.reshape(RULES, -1).max(axis=1))[-(RULES // 100)]  # the best hundredth of all rules
    good, at = scores.reshape(RULES, -1).max(axis=1) >= limit, scores.reshape(RULES, -1).argmax(axis=1)
    for name, share in (("alike", alike), ("equal", equal)):
        found[name] = float(share[learns].mean())
        found[f"{name}_good"] = float(share[np.arange(RULES), at][good].mean())
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
    found["distinct"] = float(np.median(fresh.seen[0]["distinct"]))
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
    parser.add_argument("parts", nargs="+", choices=tuple(PARTS))
    parser.add_argument("--out", type=Path, default=Path("brains.json"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=4, help="of each search")
    asked = parser.parse_args()
    kept: dict[str, Any] = json.loads(asked.out.read_text()) if asked.out.exists() else {}
    for part in asked.parts:
        for name, figures in PARTS[part](asked.seeds):
            key = f"{part}: {name}"
            if key not in kept:
                kept[key] = figures(asked.threads)
                asked.out.write_text(json.dumps(kept))
            shown = {name: value for name, value in kept[key].items() if name != "scores"}
            mean = f" {estimate_mean(kept[key]['scores'])}" if "scores" in kept[key] else ""
            print(f"{key}{mean}", json.dumps(shown), flush=True)
        if part in ("depth", "traces"):
            print(f"\n{table(part, kept, asked.seeds)}\n", flush=True)


if __name__ == "__main__":
    main()
