"""The paper's genetic algorithm, read in several ways: what 30 runs of each reading find (7 on prey-predator).

    nice -n 19 python benchmarks/genetic_readings.py run foraging             # real lifetimes; resumes
    nice -n 19 python benchmarks/genetic_readings.py run foraging scaled      # one reading
    nice -n 19 python benchmarks/genetic_readings.py screen                   # all combinations, on the atlas's figures
    python benchmarks/genetic_readings.py table foraging                      # what is there so far, as Markdown
    python benchmarks/genetic_readings.py table stand-in
    python benchmarks/genetic_readings.py rules foraging scaled               # its distinct rules beside the paper's

`run`: each reading is a run of `hebbarium evolve` in a folder of its own, `runs/genetic-readings/TASK/READING`, on one
thread. All readings have the same seed, so each run begins with the same population of genes.

`screen`: every combination of five settings, with scores drawn from the figures of foraging's atlas instead of lived
(`studies/atlas/searched.py`). This costs a few seconds a reading; real lifetimes then decide between the best of them.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import Any

import numpy as np

import hebbarium as hb
from hebbarium.paper.items.found import Found, resample
from hebbarium.paper.targets import POOLED, targets_of
from hebbarium.search.base import Evaluation, Request
from hebbarium.search.registry import make_search
from hebbarium.studies.atlas.searched import StandIn
from hebbarium.studies.atlas.table import Atlas

OUT = Path("runs/genetic-readings")
STAND_IN = "stand-in"
SEED = 30
RUNS = {"foraging": (10, 20, 30), "prey-predator": (3, 7)}
"""Runs are added in these steps, so that an unfinished reading already shows something."""
SCREENED = 60
"""Runs of each reading on the atlas's figures."""
TENTH: dict[str, Any] = {"eta_scale": 0.1}
OTHER: dict[str, Any] = {"redraw": "different"}
READINGS: dict[str, dict[str, Any]] = {
    "scaled": TENTH,
    "scaled-other": TENTH | OTHER,
    "text": {},
    "scaled-pair": TENTH | {"crossover": "pair"},
    "scaled-other-pair": TENTH | OTHER | {"crossover": "pair"},
    "scaled-again": TENTH | {"elite_fitness": "again"},
    "scaled-other-floor": TENTH | OTHER | {"eta_boundary": "floor"},
    "scaled-other-again": TENTH | OTHER | {"elite_fitness": "again"},
    "other": OTHER,
    "scaled-clip": TENTH | {"eta_boundary": "clip"},
    "scaled-floor": TENTH | {"eta_boundary": "floor"},
    "scaled-other-pair-floor": TENTH | OTHER | {"crossover": "pair", "eta_boundary": "floor"},
    "pair": {"crossover": "pair"},
    "again": {"elite_fitness": "again"},
}
"""Settings that differ from those of `--search genetic`, whose eta_scale is 1, as the text has it."""
CHOICES: dict[str, tuple[Any, ...]] = {
    "eta_scale": (1.0, 0.1),
    "redraw": ("any", "different"),
    "elite_fitness": ("kept", "again"),
    "crossover": ("gene", "pair"),
    "eta_boundary": ("reflect", "floor", "clip"),
}
RULE_1 = "00+-/0000"


def run(task: str, reading: str, out: Path) -> None:
    for runs in RUNS[task]:
        hb.evolve(task, "genetic", runs=runs, seed=SEED, threads=1, out=out / task / reading, **READINGS[reading])
        print(task, reading, runs, flush=True)


def screen(out: Path) -> None:
    atlas = Atlas.of("foraging")
    folder = out / STAND_IN
    folder.mkdir(parents=True, exist_ok=True)
    for values in itertools.product(*CHOICES.values()):
        settings = dict(zip(CHOICES, values, strict=True))
        path = folder / f"{'-'.join(map(str, values))}.npz"
        if path.exists():
            continue
        found = [screened(atlas, settings, number) for number in range(SCREENED)]
        np.savez(path, **{name: np.concatenate([one[name] for one in found]) for name in found[0]})
        print(path.stem, flush=True)


def screened(atlas: Atlas, settings: dict[str, Any], number: int) -> dict[str, np.ndarray]:
    """The ten best of one run, as `Found` wants them."""
    search, stand_in = make_search("genetic", SEED, number, **settings), StandIn(atlas, SEED * 10_000 + number)
    while asked := search.ask():
        search.tell([Evaluation(request, stand_in.scores(request)) for request in asked])
    best = [one.rule for one in search.top(POOLED)]
    return {
        "entries": np.array([rule.layers[-1].entries for rule in best], np.int8),
        "eta": np.array([rule.eta for rule in best]),
        "scores": np.array([stand_in.scores(Request(rule, 100, 0)) for rule in best]),
        "generations": np.array([search.generation]),
    }


