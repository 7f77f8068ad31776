"""What each entry is worth: the exact decomposition of the fitness of all rules.

The 6,561 rules are a full factorial design of eight factors with three levels, so the fitness splits exactly into
parts that depend on one entry, on a pair of entries together, and so on; nothing is fitted. The share of an entry is
its Shapley value: its own part, half of every pair it is in, a third of every three, ...
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from hebbarium.rules.rule import ENTRIES, RULES, Rule
from hebbarium.studies.atlas.table import Atlas
from hebbarium.tools.errors import BadInput

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
    """values: float64 [rule], for all rules. sem: their standard errors."""
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
    """Of the rule with only these of its entries."""
    index = Rule([rule.entries[place] if place in places else 0 for place in range(ENTRIES)]).index
    return float(atlas.mean[index])
