"""What rules are worth where lives are noisy: judged by rules like them, too.

There one lifetime says little of a rule, and most of what looks good is luck. But rules with nearly the same entries at
nearly the same eta are worth nearly the same, so the tries of all of them say what to expect of one, tried or not.
Bad rules can be worse than good ones are good by any amount, so all that are worse than most count alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hebbarium.rule import ENTRIES, RULES
from hebbarium.search.memory import CONTENDERS, FEWEST, Estimates, Memory, Pair, noise_within, rounded, shared

LIKE = 0.4
"""What is left of a try's weight with each entry in which two rules differ."""
GENERAL = 0.5
"""How many tries of the same rule all tries together count for."""
EXPECTED = 3.0
"""How many lifetimes of a rule's own the expectation counts for."""


@dataclass(frozen=True)
class Judgement:
    """Of all rules at all levels of eta."""

    mean: np.ndarray
    """float64 [rule, level]"""
    tried: np.ndarray
    """bool [rule, level]"""
    lived: np.ndarray
    """float64 [rule, level]: lifetimes of the rule there and, in part, beside it."""
    noise: float
    """Variance between lifetimes of a pair that is better than most."""

    def estimates(self) -> Estimates:
        """Of the best rules, at every level that was tried or has tries beside it."""
        mean = np.where(self.lived >= FEWEST, self.mean, -np.inf)
        rules = np.argsort(-mean.max(axis=1), kind="stable")[:CONTENDERS]
        row, level = np.nonzero(mean[rules] > -np.inf)
        rule = rules[row]
        deviation = np.sqrt(self.noise / (self.lived[rule, level] + EXPECTED))
        return Estimates(rule, level, mean[rule, level], deviation)

    def untried(self, count: int) -> list[Pair]:
        """Those never tried of which most is expected, the best first."""
        order = np.argsort(np.where(self.tried, np.inf, -self.mean), axis=None, kind="stable")[:count]
        rules, levels = np.unravel_index(order, self.mean.shape)
        return [pair for pair in zip(rules.tolist(), levels.tolist(), strict=True) if not self.tried[pair]]


def judged(memory: Memory) -> Judgement:
    """Own tries of each pair, and what its likes let expect."""
    tried = memory.number > 0
    means = np.divide(memory.total, memory.number, out=np.zeros_like(memory.total), where=tried)
    usual = float(np.median(means[tried]))
    worth = np.where(tried, np.maximum(means, usual), 0.0)
    lived = shared(memory.number)
    mean = (shared(memory.number * worth) + EXPECTED * _expected(memory.number, worth)) / (lived + EXPECTED)
    return Judgement(mean, tried, lived, _noise(memory, tried & (means > usual)))


def _expected(number: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """float64 [rule, level]: the mean over all pairs tried, the more alike the more weight."""
    # A pair that was tried a thousand times says hardly more of its likes than one tried ten times.
    weight = number / (number + 1)
    general = rounded((weight * worth).sum() / weight.sum())
    expected: np.ndarray = (_of_likes(weight * worth) + GENERAL * general) / (_of_likes(weight) + GENERAL)
    return expected


def _of_likes(values: np.ndarray) -> np.ndarray:
    """float64 [rule, level]: the sum over all rules and levels, weighted by likeness."""
    found = shared(values).reshape((3,) * ENTRIES + (-1,))
    for entry in range(ENTRIES):
        one, two, three = np.split(found, 3, axis=entry)
        found = (1 - LIKE) * found + LIKE * (one + two + three)
    return found.reshape(RULES, -1)


def _noise(memory: Memory, better: np.ndarray) -> float:
    number, total, squares = memory.number[better], memory.total[better], memory.squares[better]
    return noise_within(number, squares, total * total / number) or 0.0
