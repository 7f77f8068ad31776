"""How well do ordinary learners do that are given the same signal? Tables and linear values beside the best rules.

    python benchmarks/learners.py --out learners.json

Step size and discount of each learner are tuned on a grid with lifetimes of other seeds (--tuning, as many as
--lifetimes says beside it), then measured on --lifetimes of --seed, paired with rules on the same lifetimes: trial t
meets the same newborn world. --ages also lives 32 seasons of foraging. Prints tables in Markdown.
"""

from __future__ import annotations

import argparse
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np

import hebbarium as hb
from hebbarium.tools.errors import BadInput
from hebbarium.tools.statistics import estimate_mean

STEP_SIZES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0)
DISCOUNTS = (0.0, 0.5, 0.9)
OBEDIENT = {
    "rule": "00+-/0000@0.028,00+-/000+@0.094",
    "blame": {
        "open-turn": 0.06, "wall-hit": 0.11, "beside-wall": 0.021, "wrong": 1.4, "taken": 0.36, "wall-turn": 0.0,
        "open-straight": 0.0,
    },
    "eligibility": {"missed": 0.35},
}  # fmt: skip
LAYERED = {
    "rule": "00+-/0000@0.013,00+-/000+@0.16",
    "blame": {
        "open-turn": 0.09, "wall-hit": 0.19, "4": 0.1, "beside-wall": 0.06, "taken": 0.5, "wall-turn": -0.26, "3": 0.02,
        "12": 0.8, "14": 0.8, "18": 0.8, "20": 0.8, "open-straight": 0.0,
    },
    "eligibility": {"missed": 0.2, "10": 0.4, "16": 0.4},
}  # fmt: skip
RULES: dict[str, dict[str, dict[str, Any]]] = {
    "foraging": {
        "best plain": {"rule": "00+-/0000@0.0375"},
        "best layered": LAYERED,
        "best obedient": OBEDIENT,
    },
    "prey-predator": {
        "best plain": {"rule": "0-+0/0-00@0.9"},
        "best layered": {"rule": "+-+0/0-00@0.99,0-+0/0-00@0.7"},
    },
    "t-maze": {"best plain": {"rule": "00+-/0000@0.04"}, "best layered": {"rule": "frozen,000-/0000@0.16"}},
    "association": {
        "best plain": {"rule": "00+-/0000@0.01"},
        "best layered": {"rule": "00+-/0000@0.0025,00+-/0000@0.04"},
    },
}
"""Those of docs/findings.md and docs/transfer.md."""
AGENTS, TOLD = ("tabular", "linear"), ("signal", "counts")


def tuned(task: str, agent: str, told: str, lifetimes: int, seed: int) -> tuple[dict[str, Any], float]:
    """The best settings on a grid, and what they scored there."""
    grid = [
        {"step_size": step_size, "discount": discount, "told": told}
        for step_size, discount in itertools.product(STEP_SIZES, DISCOUNTS)
    ]
    scores = [hb.live_agent(task, agent, lifetimes=lifetimes, seed=seed, **point).life_fitness.mean() for point in grid]
    best = int(np.argmax(scores))
    return grid[best], float(scores[best])


def text(values: np.ndarray) -> str:
    found = estimate_mean(values)
    return f"{found.value:.1f} ({found.low:.1f} to {found.high:.1f})"


def measure(task: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    rules = {
        name: hb.live(task, lifetimes=options.lifetimes, seed=options.seed, **settings)
        for name, settings in RULES[task].items()
    }
    rows = [{"who": name, "settings": RULES[task][name]["rule"], "fitness": lives} for name, lives in rules.items()]
    for agent, told in itertools.product(AGENTS, TOLD):
        try:
            settings, score = tuned(task, agent, told, options.tuning_lifetimes, options.tuning)
        except BadInput as refusal:
            print(f"{task}: {refusal}")
            continue
        lives = hb.live_agent(task, agent, lifetimes=options.lifetimes, seed=options.seed, **settings)
        rows.append({"who": f"{agent}, {told}", "settings": settings, "tuned": score, "fitness": lives})
    for row in rows:
        lives = row.pop("fitness")
        row["seasons"] = [round(float(season), 2) for season in lives.fitness.mean(axis=0)]
        row["mean"] = text(lives.life_fitness)
        row["minus"] = {name: text(lives.life_fitness - rule.life_fitness) for name, rule in rules.items()}
    return rows


def ages(options: argparse.Namespace) -> None:
    """Does a table age? Fitness in seasons 1 to 4 and 29 to 32 of a long life."""
    print("\n| who | seasons 1 to 4 | seasons 29 to 32 | late minus early |\n|---|---|---|---|")
    for agent, step_size, discount in (
        ("tabular", 1.0, 0.0), ("tabular", 0.5, 0.0), ("linear", 1.0, 0.5),
    ):  # fmt: skip
        lives = hb.live_agent(
            "foraging",
            agent,
            lifetimes=options.lifetimes // 4,
            seed=options.seed,
            seasons=32,
            step_size=step_size,
            discount=discount,
        )
        show_age(f"{agent}, step size {step_size:g}, discount {discount:g}", lives)
    for name, settings in RULES["foraging"].items():
        show_age(name, hb.live("foraging", lifetimes=options.lifetimes // 4, seed=options.seed, seasons=32, **settings))


def show_age(who: str, lives: hb.Lives) -> None:
    early, late = lives.fitness[:, :4].mean(axis=1), lives.fitness[:, -4:].mean(axis=1)
    print(f"| {who} | {text(early)} | {text(late)} | {text(late - early)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lifetimes", type=int, default=400)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--tuning", type=int, default=4000, help="the seed of the lifetimes that settings are tuned on")
    parser.add_argument("--tuning-lifetimes", type=int, default=32)
    parser.add_argument("--tasks", nargs="+", default=list(RULES))
    parser.add_argument("--ages", action="store_true")
    parser.add_argument("--out", type=Path, help="results as JSON")
    options = parser.parse_args()
    found = {}
    for task in options.tasks:
        found[task] = measure(task, options)
        names = list(RULES[task])
        print(f"\n### {task}\n\n| who | settings | seasons | fitness |" + "".join(f" minus {name} |" for name in names))
        print("|---|---|---|---|" + "---|" * len(names))
        for row in found[task]:
            seasons = " ".join(f"{season:.1f}" for season in row["seasons"])
            minus = "".join(f" {row['minus'][name]} |" for name in names)
            print(f"| {row['who']} | {row['settings']} | {seasons} | {row['mean']} |{minus}", flush=True)
        if options.out:
            options.out.write_text(json.dumps(found, indent=1))
    if options.ages:
        ages(options)


if __name__ == "__main__":
    main()
