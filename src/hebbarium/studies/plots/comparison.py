"""Contenders side by side; one setting over its values, and two as a heat map; rules across worlds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hebbarium.show.plots import ACCENT, FAINT, INK, new_figure, signed_colours, styled
from hebbarium.studies.transfer.page import MAPS
from hebbarium.tools.errors import option_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hebbarium.studies.compare import SideBySide
    from hebbarium.studies.sweep import Grid, Sweep
    from hebbarium.studies.transfer.matrix import Transfer

SETTINGS = {"hidden": "hidden neurons", "eta": "eta, the learning rate"}
"""Settings whose names say too little at an axis."""
DARK = 0.6
"""From this score on, either way, numbers of `transfer` are white."""
LOGARITHMIC = 20
"""How many times the smallest value the largest is before the axis becomes logarithmic."""


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
        axes.plot([estimate.low, estimate.high], [place, place], color=ACCENT, linewidth=3, solid_capstyle="round")
        axes.plot([estimate.value], [place], "o", color=ACCENT, markersize=6, markeredgecolor="white")
    axes.set_yticks(range(len(contenders)), [contender.name for contender in contenders])
    axes.set_xlabel("fitness of a life (dots), their mean and its 95 % interval")
    lives = len(contenders[0].fitness)
    axes.set_title(f"{result.task.label}, {lives} lifetimes each, seed {result.seed}", loc="left", color=INK)
    return figure


@styled
def draw_sweep(result: Sweep) -> Figure:
    figure = new_figure(5.6, 3.4)
    axes = figure.subplots()
    estimates = result.estimates()
    low, mean, high = ([getattr(one, name) for one in estimates] for name in ("low", "value", "high"))
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in result.values):
        places = [float(value) for value in result.values]
        if spans_much(places):
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")
        if np.isfinite(low).all():
            axes.fill_between(places, low, high, color=ACCENT, alpha=0.2, linewidth=0)
        axes.plot(places, mean, "o-", color=ACCENT, markersize=4)
    else:  # words have nothing between them that a line could mean
        for place, estimate in enumerate(estimates):
            if np.isfinite(estimate.low):
                axes.plot([place, place], [estimate.low, estimate.high], color=ACCENT, linewidth=3, alpha=0.4)
            axes.plot([place], [estimate.value], "o", color=ACCENT, markersize=5)
        axes.set_xticks(range(len(mean)), [str(value) for value in result.values])
        axes.set_xlim(-0.5, len(mean) - 0.5)
    axes.set_xlabel(_words(result.over))
    axes.set_ylabel("mean fitness and 95 % interval")
    axes.margins(y=0.12)
    first = result.lives[0]
    paper = f" ({first.rule.paper[0]})" if first.rule is not None and first.rule.paper else ""
    lived = f"{len(first.counts)} lifetimes each, seed {first.seed}"
    axes.set_title(f"{result.task.label}: {first.short_who}{paper}\n{lived}", loc="left", color=INK)
    return figure


@styled
def draw_grid(result: Grid) -> Figure:
    """Mean fitness of every pair of values, written into its cell."""
    means, (first, second) = result.means(), result.values
    figure = new_figure(1.6 + 0.55 * len(second), 1.3 + 0.42 * len(first))
    axes = figure.subplots()
    shown = axes.imshow(means, cmap="viridis", aspect="auto")
    middle = (means.min() + means.max()) / 2
    for (row, column), mean in np.ndenumerate(means):
        ink = "white" if mean < middle else "black"
        axes.text(column, row, f"{mean:z.1f}", ha="center", va="center", color=ink, fontsize="small")
    axes.set_xticks(range(len(second)), [str(value) for value in second], rotation=45 if len(second) > 6 else 0)
    axes.set_yticks(range(len(first)), [str(value) for value in first])
    axes.set_xlabel(_words(result.over[1]))
    axes.set_ylabel(_words(result.over[0]))
    figure.colorbar(shown, ax=axes, label="mean fitness")
    lives = result.lives[0][0]
    words = f"{result.task.label}: {lives.short_who}\n{len(lives.counts)} lifetimes each, seed {lives.seed}"
    axes.set_title(words, loc="left", color=INK)
    return figure


def _words(setting: str) -> str:
    return SETTINGS.get(setting, option_name(setting).replace("-", " "))


def spans_much(values: Sequence[float]) -> bool:
    """Whether numbers are better read on a logarithmic axis.

    >>> spans_much([0.001, 0.01, 0.5]), spans_much([5, 50]), spans_much([0, 0.5])
    (True, False, False)
    """
    return min(values) > 0 and max(values) > LOGARITHMIC * min(values)


@styled
def draw_transfer(found: Transfer) -> Figure:
    """One map for the etas that the rules came with, one for the best there."""
    maps = {title: found.scores(which) for which, title in MAPS.items()}
    maps = {title: scores for title, scores in maps.items() if not np.isnan(scores).all()}
    longest = max(map(len, found.names))
    figure = new_figure(0.8 + 0.07 * longest + 0.75 * len(found.worlds) * len(maps), 1.6 + 0.42 * len(found.rules))
    for axes, (title, scores) in zip(figure.subplots(1, len(maps), squeeze=False)[0], maps.items(), strict=True):
        axes.imshow(scores, cmap=signed_colours(), vmin=-1, vmax=1, aspect="auto")
        for (row, column), score in np.ndenumerate(scores):
            if not np.isnan(score):
                ink = "white" if abs(score) > DARK else INK
                axes.text(column, row, f"{score:z.2f}", ha="center", va="center", color=ink, fontsize=8)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_title(title, loc="left", color=INK)
        axes.set_xticks(range(len(found.worlds)), found.world_names, rotation=30, ha="right")
        axes.set_yticks(range(len(found.names)), found.names if axes.get_subplotspec().is_first_col() else [])
    searched = f", best of {found.budget:,} lifetimes' search" if found.budget else ""
    lived = f"{found.lifetimes:,} lifetimes each, seed {found.seed}{searched}"
    figure.supxlabel(f"Score: random actions 0, perfect agent 1; {lived}", fontsize=8)
    return figure
