"""How fast a season is learned: recovery, savings, sample efficiency. Functions on arrays.

rates: float64 [resample, season, window], fitness per step, means over lives; the first resample is the sample itself.
kinds: int [season], each season's kind. widths: int [window], steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
    """rates: [..., window] -> [...], the mean rate over the last fifth of a season."""
    late = late_windows(widths)
    return mean_rate(rates[..., late], widths[late])


def mean_rate(rates: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """rates: [..., window] -> [...], over the windows that are not nan; nan where all are."""
    steps = np.where(np.isnan(rates), 0, widths)
    with np.errstate(invalid="ignore"):
        mean: np.ndarray = (np.nan_to_num(rates) * steps).sum(axis=-1) / steps.sum(axis=-1)
    return mean


def first_seasons(kinds: Sequence[int]) -> dict[int, int]:
    """By kind, the first season of it."""
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
