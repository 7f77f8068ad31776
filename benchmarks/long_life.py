"""Which rule and eta are best for seasons 29 to 32 of a life on foraging, a rule for each layer included.

    python benchmarks/long_life.py

All have 20 hidden neurons. The candidates act on punishment alone, as all rules do that score above 40:

- the five best rules of the atlas at many etas;
- these five for each layer, with an eta for each;
- a frozen hidden layer below each of the 80 rules that act on punishment alone.

They are narrowed down on ever more lifetimes, each round on others than the round before, and the best of each kind are
scored on fresh ones. About two minutes of processor time.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np

from hebbarium.brains.base import Brain
from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.studies.atlas.measuring_ages import SEASONS, Living
from hebbarium.studies.atlas.scores import FRESH
from hebbarium.studies.atlas.table import Atlas
from hebbarium.studies.lifelong import ageing
from hebbarium.worlds.registry import make_world

SEED = 1
BEST = 5
ETAS = (0.00125, 0.0018, 0.0025, 0.0035, 0.005, 0.007, 0.01)
"""Of plain rules and hidden layers."""
OUTPUT_ETAS = (0.007, 0.01, 0.014, 0.02, 0.028, 0.04, 0.056, 0.08)
ROUNDS = ((6, 60), (40, 12), (200, 3))
"""Lifetimes, and how many candidates of each kind go on."""
SCORED = 400


def candidates(atlas: Atlas) -> dict[str, list[AnyRule]]:
    best = [Rule(int(index)) for index in atlas.order[:BEST]]
    outputs = [rule.with_eta(eta) for rule in best for eta in OUTPUT_ETAS]
    hidden = [rule.with_eta(eta) for rule in best for eta in ETAS]
    on_punishment = [
        Rule((*entries, 0, 0, 0, 0)) for entries in itertools.product((-1, 0, 1), repeat=4) if any(entries)
    ]
    return {
        "one rule": list(dict.fromkeys([*hidden, *outputs])),
        "a rule for each layer": [LayeredRule(*pair) for pair in itertools.product(hidden, outputs)],
        "hidden layer frozen": [LayeredRule(None, rule.with_eta(eta)) for rule in on_punishment for eta in OUTPUT_ETAS],
    }


def narrowed(rules: Sequence[AnyRule], living: Living) -> list[AnyRule]:
    """The best of them for late seasons, best first."""
    for lifetimes, kept in ROUNDS:
        late = ageing.late(living.fitness(rules, lifetimes, living.trial)).mean(axis=1)
        living.trial += lifetimes
        rules = [rules[place] for place in np.argsort(-late, kind="stable")[:kept]]
    return list(rules)


def main() -> None:
    atlas, world = Atlas.of("foraging"), dataclasses.replace(make_world("foraging"), seasons=SEASONS)
    living = Living(world, Brain.of(world), SEED)
    print(f"{'':36}{'seasons 1 to 4':>16}{'29 to 32':>14}   ({SCORED} fresh lifetimes)")
    for kind, rules in candidates(atlas).items():
        living.trial = 0
        leading = narrowed(rules, living)
        print(f"{kind}: {len(rules)} candidates")
        for rule, fitness in zip(leading, living.fitness(leading, SCORED, FRESH), strict=True):
            young, late = (
                f"{values.mean():.1f} ± {values.std(ddof=1) / np.sqrt(SCORED):.1f}"
                for values in (ageing.young(fitness), ageing.late(fitness))
            )
            print(f"  {rule.short_text:34}{young:>16}{late:>14}", flush=True)


if __name__ == "__main__":
    main()
