"""Both weight matrices at birth and after each season, as heat maps (the paper's appendix figures).

Where an agent sees many cells, the weights from its inputs are drawn in the shape of its field of view.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbarium.rules.shape import LAYERS
from hebbarium.show.plots import describe, new_figure, season_title, signed_colours, styled
from hebbarium.studies.trace import Trace
from hebbarium.tools.errors import shown_setting
from hebbarium.worlds.grid import SENSED, GridWorld

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_COLUMNS, MOST_NAMES = 8, 16
"""Snapshots that are drawn, and inputs that are named."""


@styled
def draw(life: Trace) -> Figure:
    """life: with weights, and one snapshot a season."""
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
    """One scale for all snapshots."""
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