def arrays_of(folder: Path) -> dict[str, np.ndarray]:
    """Of a run of `evolve`, or of a file that `screen` wrote."""
    if folder.suffix == ".npz":
        with np.load(folder) as file:
            return dict(file)
    stored = hb.Run.open(folder)
    best = sorted((one for one in stored.evaluations("rescore")), key=lambda one: (one.run, one.number))
    return {
        "entries": np.array([one.rule.layers[-1].entries for one in best], np.int8),
        "eta": np.array([one.rule.eta for one in best]),
        "scores": np.array([one.scores for one in best]),
        "generations": np.array([len(curve) for curve in stored.result("curves")]),
    }


def table(task: str, out: Path) -> None:
    of_paper = {hb.Rule(f"foraging:{number}").notation: number for number in range(1, 16)}
    print("| reading | runs | rule 1 | 95 % | distinct rules | 95 % | rule 1's eta | its std | generations "
          "| of the paper's fifteen |")  # fmt: skip
    print("|---|" + "---:|" * 8 + "---|")
    for folder in sorted((out / task).iterdir()):
        try:
            arrays = arrays_of(folder)
        except (KeyError, hb.HebbariumError):
            continue
        found = Found(arrays)
        runs = len(found.runs)
        share, types = found.share(RULE_1), distinct(found)
        eta = found.eta[found.notations == RULE_1]
        seen = {number: int((found.notations == rule).sum()) for rule, number in of_paper.items()}
        print(
            f"| {folder.stem if folder.suffix else folder.name} | {runs} | {share.value:.0%} "
            f"| {share.low:.0%} to {share.high:.0%} | {types[0]:.1f} | {types[1]:.0f} to {types[2]:.0f} "
            f"| {eta.mean() if len(eta) else np.nan:.4f} | {eta.std(ddof=1) if len(eta) > 1 else np.nan:.4f} "
            f"| {np.mean(found.runs):.0f} | {', '.join(f'{n} ({c})' for n, c in seen.items() if c)} |"
        )


def distinct(found: Found, runs: int = 30) -> tuple[float, float, float]:
    """How many types of rules so many runs have: the mean and the middle 95 % of runs drawn without replacement; of as
    many as there are, and the interval by the jackknife, where there are no more."""
    if len(found.runs) <= runs:
        types = found.types()
        return types.value, types.low, types.high
    random = np.random.default_rng(0)
    notations = found.notations.reshape(len(found.runs), POOLED)
    drawn = [len(set(notations[random.permutation(len(notations))[:runs]].ravel())) for _ in range(300)]
    return float(np.mean(drawn)), *np.quantile(drawn, [0.025, 0.975])


def rules(task: str, reading: str, out: Path) -> None:
    """Column by column, the instances of one reading beside the paper's."""
    found = Found(arrays_of(out / task / reading))
    targets = {(one.row, one.column): one for one in targets_of(f"{task}-rules")}
    rows = list(dict.fromkeys(row for row, _ in targets))
    total = sum(targets[row, "Rules"].paper for row in rows)
    columns = ("Rules", "Median", "Std", "Max", "Min", "eta Mean", "eta Std")
    print("| rule |", " | ".join(f"{name}, paper | ours" for name in columns), "|")
    print("|---|" + "---:|" * (2 * len(columns)))
    for row in rows:
        notation = hb.Rule(f"{task}:{row.removeprefix('rule ')}").notation
        cells = []
        for column in columns:
            if column == "Median":
                chosen = found.fitness[found.notations == notation]
                ours = f"{np.median(chosen):.2f}" if len(chosen) else "–"
            else:
                estimate = found.statistic(notation, column, total)
                ours = (
                    "–" if estimate is None else f"{estimate.value:.4f}" if "eta" in column else f"{estimate.value:.2f}"
                )
            cells += [targets[row, column].printed, ours]
        print(f"| {row.removeprefix('rule ')} `{notation}` |", " | ".join(cells), "|")
    eta = resample(len(found.runs), lambda runs: float(found.eta.reshape(len(found.runs), -1)[runs].mean()))
    print(f"\nMean eta of all instances {eta.value:.4f} ({eta.low:.4f} to {eta.high:.4f}).")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "screen", "table", "rules"])
    parser.add_argument("task", nargs="?", choices=[*RUNS, STAND_IN], default="foraging")
    parser.add_argument("readings", nargs="*")
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    if asked.what == "screen":
        screen(asked.out)
    elif asked.what == "table":
        table(asked.task, asked.out)
    else:
        for reading in asked.readings or READINGS:
            {"run": run, "rules": rules}[asked.what](asked.task, reading, asked.out)


if __name__ == "__main__":
    main()
