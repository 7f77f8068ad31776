"""Both weight matrices at birth and after each season, as heat maps (the paper's appendix figures)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hebbarium.plots.style import describe, new_figure, season_title, styled
from hebbarium.tasks.grid import ACTIONS
from hebbarium.traces import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_COLUMNS = 8
CELLS = {"foraging": ("left", "front", "right")}
"""Tasks that sense few cells, and these in the order of their inputs."""
BITS = ("g", "b")
"""A cell's two inputs: the first is active for green and for wall, the second for blue and for wall."""


@styled
def draw(life: Trace) -> Figure:
    """life: with weights, and one snapshot a season."""
    assert life.hidden_weights is not None
    assert life.output_weights is not None
    shown = _shown(len(life.lived))
    figure = new_figure(1.6 + 1.75 * len(shown), 6.2)
    above, below = figure.subplots(2, len(shown), squeeze=False, height_ratios=(2.4, 1))
    _draw_layer(figure, above, life.hidden_weights[shown], post="hidden neuron", pre="input")
    _draw_layer(figure, below, life.output_weights[shown], post="output", pre="hidden neuron")
    below[0].set_yticks(range(1, life.task.outputs + 1), ACTIONS)
    cells = CELLS.get(life.task.name)
    if cells is not None:
        _name_inputs(above, cells)
    for axes, snapshot in zip(above, shown, strict=True):
        distinct = f"{life.distinct_hidden[snapshot]} of {life.hidden} distinct"
        axes.set_title(f"{_when(life, snapshot)}\n{distinct}", fontsize=8.5)
    note = "" if cells is None else "\ncells seen: g is active for green and wall, b for blue and wall"
    figure.suptitle(f"Weights through a {describe(life)}{note}", fontsize=10)
    return figure


def _name_inputs(row: Sequence[Axes], cells: Sequence[str]) -> None:
    """Each input under its cell, in place of its number."""
    for axes in row:
        bias = axes.get_xticks()[-1]
        middles = [2 * place + 1.5 for place in range(len(cells))]
        axes.set_xticks([*middles, bias], [*(f"\n{cell}" for cell in cells), "\nbias"])
        axes.tick_params(axis="x", which="major", length=0, labelsize=6.5)
        axes.set_xticks(range(1, 2 * len(cells) + 1), len(cells) * BITS, minor=True, fontsize=7)
        axes.tick_params(axis="x", which="minor", length=2)
        axes.set_xlabel("")


def _shown(snapshots: int) -> list[int]:
    """All, or evenly spread ones from birth to the end where there are many."""
    return sorted({int(place) for place in np.linspace(0, snapshots - 1, min(snapshots, MOST_COLUMNS)).round()})


def _when(life: Trace, snapshot: int) -> str:
    return "at birth" if snapshot == 0 else f"after {season_title(life.task.season_names[snapshot - 1])}"


def _draw_layer(figure: Figure, row: np.ndarray, weights: np.ndarray, post: str, pre: str) -> None:
    """One heat map after the other, on one scale. row: axes [snapshot]; weights: [snapshot, post, pre]."""
    largest = float(np.abs(weights).max()) or 1.0
    image: Any = None
    for axes, snapshot in zip(row, weights, strict=True):
        image = _heat_map(axes, snapshot, largest)
        axes.set_xlabel(pre, labelpad=1)
        axes.tick_params(labelleft=axes is row[0])
    row[0].set_ylabel(post)
    figure.colorbar(image, ax=list(row), aspect=18, pad=0.015, label="weight")


def _heat_map(axes: Axes, weights: np.ndarray, largest: float) -> Any:
    """weights: [post, pre]; the bias stands apart as the last column, never too thin to be seen."""
    post, pre = weights.shape[0], weights.shape[1] - 1
    width = max(1.0, 0.06 * pre)
    start = pre + 0.5 + 0.35 * width
    look: Any = {"cmap": "RdBu_r", "vmin": -largest, "vmax": largest, "aspect": "auto", "interpolation": "nearest"}
    image = axes.imshow(weights[:, :-1], extent=(0.5, pre + 0.5, post + 0.5, 0.5), **look)
    axes.imshow(weights[:, -1:], extent=(start, start + width, post + 0.5, 0.5), **look)
    axes.set_xlim(0.5, start + width)
    numbers = sorted({1, (pre + 2) // 2} - {pre})  # the last would touch the bias
    axes.set_xticks([*numbers, start + width / 2], [*(str(number) for number in numbers), "bias"])
    axes.set_yticks(sorted({1, (post + 1) // 2, post}))
    axes.tick_params(length=2, labelsize=7.5)
    axes.spines[:].set_visible(False)
    return image
