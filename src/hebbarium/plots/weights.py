"""Both weight matrices at birth and after each season, as heat maps (the paper's appendix figures)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hebbarium.plots.style import INK, describe, new_figure, season_title, styled
from hebbarium.tasks.grid import ACTIONS
from hebbarium.traces import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_COLUMNS = 8


@styled
def draw(life: Trace) -> Figure:
    """life: with weights, and one snapshot a season."""
    assert life.hidden_weights is not None
    assert life.output_weights is not None
    shown = _shown(len(life.lived))
    figure = new_figure(1.6 + 1.75 * len(shown), 6.2)
    grid: Any = figure.subplots(2, len(shown), squeeze=False, height_ratios=(2.4, 1))
    image: Any = None
    for column, snapshot in enumerate(shown):
        distinct = f"{life.distinct_hidden[snapshot]} of {life.hidden} distinct"
        grid[0, column].set_title(f"{_when(life, snapshot)}\n{distinct}", fontsize=8.5)
        _heat_map(grid[0, column], life.hidden_weights[snapshot])
        image = _heat_map(grid[1, column], life.output_weights[snapshot])
        grid[1, column].set_yticks(range(life.task.outputs), ACTIONS if column == 0 else [""] * life.task.outputs)
        if column > 0:
            grid[0, column].set_yticklabels([])
    grid[0, 0].set_ylabel("hidden neuron")
    grid[1, 0].set_ylabel("output")
    for axes in grid[0]:
        axes.set_xlabel("input", labelpad=1)
    for axes in grid[1]:
        axes.set_xlabel("hidden neuron", labelpad=1)
    figure.colorbar(image, ax=grid, shrink=0.5, aspect=28, pad=0.015, label="weight")
    figure.suptitle(f"Weights through a {describe(life)}", fontsize=10)
    return figure


def _shown(snapshots: int) -> list[int]:
    """All, or evenly spread ones from birth to the end where there are many."""
    return sorted({int(place) for place in np.linspace(0, snapshots - 1, min(snapshots, MOST_COLUMNS)).round()})


def _when(life: Trace, snapshot: int) -> str:
    return "at birth" if snapshot == 0 else f"after {season_title(life.task.season_names[snapshot - 1])}"


def _heat_map(axes: Axes, weights: np.ndarray) -> Any:
    """weights: [post, pre]; the bias stands apart as the last column."""
    post, pre = weights.shape
    image = axes.imshow(weights, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    axes.axvline(pre - 1.5, color=INK, lw=0.8)
    numbers = sorted({1, (pre + 1) // 2} - {pre - 1, pre})  # the last would touch the bias
    axes.set_xticks([*(number - 1 for number in numbers), pre - 1], [*(str(number) for number in numbers), "bias"])
    rows = np.unique(np.linspace(1, post, min(post, 5)).round().astype(int))
    axes.set_yticks(rows - 1, [str(row) for row in rows])
    axes.tick_params(length=2, labelsize=7.5)
    axes.spines[:].set_visible(False)
    return image
