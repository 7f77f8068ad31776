"""What becomes of a rule in a long life, and beside a life of one season alone. Functions on arrays.

fitness: float64 [resample, season], means over lives; the first resample is the sample itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hebbarium.tools.statistics import CONFIDENCE

SPAN = 4
"""Seasons that are young, and as many that are late, where a life has twice as many."""


def span_of(seasons: int) -> int:
    return max(1, min(SPAN, seasons // 2))


def young(fitness: np.ndarray) -> np.ndarray:
    """[..., season] -> [...], over the first seasons."""
    means: np.ndarray = fitness[..., : span_of(fitness.shape[-1])].mean(axis=-1)
    return means


def late(fitness: np.ndarray) -> np.ndarray:
    """[..., season] -> [...], over the last seasons."""
    means: np.ndarray = fitness[..., -span_of(fitness.shape[-1]) :].mean(axis=-1)
    return means


def late_over_young(fitness: np.ndarray) -> np.ndarray:
    """float64 [resample]; nan where there was nothing to lose."""
    return ratio(late(fitness), young(fitness))


def half_life(fitness: np.ndarray, kinds: Sequence[int]) -> np.ndarray:
    """float64 [resample]: the first season, from 1, with at most half of the young fitness of its kind; inf if none.

    Of its kind, since a rule that is good in summer only has not fallen each winter. kinds: int [season]"""
    span, fallen = span_of(len(kinds)), np.zeros(fitness.shape, bool)
    for kind in dict.fromkeys(kinds[:span]):
        of_kind = np.equal(kinds, kind)
        start = fitness[:, :span][:, of_kind[:span]].mean(axis=1, keepdims=True)
        if (start > 0).mean() > (1 + CONFIDENCE) / 2:  # there is something to lose, and not by luck
            fallen |= of_kind & (fitness <= start / 2)
    return np.where(fallen.any(axis=1), fallen.argmax(axis=1) + 1.0, np.inf)


def relative_performance(together: np.ndarray, alone: np.ndarray) -> np.ndarray:
    """Fitness in a kind's seasons, over what as many seasons bring in a life of that kind alone (New and others 2022).

    Both: [resample, season of the kind] -> float64 [resample]; nan where that life brings nothing."""
    return ratio(together.sum(axis=1), alone.sum(axis=1))


def ratio(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """one / other; nan where the other is not above zero, since fitness may be negative."""
    quotient: np.ndarray = np.divide(one, other, out=np.full_like(one, np.nan), where=other > 0)
    return quotient
