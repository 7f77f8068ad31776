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
from hebbarium.executors.base import run
from hebbarium.executors.threads import Threads
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.studies.atlas.ages import SEASONS
from hebbarium.studies.atlas.finished_atlas import Atlas
from hebbarium.studies.atlas.stages import FRESH
from hebbarium.studies.lifelong import measures
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


def fitness_of(rules: Sequence[AnyRule], lifetimes: int, first: int) -> np.ndarray:
    """float64 [rule, life, season], on trials from `first` on."""
    world = dataclasses.replace(make_world("foraging"), seasons=SEASONS)
    jobs = Jobs.joined([Jobs.of_rule(rule, lifetimes, SEED, first) for rule in rules])
    fitness: np.ndarray = world.fitness(run(Threads(), world, Brain.of(world), jobs).counts)
    return fitness.reshape(len(rules), lifetimes, -1)


def narrowed(rules: Sequence[AnyRule]) -> list[AnyRule]:
    """The best of them for late seasons, best first."""
    first = 0
    for lifetimes, kept in ROUNDS:
        late = measures.late(fitness_of(rules, lifetimes, first)).mean(axis=1)
        first += lifetimes
        rules = [rules[place] for place in np.argsort(-late, kind="stable")[:kept]]
    return list(rules)


def main() -> None:
    print(f"{'':36}{'seasons 1 to 4':>16}{'29 to 32':>14}   ({SCORED} fresh lifetimes)")
    for kind, rules in candidates(Atlas.of("foraging")).items():
        leading = narrowed(rules)
        print(f"{kind}: {len(rules)} candidates")
        for rule, fitness in zip(leading, fitness_of(leading, SCORED, FRESH), strict=True):
            young, late = (
                f"{values.mean():.1f} ± {values.std(ddof=1) / np.sqrt(SCORED):.1f}"
                for values in (measures.young(fitness), measures.late(fitness))
            )
            print(f"  {rule.short_text:34}{young:>16}{late:>14}", flush=True)


if __name__ == "__main__":
    main()
