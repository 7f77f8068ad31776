"""What one agent has collected, step by step through its seasons (the paper's lifetime figures)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbarium.brains.sizes import sizes_of
from hebbarium.show.plots import COUNT_COLOURS, INK, LINES, describe, new_figure, shade_seasons, styled, whole_numbers
from hebbarium.studies.trace import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SNAPSHOTS = 1000
"""The paper takes one every 20 of 20,000 steps."""


def snapshot_every(steps: int) -> int:
    """Steps between snapshots of a life of this many steps."""
    return max(1, steps // SNAPSHOTS)


@styled
def draw(life: Trace) -> Figure:
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
