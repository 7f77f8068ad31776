"""What the complete atlas says: what each entry is worth, which rules collapse, and what searches find on it."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np

from hebbarium.brains.sizes import sizes_of
from hebbarium.rules.rule import ENTRIES, RULES, AnyRule, Rule
from hebbarium.search.base import Evaluation, Request
from hebbarium.search.registry import SEARCHES, make_search
from hebbarium.store.kept_arrays import Arrays
from hebbarium.studies.atlas.finished_atlas import Atlas, Z
from hebbarium.tools.errors import BadInput
from hebbarium.tools.statistics import sem

# What each entry is worth: the exact decomposition of the fitness of all rules.
# The 6,561 rules are a full factorial design of eight factors with three levels, so the fitness splits exactly into
# parts that depend on one entry, on a pair of entries together, and so on; nothing is fitted. The share of an entry is
# its Shapley value: its own part, half of every pair it is in, a third of every three, ...

Places = tuple[int, ...]


@dataclass(frozen=True)
class Decomposition:
    """The variance of a quantity over all rules, split by entries."""

    mean: float
    levels: np.ndarray
    """float64 [entry, 3]: mean over all rules with that entry at -, 0, +."""
    variance: dict[Places, float]
    """Of the part that depends on exactly these entries; they add up to the total."""
    noise: float
    """What measuring with few lifetimes adds to the total variance."""

    @property
    def total(self) -> float:
        """The variance as measured, noise included."""
        return sum(self.variance.values())

    @property
    def signal(self) -> float:
        """What is left of it without the noise."""
        return self.total - self.noise

    def true_variance(self, places: Places) -> float:
        """Of one part, without the noise that falls to it on average (so that a part may come out just below 0)."""
        return float(self.variance[places] - self.noise * 2 ** len(places) / (RULES - 1))

    def shares(self) -> np.ndarray:
        """float64 [entry]: Shapley shares of the variance without noise; they add up to 1."""
        shares = np.zeros(ENTRIES)
        for places in self.variance:
            shares[list(places)] += self.true_variance(places) / len(places)
        return shares / self.signal

    def orders(self) -> np.ndarray:
        """float64 [8]: share of the variance without noise that takes 1, 2, ... 8 entries together."""
        orders = np.zeros(ENTRIES)
        for places in self.variance:
            orders[len(places) - 1] += self.true_variance(places)
        return orders / self.signal

    def strongest(self, order: int, count: int) -> list[tuple[Places, float]]:
        """The strongest parts of that many entries, with their shares of the variance without noise."""
        parts = [(places, self.true_variance(places) / self.signal) for places in self.variance if len(places) == order]
        return sorted(parts, key=lambda part: -part[1])[:count]


def decompose(values: np.ndarray, sem: np.ndarray | None = None) -> Decomposition:
    """Split the variance of the rules' fitness by entries.

    values: float64 [rule], for all rules. sem: their standard errors."""
    cube = _cube(values)
    levels = np.array(
        [cube.mean(axis=tuple(axis for axis in range(ENTRIES) if axis != place)) for place in range(ENTRIES)]
    )
    variance = {}
    for size in range(1, ENTRIES + 1):
        for places in itertools.combinations(range(ENTRIES), size):
            variance[places] = float((part(values, places) ** 2).mean())
    noise = 0.0 if sem is None else float((sem**2).mean())
    return Decomposition(float(values.mean()), levels, variance, noise)


def part(values: np.ndarray, places: Places) -> np.ndarray:
    """float64 [3, ...]: the part of the values that depends on exactly these entries, by their levels."""
    others = tuple(axis for axis in range(ENTRIES) if axis not in places)
    rest = _cube(values).mean(axis=others)
    for axis in range(len(places)):
        rest = rest - rest.mean(axis=axis, keepdims=True)
    return np.asarray(rest)


def _cube(values: np.ndarray) -> np.ndarray:
    if values.shape != (RULES,):
        raise BadInput(f"the decomposition needs all {RULES} rules, but {len(values)} were given.")
    return values.reshape((3,) * ENTRIES)


def entry_values(atlas: Atlas, rule: Rule) -> np.ndarray:
    """float64 [entry]: what each entry of one rule is worth, in fitness; they add up to its lead over `0000/0000`.

    The Shapley value of the rule's entries: what an entry adds, on average over all orders in which the entries could
    have been put in place, one after another, every rule on the way being at its own best eta.
    """
    used = [place for place in range(ENTRIES) if rule.entries[place]]
    values = np.zeros(ENTRIES)
    for place in used:
        others = [other for other in used if other != place]
        for size in range(len(others) + 1):
            weight = math.factorial(size) * math.factorial(len(used) - size - 1) / math.factorial(len(used))
            for before in itertools.combinations(others, size):
                added = _fitness(atlas, rule, (*before, place)) - _fitness(atlas, rule, before)
                values[place] += weight * added
    return values


def _fitness(atlas: Atlas, rule: Rule, places: Places) -> float:
    """The atlas's fitness of the rule with only these of its entries."""
    index = Rule([rule.entries[place] if place in places else 0 for place in range(ENTRIES)]).index
    return float(atlas.mean[index])


