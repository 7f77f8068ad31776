"""The paper's genetic algorithm, read in several ways: what 30 runs of each reading find (7 on prey-predator).

    nice -n 19 python benchmarks/genetic_readings.py run foraging             # real lifetimes; resumes
    nice -n 19 python benchmarks/genetic_readings.py run foraging scaled      # one reading
    nice -n 19 python benchmarks/genetic_readings.py screen                   # all combinations, on the atlas's figures
    python benchmarks/genetic_readings.py table foraging                      # what is there so far, as Markdown
    python benchmarks/genetic_readings.py table stand-in
    python benchmarks/genetic_readings.py rules foraging scaled               # its distinct rules beside the paper's

`run`: each reading is a run of `hebbarium evolve` in a folder of its own, `runs/genetic-readings/TASK/READING`, on one
thread. All readings have the same seed, so each run begins with the same population of genes.

`screen`: every combination of five settings, 300 runs each, with scores drawn from the figures of foraging's atlas
instead of lived (`studies/atlas/searched.py`). It takes two seconds a reading; real lifetimes decide between the best.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import Any

import numpy as np

import hebbarium as hb
from hebbarium.paper.items.found import Found
from hebbarium.paper.targets import POOLED, targets_of
from hebbarium.paper.verdict import compare
from hebbarium.studies.atlas.searched import StandIn
from hebbarium.studies.atlas.table import Atlas

OUT = Path("runs/genetic-readings")
STAND_IN = "stand-in"
SEED = 30
RUNS = {"foraging": (10, 20, 30), "prey-predator": (3, 7)}
"""Runs are added in these steps, so that an unfinished reading already shows something."""
SCREENED = 300
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
PAPER = np.array([164 / 300, 15])
"""Of table 2: rule 1's share, and the number of distinct rules."""


def run(task: str, reading: str, out: Path) -> None:
    for runs in RUNS[task]:
        hb.evolve(task, "genetic", runs=runs, seed=SEED, threads=1, out=out / task / reading, **READINGS[reading])
        print(task, reading, runs, flush=True)


def screen(out: Path) -> None:
    stand_in = StandIn(Atlas.of("foraging"), SEED)
    folder = out / STAND_IN
    folder.mkdir(parents=True, exist_ok=True)
    for values in itertools.product(*CHOICES.values()):
        path = folder / f"{'-'.join(map(str, values))}.npz"
        if not path.exists():
            np.savez(path, **screened(stand_in, SCREENED, *values))
            print(path.stem, flush=True)


def screened(
    stand_in: StandIn, runs: int, scale: float, redraw: str, elite_fitness: str, crossover: str, boundary: str
) -> dict[str, np.ndarray]:
    """Many runs of the genetic algorithm side by side, as arrays: what `search/genetic.py` does, a hundred times as
    fast. Returns the ten best of each run, as `Found` wants them."""
    random = np.random.default_rng(SEED)
    every = np.arange(runs)[:, None]
    place_value = 3 ** np.arange(7, -1, -1)

    def drawn(entries: np.ndarray, genes: np.ndarray, lives: int) -> np.ndarray:
        """The mean of so many lives, drawn from the atlas's figures. entries: [..., 8], genes: [...]"""
        rows = ((entries + 1) @ place_value).ravel()
        at = np.log(np.maximum(scale * genes.ravel(), 1e-9))
        etas, means = stand_in.etas[rows], stand_in.means[rows]
        after = np.clip((etas <= at[:, None]).sum(axis=1), 1, etas.shape[1] - 1)
        line = np.arange(len(rows))
        low, high = etas[line, after - 1], etas[line, after]
        share = np.clip((at - low) / np.maximum(high - low, 1e-12), 0, 1)
        mean = means[line, after - 1] * (1 - share) + means[line, after] * share
        return (mean + stand_in.spread[rows] / np.sqrt(lives) * random.standard_normal(len(rows))).reshape(genes.shape)

    entries, genes = random.integers(-1, 2, (runs, 30, 8)), random.random((runs, 30))
    fitness = drawn(entries, genes, 5)
    best, stale, generations = fitness.max(axis=1), np.zeros(runs, int), np.ones(runs, int)
    while (going := stale < 30).any():
        shares = fitness - fitness.min(axis=1, keepdims=True)
        ends = np.cumsum(np.where(shares.sum(axis=1, keepdims=True) > 0, shares, 1.0), axis=1)
        spins = random.random((2, runs, 20, 1)) * ends[:, None, -1:]
        one, two = (ends[:, None, :] <= spins).sum(axis=3).clip(max=29)
        crossed = 0.5 if crossover == "gene" else np.where(random.random((runs, 20, 1)) < 0.5, 0.5, 0.0)
        from_two = random.random((runs, 20, 9)) < crossed
        children = np.where(from_two[..., :8], entries[every, two], entries[every, one])
        born = np.where(from_two[..., 8], genes[every, two], genes[every, one])
        anew = (
            random.integers(-1, 2, children.shape)
            if redraw == "any"
            else (children + 1 + random.integers(1, 3, children.shape)) % 3 - 1
        )
        children = np.where(random.random(children.shape) < 0.15, anew, children)
        born = born + 0.1 * random.standard_normal(born.shape)
        if boundary == "clip":
            born = born.clip(0, np.nextafter(1, 0))
        else:
            born = np.where(born < 0, 0.0001 if boundary == "floor" else -born, born) % 1.0
        elites = np.argsort(-fitness, axis=1, kind="stable")[:, :10]
        new_entries = np.concatenate([entries[every, elites], children], axis=1)
        new_genes = np.concatenate([genes[every, elites], born], axis=1)
        measured = drawn(new_entries, new_genes, 5)
        if elite_fitness == "kept":
            measured[:, :10] = fitness[every, elites]
        top = measured[:, 10 if elite_fitness == "kept" else 0 :].max(axis=1)
        stale = np.where(going, np.where(top > best, 0, stale + 1), stale)
        best = np.where(going, np.maximum(best, top), best)
        generations += going
        entries[going], genes[going], fitness[going] = new_entries[going], new_genes[going], measured[going]
    last = np.argsort(-fitness, axis=1, kind="stable")[:, :POOLED]
    entries, genes = entries[every, last].reshape(-1, 8), genes[every, last].ravel()
    scores = drawn(entries, genes, 100)[:, None]
    return {"entries": entries.astype(np.int8), "eta": scale * genes, "scores": scores, "generations": generations}


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
    print("| reading | runs | rule 1 | 95 % | distinct rules | 95 % | rule 1's eta | its std | generations | distance "
          "| of the paper's fifteen |")  # fmt: skip
    print("|---|" + "---:|" * 9 + "---|")
    for folder in sorted((out / task).iterdir()):
        try:
            found = Found(arrays_of(folder))
        except (KeyError, hb.HebbariumError):
            continue
        share = found.share(RULE_1)
        sets = of_thirty(found)
        types, low, high = sets[:, 1].mean(), *np.quantile(sets[:, 1], [0.025, 0.975])
        eta = found.eta[found.notations == RULE_1]
        seen = {number: int((found.notations == rule).sum()) for rule, number in of_paper.items()}
        print(
            f"| {folder.stem if folder.suffix else folder.name} | {len(found.runs)} | {share.value:.0%} "
            f"| {share.low:.0%} to {share.high:.0%} | {types:.1f} | {low:.0f} to {high:.0f} | {eta.mean():.4f} "
            f"| {eta.std(ddof=1):.4f} | {np.mean(found.runs):.0f} | {distance(sets):.1f} "
            f"| {', '.join(f'{n} ({c})' for n, c in seen.items() if c)} |"
        )


