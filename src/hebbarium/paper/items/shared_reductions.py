"""Reductions that several items share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hebbarium.paper.items.base import Scale
from hebbarium.paper.printed_numbers import Target
from hebbarium.paper.verdict import Comparison, compare
from hebbarium.paper.works import AgentLives, HillClimbs, PaperWork, RuleLives
from hebbarium.show.pages import Mark, Markup, dot_plot
from hebbarium.show.pages.colours import season_colour
from hebbarium.tools.statistics import estimate_mean, estimate_std
from hebbarium.worlds.base import World
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.grid import SUMMER
from hebbarium.worlds.prey_predator import PreyPredator

FORAGING = Foraging()
HUNTING = PreyPredator()


def rule_lives(scale: Scale, seed: int, *rules: int, task: str = "foraging") -> dict[str, PaperWork]:
    """Lives under some of the paper's rules, named `rule 1` and so on."""
    return {
        f"rule {rule}": RuleLives(task=task, rule=f"{task}:{rule}", lifetimes=scale.lives, seed=seed) for rule in rules
    }


def agent_lives(scale: Scale, seed: int, agent: str, task: str = "foraging") -> AgentLives:
    return AgentLives(task=task, agent=agent, lifetimes=scale.lives, seed=seed)


def hill_climbs(scale: Scale, seed: int, task: str = "foraging") -> HillClimbs:
    climbs = scale.climbs if task == "foraging" else scale.hunting_climbs
    return HillClimbs(task=task, lifetimes=climbs, iterations=scale.iterations, seed=seed)


def correct_and_incorrect(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int64 [life, season] each: wanted and unwanted items."""
    summer = np.array(FORAGING.season_kinds) == SUMMER
    green, blue = counts[:, :, 0], counts[:, :, 1]
    return np.where(summer, green, blue), np.where(summer, blue, green)


def compare_values(target: Target, values: np.ndarray) -> Comparison:
    """The mean or, if the target's column says so, the std. values: [life] or [life, season]"""
    return compare(target, estimate_std(values) if "std" in target.column.lower() else estimate_mean(values))


def trials(number: int, what: str) -> str:
    """
    >>> trials(24, "lives")
    '24 lives where the paper has 100'
    """
    return f"{number} {what}" if number >= 100 else f"{number} {what} where the paper has 100"


def percent(share: float) -> str:
    return f"{100 * share:z.0f} %"


def seasons_of(world: World, length: int) -> list[tuple[float, float, str]]:
    """The seasons that a chart shades. length: of each, in steps or iterations"""
    return [
        (length * place, length * (place + 1), season_colour(kind)) for place, kind in enumerate(world.season_kinds)
    ]


def beside_the_paper(rows: Mapping[str, Comparison], title: str, x_label: str) -> Markup:
    """A chart of ours with its interval and the paper's, row by row."""
    marks = []
    for name, one in rows.items():
        published = [] if one.paper is None else [Mark(one.paper, "ink", hollow=True)]
        measured = [] if one.ours is None else [Mark(one.ours, "first", one.low, one.high)]
        marks.append((name, [*published, *measured]))
    legend = {"ours, 95 % interval": Mark(0, "first"), "paper": Mark(0, "ink", hollow=True)}
    return dot_plot(marks, title=title, x_label=x_label, legend=legend)