# Which rules make hidden neurons alike (why they do is in `interventions.py`).

ALIKE = 1.5
"""Below this many kinds of neurons, on average, the layer has collapsed."""


@dataclass(frozen=True)
class Collapse:
    """Kinds of hidden neurons at the end of life beside fitness, over all rules."""

    hidden: int
    collapsed: np.ndarray
    """bool [rule]: one kind of neuron is left in nearly every life."""
    diverse: np.ndarray
    """bool [rule]: all hidden neurons stay different."""
    correlation: float
    """Spearman's, between kinds of neurons and fitness, over all rules."""
    acting: float
    """The same over the rules that act on reward."""
    by_entry: np.ndarray
    """float64 [entry, 3]: share of collapsed rules with that entry at -, 0, +."""
    by_half: np.ndarray
    """float64 [2, 2]: share of collapsed rules where punishment, reward change [nothing, something]."""
    best_collapsed: int
    best_diverse: int
    """Indices of rules."""


def look_for_collapse(atlas: Atlas) -> Collapse:
    """Which rules of a complete atlas make hidden neurons alike, and what that has to do with entries and fitness."""
    hidden = sum(sizes_of(atlas.about["hidden"]))
    entries = np.array([Rule(index).entries for index in range(RULES)])
    collapsed, diverse = atlas.kinds < ALIKE, atlas.kinds > hidden - 0.5
    on_punishment, on_reward = entries[:, :4].any(axis=1), entries[:, 4:].any(axis=1)
    by_half = [
        [collapsed[(on_punishment == acts) & (on_reward == answers)].mean() for answers in (False, True)]
        for acts in (False, True)
    ]
    return Collapse(
        hidden,
        collapsed,
        diverse,
        spearman(atlas.kinds, atlas.mean),
        spearman(atlas.kinds[on_reward], atlas.mean[on_reward]),
        np.array([[collapsed[entries[:, place] == sign].mean() for sign in (-1, 0, 1)] for place in range(ENTRIES)]),
        np.array(by_half),
        *(int(np.argmax(np.where(among, atlas.mean, -np.inf))) for among in (collapsed, diverse)),
    )


def spearman(one: np.ndarray, other: np.ndarray) -> float:
    """Rank correlation; nan where one of them is constant."""
    from scipy.stats import rankdata

    ranks = rankdata(one), rankdata(other)
    spread = ranks[0].std() * ranks[1].std()
    return float(np.cov(*ranks, ddof=0)[0, 1] / spread) if spread > 0 else float("nan")


# The landscape that a search walks on: rules as places, one changed entry as a step, fitness as height.


@functools.cache
def neighbours() -> np.ndarray:
    """int64 [rule, 16]: the rules one entry away."""
    index = np.arange(RULES)
    columns = []
    for place in range(ENTRIES):
        unit = 3 ** (ENTRIES - 1 - place)
        level = index // unit % 3
        columns += [index + ((level + step) % 3 - level) * unit for step in (1, 2)]
    return np.stack(columns, axis=1)