def of_thirty(found: Found, sets: int = 400) -> np.ndarray:
    """The share of rule 1 and the number of distinct rules of thirty runs drawn again and again: [set, 2]. With no more
    than thirty runs they are drawn with replacement, which finds too few types."""
    random = np.random.default_rng(0)
    runs = len(found.runs)
    notations = found.notations.reshape(runs, POOLED)
    drawn = []
    for _ in range(sets):
        chosen = notations[random.permutation(runs)[:30] if runs > 30 else random.integers(0, runs, runs)]
        drawn.append(((chosen == RULE_1).mean(), len(np.unique(chosen))))
    return np.array(drawn)


def distance(sets: np.ndarray) -> float:
    """How far the paper's table 2 is from what thirty runs of a reading give: the squared Mahalanobis distance. If the
    reading is the paper's, it exceeds 6 once in twenty times."""
    apart = PAPER - sets.mean(axis=0)
    return float(apart @ np.linalg.solve(np.cov(sets.T), apart))


def rules(task: str, reading: str, out: Path) -> None:
    """Column by column, the instances of one reading beside the paper's, and how many of the cells agree."""
    arrays = arrays_of(out / task / (f"{reading}.npz" if task == STAND_IN else reading))
    task = "foraging" if task == STAND_IN else task
    found = Found(arrays)
    targets = {(one.row, one.column): one for one in targets_of(f"{task}-rules")}
    notations = {row: hb.Rule(f"{task}:{row.removeprefix('rule ')}").notation for row, _ in targets}
    columns = ("Rules", "Median", "Std", "Max", "Min", "eta Mean", "eta Std")
    print("| rule |", " | ".join(f"{name}, paper | ours" for name in columns), "|")
    print("|---|" + "---:|" * (2 * len(columns)))
    for row, notation in notations.items():
        chosen = found.notations == notation
        fitness, eta = found.fitness[chosen], found.eta[chosen]
        ours = [f"{300 * chosen.mean():.0f}", *["–"] * 6]
        if chosen.any():
            spread = [values.std(ddof=1) if len(values) > 1 else 0.0 for values in (fitness, eta)]
            scores = (np.median(fitness), spread[0], fitness.max(), fitness.min())
            ours[1:] = [*(f"{score:.2f}" for score in scores), f"{eta.mean():.4f}", f"{spread[1]:.4f}"]
        cells = (f"{targets[row, column].printed} | {number}" for column, number in zip(columns, ours, strict=True))
        print(f"| {row.removeprefix('rule ')} `{notation}` |", " | ".join(cells), "|")
    runs = len(found.runs)
    near = []
    for first in range(0, runs, 30):
        part = {
            name: array[first * len(array) // runs : (first + 30) * len(array) // runs]
            for name, array in arrays.items()
        }
        judged = [
            compare(target, Found(part).statistic(notations[row], column, 300))
            for (row, column), target in targets.items()
            if column != "Median"
        ]
        near.append(
            [sum(one.verdict in ("reproduced", "close") for one in judged if one.weak == weak) for weak in (0, 1)]
        )
    firm, weak = np.mean(near, axis=0)
    print(f"\nOf {len(judged)} cells (no medians), {firm:.1f} are firmly reproduced or close, and {weak:.1f} weakly")
    print(f"(mean over {len(near)} times 30 runs).")


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
