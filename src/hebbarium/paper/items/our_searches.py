"""What our own searches found, for the items that look at it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hebbarium.paper.items.base import PlainTable, Scale
from hebbarium.paper.printed_numbers import POOLED
from hebbarium.paper.works import Arrays, Evolutions
from hebbarium.rules.rule import Rule
from hebbarium.tools.errors import counted
from hebbarium.tools.statistics import CONFIDENCE, Estimate, reach

FEWEST_RUNS = 3
"""Runs that must have found a rule before its instances are judged."""
_RESAMPLES = 200
_LONGEST = 20
"""Rows of our own table that are shown."""


def evolutions_of(task: str, scale: Scale, seed: int) -> Evolutions:
    """The searches of one task; several items look at them."""
    runs = scale.evolutions if task == "foraging" else scale.hunting_evolutions
    return Evolutions(task=task, runs=runs, max_generations=scale.max_generations, rescored=scale.lives, seed=seed)


def resample(runs: int, statistic: Callable[[np.ndarray], float]) -> Estimate:
    """A statistic of some runs, with the error from resampling whole runs. `statistic` takes their numbers."""
    value = statistic(np.arange(runs))
    random = np.random.default_rng(0)
    samples = np.array([statistic(random.integers(0, runs, runs)) for _ in range(_RESAMPLES)])
    known = samples[np.isfinite(samples)]
    if runs < 2 or len(known) < _RESAMPLES / 2:
        return without_error(value, runs)
    low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Estimate(value, float(known.std(ddof=1)), float(low), float(high), runs)


def without_error(value: float, lives: int) -> Estimate:
    return Estimate(value, math.nan, math.nan, math.nan, lives)


class Found:
    """Our own instances, sorted into distinct rules. runs: generations of each run."""

    def __init__(self, arrays: Arrays) -> None:
        self.notations = np.array([Rule([int(e) for e in entries]).notation for entries in arrays["entries"]])
        self.eta, self.fitness = arrays["eta"], arrays["scores"].mean(axis=1)
        self.runs = arrays["generations"]

    def runs_with(self, notation: str) -> int:
        """How many runs found a rule."""
        return int((self.notations == notation).reshape(len(self.runs), POOLED).any(axis=1).sum())

    def share(self, notation: str) -> Estimate:
        """The share of a rule among all instances that our searches found."""
        return resample(len(self.runs), lambda runs: float((self.notations[_of(runs)] == notation).mean()))

    def types(self) -> Estimate:
        """How many distinct rules; its error by leaving out one run at a time, since runs drawn twice add no type."""
        every = np.arange(len(self.runs))
        value = float(len(set(self.notations)))
        if len(every) < 2:
            return without_error(value, len(every))
        fewer = np.array([len(set(self.notations[_of(np.delete(every, run))])) for run in every])
        error = math.sqrt((len(every) - 1) / len(every) * float(((fewer - fewer.mean()) ** 2).sum()))
        half = reach(len(every)) * error
        return Estimate(value, error, value - half, value + half, len(every))

    def statistic(self, notation: str, column: str, total: float) -> Estimate | None:
        """A column's number for one rule; None where we never found it and the number is not a count.

        Its error is by resampling whole runs; there is none where too few runs found the rule.
        """
        runs, found = len(self.runs), self.runs_with(notation)
        if column == "Rules" and found:
            share = self.share(notation)
            return Estimate(share.value * total, share.error * total, share.low * total, share.high * total, runs)
        if column == "Rules":
            # Resampling would give no error at all, so: as if one run in runs + 2 had found it.
            chance = 1 / (runs + 2)
            error = total / runs * math.sqrt(runs * chance * (1 - chance))
            return Estimate(0.0, error, 0.0, reach(runs) * error if runs > 1 else math.nan, runs)
        if found == 0:
            return None
        if found < FEWEST_RUNS:
            return without_error(self._column(notation, column, np.arange(runs)), runs)
        return resample(runs, lambda drawn: self._column(notation, column, drawn))

    def _column(self, notation: str, column: str, runs: np.ndarray) -> float:
        instances = _of(runs)
        chosen = instances[self.notations[instances] == notation]
        if len(chosen) == 0:
            return math.nan
        values = self.eta[chosen] if column.startswith("eta") else self.fitness[chosen]
        if column.endswith("Std"):
            return _spread(values)
        if column == "Median":
            return float(np.median(values))
        return float({"Max": values.max(), "Min": values.min(), "eta Mean": values.mean()}[column])

    def table(self) -> PlainTable:
        """Our own table of distinct rules, ranked by median like the paper's."""
        rows = []
        for notation in sorted(set(self.notations)):
            chosen = self.notations == notation
            fitness, eta = self.fitness[chosen], self.eta[chosen]
            scores = (np.median(fitness), _spread(fitness), fitness.max(), fitness.min())
            rows.append(
                (notation, ", ".join(Rule(str(notation)).paper) or "–", f"{len(eta)}",
                 *(f"{value:z.2f}" for value in scores), f"{eta.mean():z.4f}", f"{_spread(eta):z.4f}")
            )  # fmt: skip
        rows.sort(key=lambda row: -float(row[3]))
        return PlainTable(
            f"Distinct rules of our own {counted(len(self.runs), 'run')}",
            ("Rule", "In the paper", "Rules", "Median", "Std", "Max", "Min", "η mean", "η std"),
            rows[:_LONGEST],
            f"The best {_LONGEST} of {len(rows)} rules." if len(rows) > _LONGEST else "",
            ", ".join(str(generations) for generations in self.runs),
            "Generations of each run",
            (0, 1),
        )


def _of(runs: np.ndarray) -> np.ndarray:
    """The instances that some runs found."""
    return (runs[:, None] * POOLED + np.arange(POOLED)).ravel()


def _spread(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0
