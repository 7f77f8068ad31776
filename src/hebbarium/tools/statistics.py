"""Numbers with their uncertainty, and tests between groups of lives. scipy does the work, when asked.

Lives are the unit throughout: the seasons of one life share a network, so resampling and tests never
take them apart.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

RESAMPLES = 1000
_AT_ONCE = 100
"""Resamples that are looked at together: so many fit in a processor's cache."""
CONFIDENCE = 0.95


def finite(value: float) -> float | None:
    """A number for JSON, which has neither nan nor infinity: None stands for them."""
    return float(value) if math.isfinite(value) else None


@dataclass(frozen=True)
class Estimate:
    """A statistic of some lives with its standard error and interval.

    Student's for a mean, by bootstrap over lives for anything else: a bootstrapped interval of the mean of a few
    lives is far too narrow.
    """

    value: float
    error: float
    low: float
    high: float
    lives: int

    def interval(self, form: str = "z.2f") -> str:
        """For people."""
        return f"{self.low:{form}} to {self.high:{form}}"


@dataclass(frozen=True)
class Test:
    """A test's statistic and its two-sided level."""

    statistic: float
    p: float


def mean(values: np.ndarray) -> float:
    return float(np.mean(values))


def std(values: np.ndarray) -> float | None:
    """With n - 1, as the paper's tables have it; None for one value."""
    return float(np.std(values, ddof=1)) if np.size(values) > 1 else None


def sem(values: np.ndarray) -> float | None:
    """Standard error of the mean; None for one value."""
    spread = std(values)
    return None if spread is None else spread / float(np.sqrt(np.size(values)))


def mean_interval(values: np.ndarray) -> tuple[float, float] | None:
    """Student's interval of the mean at CONFIDENCE; None for one value."""
    error = sem(values)
    if error is None:
        return None
    half = reach(np.size(values)) * error
    return mean(values) - half, mean(values) + half


def reach(lives: int) -> float:
    """Half the width of the interval of a mean at CONFIDENCE, in standard errors."""
    from scipy.special import stdtrit

    return float(stdtrit(lives - 1, (1 + CONFIDENCE) / 2))


def estimate_mean(values: np.ndarray) -> Estimate:
    """values: [life] or [life, season]; a life counts with the mean of its seasons."""
    lives = np.asarray(values, np.float64).reshape(len(values), -1).mean(axis=1)
    error, interval = sem(lives), mean_interval(lives)
    if error is None or interval is None:
        return Estimate(mean(lives), float("nan"), float("nan"), float("nan"), len(lives))
    return Estimate(mean(lives), error, *interval, len(lives))


def estimate_std(values: np.ndarray, seed: int = 0) -> Estimate:
    """values: [life] or [life, season]; over all of them, with n - 1. The error is by bootstrap over lives."""
    from scipy import stats

    lives = np.asarray(values, np.float64).reshape(len(values), -1)
    value = float(lives.reshape(-1).std(axis=-1, ddof=1))
    if len(lives) < 2:
        return Estimate(value, float("nan"), float("nan"), float("nan"), len(lives))

    spreads = np.concatenate([
        lives.take(rows, axis=0).reshape(len(rows), -1).std(axis=-1, ddof=1)
        for rows in np.array_split(_resamples(len(lives), seed), RESAMPLES // _AT_ONCE)
    ])  # fmt: skip
    result = stats.bootstrap(  # only for the interval, to the same bits: to resample, too, it takes three times as long
        (np.arange(len(lives)),),
        np.std,
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=spreads),
        confidence_level=CONFIDENCE,
        method="percentile",
    )
    interval = result.confidence_interval
    return Estimate(value, float(result.standard_error), float(interval.low), float(interval.high), len(lives))


@functools.lru_cache(maxsize=1)
def _resamples(lives: int, seed: int) -> np.ndarray:
    """int64 [resample, life], as scipy draws them; most numbers of a table have as many lives."""
    rows = np.random.default_rng(seed).integers(0, lives, (RESAMPLES, lives))
    rows.flags.writeable = False
    return rows


def rank_sum(a: np.ndarray, b: np.ndarray) -> Test:
    """Wilcoxon's rank-sum test of two independent groups, as the paper uses it."""
    from scipy import stats

    result = stats.ranksums(a, b)
    return Test(float(result.statistic), float(result.pvalue))


def signed_rank(a: np.ndarray, b: np.ndarray) -> Test:
    """Wilcoxon's signed-rank test of pairs: the same trial of the same seed under two rules."""
    from scipy import stats

    differences = np.asarray(a, np.float64) - np.asarray(b, np.float64)
    if not differences.any():
        return Test(0.0, 1.0)
    result = stats.wilcoxon(differences)
    return Test(float(result.statistic), float(result.pvalue))


def correct_levels(levels: Sequence[float]) -> list[float]:
    """p-values corrected for multiple comparisons: Benjamini and Hochberg's false discovery rate."""
    from scipy import stats

    if not levels:
        return []
    return [float(level) for level in stats.false_discovery_control(np.asarray(levels))]
