"""The paper's genetic algorithm, read in several ways: what 30 runs of each reading find (7 on prey-predator).

    python benchmarks/genetic_readings.py run foraging                    # real lifetimes, one thread; resumes
    python benchmarks/genetic_readings.py run foraging scaled-eta-pair    # one reading
    python benchmarks/genetic_readings.py screen                          # all combinations, on the atlas's figures
    python benchmarks/genetic_readings.py table foraging                  # what is there so far, as Markdown
    python benchmarks/genetic_readings.py table stand-in
    python benchmarks/genetic_readings.py rules foraging scaled-eta       # its distinct rules beside the paper's
    python benchmarks/genetic_readings.py cells                           # how many numbers about searches agree

`run`: each reading is a run of `hebbarium reproduce TASK-rules --scale paper --reading READING` in a folder of its own,
`runs/genetic-readings/TASK/READING`. All readings have the same seed, so run k begins with the same genes and meets the
same lifetimes under each of them. `text` is read from `runs/reproduce-paper-1` where that is there.

`screen`: every combination of five settings, 300 runs each, with scores drawn from the figures of foraging's atlas
instead of lived (`studies/atlas/analysis.py`). It takes two seconds a reading; real lifetimes decide
between the best.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import hebbarium as hb
from hebbarium.paper.comparison_tables import mark
from hebbarium.paper.items.our_searches import Found
from hebbarium.paper.items.statements import searched
from hebbarium.paper.printed_numbers import POOLED, targets_of
from hebbarium.paper.readings import READINGS, Reading
from hebbarium.paper.verdict import Comparison, compare
from hebbarium.rules.rule import PAPER_RULES
from hebbarium.studies.atlas.analysis import StandIn
from hebbarium.studies.atlas.finished_atlas import Atlas

OUT, REPRODUCED = Path("runs/genetic-readings"), Path("runs/reproduce-paper-1")
STAND_IN = "stand-in"
SEED = 30
"""Of the drawn scores; lived readings have that of `reproduce`."""
TASKS = ("foraging", "prey-predator")
SCREENED = 300
"""Runs of each reading on the atlas's figures."""
TENTH: dict[str, Any] = {"eta_scale": 0.1}
OTHERS: dict[str, dict[str, Any]] = {
    "other": {"redraw": "different"},
    "again": {"elite_fitness": "again"},
    "scaled-eta-again": TENTH | {"elite_fitness": "again"},
    "scaled-eta-pair": TENTH | {"crossover": "pair"},
    "scaled-eta-floor": TENTH | {"eta_boundary": "floor"},
    "scaled-eta-clip": TENTH | {"eta_boundary": "clip"},
}
"""Settings that differ from those of `--search genetic`, whose eta_scale is 1, as the text has it."""
READINGS.update({name: Reading(name, search=dict.fromkeys(TASKS, one)) for name, one in OTHERS.items()})
SEARCHED = {
    "foraging": ("text", "other", *(name for name in READINGS if name.startswith("scaled-eta"))),
    "prey-predator": ("text", "other", "again"),
}
CHOICES: dict[str, tuple[Any, ...]] = {
    "eta_scale": (1.0, 0.1),
    "redraw": ("any", "different"),
    "elite_fitness": ("kept", "again"),
    "crossover": ("gene", "pair"),
    "eta_boundary": ("reflect", "floor", "clip"),
}
PAPER = np.array([164 / 300, 15])
"""Of table 2: rule 1's share, and the number of distinct rules."""
AGREED = ("reproduced", "close")


def run(task: str, reading: str, out: Path) -> None:
    hb.reproduce(f"{task}-rules", scale="paper", reading=reading, threads=1, out=out / task / reading)
    print(task, reading, flush=True)


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


def arrays_of(path: Path) -> dict[str, np.ndarray]:
    """Of the searches in a run of `reproduce` so far, in the order of their runs, or of a file that `screen` wrote."""
    if path.suffix == ".npz":
        with np.load(path) as file:
            return dict(file)
    task, reading = path.parts[-2:]
    stored = hb.Run.open(REPRODUCED if reading == "text" and not path.exists() else path)
    pieces = {}
    for name in stored.pieces():
        if name.startswith("Evolutions/") and (found := stored.piece(name)):
            asked = json.loads(found[0].asked)
            if (asked["task"], asked.get("reading", "text")) == (task, reading):
                pieces[asked["first_run"]] = found[1]
    return {name: np.concatenate([pieces[run][name] for run in sorted(pieces)]) for name in pieces[min(pieces)]}


