"""Reductions that several items share."""

from __future__ import annotations

import numpy as np

from hebbarium.paper.targets import Target
from hebbarium.statistics import Estimate, estimate_mean, estimate_std
from hebbarium.tasks.grid import SUMMER
from hebbarium.tasks.registry import make_task

FORAGING = make_task("foraging")
HUNTING = make_task("prey-predator")


def foraging_fitness(counts: np.ndarray) -> np.ndarray:
    """float64 [life, season]"""
    return FORAGING.fitness(counts)


def correct_and_incorrect(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int64 [life, season] each: wanted and unwanted items."""
    summer = np.array(FORAGING.season_kinds) == SUMMER
    green, blue = counts[:, :, 0], counts[:, :, 1]
    return np.where(summer, green, blue), np.where(summer, blue, green)


def mean_or_std(values: np.ndarray, target: Target) -> Estimate:
    """The mean or the spread of values [life] or [life, season], as the target's column or row asks."""
    spread = "std" in f"{target.column}".lower()
    return estimate_std(values) if spread else estimate_mean(values)


def trials(number: int, what: str) -> str:
    """
    >>> trials(24, "lives")
    '24 lives where the paper has 100'
    """
    return f"{number} {what}" if number >= 100 else f"{number} {what} where the paper has 100"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"
