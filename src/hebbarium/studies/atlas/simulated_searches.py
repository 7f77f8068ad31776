"""How searches fare on the atlas itself: they get scores drawn from its figures, so nothing has to be lived.

A stand-in for real lifetimes, good for many runs in seconds: between the etas that were measured the fitness is
interpolated (in log eta), and each life's score is drawn around it with the rule's own spread. That is fair only where
bad rules do not look good by chance (`is_fair`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hebbarium.rules.rule import AnyRule
from hebbarium.search.base import Evaluation, Request
from hebbarium.search.registry import SEARCHES, make_search
from hebbarium.store.kept_arrays import Arrays
from hebbarium.studies.atlas.table import Atlas
from hebbarium.tools.statistics import sem

SEARCHED = tuple(name for name in ("genetic", "racing", "random") if name in SEARCHES)
"""Searches that are run on an atlas's figures."""
RUNS = 20
FLATTERED = 0.01
"""How often a life of a rule drawn at random may be drawn better than the best rule is."""


@dataclass(frozen=True)
class Searched:
    """What some runs of one search came to."""

    search: str
    runs: int
    found_best: int
    """Runs whose best rule is the atlas's best."""
    regret: float
    """How far below the best of all the reported rules lie, each at its own best eta, on average."""
    regret_sem: float
    lifetimes: float
    """Lifetimes a run used, on average."""


class StandIn:
    """Scores drawn from an atlas's figures."""

    def __init__(self, atlas: Atlas, seed: int) -> None:
        self.atlas = atlas
        self.random = np.random.default_rng(seed)
        self.spread = atlas.sem * np.sqrt(atlas.lifetimes)
        grid = np.broadcast_to(np.log(np.array(atlas.etas)), atlas.survey_mean.shape)
        etas = np.column_stack([grid, np.log(atlas.eta)])
        # No eta is better than the best: what few lifetimes of the survey showed above it was luck.
        means = np.column_stack([np.minimum(atlas.survey_mean, atlas.mean[:, None]), atlas.mean])
        order = np.argsort(etas, axis=1, kind="stable")
        self.etas, self.means = np.take_along_axis(etas, order, 1), np.take_along_axis(means, order, 1)

    def fitness(self, rule: AnyRule) -> float:
        eta = rule.eta if rule.eta is not None else float(self.atlas.eta[rule.index])
        return float(np.interp(math.log(max(eta, 1e-9)), self.etas[rule.index], self.means[rule.index]))

    def scores(self, request: Request) -> tuple[float, ...]:
        spread = self.spread[request.rule.index]
        drawn = self.random.normal(self.fitness(request.rule), spread, request.lifetimes)
        return tuple(float(score) for score in drawn)


def is_fair(atlas: Atlas) -> bool:
    """Whether drawn scores can stand for real ones. Where bad rules differ much from life to life, they do so
    downwards, but drawn scores lie as often above the mean: most of what looks good would be bad rules."""
    from scipy.special import ndtr

    spread = np.maximum(atlas.sem * np.sqrt(atlas.lifetimes), 1e-9)
    return float(ndtr((atlas.mean - atlas.mean.max()) / spread).mean()) < FLATTERED


def search_atlas(atlas: Atlas, name: str = "genetic", *, runs: int = RUNS, seed: int = 1) -> Searched:
    """Run a search some times on the atlas's figures."""
    return judge(atlas, name, found_by(atlas, name, runs=runs, seed=seed))


def found_by(atlas: Atlas, name: str, *, runs: int = RUNS, seed: int = 1) -> Arrays:
    """found: int64 [run], the index of the rule that a run reports; lifetimes: int64 [run], what it used."""
    found, lifetimes = [], []
    for run in range(runs):
        search, stand_in, lived = make_search(name, seed=seed, run=run), StandIn(atlas, seed * 10_000 + run), 0
        while asked := search.ask():
            search.tell([Evaluation(request, stand_in.scores(request)) for request in asked])
            lived += sum(request.lifetimes for request in asked)
        assert search.best is not None
        found.append(search.best.rule.index)
        lifetimes.append(lived)
    return {"found": np.array(found, np.int64), "lifetimes": np.array(lifetimes, np.int64)}


def judge(atlas: Atlas, name: str, runs: Arrays) -> Searched:
    """runs: what `found_by` gave."""
    best, found = int(atlas.order[0]), runs["found"]
    behind = atlas.mean[best] - atlas.mean[found]
    regret, lifetimes = float(behind.mean()), float(np.mean(runs["lifetimes"]))
    return Searched(name, len(found), int((found == best).sum()), regret, sem(behind) or 0.0, lifetimes)