def table(task: str, out: Path) -> None:
    paper = "foraging" if task == STAND_IN else task
    of_paper = {hb.Rule(name).notation: name.partition(":")[2] for name in PAPER_RULES if name.startswith(f"{paper}:")}
    print("| reading | runs | rule 1 | 95 % | distinct rules | 95 % | rule 1's eta | its std | generations | distance "
          "| of the paper's rules, with their instances |")  # fmt: skip
    print("|---|" + "---:|" * 9 + "---|")
    names = [one.name for one in sorted((out / task).iterdir())] if task == STAND_IN else SEARCHED[task]
    for name in names:
        try:
            found = Found(arrays_of(out / task / name))
        except (ValueError, hb.HebbariumError):
            continue  # not run yet
        first = next(iter(of_paper))
        share = found.share(first)
        types, apart = found.types(), math.nan
        if len(found.runs) > 30:
            sets = of_thirty(found, first)
            low, high = np.quantile(sets[:, 1], [0.025, 0.975])
            types, apart = replace(types, value=sets[:, 1].mean(), low=low, high=high), distance(sets)
        eta = found.eta[found.notations == first]
        mean, spread = (eta.mean(), eta.std(ddof=1)) if len(eta) > 1 else (math.nan, math.nan)
        seen = {number: int((found.notations == rule).sum()) for rule, number in of_paper.items()}
        print(
            f"| {name.removesuffix('.npz')} | {len(found.runs)} | {share.value:.0%} | {share.low:.0%} to "
            f"{share.high:.0%} | {types.value:.1f} | {types.low:.0f} to {types.high:.0f} | {mean:.4f} "
            f"| {spread:.4f} | {np.mean(found.runs):.0f} | {apart:.1f} "
            f"| {', '.join(f'{n} ({c})' for n, c in seen.items() if c)} |"
        )


def of_thirty(found: Found, first: str, sets: int = 400) -> np.ndarray:
    """The share of rule 1 and the number of distinct rules of thirty of many runs, drawn again and again: [set, 2].
    Of thirty runs, drawing with replacement would find too few types."""
    random = np.random.default_rng(0)
    runs = len(found.runs)
    notations = found.notations.reshape(runs, POOLED)
    drawn = []
    for _ in range(sets):
        chosen = notations[random.permutation(runs)[:30]]
        drawn.append(((chosen == first).mean(), len(np.unique(chosen))))
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
    whole = {(one.row, one.column): one for one in judged(task, found)}
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*whole, strict=True))
    print("| rule |", " | ".join(f"{name}, paper | ours" for name in columns), "|")
    print("|---|" + "---:|" * (2 * len(columns)))
    for row in rows:
        numbers = (shown(whole[row, column]) for column in columns)
        print(f"| {row.removeprefix('rule ')} `{notation_of(task, row)}` |", " | ".join(numbers), "|")
    runs = len(found.runs)
    near = []
    for first in range(0, runs, 30):
        part = Found(
            {name: array[first * len(array) // runs : (first + 30) * len(array) // runs] for name, array in
             arrays.items()}
        )  # fmt: skip
        ours = judged(task, part)
        near.append([[one.column == column and one.verdict in AGREED and one.weak == weak for one in ours]
                     for column in columns for weak in (False, True)])  # fmt: skip
    counts = np.mean(np.sum(near, axis=2), axis=0).reshape(-1, 2)
    print(f"\nReproduced or close, of {len(rows)} cells, firmly and weakly (mean over {len(near)} times 30 runs):")
    for column, (firm, weak) in zip(columns, counts, strict=True):
        print(f"{column}: {firm:.1f} and {weak:.1f}")


def cells(task: str, out: Path) -> None:
    """How many of all numbers about searches agree (tables 2 and 5 but for their medians, and the statements), if
    foraging's searches are those of a reading. Prey-predator's are the text's."""
    hunting = arrays_of(out / "prey-predator" / "text")
    for reading in SEARCHED["foraging"]:
        try:
            foraging = arrays_of(out / "foraging" / reading)
        except (ValueError, hb.HebbariumError):
            continue  # not run yet
        ours = [one for one, _ in searched({"foraging evolutions": foraging, "prey-predator evolutions": hunting})]
        for name, arrays in (("foraging", foraging), ("prey-predator", hunting)):
            ours += [one for one in judged(name, Found(arrays)) if one.kind == "search"]
        near = [one.weak for one in ours if one.verdict in AGREED]
        print(f"{reading}: {len(near)} of {len(ours)}, {len(near) - sum(near)} of them firmly")


def judged(task: str, found: Found) -> list[Comparison]:
    """Every cell of the paper's table; medians are those of our own instances, as in the paper."""
    targets = targets_of(f"{task}-rules")
    total = sum(one.paper for one in targets if one.column == "Rules")
    return [compare(one, found.statistic(notation_of(task, one.row), one.column, total)) for one in targets]


def notation_of(task: str, row: str) -> str:
    return hb.Rule(f"{task}:{row.removeprefix('rule ')}").notation


def shown(one: Comparison) -> str:
    """Paper and ours, marked as the report does."""
    digits = 4 if one.column.startswith("eta") else 0 if one.column == "Rules" else 2
    return f"{one.printed} | " + ("–" if one.ours is None else f"{one.ours:.{digits}f} {mark(one)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "screen", "table", "rules", "cells"])
    parser.add_argument("task", nargs="?", choices=[*TASKS, STAND_IN], default="foraging")
    parser.add_argument("readings", nargs="*")
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    if asked.what == "screen":
        screen(asked.out)
    elif asked.what in ("table", "cells"):
        {"table": table, "cells": cells}[asked.what](asked.task, asked.out)
    else:
        for reading in asked.readings or SEARCHED[asked.task]:
            {"run": run, "rules": rules}[asked.what](asked.task, reading, asked.out)


if __name__ == "__main__":
    main()
