"""What a racing search remembers: every try of every rule at every level of eta, and what it makes of them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.rules.rule import ENTRIES, RULES
from hebbarium.search.space import HALVES, Space

Pair = tuple[int, int]
"""A rule's index and a level of eta; of two etas one level for both, the hidden layer's being the higher digit."""

SHARED = (0.8, 0.5, 0.2)
"""How much of a try counts for the levels of eta one, two and three steps from its own."""
CONTENDERS = 300
"""Rules that are estimated: those with the best tries. The others are far from being wanted."""
PRIOR_TRIES = 1.0
"""How many tries the prior counts for. Rules differ far more than their lifetimes do, so not many."""
BYTES_OF_A_TRY = 500
"""In a SparseMemory, where each try is of another rule: two entries of dictionaries, a list and three numbers."""
FEWEST = 0.5
"""A pair is estimated once this much of a try counts for it."""


@dataclass(frozen=True)
class Prior:
    """What is known of a pair before it is tried (empirical Bayes)."""

    mean: float
    """Over all pairs tried."""
    noise: float
    """Variance between the lifetimes of one pair."""


@dataclass(frozen=True)
class Estimates:
    """What some pairs are worth."""

    rules: np.ndarray
    """int64 [pair]"""
    levels: np.ndarray
    """int64 [pair]"""
    mean: np.ndarray
    """float64 [pair]"""
    deviation: np.ndarray
    """float64 [pair]: how unsure the mean is."""

    def ranked(self, optimism: float = 0.0) -> Iterator[Pair]:
        """Pairs by their mean and so many deviations, the highest first; made as they are asked for, mostly few."""
        order = self.by_mean if optimism == 0.0 else self._order(optimism)
        return zip(self.rules[order].tolist(), self.levels[order].tolist(), strict=True)

    @functools.cached_property
    def by_mean(self) -> np.ndarray:
        """int64 [pair]: the places of pairs by their mean; asked for several times a round, so found once."""
        return self._order(0.0)

    def _order(self, optimism: float) -> np.ndarray:
        return np.argsort(-(self.mean + optimism * self.deviation), kind="stable")


def rounded(value: float) -> float:
    """In eight digits, so that the order in which a machine adds up cannot matter."""
    return float(f"{value:.8g}")


def summed(values: np.ndarray, axis: int) -> np.ndarray:
    """The sum along an axis, which stays with a length of one. Added up one by one, from the first to the last: in what
    order `sum` and `@` add, and so the last bits, depends on the machine and on the version of numpy."""
    found: np.ndarray = np.add.accumulate(values, axis=axis).take([-1], axis)
    return found


def noise_within(number: np.ndarray, squares: np.ndarray, of_means: np.ndarray) -> float | None:
    """Variance between the lifetimes of one pair, over all pairs; None where none was tried twice. [pair]

    squares: the sum of each pair's squared scores. of_means: the same if all its scores were their mean."""
    again = (number - 1).sum()
    return rounded(max((squares - of_means).sum() / again, 0.0)) if again > 0 else None


def _prior(number: np.ndarray, total: np.ndarray, squares: np.ndarray) -> Prior:
    """Lifetimes, sum of scores and of their squares, of each pair tried."""
    means = total / number
    noise = noise_within(number, squares, total * means)
    return Prior(rounded(means.mean()), rounded(means.var() / 2) if noise is None else noise)


