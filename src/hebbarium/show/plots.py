"""How every picture looks: calm, readable in print, distinct to colour-blind eyes."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec

from hebbarium.show.pages.colours import diverging, light, season_colour
from hebbarium.tools.files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hebbarium.studies.trace import Trace
    from hebbarium.worlds.base import World
    from hebbarium.worlds.seasons import Calendar

Arguments = ParamSpec("Arguments")

MOST_SHADES, MOST_NAMES = 200, 12
"""Seasons beyond which they are no longer shaded or named."""

INK, FAINT, ACCENT = light("ink"), light("grey"), light("first")
COUNT_COLOURS = {
    "green": light("green"),
    "blue": light("blue"),
    "collected": light("second"),
    "caught": light("red"),
    "walls": light("grey"),
}
LINES = ("-", "--", ":", "-.")
"""Lines differ by dashes as well as by colour."""

_SETTINGS: Any = {
    "font.size": 9,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.prop_cycle": f"cycler('color', {[light(name) for name in ('first', 'second', 'third', 'near', 'grey')]})",
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "hebbarium",
    "savefig.dpi": 160,
}


def styled(draw: Callable[Arguments, Figure]) -> Callable[Arguments, Figure]:
    """For functions that draw a figure: in our style, leaving the user's own as it is."""

    @functools.wraps(draw)
    def draw_in_style(*args: Arguments.args, **options: Arguments.kwargs) -> Figure:
        import matplotlib

        with matplotlib.rc_context(_SETTINGS):
            return draw(*args, **options)

    return draw_in_style


def new_figure(width: float, height: float) -> Figure:
    """width, height: in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """In the format of the path's ending; the same picture gives the same bytes."""
    import matplotlib

    no_date = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with matplotlib.rc_context(_SETTINGS), replacing(path) as part:
        figure.savefig(part, facecolor="white", metadata=no_date.get(part.suffix.lower(), {}))


def shade_seasons(axes: Axes, task: World, calendar: Calendar, *, names: bool = False) -> None:
    """Summers and winters of a life as bands behind the curves. names: written along the top."""
    axes.set_xlim(0, task.steps)
    if task.seasons > MOST_SHADES:
        return
    for season, start, end in calendar.spans():
        shade = season_colour(task.season_kinds[season] if len(task.kinds) > 1 else season % 2)  # of one kind: by turns
        axes.axvspan(start, end, color=light(shade), lw=0, zorder=0)
        if names and task.seasons <= MOST_NAMES:
            place: Any = {"ha": "center", "va": "bottom", "transform": axes.get_xaxis_transform()}
            name = season_title(task.season_names[season])
            axes.text((start + end) / 2, 1.015, name, color=FAINT, fontsize=8, **place)


def signed_colours() -> Any:
    """From the colour of - through near white to that of +."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("signed", [f"#{anchor}" for anchor in diverging()])


def whole_numbers(axes: Axes) -> None:
    """No half items on the vertical axis."""
    from matplotlib.ticker import MaxNLocator

    axes.yaxis.set_major_locator(MaxNLocator("auto", integer=True))


def describe(life: Trace) -> str:
    """`life of foraging under 00+-/0000 (foraging:1), eta 0.0375, seed 7`, to be put after `One`."""
    if life.frozen:
        return f"frozen life of {life.task.label}, seed {life.seed}"
    named = f" ({', '.join(life.rule.paper)})" if life.rule.paper else ""
    return f"life of {life.task.label} under {life.rule}{named}, eta {life.rule.eta_text}, seed {life.seed}"


def season_title(name: str) -> str:
    """summer1 -> summer 1"""
    return name.rstrip("0123456789") + " " + name.lstrip("abcdefghijklmnopqrstuvwxyz")
