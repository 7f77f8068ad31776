"""What long lives are measured by: how fast seasons are learned, what is kept of them, how rules age; of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.tools.statistics import CONFIDENCE, RESAMPLES, estimate_mean, finite

# Numbers with their intervals, by bootstrap over lives: a life is drawn or not with all of its seasons.

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


# How fast a season is learned: recovery, savings, sample efficiency. Functions on arrays.
# rates: float64 [resample, season, window], fitness per step, means over lives; the first resample is the sample
# itself. kinds: int [season], each season's kind. widths: int [window], steps.

SHARE = 0.9
"""Of the way from the random agent's rate to the late rate: then a season is learned."""
LATE = 0.2
"""The end of a season that the late rate is taken over."""


def window_widths(season_steps: int, window: int) -> np.ndarray:
    """int64 [window]: steps of each window of a season; the last may be shorter."""
    return np.diff([*range(0, season_steps, window), season_steps])


def late_windows(widths: np.ndarray) -> np.ndarray:
    """bool [window]: those that begin in the last fifth of a season, or the last one."""
    begins = np.cumsum(widths) - widths
    late: np.ndarray = begins >= (1 - LATE) * widths.sum()
    late[-1] = True
    return late


def late_rate(rates: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """The mean rate over the last fifth of a season. rates: [..., window] -> [...]"""
    late = late_windows(widths)
    return mean_rate(rates[..., late], widths[late])


def mean_rate(rates: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """The mean rate over the windows that are not nan; nan where all are. rates: [..., window] -> [...]"""
    steps = np.where(np.isnan(rates), 0, widths)
    with np.errstate(invalid="ignore"):
        mean: np.ndarray = (np.nan_to_num(rates) * steps).sum(axis=-1) / steps.sum(axis=-1)
    return mean


def first_seasons(kinds: Sequence[int]) -> dict[int, int]:
    """By kind, the first season of that kind."""
    return {kind: kinds.index(kind) for kind in dict.fromkeys(kinds)}


def recovery_steps(
    rates: np.ndarray, widths: np.ndarray, random_rate: np.ndarray | float, late: np.ndarray
) -> np.ndarray:
    """Steps from the beginning of a season to the end of the first window whose rate reaches the level; inf if none.

    rates: [..., window]; random_rate and late: [...], what the random agent gets and what the rule has learned to get.
    """
    level = random_rate + SHARE * (late - random_rate)
    reached = rates >= level[..., None]
    steps = np.cumsum(widths)[np.argmax(reached, axis=-1)]
    return np.where(reached.any(axis=-1), steps, np.inf)


def savings(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Ebbinghaus's: the part of the first learning that the second is spared; below 0 where it takes longer.

    Steps of both; -inf where only the second never gets there, nan where the first does not."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(first), 1 - second / first, np.nan)


def performance_recovery(steps: np.ndarray) -> float | None:
    """By how much fewer steps each further season of a kind takes: minus the Theil-Sen slope of its recovery times
    (New and others 2022). steps: [season of one kind]; those that never recover are left out, as there."""
    from scipy.stats import theilslopes

    known = steps[np.isfinite(steps)]
    return 0.0 - float(theilslopes(known).slope) if len(known) > 1 else None


def sample_efficiency(
    late: np.ndarray, steps: np.ndarray, alone_late: np.ndarray, alone_steps: np.ndarray
) -> np.ndarray:
    """What is learned, and how fast, beside a life of that season alone (New and others 2022).

    Their saturation is the late rate here, the experience to it the steps of recovery. nan where one never recovers."""
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (late / alone_late) * (alone_steps / steps)
    return np.where(np.isfinite(steps) & np.isfinite(alone_steps), value, np.nan)


# What is kept of earlier seasons: transfer and maintenance, from tests of frozen networks. Functions on arrays.
# tests: float64 [life, moment, kind], the fitness in each kind of season at birth and after each season. kinds: int
# [season], each season's kind.


def backward_transfer(tests: np.ndarray, kinds: Sequence[int]) -> np.ndarray:
    """What later seasons did to what was learned first (Lopez-Paz and Ranzato 2017, as a difference of fitness).

    float64 [life]: the test in each kind after every kind was met once, minus that right after its first season, the
    mean over all kinds but the last. Empty where there is one kind only."""
    first = first_seasons(kinds)
    last = max(first.values())
    changes = [tests[:, last + 1, kind] - tests[:, season + 1, kind] for kind, season in first.items() if season < last]
    return _mean(changes, tests)


def forward_transfer(tests: np.ndarray, kinds: Sequence[int]) -> np.ndarray:
    """What earlier seasons do for a kind that was never met (the same authors).

    float64 [life]: the test in each kind right before its first season, minus that at birth, the mean over all kinds
    but the first."""
    gains = [tests[:, season, kind] - tests[:, 0, kind] for kind, season in first_seasons(kinds).items() if season > 0]
    return _mean(gains, tests)


def performance_maintenance(tests: np.ndarray, kinds: Sequence[int]) -> np.ndarray:
    """What is left of a kind while others are lived (New and others 2022), over the whole life.

    float64 [life]: each test in a kind that was lived before but not last, minus the test right after its latest
    season; the mean of all."""
    changes, latest = [], dict[int, int]()
    for season, kind in enumerate(kinds):
        latest[kind] = season
        others = ((other, when) for other, when in latest.items() if other != kind)
        changes += [tests[:, season + 1, other] - tests[:, when + 1, other] for other, when in others]
    return _mean(changes, tests)


def _mean(changes: list[np.ndarray], tests: np.ndarray) -> np.ndarray:
    return np.mean(changes, axis=0) if changes else np.empty(0)


# What becomes of a rule in a long life, and beside a life of one season alone. Functions on arrays.
# fitness: float64 [resample, season], means over lives; the first resample is the sample itself.

SPAN = 4
"""Seasons that are young, and as many that are late, where a life has twice as many."""


def span_of(seasons: int) -> int:
    return max(1, min(SPAN, seasons // 2))


def young(fitness: np.ndarray) -> np.ndarray:
    """The mean fitness over the first seasons. [..., season] -> [...]"""
    means: np.ndarray = fitness[..., : span_of(fitness.shape[-1])].mean(axis=-1)
    return means


def late(fitness: np.ndarray) -> np.ndarray:
    """The mean fitness over the last seasons. [..., season] -> [...]"""
    means: np.ndarray = fitness[..., -span_of(fitness.shape[-1]) :].mean(axis=-1)
    return means


def late_over_young(fitness: np.ndarray) -> np.ndarray:
    """Late fitness over young fitness, float64 [resample]; nan where there was nothing to lose."""
    return ratio(late(fitness), young(fitness))


def half_life(fitness: np.ndarray, kinds: Sequence[int]) -> np.ndarray:
    """float64 [resample]: the first season, from 1, with at most half of the young fitness of its kind; inf if none,
    nan if there was nothing to lose.

    Of its kind, since a rule that is good in summer only has not fallen each winter. kinds: int [season]"""
    span, fallen, never = span_of(len(kinds)), np.zeros(fitness.shape, bool), np.nan
    for kind in dict.fromkeys(kinds[:span]):
        of_kind = np.equal(kinds, kind)
        start = fitness[:, :span][:, of_kind[:span]].mean(axis=1, keepdims=True)
        if (start > 0).mean() > (1 + CONFIDENCE) / 2:  # there is something to lose, and not by luck
            fallen |= of_kind & (fitness <= start / 2)
            never = np.inf
    return np.where(fallen.any(axis=1), fallen.argmax(axis=1) + 1.0, never)


def relative_performance(together: np.ndarray, alone: np.ndarray) -> np.ndarray:
    """Fitness in a kind's seasons, over what as many seasons bring in a life of that kind alone (New and others 2022).

    Both: [resample, season of the kind] -> float64 [resample]; nan where that life brings nothing."""
    return ratio(together.sum(axis=1), alone.sum(axis=1))


def ratio(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """one / other; nan where the other is not above zero, since fitness may be negative."""
    quotient: np.ndarray = np.divide(one, other, out=np.full_like(one, np.nan), where=other > 0)
    return quotient
