"""What a racing search remembers: every try of every rule at every level of eta, and what it makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.rule import RULES

Pair = tuple[int, int]
"""A rule's index and a level of eta."""

SHARED = (0.8, 0.5, 0.2)
"""How much of a try counts for the levels of eta one, two and three steps from its own."""
CONTENDERS = 300
"""Rules that are estimated: those with the best tries. The others are far from being wanted."""
PRIOR_TRIES = 1.0
"""How many tries the prior counts for. Rules differ far more than their lifetimes do, so not many."""
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

    def ranked(self, optimism: float = 0.0) -> list[Pair]:
        """Pairs by their mean and so many deviations, the highest first."""
        order = np.argsort(-(self.mean + optimism * self.deviation), kind="stable")
        return list(zip(self.rules[order].tolist(), self.levels[order].tolist(), strict=True))


class Memory:
    """Every try."""

    def __init__(self, levels: int) -> None:
        self.number = np.zeros((RULES, levels))
        """float64 [rule, level]: tries."""
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

    def mean(self, pair: Pair) -> float:
        return float(self.total[pair] / self.number[pair])

    def prior(self) -> Prior:
        """Noise from the pairs tried more than once."""
        tried = self.number > 0
        number, total, squares = self.number[tried], self.total[tried], self.squares[tried]
        means = total / number
        again = (number - 1).sum()
        noise = (squares - total * means).sum() / again if again > 0 else means.var() / 2
        # Rounded, so that the order in which a machine adds up cannot matter.
        return Prior(*(float(f"{value:.8g}") for value in (means.mean(), max(noise, 0.0))))

    def estimates(self) -> Estimates:
        """Of the contenders at every level that was tried or has tries beside it."""
        prior = self.prior()
        rules = self.contenders()
        number, total = _shared(self.number[rules]), _shared(self.total[rules])
        row, level = np.nonzero(number >= FEWEST)
        tries = number[row, level] + PRIOR_TRIES
        mean = (total[row, level] + PRIOR_TRIES * prior.mean) / tries
        return Estimates(rules[row], level, mean, np.sqrt(prior.noise / tries))

    def contenders(self) -> np.ndarray:
        """int64 [rule]"""
        tried = self.number > 0
        means = np.where(tried, self.total / np.maximum(self.number, 1), -np.inf).max(axis=1)
        best: np.ndarray = np.argsort(-means, kind="stable")[:CONTENDERS]
        return np.compress(means[best] > -np.inf, best)

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


def _shared(values: np.ndarray) -> np.ndarray:
    """float64 [rule, level], each level with its share of those beside it."""
    shared = values.copy()
    for steps, share in enumerate(SHARED, start=1):
        shared[:, steps:] += share * values[:, :-steps]
        shared[:, :-steps] += share * values[:, steps:]
    return shared
