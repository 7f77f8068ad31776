"""Searches side by side: fitness over the lifetimes spent, each with the spread of its independent runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from hebbarium.show.plots import LINES, new_figure, styled
from hebbarium.tools.errors import BadInput, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hebbarium.store.writing import Run

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
