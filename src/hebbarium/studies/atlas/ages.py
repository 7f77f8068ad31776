"""Whether rules age: the best of an atlas in a life of 32 seasons, at their own eta and at the best one for it.

Kept in one small .npz file (no pickle): `about` as JSON text, and a column for each field of `Ages`.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.brains.base import Brain
from hebbarium.executors.base import Done, Executor, run
from hebbarium.life.jobs import Jobs
from hebbarium.rules.rule import RULES, AnyRule, Rule
from hebbarium.store.kept_arrays import Arrays, Piece
from hebbarium.studies.atlas.finished_atlas import SHIPPED, Atlas, check_columns, check_kinds, read_about
from hebbarium.studies.atlas.stages import FRESH
from hebbarium.studies.engine import Kernels, Lab, Place, Study, Work, carry_out
from hebbarium.studies.lifelong import measures
from hebbarium.tools.errors import BadInput, shown
from hebbarium.tools.files import replacing
from hebbarium.tools.npz import Damaged, reading, save_arrays
from hebbarium.tools.progress import Report
from hebbarium.worlds.base import World

FILE = "ages.npz"
"""In the folder of an atlas's run."""
KEPT = 0.9
"""A rule that keeps this much of its young fitness is not called ageing."""
SURE = 3.0
"""Standard errors by which the late fitness lies below the young."""


@dataclass(frozen=True)
class Ages:
    """Fitness when young and when late, on lifetimes that took no part in choosing anything. [rule of the best]"""

    about: dict[str, Any]
    """task, atlas (the digest of the one whose rules and etas these are), hidden, seasons, young and late (first and
    last season of each), seed."""
    rule: np.ndarray
    """int16: index"""
    lifetimes: np.ndarray
    """int16: how many each of the figures rests on"""
    young: np.ndarray
    """float32: at the atlas's eta, the best for a short life"""
    young_sem: np.ndarray
    late: np.ndarray
    """float32: at the same eta"""
    late_sem: np.ndarray
    late_eta: np.ndarray
    """float64: the eta that is best for late seasons"""
    best_young: np.ndarray
    """float32: when young, at that eta"""
    best_young_sem: np.ndarray
    best_late: np.ndarray
    """float32: when late, at that eta"""
    best_late_sem: np.ndarray

    def __len__(self) -> int:
        return len(self.rule)

    def of(self, index: int) -> Age | None:
        """What is known of a rule; None where it is not among the best."""
        (found,) = np.nonzero(self.rule == index)
        if not len(found):
            return None
        row = {name: float(getattr(self, name)[found[0]]) for name in COLUMNS[2:]}
        young, late = self.about["young"], self.about["late"]
        return Age(**row, seasons=(tuple(young), tuple(late)))

    def save(self, path: str | os.PathLike[str]) -> None:
        columns = {name: getattr(self, name) for name in COLUMNS}
        with replacing(path) as part, part.open("wb") as file:
            save_arrays(file, about=json.dumps(self.about), **columns)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Ages:
        """Those in a file; types, shapes and sizes are checked before the columns are read."""
        with reading(path, "the ages of rules", "hebbarium atlas --ages") as arrays:
            about = read_about(arrays)
            check_kinds(about, _ABOUT)
            for name in ("young", "late"):
                if [type(season) for season in about[name]] != [int, int]:
                    raise Damaged(f"its {name} seasons are {shown(about[name])}")
            shape = arrays.declared("rule").shape
            if len(shape) != 1 or not 1 <= shape[0] <= RULES:
                raise Damaged(f"it has rules {list(shape)}, but there are 1 to {RULES:,}")
            check_columns(arrays, dict.fromkeys(COLUMNS, np.float32) | _TYPES, dict.fromkeys(COLUMNS, shape))
            columns = {name: arrays.finite(name) for name in COLUMNS}
            rules = columns["rule"]
            if rules.min() < 0 or rules.max() >= RULES or len(np.unique(rules)) != len(rules):
                raise Damaged("its rules are not indices that occur once each")
            return cls(about, **columns)


COLUMNS = tuple(field.name for field in dataclasses.fields(Ages))[1:]
_TYPES = {"rule": np.int16, "lifetimes": np.int16, "late_eta": np.float64}
"""All others are float32."""
_ABOUT = {"task": str, "atlas": str, "hidden": int, "seasons": int, "young": list, "late": list, "seed": int}


