"""Rules across worlds as heat maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hebbarium.show.plots import INK, new_figure, signed_colours, styled
from hebbarium.studies.transfer.page import MAPS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hebbarium.studies.transfer.matrix import Transfer

DARK = 0.6
"""From this score on, either way, numbers are white."""


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
