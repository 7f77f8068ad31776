"""Can a rule keep what it learned, if it is shown which season it is? Forgetting with and without a cue.

    python benchmarks/remedy.py --out remedy.json

Etas of each kind of network are tuned for fitness on lifetimes of another seed (--tuning), once without and once with
a cue that is always right; then backward transfer, savings and fitness are measured on fresh lifetimes (--seed) as
`hebbarium lifelong` does. Prints a table in Markdown; --out holds what is finished, and is not measured again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import hebbarium as hb

ETAS = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16)
BRAINS: dict[str, tuple[str, dict[str, Any]]] = {
    "rule 1": ("00+-/0000@{eta}", {}),
    "rule 1, 100 neurons": ("00+-/0000@{eta}", {"hidden": 100}),
    "rule 1, slow hidden layer": ("00+-/0000@0.005,00+-/0000@{eta}", {}),
    "hidden layer frozen": ("frozen,000-/0000@{eta}", {}),
    "hidden layer frozen, 100 neurons": ("frozen,000-/0000@{eta}", {"hidden": 100}),
    "hidden layer frozen, 400 neurons": ("frozen,000-/0000@{eta}", {"hidden": 400}),
    "frozen, `00+-`, 100 neurons": ("frozen,00+-/0000@{eta}", {"hidden": 100}),
    "rule 1, recurrent": ("00+-/0000@{eta}", {"recurrent": True}),
    "found in fast seasons": ("00+0/0000@0.0049", {}),
    "the same, 100 neurons": ("00+0/0000@0.0049", {"hidden": 100}),
}
"""A rule, mostly with an eta to be found, and the brain's settings. The last rule is the best that
`hebbarium evolve foraging --search racing --cue 1 --season-steps 500 --seasons 40 --budget 6000 --seed 1` finds: where
seasons are too short to relearn, only a network that keeps both kinds does well."""


def tuned(rule: str, settings: dict[str, Any], options: argparse.Namespace) -> str:
    asked = {"lifetimes": options.tuning_lifetimes, "seed": options.tuning, "threads": options.threads}
    rules = list(dict.fromkeys(rule.format(eta=eta) for eta in ETAS))
    scores = [hb.live("foraging", one, seasons=options.seasons, **asked, **settings).fitness.mean() for one in rules]
    return rules[scores.index(max(scores))]


def measured(rule: str, settings: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    best = tuned(rule, settings, options)
    asked = {"lifetimes": options.lifetimes, "seed": options.seed, "threads": options.threads}
    study = hb.lifelong("foraging", best, seasons=options.seasons, **asked, **settings)
    (row,) = study.summary()["rules"]
    names = ("backward_transfer", "savings", "forgetting", "forgetting_at_birth", "recovery", "ageing", "late")
    return {"rule": best, **{name: row[name] for name in names}}


def show(name: str, cue: float, row: dict[str, Any]) -> None:
    back = row["backward_transfer"]
    savings = ", ".join(
        f"{kind} {'-' if one['value'] is None else format(100 * one['value'], 'z.0f')}"
        for kind, one in row["savings"].items()
    )
    fitness = sum(season["fitness"] for season in row["ageing"]) / len(row["ageing"])
    print(
        f"| {name} | `{row['rule']}` | {'yes' if cue else 'no'} | {back['mean']:z.1f} ({back['low']:z.1f} to "
        f"{back['high']:z.1f}) | {savings} | {fitness:z.1f} | {row['late']['mean']:z.1f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lifetimes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--tuning", type=int, default=4000, help="the seed of the lifetimes that etas are tuned on")
    parser.add_argument("--tuning-lifetimes", type=int, default=16)
    parser.add_argument("--seasons", type=int, default=8)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--only", help="networks with this in their name")
    parser.add_argument("--out", type=Path, help="results as JSON")
    options = parser.parse_args()
    found: dict[str, Any] = json.loads(options.out.read_text()) if options.out and options.out.exists() else {}
    print("| network | rule | cue | backward transfer | savings, % | fitness | last four seasons |")
    print("|---|---|---|---|---|---|---|")
    for name, (rule, settings) in BRAINS.items():
        if options.only and options.only not in name:
            continue
        for cue in (0.0, 1.0):
            key = f"{name}, cue {cue:g}"
            if key not in found:
                found[key] = measured(rule, {**settings, "cue": cue}, options)
                if options.out:
                    options.out.write_text(json.dumps(found, indent=1))
            show(name, cue, found[key])


if __name__ == "__main__":
    main()