class Memory:
    """Every try of a racing search, in tables."""

    def __init__(self, levels: int) -> None:
        self.number = np.zeros((RULES, levels))
        """float64 [rule, level]: lifetimes."""
        self.total = np.zeros((RULES, levels))
        """float64 [rule, level]: the sum of their scores."""
        self.squares = np.zeros((RULES, levels))
        """float64 [rule, level]: the sum of their squares."""

    def add(self, pair: Pair, scores: Iterable[float]) -> None:
        for score in scores:
            self.number[pair] += 1
            self.total[pair] += score
            self.squares[pair] += score * score

    def tried(self, pair: Pair) -> int:
        return int(self.number[pair])

    def is_known(self, pair: Pair) -> bool:
        return bool(self.number[pair] > 0)

    def mean(self, pair: Pair) -> float:
        return float(self.total[pair] / self.number[pair])

    def _pairs(self) -> np.ndarray:
        """int64 [pair]: where in the tables, as one row, there are tries. Looked for among truth values, which takes a
        sixth of the time that numbers take."""
        return np.flatnonzero(self.number > 0)

    def prior(self) -> Prior:
        """Noise from the pairs tried more than once."""
        pairs = self._pairs()
        return _prior(*(table.ravel()[pairs] for table in (self.number, self.total, self.squares)))

    def estimates(self) -> Estimates:
        """Of the contenders at every level that was tried or has tries beside it."""
        prior = self.prior()
        rules = self.contenders()
        number, total = shared(self.number[rules]), shared(self.total[rules])
        row, level = np.nonzero(number >= FEWEST)
        tries = number[row, level] + PRIOR_TRIES
        mean = (total[row, level] + PRIOR_TRIES * prior.mean) / tries
        return Estimates(rules[row], level, mean, np.sqrt(prior.noise / tries))

    def contenders(self) -> np.ndarray:
        """int64 [rule]"""
        rules, levels = np.divmod(self._pairs(), self.number.shape[1])
        if not len(rules):
            return rules
        # Of the few pairs that were tried, which come rule by rule: a tenth of the time that all pairs take.
        first = np.flatnonzero(np.diff(rules, prepend=-1))
        means = np.maximum.reduceat(self.total[rules, levels] / self.number[rules, levels], first)
        best: np.ndarray = np.argsort(-means, kind="stable")[:CONTENDERS]
        found: np.ndarray = rules[first[best]]
        return found

    def write(self) -> list[list[Any]]:
        """Rule, level, tries, sum and sum of squares of each pair, for a search's state."""
        pairs = np.argwhere(self.number > 0).tolist()
        arrays = (self.number, self.total, self.squares)
        return [[rule, level, *(float(array[rule, level]) for array in arrays)] for rule, level in pairs]

    def read(self, stored: Sequence[Sequence[Any]]) -> None:
        """Take back what `write` gave."""
        for array in (self.number, self.total, self.squares):
            array[:] = 0
        for rule, level, number, total, squares in stored:
            self.number[rule, level] = number
            self.total[rule, level] = total
            self.squares[rule, level] = squares


def shared(values: np.ndarray) -> np.ndarray:
    """float64 [rule, level], each level with its share of those beside it."""
    found = values.copy()
    for steps, share in enumerate(SHARED, start=1):
        found[:, steps:] += share * values[:, :-steps]
        found[:, :-steps] += share * values[:, steps:]
    return found


