"""Search for the best readable wider rule on foraging: etas, graded blame, eligibility and the entries of both layers.

    python benchmarks/wider_search.py A --out a.jsonl
    python benchmarks/wider_search.py B --hidden 400 --out b.jsonl
    python benchmarks/wider_search.py A --obedient --out c.jsonl
    python benchmarks/wider_search.py D --hidden 400 --out d.jsonl

Two rounds, unless --rounds says otherwise. In each, CMA-ES (package `cmaes`) moves all numbers together, etas on a
log scale, blame and eligibility on a scale that is logarithmic on both sides of zero; then every entry of both layers
is tried at its two other values, and the best change is taken while it is better by two standard errors (not with
--no-entries). All candidates of a comparison live the same lifetimes, new ones for each comparison. Every evaluation
is written to --out, so a search that was stopped goes on when the same command is given again. What it ends with has
to be measured on other seeds: `hebbarium live`.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from cmaes import CMA

import hebbarium as hb
from hebbarium.rules.layered import LayeredRule
from hebbarium.tools.terminal import make_console

SMALL = 0.02
"""Where the scale of blame and eligibility turns from linear to logarithmic."""
FIXED = {"blame:open-straight"}
"""What is not searched: going straight on in the open is most of a life, and to learn from it makes lives slow."""
OBEDIENT = {"blame:wall-turn", "blame:3", "blame:5+7"}
"""What is 0 with --obedient: the rewarded wall rows."""
Values = dict[str, float]
"""Etas, blame and eligibility by name. Associations that mirror each other are joined by `+`."""


@dataclass(frozen=True)
class Point:
    """A wider rule."""

    hidden: str
    """The hidden layer's entries, or `frozen`."""
    output: str
    values: Values

    @property
    def rule(self) -> str:
        hidden = self.hidden if self.hidden == "frozen" else f"{self.hidden}@{self.values['eta_hidden']:.4g}"
        return f"{hidden},{self.output}@{self.values['eta_output']:.4g}"

    def group_weights(self, kind: str) -> Values:
        """kind: blame or eligibility"""
        named = ((name.partition(":"), value) for name, value in self.values.items())
        return {
            group: float(f"{value:.4g}")
            for (of, _, groups), value in named
            if of == kind
            for group in groups.split("+")
        }

    def options(self) -> str:
        """As the command line takes it."""
        weights = {kind: self.group_weights(kind) for kind in ("blame", "eligibility")}
        words = (
            f"--{kind} " + ",".join(f"{group}={value:g}" for group, value in some.items())
            for kind, some in weights.items()
        )
        return " ".join([f"--rule {self.rule}", *words])


def _values(etas: dict[str, float], blame: dict[str, float], eligibility: dict[str, float]) -> Values:
    return (
        {f"eta_{layer}": eta for layer, eta in etas.items()}
        | {f"blame:{group}": weight for group, weight in blame.items()}
        | {f"eligibility:{group}": weight for group, weight in eligibility.items()}
    )


STARTS = {
    "A": Point(
        "00+-/0000",
        "00+-/000+",
        _values(
            {"hidden": 0.0068, "output": 0.113},
            {"open-turn": 0.045, "wall-hit": 0.15, "beside-wall": 0.022, "wrong": 1.0, "taken": 0.088}
            | {"wall-turn": -0.071, "open-straight": 0.0},
            {"missed": 0.28, "wrong": 0.0, "wall-hit": 0.0, "taken": 0.0},
        ),
    ),
    "B": Point(
        "frozen",
        "00+-/000+",
        _values(
            {"output": 0.03},
            {"open-turn": 0.05, "wall-hit": 0.2, "beside-wall": 0.015, "wrong": 1.0, "taken": 0.0}
            | {"wall-turn": -0.06, "open-straight": 0.0},
            {"missed": 0.5, "wrong": 0.0, "wall-hit": 0.0, "taken": 0.0},
        ),
    ),
}
STARTS["C"] = replace(
    STARTS["B"], hidden="00+-/0000", values=STARTS["B"].values | {"eta_hidden": 0.002, "eta_output": 0.021}
)
STARTS["D"] = replace(
    STARTS["C"],
    values=_values(
        {"hidden": 0.002, "output": 0.025},
        {"open-turn": 0.05, "wall-hit": 0.2, "4": 0.2, "beside-wall": 0.015, "wrong": 1.0, "taken": 0.1}
        | {"3": 0.05, "5+7": -0.08, "12+14+18+20": 1.0, "open-straight": 0.0},
        {"10+16": 0.4, "12+14+18+20": 0.4, "wrong": 0.0, "wall-hit": 0.0, "beside-wall": 0.0, "taken": 0.0, "5+7": 0.0},
    ),
)
STARTS["E"] = replace(STARTS["D"], values=STARTS["D"].values | {"eta_hidden": 0.0068, "eta_output": 0.113})
"""D and, for 20 neurons, E have weights for single rows of the table: a wall in front (3, 4) or beside (5, 7), an item
missed in front (10, 16) or beside (12, 14, 18, 20)."""


