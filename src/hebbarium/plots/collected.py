"""What one agent has collected, step by step through its seasons (the paper's lifetime figures)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbarium.plots.style import (
    COUNT_COLOURS,
    COUNT_LABELS,
    INK,
    LINES,
    describe,
    new_figure,
    shade_seasons,
    styled,
    whole_numbers,
)
from hebbarium.traces import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SNAPSHOTS = 1000
"""The paper takes one every 20 of 20,000 steps."""


def snapshot_every(steps: int) -> int:
    """Steps between snapshots of a life of so many steps."""
    return max(1, steps // SNAPSHOTS)


@styled
def draw(life: Trace) -> Figure:
    """Collected things, wall hits, and how many hidden neurons still differ."""
    items = [name for name in life.task.counts if name != "walls"]
    figure = new_figure(7.2, 5.6)
    above, middle, below = figure.subplots(3, 1, sharex=True, height_ratios=(3, 1.05, 1.05))
    for axes in (above, middle, below):
        shade_seasons(axes, life.task, names=axes is above)
        axes.margins(y=0.08)
    _draw_counts(above, life, items)
    above.set_ylabel("since birth")
    _draw_counts(middle, life, ["walls"])
    middle.set_ylabel("wall hits", fontsize=8)
    below.plot(life.lived, life.distinct_hidden, color=INK, lw=1.4, drawstyle="steps-post")
    below.set_ylim(-0.04 * life.hidden, life.hidden * 1.12)
    below.set_yticks(sorted({0, life.hidden // 2, life.hidden}))
    below.set_ylabel("distinct\nhidden neurons", fontsize=8)
    below.set_xlabel("step")
    below.xaxis.set_major_formatter("{x:,.0f}")
    figure.align_ylabels()
    figure.suptitle(f"One {describe(life)}", fontsize=10)
    return figure


def _draw_counts(axes: Axes, life: Trace, names: list[str]) -> None:
    for place, name in enumerate(names):
        values = life.counts[:, life.task.counts.index(name)]
        label = COUNT_LABELS.get(name, name)
        colour = COUNT_COLOURS.get(name, INK)
        axes.plot(life.lived, values, LINES[place], color=colour, lw=1.6, label=label, drawstyle="steps-post")
    axes.set_ylim(bottom=-0.02 * max(1, axes.get_ylim()[1]))  # a line along zero stays visible
    whole_numbers(axes)
    if len(names) > 1:
        axes.legend(loc="upper left", frameon=True, framealpha=0.9, edgecolor="none")
