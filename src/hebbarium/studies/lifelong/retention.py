"""What is kept of earlier seasons: transfer and maintenance, from tests of frozen networks. Functions on arrays.

tests: float64 [life, moment, kind], the fitness in each kind of season at birth and after each season.
kinds: int [season], each season's kind.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hebbarium.studies.lifelong.recovery import first_seasons


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
