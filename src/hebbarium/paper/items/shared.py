"""Reductions that several items share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hebbarium.paper.targets import Target
from hebbarium.paper.verdict import Comparison
from hebbarium.show.pages import Mark, Markup, dot_plot
from hebbarium.show.pages.colours import season_colour
from hebbarium.tools.statistics import Estimate, estimate_mean, estimate_std
from hebbarium.worlds.base import World
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.grid import SUMMER
from hebbarium.worlds.prey_predator import PreyPredator

FORAGING = Foraging()
HUNTING = PreyPredator()


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
    return f"{100 * share:z.0f} %"


def seasons_of(world: World, length: int) -> list[tuple[float, float, str]]:
    """Each season as a chart shades it, so many steps or iterations long."""
    return [
        (length * place, length * (place + 1), season_colour(kind)) for place, kind in enumerate(world.season_kinds)
    ]


def beside_the_paper(rows: Mapping[str, Comparison], title: str, x_label: str) -> Markup:
    """Ours with its interval and the paper's, row by row: the gap is what the eye sees."""
    ours, papers = Mark(0, "first"), Mark(0, "ink", hollow=True)
    marks = []
    for name, one in rows.items():
        published = [] if one.paper is None else [Mark(one.paper, "ink", hollow=True)]
        measured = [] if one.ours is None else [Mark(one.ours, "first", one.low, one.high)]
        marks.append((name, [*published, *measured]))
    return dot_plot(marks, title=title, x_label=x_label, legend={"ours, 95 % interval": ours, "paper": papers})
