"""How the ages of an atlas's best rules are measured: each rule's eta is chosen anew for late seasons."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.brains.base import Brain
from hebbarium.executors.base import Done, Executor, run
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.store.kept_arrays import Arrays, Piece
from hebbarium.studies.atlas.ages import Ages
from hebbarium.studies.atlas.scores import FRESH
from hebbarium.studies.atlas.table import Atlas
from hebbarium.studies.engine import Kernels, Lab, Place, Study, Work, carry_out
from hebbarium.studies.lifelong import ageing
from hebbarium.tools.progress import Report
from hebbarium.worlds.base import World

SEASONS = 32
GRID, FIRST = (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0), 3
"""Factors on the atlas's eta at which every rule is tried first, and lifetimes at each of them."""


@dataclass(frozen=True)
class Round:
    """The best eta of each leading rule, and those a step to either side of it, on further lifetimes."""

    leading: float
    """Which share of the rules."""
    step: float
    lifetimes: int


ROUNDS = (Round(0.02, 2.0, 20), Round(0.02, 2**0.5, 60))
SCORED = ((1.0, 10), (0.02, 200))
"""Shares of the rules, and on how many fresh lifetimes they are scored."""
CHUNK = 480
"""Lifetimes that are kept at once: ten seconds' work."""


@dataclass(frozen=True)
class AgesStudy(Study[Ages]):
    """The ages of an atlas's best rules."""

    atlas: Atlas
    world: World
    """With as many seasons as are lived."""
    rules: int = 300
    seed: int = 1

    kind = "ages"
    doing = "ages"
    unit = "long lifetimes"

    @property
    def about(self) -> dict[str, Any]:
        return {
            "task": self.world.name,
            "atlas": self.atlas.about["digest"],
            "hidden": int(self.atlas.about["hidden"]),
            "seasons": SEASONS,
            "young": [1, ageing.SPAN],
            "late": [SEASONS - ageing.SPAN + 1, SEASONS],
            "seed": self.seed,
        }

    def configuration(self) -> dict[str, Any]:
        return {**self.about, "world": self.world.settings()}

    @property
    def size(self) -> float:
        """At most."""
        count = len(_best_rules(self.atlas, self.rules))
        choosing = count * len(GRID) * FIRST + sum(3 * _share(one.leading, count) * one.lifetimes for one in ROUNDS)
        return choosing + sum(2 * _share(share, count) * lifetimes for share, lifetimes in SCORED)

    def kernels(self) -> list[Kernels]:
        return [Kernels(self.world)]

    def reduce(self, lab: Lab) -> Ages:
        best = _best_rules(self.atlas, self.rules)
        living = Living(self.world, Brain.of(self.world, self.about["hidden"]), self.seed, lab)
        # Each rule gets the eta that is best for late seasons. Rules that led in a round stay ahead of those that were
        # not in it, since few lifetimes flatter.
        tried = [_beside(rule, GRID) for rule in best]
        scores = living.late(tried, FIRST)
        order = _sorted(np.arange(len(best)), scores)
        for one in ROUNDS:
            leading = order[: _share(one.leading, len(best))]
            around = [_beside(_best(tried[place], scores[place]), (1 / one.step, 1.0, one.step)) for place in leading]
            for place, etas, late in zip(leading, around, living.late(around, one.lifetimes), strict=True):
                tried[place], scores[place] = etas, late
            order[: len(leading)] = _sorted(leading, scores)
        chosen = [_best(etas, late) for etas, late in zip(tried, scores, strict=True)]
        # Both etas are scored on fresh lifetimes: means and standard errors by name.
        names = ("young", "late", "best_young", "best_late")
        columns = {name: np.zeros(len(best), np.float32) for stem in names for name in (stem, f"{stem}_sem")}
        columns["lifetimes"] = np.zeros(len(best), np.int16)
        for share, lifetimes in SCORED:
            places = order[: _share(share, len(best))]
            columns["lifetimes"][places] = lifetimes
            both = dict.fromkeys(rules[place] for place in places for rules in (best, chosen))
            lived = dict(zip(both, living.fitness(list(both), lifetimes, FRESH), strict=True))
            for prefix, rules in (("", best), ("best_", chosen)):
                fitness = np.stack([lived[rules[place]] for place in places])
                for name, values in (("young", ageing.young(fitness)), ("late", ageing.late(fitness))):
                    columns[prefix + name][places] = values.mean(axis=1)
                    columns[f"{prefix}{name}_sem"][places] = values.std(axis=1, ddof=1) / np.sqrt(lifetimes)
        indices = np.array([rule.index for rule in best], np.int16)
        return Ages(self.about, indices, late_eta=np.array([rule.eta for rule in chosen]), **columns)