@dataclass(frozen=True)
class Landscape:
    """What the complete atlas tells about searching."""

    optima: np.ndarray
    """int64 [optimum]: rules that no neighbour beats, best first."""
    certain: np.ndarray
    """bool [optimum]: whether it beats every neighbour at the 95 % level, so that noise did not make it one."""
    basins: np.ndarray
    """int64 [optimum]: from how many rules the steepest climb ends here; they add up to 6,561."""
    regret: float
    """How far below the best rule a climb from a random rule ends, on average."""
    steps: float
    """Steps of such a climb, on average."""
    neutral: np.ndarray
    """int64 [...]: neighbours of the best rule that cannot be distinguished from it."""
    close: np.ndarray
    """int64 [...]: neighbours of the best rule that reach nine tenths of its fitness."""

    @property
    def reach_top(self) -> float:
        """How often a steepest climb from a random rule ends at the best of all."""
        return float(self.basins[0] / RULES)


def survey_landscape(atlas: Atlas) -> Landscape:
    """The optima of a complete atlas, and where steepest ascent from every rule ends."""
    mean, sem, around = atlas.mean, atlas.sem, neighbours()
    best_neighbour = around[np.arange(RULES), np.argmax(mean[around], axis=1)]
    is_optimum = mean[best_neighbour] <= mean
    optima = np.flatnonzero(is_optimum)
    optima = optima[np.argsort(-mean[optima], kind="stable")]
    lead = mean[optima, None] - mean[around[optima]]
    error = np.hypot(sem[optima, None], sem[around[optima]])
    ends, steps = climb(np.where(is_optimum, np.arange(RULES), best_neighbour))
    top = int(atlas.order[0])
    beside = around[top]
    return Landscape(
        optima,
        (lead > Z * error).all(axis=1),
        np.array([np.count_nonzero(ends == optimum) for optimum in optima]),
        float(mean[top] - mean[ends].mean()),
        float(steps.mean()),
        beside[mean[top] - mean[beside] < Z * np.hypot(sem[top], sem[beside])],
        beside[mean[beside] >= 0.9 * mean[top]],
    )


def climb(onward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each rule's climb ends, and after how many steps. onward: int64 [rule], itself at an optimum."""
    ends, steps = np.arange(len(onward)), np.zeros(len(onward), np.int64)
    while True:
        further = onward[ends]
        moved = further != ends
        if not moved.any():
            return ends, steps
        ends, steps = further, steps + moved


def random_search_regret(atlas: Atlas, tries: int) -> float:
    """How far the best of this many rules drawn at random lies below the best of all, on average, exactly.

    The draws are with replacement, each rule is lived at its best eta, and the winner is known without error.
    """
    ascending = np.sort(atlas.mean)
    below = (np.arange(RULES + 1) / RULES) ** tries
    return float(ascending[-1] - (ascending * np.diff(below)).sum())


# How searches fare on the atlas itself: they get scores drawn from its figures, so nothing has to be lived.
# A stand-in for real lifetimes, good for many runs in seconds: between the etas that were measured the fitness is
# interpolated (in log eta), and each life's score is drawn around it with the rule's own spread. That is fair only
# where bad rules do not look good by chance (`is_fair`).

SEARCHED = tuple(name for name in ("genetic", "racing", "random") if name in SEARCHES)
"""Searches that are run on an atlas's figures."""
RUNS = 20
FLATTERED = 0.01
"""How often a life of a rule drawn at random may be drawn better than the best rule is."""


@dataclass(frozen=True)
class Searched:
    """What some runs of one search on an atlas came to."""

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
    """Run a search some times on an atlas's figures.

    found: int64 [run], the index of the rule that a run reports; lifetimes: int64 [run], what it used."""
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
    """How often a search on an atlas found its best rule, and its regret. runs: what `found_by` gave."""
    best, found = int(atlas.order[0]), runs["found"]
    behind = atlas.mean[best] - atlas.mean[found]
    regret, lifetimes = float(behind.mean()), float(np.mean(runs["lifetimes"]))
    return Searched(name, len(found), int((found == best).sum()), regret, sem(behind) or 0.0, lifetimes)