def coordinate(name: str, value: float) -> float:
    return math.log(value) if name.startswith("eta") else math.asinh(value / SMALL)


def value_at(name: str, place: float) -> float:
    return min(math.exp(place), 0.99) if name.startswith("eta") else SMALL * math.sinh(place)


class Laboratory:
    """Lets points live, and remembers every answer."""

    def __init__(self, path: Path, hidden: int, threads: int | None) -> None:
        self.path, self.hidden, self.threads = path, hidden, threads
        self.lifetimes = 0
        self.known: dict[str, list[float]] = {}
        if path.exists():
            rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
            self.known = {row["asked"]: row["scores"] for row in rows if "asked" in row}

    def scores(self, point: Point, lifetimes: int, seed: int) -> np.ndarray:
        """float64 [lifetime]"""
        asked = f"{point.options()} --hidden {self.hidden} --lifetimes {lifetimes} --seed {seed}"
        self.lifetimes += lifetimes
        if asked not in self.known:
            lives = hb.live(
                "foraging",
                point.rule,
                hidden=self.hidden,
                lifetimes=lifetimes,
                seed=seed,
                threads=self.threads,
                blame=point.group_weights("blame"),
                eligibility=point.group_weights("eligibility"),
            )
            self.known[asked] = lives.life_fitness.tolist()
            self.write({"asked": asked, "scores": self.known[asked]})
        return np.array(self.known[asked])

    def write(self, row: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def by_cma(
    start: Point, laboratory: Laboratory, seed: int, *, generations: int, spread: float, lives: int, obedient: bool
) -> Point:
    """Move all numbers together; the end is the middle of the last generation."""
    fixed = FIXED | (OBEDIENT if obedient else set())
    names = [name for name in start.values if name not in fixed]
    middle = np.array([coordinate(name, start.values[name]) for name in names])
    optimiser = CMA(mean=middle, sigma=spread, seed=seed, population_size=16)

    def at(place: np.ndarray) -> Point:
        moved = {name: value_at(name, float(x)) for name, x in zip(names, place, strict=True)}
        return replace(start, values=start.values | moved)

    for generation in range(generations):
        places = [optimiser.ask() for _ in range(optimiser.population_size)]
        means = [float(laboratory.scores(at(place), lives, seed + generation).mean()) for place in places]
        optimiser.tell([(place, -mean) for place, mean in zip(places, means, strict=True)])
        make_console().print(f"generation {generation + 1}: mean {np.mean(means):.2f}, best {max(means):.2f}")
    return at(optimiser.mean)


def neighbours(point: Point) -> list[Point]:
    rule = LayeredRule(point.hidden, point.output).neighbours()
    return [replace(point, hidden=str(one.parts[0] or "frozen"), output=str(one.parts[1])) for one in rule]


def by_entries(point: Point, laboratory: Laboratory, seed: int, lives: int) -> Point:
    """Take the best change of one entry while it is better by two standard errors, life by life."""
    for change in range(4):
        own = laboratory.scores(point, lives, seed + change)
        others = neighbours(point)
        leads = [laboratory.scores(other, lives, seed + change) - own for other in others]
        best = int(np.argmax([lead.mean() for lead in leads]))
        error = float(leads[best].std(ddof=1)) / math.sqrt(lives)
        make_console().print(f"{others[best].rule}: {leads[best].mean():+.2f} ± {error:.2f}")
        if leads[best].mean() < 2 * error:
            return point
        point = others[best]
    return point


def search(asked: argparse.Namespace, laboratory: Laboratory) -> Point:
    point = STARTS[asked.start]
    if asked.obedient:
        point = replace(point, values=point.values | dict.fromkeys(OBEDIENT & set(point.values), 0.0))
    for number, spread in enumerate((0.4, 0.2)[: asked.rounds]):
        first = asked.seed + 10_000 * number
        options = {"generations": asked.generations, "lives": asked.lives, "obedient": asked.obedient}
        point = by_cma(point, laboratory, first, spread=spread, **options)
        if asked.entries:
            point = by_entries(point, laboratory, first + 5_000, 2 * asked.lives)
        make_console().print(f"round {number + 1}: {point.options()}", soft_wrap=True)
    return point


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Search for the best wider rule on foraging.")
    parser.add_argument("start", choices=STARTS)
    parser.add_argument("--hidden", type=int, default=20)
    parser.add_argument("--obedient", action="store_true", help="rewarded wall rows change nothing")
    parser.add_argument("--rounds", type=int, default=2, choices=(1, 2))
    parser.add_argument("--entries", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--generations", type=int, default=30)
    parser.add_argument("--lives", type=int, default=48)
    parser.add_argument("--seed", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args(arguments)
    laboratory = Laboratory(asked.out, asked.hidden, asked.threads)
    found = search(asked, laboratory)
    laboratory.write({"found": found.options(), "hidden": asked.hidden, "lifetimes": laboratory.lifetimes})
    make_console().print(
        f"{laboratory.lifetimes:,} lifetimes. hebbarium live foraging --hidden {asked.hidden} {found.options()}",
        soft_wrap=True,
    )


if __name__ == "__main__":
    main()