class SparseMemory:
    """Every try in a space that is too large for tables: the same, for levels of two etas."""

    def __init__(self, levels: int) -> None:
        self.levels = levels
        """Of each eta."""
        self.tries: dict[int, dict[int, list[float]]] = {}
        """By rule and level: number, sum and sum of squares of the scores."""
        self.lifetimes = 1
        """Lifetimes that make a try; what is lived before is counted in parts of one."""

    def add(self, pair: Pair, scores: Iterable[float]) -> None:
        sums = self.tries.setdefault(pair[0], {}).setdefault(pair[1], [0.0, 0.0, 0.0])
        for score in scores:
            sums[0] += 1
            sums[1] += score
            sums[2] += score * score

    def tried(self, pair: Pair) -> int:
        return int(self._sums(pair)[0])

    def is_known(self, pair: Pair) -> bool:
        """Whether enough of a try counts for it."""
        return self._sums(pair)[0] >= FEWEST * self.lifetimes

    def mean(self, pair: Pair) -> float:
        number, total, _ = self._sums(pair)
        return total / number

    def _sums(self, pair: Pair) -> Sequence[float]:
        return self.tries.get(pair[0], {}).get(pair[1], (0.0, 0.0, 0.0))

    def prior(self) -> Prior:
        return _prior(*np.array([sums for some in self.tries.values() for sums in some.values()]).T)

    def estimates(self) -> Estimates:
        """Of the contenders at the levels that were tried."""
        prior = self.prior()
        parts = [self._estimated(rule, prior) for rule in self.contenders(prior)]
        rules, levels, mean, tries = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Estimates(rules, levels, mean, np.sqrt(prior.noise / tries))

    def _estimated(self, rule: int, prior: Prior) -> tuple[np.ndarray, ...]:
        """Rule, level, mean and tries of each level of one rule, with its share of those beside it."""
        some = self.tries[rule]
        levels, sums = np.array(list(some)), np.array(list(some.values()))
        share = np.ones((len(levels), len(levels)))
        for digit in (levels // self.levels, levels % self.levels):
            apart = np.abs(digit[:, None] - digit)
            share *= np.array([1.0, *SHARED, 0.0])[np.minimum(apart, len(SHARED) + 1)]
        assumed = PRIOR_TRIES * self.lifetimes
        number, total, _ = summed(share[:, :, None] * sums, axis=1)[:, 0].T
        number, total = number + assumed, total + assumed * prior.mean
        return np.full(len(levels), rule), levels, total / number, number

    def contenders(self, prior: Prior) -> list[int]:
        # Where a try is several lifetimes, the luck of single ones must not crowd the tries out.
        assumed = PRIOR_TRIES * (self.lifetimes - 1)
        best = {
            rule: max((sums[1] + assumed * prior.mean) / (sums[0] + assumed) for sums in some.values())
            for rule, some in self.tries.items()
        }
        return sorted(best, key=lambda rule: -best[rule])[:CONTENDERS]

    def write(self) -> list[list[Any]]:
        """As `Memory.write`, in the order of the first tries, in which ties are broken."""
        return [[rule, level, *sums] for rule, some in self.tries.items() for level, sums in some.items()]

    def read(self, stored: Sequence[Sequence[Any]]) -> None:
        self.tries = {}
        for rule, level, *sums in stored:
            self.tries.setdefault(rule, {})[level] = list(sums)


def memory_of(space: Space, levels: int) -> Memory | SparseMemory:
    """The memory of a racing search over a space. levels: of each eta"""
    return Memory(levels) if space.fits_tables else SparseMemory(levels)


def memory_bytes(space: Space, levels: int, lifetimes: int, judged: bool) -> int:
    """Roughly what the memory of a search over so many lifetimes takes in the end. judged: whether its pairs may be
    judged by their likes, too (`judged`), which keeps two more tables."""
    if space.fits_tables:
        return int(RULES * levels * 8 * (5 if judged else 3))
    return lifetimes * BYTES_OF_A_TRY


# What rules are worth where lives are noisy: judged by rules like them, too.
# There one lifetime says little of a rule, and most of what looks good is luck. But rules with nearly the same
# entries at nearly the same eta are worth nearly the same, and often so are rules that share one half, whatever the
# other one is. So the tries of all of them say what to expect of one, tried or not. Beyond that a pair is judged by
# its own tries alone, since peaks may be so narrow that the next level of eta says little. Bad rules can be worse
# than good ones are good by any amount, so all that are worse than most count alike.

LIKE = 0.4
"""What is left of a try's weight with each entry in which two rules differ."""
HALF = 0.05
"""What a try counts for rules that have the punished or the rewarded half in common, beside that."""
GENERAL = 0.5
"""How many tries of the same rule all tries together count for."""
EXPECTED = 3.0
"""How many lifetimes of a rule's own the expectation counts for."""
FEW = 2
"""Below so many lifetimes a pair was hardly tried: the best of rules may do badly once."""


@dataclass(frozen=True)
class Judgement:
    """What is expected of all rules at all levels of eta."""

    mean: np.ndarray
    """float64 [rule, level]"""
    number: np.ndarray
    """float64 [rule, level]: lifetimes."""
    noise: float
    """Variance between lifetimes of a pair that is better than most."""

    def estimates(self) -> Estimates:
        """Of every pair that was tried."""
        rule, level = np.nonzero(self.number)
        deviation = np.sqrt(self.noise / (self.number[rule, level] + EXPECTED))
        return Estimates(rule, level, self.mean[rule, level], deviation)

    def hardly_tried(self, count: int) -> list[Pair]:
        """Those of which most is expected, the best first."""
        few = self.number < FEW
        order = np.argsort(np.where(few, -self.mean, np.inf), axis=None, kind="stable")[:count]
        rules, levels = np.unravel_index(order, self.mean.shape)
        return [pair for pair in zip(rules.tolist(), levels.tolist(), strict=True) if few[pair]]


def judged(memory: Memory) -> Judgement:
    """Own tries of each pair, and what its likes let expect."""
    tried = memory.number > 0
    means = np.divide(memory.total, memory.number, out=np.zeros_like(memory.total), where=tried)
    usual = float(np.median(means[tried]))
    worth = np.where(tried, np.maximum(means, usual), 0.0)
    number = memory.number.copy()
    mean = (number * worth + EXPECTED * _expected(number, worth)) / (number + EXPECTED)
    return Judgement(mean, number, _noise(memory, tried & (means > usual)))


def _expected(number: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """float64 [rule, level]: the mean over all pairs tried, the more alike the more weight."""
    # A pair that was tried a thousand times says hardly more of its likes than one tried ten times.
    weight = number / (number + 1)
    general = rounded((weight * worth).sum() / weight.sum())
    expected: np.ndarray = (_of_likes(weight * worth) + GENERAL * general) / (_of_likes(weight) + GENERAL)
    return expected


def _of_likes(values: np.ndarray) -> np.ndarray:
    """float64 [rule, level]: the sum over all rules and levels, weighted by likeness."""
    own = shared(values)
    found = own.reshape((3,) * ENTRIES + (-1,))
    for entry in range(ENTRIES):
        one, two, three = np.split(found, 3, axis=entry)
        found = (1 - LIKE) * found + LIKE * (one + two + three)
    halves = own.reshape(HALVES, HALVES, -1)
    sharing = summed(halves, axis=1) + summed(halves, axis=0)
    both: np.ndarray = found.reshape(halves.shape) + HALF * sharing
    return both.reshape(RULES, -1)


def _noise(memory: Memory, better: np.ndarray) -> float:
    number, total, squares = memory.number[better], memory.total[better], memory.squares[better]
    return noise_within(number, squares, total * total / number) or 0.0
