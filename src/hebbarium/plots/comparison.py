"""Contenders side by side, and one setting over its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hebbarium.errors import option_name
from hebbarium.plots.style import FAINT, INK, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hebbarium.comparing import SideBySide
    from hebbarium.sweeping import Sweep

_COLOUR = "#6a42b8"


@styled
def draw_comparison(result: SideBySide) -> Figure:
    """Every life as a dot, the mean with its interval over them."""
    contenders = list(reversed(result.contenders))
    figure = new_figure(6.4, 0.9 + 0.5 * len(contenders))
    axes = figure.subplots()
    random = np.random.default_rng(0)
    for place, contender in enumerate(contenders):
        height = place + random.uniform(-0.22, 0.22, len(contender.fitness))
        axes.plot(contender.fitness, height, ".", color=FAINT, markersize=3, alpha=0.6)
        estimate = contender.estimate
        axes.plot([estimate.low, estimate.high], [place, place], color=_COLOUR, linewidth=3, solid_capstyle="round")
        axes.plot([estimate.value], [place], "o", color=_COLOUR, markersize=6, markeredgecolor="white")
    axes.set_yticks(range(len(contenders)), [contender.name for contender in contenders])
    axes.set_xlabel("fitness of a life; mean and 95 % interval")
    lives = len(contenders[0].fitness)
    axes.set_title(f"{result.task.name}: {lives} lives each, the same seeds", loc="left", color=INK)
    return figure


@styled
def draw_sweep(result: Sweep) -> Figure:
    figure = new_figure(5.6, 3.4)
    axes = figure.subplots()
    estimates = result.estimates()
    numeric = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in result.values)
    places = [float(value) for value in result.values] if numeric else list(map(float, range(len(result.values))))
    means = [estimate.value for estimate in estimates]
    if all(np.isfinite(estimate.low) for estimate in estimates):
        bounds = ([estimate.low for estimate in estimates], [estimate.high for estimate in estimates])
        axes.fill_between(places, *bounds, color=_COLOUR, alpha=0.2, linewidth=0)
    axes.plot(places, means, "o-", color=_COLOUR, markersize=4)
    if not numeric:
        axes.set_xticks(places, [str(value) for value in result.values])
    axes.set_xlabel(option_name(result.over).replace("-", " "))
    axes.set_ylabel("fitness, mean and 95 % interval")
    rule = f"{result.rule}" + (f" ({result.rule.paper[0]})" if result.rule.paper else "")
    axes.set_title(f"{result.task.name} under {rule}", loc="left", color=INK)
    return figure
