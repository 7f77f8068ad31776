"""Pictures of what studies found, for files: a life and its weights as in the paper, comparisons, searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbarium.brains.sizes import sizes_of
from hebbarium.rules.shape import LAYERS
from hebbarium.show.plots import (
    ACCENT,
    COUNT_COLOURS,
    FAINT,
    INK,
    LINES,
    describe,
    new_figure,
    season_title,
    shade_seasons,
    signed_colours,
    styled,
    whole_numbers,
)
from hebbarium.studies.trace import Trace
from hebbarium.studies.transfer.scores import MAPS
from hebbarium.tools.errors import BadInput, option_name, shown, shown_setting
from hebbarium.worlds.grid import SENSED, GridWorld

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hebbarium.store.writing import Run
    from hebbarium.studies.compare import SideBySide
    from hebbarium.studies.sweep import Grid, Sweep
    from hebbarium.studies.transfer.scores import Transfer

# What one agent has collected, step by step through its seasons (the paper's lifetime figures).

SNAPSHOTS = 1000
"""The paper takes one every 20 of 20,000 steps."""


def snapshot_every(steps: int) -> int:
    """Steps between snapshots of a life of this many steps."""
    return max(1, steps // SNAPSHOTS)


@styled
def draw_life(life: Trace) -> Figure:
    """Everything counted, and how many hidden neurons still differ."""
    world = life.task
    panels: dict[str, dict[str, str]] = {}
    for name, words in zip(world.counts, world.counted or world.counts, strict=True):
        # Green items and blue items are both items: they share an axis.
        panels.setdefault(words.removeprefix(f"{name} "), {})[name] = words
    figure = new_figure(7.2, 3.2 + 1.2 * len(panels))
    heights = [3.0, *[1.3] * len(panels)]
    rows: list[Axes] = list(figure.subplots(len(heights), 1, sharex=True, height_ratios=heights))
    for axes in rows:
        shade_seasons(axes, world, life.calendar, names=axes is rows[0])
        axes.margins(y=0.08)
    for axes, (label, names) in zip(rows, panels.items(), strict=False):
        for place, (name, words) in enumerate(names.items()):
            values, colour = life.counts[:, world.counts.index(name)], COUNT_COLOURS.get(name, INK)
            axes.plot(life.lived, values, LINES[place], color=colour, lw=1.6, label=words, drawstyle="steps-post")
        top = max(1, axes.get_ylim()[1])  # where nothing was counted, too, the axis has two whole numbers
        axes.set_ylim(-0.02 * top, top)  # a line along zero stays visible
        whole_numbers(axes)
        if len(names) > 1:
            axes.legend(loc="upper left", frameon=True, framealpha=0.9, edgecolor="none")
        axes.set_ylabel(f"{label}\nsince birth" if axes is rows[0] else label)
    last, neurons = rows[-1], max(sum(sizes_of(life.hidden)), 1)
    last.plot(life.lived, life.distinct_hidden, color=INK, lw=1.4, drawstyle="steps-post")
    last.set_ylim(-0.04 * neurons, neurons * 1.12)
    last.set_yticks(sorted({0, neurons // 2, neurons}))
    last.set_ylabel("distinct\nhidden neurons")
    last.set_xlabel("step")
    last.xaxis.set_major_formatter("{x:,.0f}")
    figure.align_ylabels()
    figure.suptitle(f"One {describe(life)}", fontsize=10)
    return figure


# Both weight matrices at birth and after each season, as heat maps (the paper's appendix figures).
# Where an agent sees many cells, the weights from its inputs are drawn in the shape of its field of view.

MOST_COLUMNS, MOST_NAMES = 8, 16
"""Snapshots that are drawn, and inputs that are named."""


@styled
def draw_weights(life: Trace) -> Figure:
    """Both weight matrices at birth and after each season, as heat maps.

    life: with weights, and one snapshot a season."""
    assert life.weights is not None
    many = len(life.lived)  # of many snapshots evenly spread ones are drawn, from birth to the end
    shown = sorted({int(place) for place in np.linspace(0, many - 1, min(many, MOST_COLUMNS)).round()})
    task, layers = life.task, [layer[shown] for layer in life.weights]
    whole = task.inputs > MOST_NAMES and len(layers) > 1 and layers[0].shape[2] == task.inputs + 1
    views = task.view if isinstance(task, GridWorld) and whole else ()
    rows = len(layers) + bool(views)
    height = (9.4 if views else 6.8) + 3.4 * (len(layers) - LAYERS)
    figure = new_figure(1.6 + (2.5 if views else 1.75) * len(shown), height)
    every = figure.subplots(rows, len(shown), squeeze=False, height_ratios=[2.4] * (rows - 1) + [1])
    look = _look(layers[0])
    for bit, row in enumerate(every[:2] if views else ()):  # mosaics for each of a cell's two inputs
        for axes, weights in zip(row, layers[0], strict=True):
            image = axes.imshow(mosaic(weights, views, bit), **look)
            axes.set_xticks([])
            axes.set_yticks([])
            axes.spines[:].set_visible(False)
        row[0].set_ylabel(f"from inputs active\nfor {SENSED[bit]}")
    if views:
        figure.colorbar(image, ax=[axes for row in every[:2] for axes in row], aspect=30, pad=0.015, label="weight")
    for place, layer in enumerate(layers):
        if place > 0 or not views:
            pre = "hidden neuron" if place else "input"
            post = "output" if place == len(layers) - 1 else "hidden neuron"
            names = task.all_input_names if layer.shape[2] == task.all_inputs + 1 and place == 0 else ()
            _draw_layer(figure, every[place + bool(views)], layer, post, pre, names)
    every[-1][0].set_yticks(range(1, life.task.outputs + 1), life.task.actions)
    for axes, snapshot in zip(every[0], shown, strict=True):
        distinct = f"{life.distinct_hidden[snapshot]} of {shown_setting(life.hidden)} neurons distinct"
        when = "at birth"
        if snapshot and task.own_seasons:
            when = f"after {life.lived[snapshot]:,} steps"
        elif snapshot:
            when = f"after {season_title(task.season_names[snapshot - 1])}"
        axes.set_title(f"{when}\n{distinct}", fontsize=8.5)
    note = "\neach tile is what one hidden neuron sees, ahead is up; in the agent's own cell, its bias" if views else ""
    figure.suptitle(f"Weights through a {describe(life)}{note}", fontsize=10)
    return figure


def _look(weights: np.ndarray) -> dict[str, Any]:
    """One colour scale for all snapshots of weights."""
    largest = float(np.abs(weights).max()) or 1.0
    return {"cmap": signed_colours(), "vmin": -largest, "vmax": largest, "interpolation": "nearest"}


def mosaic(weights: np.ndarray, view: Sequence[tuple[int, int]], bit: int) -> np.ndarray:
    """The weights of one of each cell's two inputs, neuron by neuron in the shape of the field of view.

    weights: [post, pre], the bias last, which takes the agent's own cell; between neurons there is nan.
    """
    places = np.array([*view, (0, 0)])
    rows, columns = places[:, 0].max() - places[:, 0], places[:, 1] - places[:, 1].min()
    height, width = rows.max() + 2, columns.max() + 2
    across = max(1, round(float(np.sqrt(len(weights) * height / width))))
    down = -(-len(weights) // across)
    tiles = np.full((down * height, across * width), np.nan)
    for neuron, values in enumerate(weights):
        top, left = neuron // across * height, neuron % across * width
        tiles[top + rows, left + columns] = [*values[bit:-1:2], values[-1]]
    return tiles[:-1, :-1]


def _draw_layer(
    figure: Figure, row: Sequence[Axes], weights: np.ndarray, post: str, pre: str, names: Sequence[str] = ()
) -> None:
    """One heat map after the other. row: axes [snapshot]; weights: [snapshot, post, pre]; names: of pre, if few."""
    look, image = _look(weights), None
    post_neurons, inputs = weights.shape[1], weights.shape[2] - 1
    width = max(1.0, 0.06 * inputs)  # the bias stands apart as the last column, never too thin to be seen
    start = inputs + 0.5 + 0.35 * width
    # The last number would touch the bias.
    numbers = dict(enumerate(names if len(names) <= MOST_NAMES else (), 1))
    ticks = numbers or {n: str(n) for n in {1, (inputs + 2) // 2} - {inputs}}
    for axes, snapshot in zip(row, weights, strict=True):
        edges = (post_neurons + 0.5, 0.5)
        image = axes.imshow(snapshot[:, :-1], extent=(0.5, inputs + 0.5, *edges), aspect="auto", **look)
        axes.imshow(snapshot[:, -1:], extent=(start, start + width, *edges), aspect="auto", **look)
        axes.set_xlim(0.5, start + width)
        axes.set_xticks([*ticks, start + width / 2], [*ticks.values(), "bias"], rotation=90 if numbers else 0)
        axes.set_yticks(sorted({1, (post_neurons + 1) // 2, post_neurons}))
        axes.tick_params(length=2, labelsize=7.5)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(pre, labelpad=3)
        axes.tick_params(labelleft=axes is row[0])
    row[0].set_ylabel(post)
    assert image is not None
    figure.colorbar(image, ax=list(row), aspect=18, pad=0.015, label="weight")


# Contenders side by side; one setting over its values, and two as a heat map; rules across worlds.

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
    """Mean fitness over the values of one setting, with its interval."""
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


# Searches side by side: fitness over the lifetimes spent, each with the spread of its independent runs.

POINTS = 200
"""Places along the axis where the runs of a search are compared."""


@styled
def draw_searches(runs: Mapping[str, Run]) -> Figure:
    """What each search estimates its leading rule to be worth, over the lifetimes it has spent: the median of its
    independent runs, with a band from the lowest to the highest. A run that has ended stays at its last value.

    runs: finished runs of `evolve`, by the name that the legend shows. These are the searches' own estimates: how the
    rules that were found do on fresh lifetimes stands in their tables of rules. Returns a figure of matplotlib."""
    if not isinstance(runs, Mapping):
        raise BadInput(f"runs is {shown(runs)}, but must be a dict of runs by name, such as {{'racing': run}}.")
    figure = new_figure(6.0, 3.6)
    axes = figure.subplots()
    for place, (name, run) in enumerate(runs.items()):
        spent, best = spent_and_best(run)
        many = f" ({len(best)} runs)" if len(best) > 1 else ""
        line = axes.plot(spent, np.median(best, axis=0), LINES[place % len(LINES)], label=f"{name}{many}")[0]
        axes.fill_between(spent, best.min(axis=0), best.max(axis=0), color=line.get_color(), alpha=0.2, lw=0)
    axes.set_xlabel("lifetimes spent")
    axes.set_ylabel("estimated fitness of the leading rule")
    axes.legend(frameon=False)
    return figure


def spent_and_best(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of lifetimes, [place], and the best fitness of each run by then, [run, place]; a run that has ended
    stays as it ended, and none is asked for before each has something to show."""
    if not hasattr(run, "result"):
        raise BadInput(
            f"a search is {shown(run)}, but must be a run, such as hb.Run.open('runs/evolve-foraging-racing-1')."
        )
    curves = run.result("curves")
    if not curves or not all(curves):
        raise BadInput(f"{run.folder} has no curves of fitness: only finished runs of evolve do.")
    spent: dict[int, list[int]] = {}
    for record in run.evaluations("search"):
        spent.setdefault(record.run, []).append(record.lifetimes)
    totals = [np.cumsum(spent[number]) for number in sorted(spent)]
    moments = [
        (total[[moment["evaluations"] - 1 for moment in curve]], np.array([moment["best"] for moment in curve]))
        for total, curve in zip(totals, curves, strict=True)
    ]
    places = np.linspace(max(times[0] for times, _ in moments), max(times[-1] for times, _ in moments), POINTS)
    return places, np.array([best[np.searchsorted(times, places, side="right") - 1] for times, best in moments])
