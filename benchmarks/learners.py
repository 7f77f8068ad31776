"""How well do ordinary learners do that are given the same signal? Tables and linear values beside the best rules.

    python benchmarks/learners.py --out learners.json

Step size and discount of each learner are tuned on a grid with lifetimes of other seeds (--tuning, as many as
--lifetimes says beside it), then measured on --lifetimes of --seed, paired with rules on the same lifetimes: trial t
meets the same newborn world. --ages also lives 32 seasons, at the settings that were found. Prints tables in Markdown;
--out holds what is finished, and is not measured again.
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

STEP_SIZES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0)
DISCOUNTS = (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95)
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
        "best real": {"rule": "-0.35:-0.78:0.91:0/0:-0.92:0:-0.16@0.976"},
        "best layered": {"rule": "+-0-/00+0@0.866,+-+-/--0+@0.02054"},
    },
    "t-maze": {"best plain": {"rule": "00+-/0000@0.04"}, "best layered": {"rule": "frozen,000-/0000@0.16"}},
    "association": {
        "best plain": {"rule": "00+-/0000@0.01"},
        "best layered": {"rule": "00+-/0000@0.0025,00+-/0000@0.04"},
    },
}
"""Those of docs/findings.md and docs/transfer.md."""
AGENTS, TOLD = ("tabular", "linear"), ("signal", "counts")


def tuned(task: str, agent: str, told: str, options: argparse.Namespace) -> dict[str, Any]:
    """The best settings on a grid."""
    grid = [
        {"step_size": step_size, "discount": discount, "told": told}
        for step_size, discount in itertools.product(STEP_SIZES, DISCOUNTS)
    ]
    asked: dict[str, Any] = {"lifetimes": options.tuning_lifetimes, "seed": options.tuning, "threads": options.threads}
    scores = [hb.live_agent(task, agent, **asked, **point).life_fitness.mean() for point in grid]
    return grid[int(np.argmax(scores))]


def text(values: np.ndarray) -> str:
    found = estimate_mean(values)
    return f"{found.value:z.1f} ({found.low:z.1f} to {found.high:z.1f})"


def found_settings(task: str, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Who lives: rules, learners at their best settings, and the agents that learn nothing or know everything."""
    who = dict(RULES[task])
    for agent, told in itertools.product(AGENTS, TOLD):
        try:
            who[f"{agent}, {told}"] = {"agent": agent, **tuned(task, agent, told, options)}
        except BadInput as refusal:
            print(f"{task}: {refusal}")
    return who | {agent: {"agent": agent} for agent in ("random", "perfect")}


def lives_of(task: str, settings: dict[str, Any], options: argparse.Namespace, **world: Any) -> hb.Lives:
    live = hb.live_agent if "agent" in settings else hb.live
    return live(task, lifetimes=options.lifetimes, seed=options.seed, threads=options.threads, **settings, **world)


def measure(task: str, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    lived: dict[str, hb.Lives] = {}
    for name, settings in found_settings(task, options).items():
        lives = lived[name] = lives_of(task, settings, options)
        rows[name] = {
            "settings": settings,
            "seasons": [round(float(season), 2) for season in lives.fitness.mean(axis=0)],
            "mean": text(lives.life_fitness),
            "minus": {
                rule: text(lives.life_fitness - lived[rule].life_fitness) for rule in RULES[task] if rule in lived
            },
        }
        if options.ages:
            long = lives_of(task, settings, options, seasons=32).fitness
            early, late = long[:, :4].mean(axis=1), long[:, -4:].mean(axis=1)
            rows[name]["ages"] = [text(early), text(late), text(late - early)]
    return rows


def words(settings: dict[str, Any]) -> str:
    if "rule" in settings:
        return f"`{settings['rule']}`" + (" with blame and eligibility" if "blame" in settings else "")
    return f"step size {settings['step_size']:g}, discount {settings['discount']:g}" if "told" in settings else ""


def show(task: str, rows: dict[str, dict[str, Any]]) -> None:
    names = list(RULES[task])
    print(f"\n### {task}\n\n| who | settings | seasons | fitness |" + "".join(f" minus {name} |" for name in names))
    print("|---|---|---|---|" + "---|" * len(names))
    for who, row in rows.items():
        seasons = " ".join(f"{season:z.1f}" for season in row["seasons"])
        minus = "".join(f" {row['minus'].get(name, '')} |" for name in names)
        print(f"| {who} | {words(row['settings'])} | {seasons} | {row['mean']} |{minus}")
    if all("ages" in row for row in rows.values()):
        print("\n| who | seasons 1 to 4 | seasons 29 to 32 | late minus early |\n|---|---|---|---|")
        for who, row in rows.items():
            print(f"| {who} | " + " | ".join(row["ages"]) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lifetimes", type=int, default=400)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--tuning", type=int, default=4000, help="the seed of the lifetimes that settings are tuned on")
    parser.add_argument("--tuning-lifetimes", type=int, default=128)
    parser.add_argument("--tasks", nargs="+", default=list(RULES))
    parser.add_argument("--ages", action="store_true")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--out", type=Path, help="results as JSON")
    options = parser.parse_args()
    found = json.loads(options.out.read_text()) if options.out and options.out.exists() else {}
    for task in options.tasks:
        if task not in found:
            found[task] = measure(task, options)
            if options.out:
                options.out.write_text(json.dumps(found, indent=1))
        show(task, found[task])


if __name__ == "__main__":
    main()
