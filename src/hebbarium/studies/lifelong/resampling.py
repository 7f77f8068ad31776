"""Numbers with their intervals, by bootstrap over lives: a life is drawn or not with all of its seasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.tools.statistics import CONFIDENCE, RESAMPLES, estimate_mean

Interval = tuple[float | None, float | None]
"""None where an end lies beyond what was lived, or where there is no value."""


def shares(lives: int, seed: int = 0) -> np.ndarray:
    """float64 [1 + resample, life]: each life's weight in the mean. The first row is the sample itself."""
    random = np.random.default_rng(seed)
    drawn = random.multinomial(lives, np.full(lives, 1 / lives), size=RESAMPLES)
    return np.vstack([np.ones(lives), drawn]) / lives


def means(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """float64 [1 + resample, ...]: the mean over lives in each resample. values: [life, ...], nan where a life has
    none"""
    missing = np.isnan(values)
    if not missing.any():
        return np.tensordot(weights, values, axes=1)
    with np.errstate(invalid="ignore"):
        return np.tensordot(weights, np.nan_to_num(values), axes=1) / np.tensordot(weights, ~missing, axes=1)


def interval(resampled: np.ndarray) -> Interval:
    """Percentiles of a statistic. resampled: float64 [1 + resample]; inf where it was never reached."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(resampled[1:], [tail, 1 - tail], method="inverted_cdf")
    return finite(low), finite(high)


def finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


@dataclass(frozen=True)
class Value:
    """A number with its interval; None where there is none, and why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    why: str | None = None

    @classmethod
    def resampled(cls, values: np.ndarray, why: str | None = None) -> Value:
        """values: float64 [1 + resample], the first of the sample itself; not finite where there is none.

        Where more resamples than an interval leaves out have none, nor has the sample: it is a matter of luck."""
        value = finite(values[0]) if np.isnan(values).mean() <= (1 - CONFIDENCE) / 2 else None
        return cls(None, why=why) if value is None else cls(value, *interval(values[~np.isnan(values)]))

    @classmethod
    def of_lives(cls, values: np.ndarray) -> Value | None:
        """The mean. values: float64 [life]; None where there are none."""
        if not len(values):
            return None
        estimate = estimate_mean(values)
        return cls(estimate.value, finite(estimate.low), finite(estimate.high))

    def summary(self, name: str = "value") -> dict[str, Any]:
        return {name: self.value, "low": self.low, "high": self.high}
