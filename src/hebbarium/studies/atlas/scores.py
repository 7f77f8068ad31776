"""Lives lived so far: scores of (rule, eta, trial), and their means.

All rules live the same trials of the same seed, so that any two of them can be compared life by life.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

FRESH = 1_000_000
"""Trials from here on serve only to score what was chosen on lower ones, so that no winner is flattered."""


@dataclass(frozen=True)
class Columns:
    """Columns of equal length."""

    rule: np.ndarray
    """int64 [row]: the rule's place in the plan; where all rules are in it, that is its index."""
    eta: np.ndarray
    """float64 [row]"""

    def __len__(self) -> int:
        return len(self.rule)

    def __getitem__(self, rows: np.ndarray | slice) -> Self:
        return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """One after the other."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(frozen=True)
class Scores(Columns):
    """Some lives, one row each."""

    trial: np.ndarray
    """int64 [life]"""
    score: np.ndarray
    """float64 [life]: fitness of the whole life."""
    distinct: np.ndarray
    """int64 [life]: hidden neurons that still differ at its end."""

    @classmethod
    def none(cls) -> Scores:
        whole = np.zeros(0, np.int64)
        return cls(whole, np.zeros(0), whole, np.zeros(0), whole)

    def fresh(self) -> Scores:
        """The lives that scored."""
        return self[self.trial >= FRESH]

    def chosen_on(self) -> Scores:
        """The lives that chose."""
        return self[self.trial < FRESH]


@dataclass(frozen=True)
class Means(Columns):
    """Lives summed up by rule and eta, in the order of rule, then eta."""

    lifetimes: np.ndarray
    """int64 [pair]"""
    mean: np.ndarray
    """float64 [pair]"""
    std: np.ndarray
    """float64 [pair]: with n - 1; nan for a single life."""
    distinct: np.ndarray
    """float64 [pair]: mean number of hidden neurons that still differ."""

    def rows_of(self, rule: int) -> slice:
        first, last = np.searchsorted(self.rule, [rule, rule + 1])
        return slice(int(first), int(last))


def means(lives: Scores) -> Means:
    """Sum lives up by rule and eta; their order makes no difference."""
    order = np.lexsort((lives.trial, lives.eta, lives.rule))
    rule, eta, score, distinct = lives.rule[order], lives.eta[order], lives.score[order], lives.distinct[order]
    begins = np.ones(len(rule), bool)
    begins[1:] = (rule[1:] != rule[:-1]) | (eta[1:] != eta[:-1])
    starts = np.flatnonzero(begins)
    lifetimes = np.diff(np.append(starts, len(rule)))
    mean = _sums(score, starts) / lifetimes
    squares = _sums((score - np.repeat(mean, lifetimes)) ** 2, starts)
    std = np.full(len(starts), np.nan)
    several = lifetimes > 1
    std[several] = np.sqrt(squares[several] / (lifetimes[several] - 1))
    return Means(rule[starts], eta[starts], lifetimes, mean, std, _sums(distinct, starts) / lifetimes)


def _sums(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """float64 [group]. Sums of whole and quarter numbers are exact, so they do not depend on the order of lives."""
    sums: np.ndarray = np.add.reduceat(values.astype(np.float64), starts) if len(starts) else np.zeros(0)
    return sums