@dataclass(frozen=True)
class Age:
    """One rule of `Ages`."""

    young: float
    young_sem: float
    late: float
    late_sem: float
    late_eta: float
    best_young: float
    best_young_sem: float
    best_late: float
    best_late_sem: float
    seasons: tuple[tuple[int, ...], tuple[int, ...]]
    """First and last, young and late."""

    @property
    def ages(self) -> bool:
        """Whether it loses what it was able to do; one that could do nothing has nothing to lose."""
        fall = self.young - self.late
        return self.late < KEPT * self.young and fall > SURE * float(np.hypot(self.young_sem, self.late_sem))

    def to_json(self) -> dict[str, Any]:
        return {
            "ages": self.ages,
            "young": {"seasons": list(self.seasons[0]), "mean": self.young, "sem": self.young_sem},
            "late": {"seasons": list(self.seasons[1]), "mean": self.late, "sem": self.late_sem},
            "best_late": {"eta": self.late_eta, "mean": self.best_late, "sem": self.best_late_sem},
        }

    def words(self) -> str:
        """
        >>> seasons = ((1, 4), (29, 32))
        >>> print(*Age(48.2, 0.4, 27.0, 0.5, 0.01, 40.0, 0.5, 46.0, 0.4, seasons).words().split(". "), sep="\\n")
        In a long life it ages: 48.2 ± 0.4 in seasons 1 to 4, 27.0 ± 0.5 in seasons 29 to 32
        At eta 0.01 it still scores 46.0 ± 0.4 there.
        """
        young, late = (f"in seasons {first} to {last}" for first, last in self.seasons)
        better = self.best_late - self.late > SURE * float(np.hypot(self.late_sem, self.best_late_sem))
        best = f". At eta {self.late_eta:.3g} it still scores {self.best_late:z.1f} ± {self.best_late_sem:.1f} there"
        return (
            f"In a long life it {'ages' if self.ages else 'does not age'}: {self.young:z.1f} ± {self.young_sem:.1f} "
            f"{young}, {self.late:z.1f} ± {self.late_sem:.1f} {late}{best if better else ''}."
        )


@functools.cache
def shipped_ages(task: str) -> Ages | None:
    """The ages that come with the package, if there are any for the task."""
    path = SHIPPED / f"ages-{task}.npz"
    return Ages.load(path) if path.is_file() else None


def ages_in(folder: Path, atlas: Atlas) -> Ages | None:
    """The ages in a run's folder, if they belong to this atlas."""
    try:
        ages = Ages.load(folder / FILE)
    except BadInput:
        return None
    return ages if ages.about["atlas"] == atlas.about["digest"] else None


def ages_of(atlas: Atlas) -> Ages | None:
    """The ages that come with the package, if they belong to this atlas."""
    ages = shipped_ages(atlas.task)
    return ages if ages is not None and ages.about["atlas"] == atlas.about["digest"] else None


# How the ages of an atlas's best rules are measured: each rule's eta is chosen anew for late seasons.

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
            "young": [1, measures.SPAN],
            "late": [SEASONS - measures.SPAN + 1, SEASONS],
            "seed": self.seed,
        }

    def configuration(self) -> dict[str, Any]:
        return {**self.about, "world": self.world.settings()}

    @property
    def size(self) -> float:
        """The long lifetimes that measuring ages takes, at most."""
        count = len(_best_rules(self.atlas, self.rules))
        choosing = count * len(GRID) * FIRST + sum(3 * _share(one.leading, count) * one.lifetimes for one in ROUNDS)
        return choosing + sum(2 * _share(share, count) * lifetimes for share, lifetimes in SCORED)

    def kernels(self) -> list[Kernels]:
        return [Kernels(self.world)]

    def reduce(self, lab: Lab) -> Ages:
        """Choose each rule's eta for late seasons, and score both etas on fresh long lives."""
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
                for name, values in (("young", measures.young(fitness)), ("late", measures.late(fitness))):
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
        """The fitness of rules in long lives, float64 [rule, life, season], on trials from `first` on."""
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
        return np.split(measures.late(fitness).mean(axis=1), np.cumsum([len(etas) for etas in tried])[:-1])


def _sorted(places: np.ndarray, scores: Sequence[np.ndarray]) -> np.ndarray:
    """Places of rules by the best score of each rule, best first."""
    return places[np.argsort([-scores[place].max() for place in places], kind="stable")]


def _share(share: float, rules: int) -> int:
    return max(1, round(share * rules))


def _best(etas: Sequence[Rule], scores: np.ndarray) -> Rule:
    return etas[int(np.argmax(scores))]


def _beside(rule: Rule, factors: Sequence[float]) -> list[Rule]:
    """The rule at multiples of its eta, as far as they are below 1."""
    etas = [rule.eta if factor == 1 else float(f"{factor * (rule.eta or 0):.4g}") for factor in factors]
    return [rule.with_eta(eta) for eta in etas if eta is not None and eta < 1]
