"""What rules are worth where lives are noisy: judged by rules like them, too.

There one lifetime says little of a rule, and most of what looks good is luck. But rules with nearly the same entries at
nearly the same eta are worth nearly the same, and often so are rules that share one half, whatever the other one is.
So the tries of all of them say what to expect of one, tried or not. Beyond that a pair is judged by its own tries
alone, since peaks may be so narrow that the next level of eta says little. Bad rules can be worse than good ones are
good by any amount, so all that are worse than most count alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hebbarium.rules.rule import ENTRIES, RULES
from hebbarium.search.racing_memory import Estimates, Memory, Pair, noise_within, rounded, shared, summed
from hebbarium.search.space import HALVES

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
    """Of all rules at all levels of eta."""

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
