"""The landscape that a search walks on: rules as places, one changed entry as a step, fitness as height."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from hebbarium.rules.rule import ENTRIES, RULES
from hebbarium.studies.atlas.rank_intervals import Z
from hebbarium.studies.atlas.table import Atlas


@functools.cache
def neighbours() -> np.ndarray:
    """int64 [rule, 16]: the rules one entry away."""
    index = np.arange(RULES)
    columns = []
    for place in range(ENTRIES):
        unit = 3 ** (ENTRIES - 1 - place)
        level = index // unit % 3
        columns += [index + ((level + step) % 3 - level) * unit for step in (1, 2)]
    return np.stack(columns, axis=1)


@dataclass(frozen=True)
class Landscape:
    """What the complete atlas tells about searching."""

    optima: np.ndarray
    """int64 [optimum]: rules that no neighbour beats, best first."""
    certain: np.ndarray
    """bool [optimum]: whether it beats every neighbour at the 95 % level, so that noise did not make it one."""
    basins: np.ndarray
    """int64 [optimum]: from how many rules the steepest climb ends here; they add up to 6,561."""
    regret: float
    """How far below the best rule a climb from a random rule ends, on average."""
    steps: float
    """Steps of such a climb, on average."""
    neutral: np.ndarray
    """int64 [...]: neighbours of the best rule that cannot be distinguished from it."""
    close: np.ndarray
    """int64 [...]: neighbours of the best rule that reach nine tenths of its fitness."""

    @property
    def reach_top(self) -> float:
        """How often a steepest climb from a random rule ends at the best of all."""
        return float(self.basins[0] / RULES)


def survey_landscape(atlas: Atlas) -> Landscape:
    """The optima of a complete atlas, and where steepest ascent from every rule ends."""
    mean, sem, around = atlas.mean, atlas.sem, neighbours()
    best_neighbour = around[np.arange(RULES), np.argmax(mean[around], axis=1)]
    is_optimum = mean[best_neighbour] <= mean
    optima = np.flatnonzero(is_optimum)
    optima = optima[np.argsort(-mean[optima], kind="stable")]
    lead = mean[optima, None] - mean[around[optima]]
    error = np.hypot(sem[optima, None], sem[around[optima]])
    ends, steps = climb(np.where(is_optimum, np.arange(RULES), best_neighbour))
    top = int(atlas.order[0])
    beside = around[top]
    return Landscape(
        optima,
        (lead > Z * error).all(axis=1),
        np.array([np.count_nonzero(ends == optimum) for optimum in optima]),
        float(mean[top] - mean[ends].mean()),
        float(steps.mean()),
        beside[mean[top] - mean[beside] < Z * np.hypot(sem[top], sem[beside])],
        beside[mean[beside] >= 0.9 * mean[top]],
    )


def climb(onward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each rule's climb ends, and after how many steps. onward: int64 [rule], itself at an optimum."""
    ends, steps = np.arange(len(onward)), np.zeros(len(onward), np.int64)
    while True:
        further = onward[ends]
        moved = further != ends
        if not moved.any():
            return ends, steps
        ends, steps = further, steps + moved


def random_search_regret(atlas: Atlas, tries: int) -> float:
    """How far the best of this many rules drawn at random lies below the best of all, on average, exactly.

    The draws are with replacement, each rule is lived at its best eta, and the winner is known without error.
    """
    ascending = np.sort(atlas.mean)
    below = (np.arange(RULES + 1) / RULES) ** tries
    return float(ascending[-1] - (ascending * np.diff(below)).sum())