def measure_ages(
    atlas: Atlas,
    world: World,
    *,
    rules: int = 300,
    seed: int = 1,
    threads: Place | Executor | int | None = None,
    out: str | os.PathLike[str] | None = None,
    report: Report | None = None,
) -> Ages:
    """Measure the ages of the best rules. out: a folder in which the lives are kept; the same call resumes there."""
    study = AgesStudy(atlas, dataclasses.replace(world, seasons=SEASONS), rules, seed)
    return carry_out(study, out, threads=threads, report=report)


def _best_rules(atlas: Atlas, rules: int) -> list[Rule]:
    """This many of the best rules at the atlas's eta, without the one that changes nothing."""
    indices = [int(index) for index in atlas.order[:rules] if any(Rule(int(index)).entries)]
    return [Rule(index, float(atlas.eta[index])) for index in indices]


@dataclass
class Living:
    world: World
    brain: Brain
    seed: int
    lab: Lab
    trial: int = 0
    """The next that was not lived yet to choose an eta."""

    def fitness(self, rules: Sequence[AnyRule], lifetimes: int, first: int) -> np.ndarray:
        """float64 [rule, life, season], on trials from `first` on."""
        size = max(1, CHUNK // lifetimes)
        fitness = []
        for chunk in (rules[start : start + size] for start in range(0, len(rules), size)):

            def live(executor: Executor, done: Done, some: Sequence[AnyRule] = chunk) -> Arrays:
                jobs = Jobs.joined([Jobs.of_rule(rule, lifetimes, self.seed, first) for rule in some])
                counts = run(executor, self.world, self.brain, jobs, done=done).counts
                return {"fitness": self.world.fitness(counts).reshape(len(some), lifetimes, -1)}

            asked = {"rules": [rule.text for rule in chunk], "lifetimes": lifetimes, "first": first}
            work = Work(Piece.of("ages", asked), live, len(chunk) * lifetimes)
            fitness.append(self.lab.fetch(work)["fitness"])
        return np.concatenate(fitness)

    def late(self, tried: Sequence[Sequence[Rule]], lifetimes: int) -> list[np.ndarray]:
        """For each rule the late fitness at its etas, on trials that chose nothing yet."""
        fitness = self.fitness([one for etas in tried for one in etas], lifetimes, self.trial)
        self.trial += lifetimes
        return np.split(ageing.late(fitness).mean(axis=1), np.cumsum([len(etas) for etas in tried])[:-1])


def _sorted(places: np.ndarray, scores: Sequence[np.ndarray]) -> np.ndarray:
    """By the best score of each, best first."""
    return places[np.argsort([-scores[place].max() for place in places], kind="stable")]


def _share(share: float, rules: int) -> int:
    return max(1, round(share * rules))


def _best(etas: Sequence[Rule], scores: np.ndarray) -> Rule:
    return etas[int(np.argmax(scores))]


def _beside(rule: Rule, factors: Sequence[float]) -> list[Rule]:
    """The rule at multiples of its eta, as far as they are below 1."""
    etas = [rule.eta if factor == 1 else float(f"{factor * (rule.eta or 0):.4g}") for factor in factors]
    return [rule.with_eta(eta) for eta in etas if eta is not None and eta < 1]
