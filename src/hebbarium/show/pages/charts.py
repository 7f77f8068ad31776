"""Charts of a page, as SVG: lines, histograms, scatter plots, rows of dots and bars, heat maps."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from hebbarium.show.pages import colours
from hebbarium.show.pages.colours import PALETTE, colour, light
from hebbarium.show.pages.markup import Markup, element

if TYPE_CHECKING:
    import numpy as np

    Numbers = Sequence[float] | np.ndarray

# What the charts are drawn with: SVG elements, axes and round numbers.

WIDTH, HEIGHT = 440, 270
LETTER = 6.8
"""Roughly how wide a letter of a chart is."""


def svg(width: float, height: float, label: str, *parts: object, kind: str = "chart") -> Markup:
    """label: what is read out to those who cannot see it."""
    return element("svg", *parts, class_=kind, viewBox=f"0 0 {width:.0f} {height:.0f}", role="img", aria_label=label)


def standalone(chart: Markup) -> str:
    """A chart as a file of its own, on white."""
    looks = 'font-family="sans-serif" font-size="12" style="background:#fff"'
    whole = chart.replace("<svg ", f'<svg xmlns="http://www.w3.org/2000/svg" {looks} ', 1)
    for name in PALETTE:
        whole = whole.replace(colour(name), light(name))
    return whole + "\n"


def text(x: float, y: float, words: object, anchor: str = "", kind: str = "", **more: object) -> Markup:
    """anchor: "", "middle" or "end"."""
    return element("text", words, x=float(x), y=float(y), text_anchor=anchor, class_=kind, **more)


def upright(x: float, y: float, words: str, anchor: str = "middle", kind: str = "") -> Markup:
    """Written from below to above."""
    return text(x, y, words, anchor, kind, transform=f"rotate(-90 {x:.1f} {y:.1f})")


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "grid", **more: object) -> Markup:
    more = {"stroke": colour("line"), **more}
    return element("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=kind, **more)


def dot(x: float, y: float, name: str, *, radius: float = 3.8, hollow: bool = False) -> Markup:
    look = {"fill": colour("page"), "stroke": colour(name), "stroke_width": 2} if hollow else {"fill": colour(name)}
    return element("circle", cx=float(x), cy=float(y), r=float(radius), **look)


def path(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


@dataclass(frozen=True)
class Axis:
    """Where numbers lie: `low` at `start` and `high` at `end` of the drawing."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def place(self, value: float) -> float:
        low, high, value = (math.log(number) if self.log else number for number in (self.low, self.high, value))
        return self.start + (value - low) / ((high - low) or 1.0) * (self.end - self.start)

    def ticks(self) -> list[float]:
        return log_ticks(self.low, self.high) if self.log else ticks(self.low, self.high)


def axis_of(values: Numbers, start: float, end: float, *, from_zero: bool = False) -> Axis:
    """Room for all the values, and a little beyond."""
    low, high = float(min(values)), float(max(values))
    pad = 0.06 * (high - low or 1.0)
    return Axis(0.0 if from_zero and low >= 0 else low - pad, high + pad, start, end)


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """About `count` round numbers at most, from one number to another.

    >>> ticks(0, 97)
    [0.0, 20.0, 40.0, 60.0, 80.0]
    """
    span = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(span / count))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= count)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(step * number, 12) for number in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten, and 2 and 5 times them where there are few.

    >>> log_ticks(1, 1000), log_ticks(0.02, 0.3)
    ([1.0, 10.0, 100.0, 1000.0], [0.02, 0.05, 0.1, 0.2])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1, 2, 5) if math.log10(high / low) < 2 else (1,)
    marks = [round(factor * 10.0**power, 12) for power in powers for factor in factors]
    return [mark for mark in marks if low * 0.999 <= mark <= high * 1.001]


def plain(value: float) -> str:
    """A number at an axis.

    >>> plain(20000.0), plain(0.5), plain(-0.0)
    ('20,000', '0.5', '0')
    """
    return f"{value:z,.0f}" if value == int(value) else f"{value:g}"


# Charts with two axes: lines with bands, histograms, scatter plots.

_LEFT, _RIGHT, _TOP, _BOTTOM, _ROW = 54, 22, 34, 44, 17
_LABEL = 28
"""Room for the label of the axis that goes up, and between it, the numbers and the axis."""


@dataclass(frozen=True)
class Line:
    """y over x. Lines without a name are not in the legend."""

    name: str
    x: Numbers
    y: Numbers
    colour: str
    low: Numbers | None = None
    high: Numbers | None = None
    """A band around the line, or a bar at each dot."""
    dots: bool = False
    """Dots instead of a line."""
    dashed: bool = False
    thin: bool = False


def line_chart(
    lines: Sequence[Line],
    *,
    title: str,
    x_label: str,
    y_label: str,
    seasons: Sequence[tuple[float, float, str]] = (),
    from_zero: bool = False,
    log_x: bool = False,
) -> Markup:
    """seasons: where each begins and ends, and its colour, `summer` or `winter`."""
    legend, top = _legend([one for one in lines if one.name])
    edges = (edge for start, end, _ in seasons for edge in (start, end))
    xs = [*chain.from_iterable(one.x for one in lines), *edges] or [0.0, 1.0]
    ys = [y for one in lines for part in (one.y, one.low, one.high) if part is not None for y in part] or [0.0, 1.0]
    up = axis_of(ys, HEIGHT - _BOTTOM, top, from_zero=from_zero)
    across = Axis(float(min(xs)), float(max(xs)), _left(up), WIDTH - _RIGHT, log_x)
    shades = (
        element(
            "rect",
            x=across.place(start),
            y=float(top),
            width=across.place(end) - across.place(start),
            height=HEIGHT - _BOTTOM - top,
            fill=colour(name),
        )
        for start, end, name in seasons
    )
    drawn = (_draw(across, up, one) for one in lines if len(one.x))
    return svg(WIDTH, HEIGHT, title, *shades, _axes(across, up, title, x_label, y_label), *legend, *chain(*drawn))


def _left(up: Axis) -> float:
    """Where the chart begins: its label and its numbers stand before it and do not touch."""
    longest = max((len(plain(value)) for value in up.ticks()), default=0)
    return max(float(_LEFT), _LABEL + LETTER * longest)


def _axes(across: Axis, up: Axis, title: str, x_label: str, y_label: str) -> Markup:
    left, right, base, top = across.start, across.end, up.start, up.end
    parts = [text(4, 15, title, kind="title")]
    for value in up.ticks():
        y = up.place(value)
        parts += [line(left, y, right, y), text(left - 6, y + 4, plain(value), "end")]
    parts += [text(across.place(value), base + 16, plain(value), "middle") for value in across.ticks()]
    parts.append(line(left, base, right, base, stroke=colour("soft")))
    parts.append(text((left + right) / 2, base + 36, x_label, "middle"))
    parts.append(upright(13, (base + top) / 2, y_label))
    return element("g", *parts)


def _legend(lines: Sequence[Line]) -> tuple[list[Markup], float]:
    """Where several lines have names: the names under the title, and where the chart may begin."""
    parts: list[Markup] = []
    x, y = float(_LEFT), _TOP - 2.0
    if len(lines) < 2:
        return parts, _TOP
    for one in lines:
        width = 24 + LETTER * len(one.name)
        if x > _LEFT and x + width > WIDTH:
            x, y = float(_LEFT), y + _ROW
        middle = [0.5] if one.dots else [0, 1]
        sample = replace(one, x=middle, y=[0] * len(middle), low=None, high=None)
        parts += _draw(Axis(0, 1, x, x + 16), Axis(0, 1, y, y), sample)
        parts.append(text(x + 22, y + 4, one.name))
        x += width + 10
    return parts, y + 14


def _draw(across: Axis, up: Axis, one: Line) -> list[Markup]:
    places = [(across.place(x), up.place(y)) for x, y in zip(one.x, one.y, strict=True)]
    edges: list[tuple[float, float, float]] = []
    if one.low is not None and one.high is not None:
        edges = [(x, up.place(a), up.place(b)) for (x, _), a, b in zip(places, one.low, one.high, strict=True)]
    if one.dots:
        bars = [line(x, a, x, b, "", stroke=colour(one.colour), stroke_width=1.8) for x, a, b in edges]
        return [*bars, *(dot(x, y, one.colour) for x, y in places)]
    around = [(x, b) for x, _, b in edges] + [(x, a) for x, a, _ in reversed(edges)]
    band = [element("path", d=path(around) + "Z", fill=colour(one.colour), fill_opacity=0.18)] if edges else []
    look = {"opacity": 0.4, "stroke_width": 1} if one.thin else {"stroke_width": 2}
    dashes = "6 4" if one.dashed else None
    stroke = element(
        "path", d=path(places), class_="line", fill="none", stroke=colour(one.colour), stroke_dasharray=dashes, **look
    )
    return [*band, stroke]


def histogram(
    heights: Numbers,
    edges: Numbers,
    *,
    title: str,
    x_label: str,
    y_label: str,
    fills: Sequence[str],
    mean: float | None = None,
    log_y: bool = False,
) -> Markup:
    """How many values lie between each edge and the next. fills: a colour for each bar; mean: marked by a line."""
    most = max(1.0, float(max(heights)))
    up = Axis(0.7 if log_y else 0.0, 1.4 * most if log_y else 1.08 * most, HEIGHT - _BOTTOM, _TOP, log_y)
    across = Axis(float(edges[0]), float(edges[-1]), _left(up), WIDTH - _RIGHT)
    bars = []
    for place, (height, fill) in enumerate(zip(heights, fills, strict=True)):
        if height:
            x, top = across.place(edges[place]) + 0.5, up.place(height)
            width = max(0.5, across.place(edges[place + 1]) - x - 0.5)
            hint = element("title", f"{height:,}")
            bars.append(element("rect", hint, x=x, y=top, width=width, height=up.start - top, fill=fill))
    if mean is not None:
        x = across.place(mean)
        bars.append(line(x, _TOP, x, up.start, "", stroke=colour("ink"), stroke_dasharray="5 3"))
        bars.append(text(x + 5, _TOP + 8, f"mean {mean:z.1f}"))
    return svg(WIDTH, HEIGHT, title, _axes(across, up, title, x_label, y_label), *bars)


def scatter(x: Numbers, y: Numbers, fills: Sequence[str], *, title: str, x_label: str, y_label: str) -> Markup:
    """A dot for each point. Points of one fill are one path, so that thousands are cheap."""
    up = axis_of(y, HEIGHT - _BOTTOM, _TOP)
    across = axis_of(x, _left(up), WIDTH - _RIGHT)
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for one_x, one_y, fill in zip(x, y, fills, strict=True):
        groups[fill].append(f"M{across.place(one_x):.1f} {up.place(one_y):.1f}h0")
    look = {"fill": "none", "stroke_width": 3, "stroke_linecap": "round", "stroke_opacity": 0.5}
    drawn = (element("path", d="".join(dots), stroke=fill, **look) for fill, dots in groups.items())
    return svg(WIDTH, HEIGHT, title, _axes(across, up, title, x_label, y_label), *drawn)


# Charts with a row for each thing: bars, parts of a whole, and dots with their intervals.

_ROW, _TOP, _RIGHT = 20, 30, 20


@dataclass(frozen=True)
class Mark:
    """A dot in a row, with its interval."""

    value: float
    colour: str
    low: float | None = None
    high: float | None = None
    hollow: bool = False
    sign: str = ""
    """Written into the dot."""


def dot_plot(
    rows: Sequence[tuple[str, Sequence[Mark]]],
    *,
    title: str,
    x_label: str,
    legend: Mapping[str, Mark] | None = None,
    reach: tuple[float, ...] = (0.0,),
) -> Markup:
    """The marks of each row on one axis. reach: numbers that the axis includes in any case."""
    marks = [mark for _, row in rows for mark in row]
    numbers = [n for mark in marks for n in (mark.value, mark.low, mark.high) if n is not None]
    top = _TOP + (18 if legend else 0)
    base = top + _ROW * len(rows)
    across = Axis(min((*reach, *numbers)), max((*reach, *numbers)), _names_width(rows) + 8, WIDTH - _RIGHT)
    parts = [text(4, 15, title, kind="title"), *_names(rows, top)]
    parts.append(text((across.start + across.end) / 2, base + 33, x_label, "middle"))
    for value in across.ticks():
        x = across.place(value)
        parts += [line(x, top, x, base), text(x, base + 15, plain(value), "middle")]
    for place, (_, row) in enumerate(rows):
        parts += chain.from_iterable(_mark(mark, across, top + _ROW * (place + 0.5)) for mark in row)
    x = 10.0
    for name, mark in (legend or {}).items():
        parts += [*_mark(Mark(0, mark.colour, hollow=mark.hollow), Axis(0, 1, x, x), 30), text(x + 9, 34, name)]
        x += 32 + LETTER * len(name)
    return svg(WIDTH, base + 40, title, *parts)


def _names_width(rows: Sequence[tuple[str, object]]) -> float:
    return 14 + LETTER * max(len(name) for name, _ in rows)


def _names(rows: Sequence[tuple[str, object]], top: float) -> list[Markup]:
    right = _names_width(rows) - 8
    return [text(right, top + _ROW * (place + 0.5) + 4, name, "end") for place, (name, _) in enumerate(rows)]


def _mark(mark: Mark, across: Axis, y: float) -> list[Markup]:
    x, parts = across.place(mark.value), []
    if mark.low is not None and mark.high is not None:
        look = {"stroke": colour(mark.colour), "stroke_width": 2.2}
        parts.append(line(across.place(mark.low), y, across.place(mark.high), y, "", **look))
    parts.append(dot(x, y, mark.colour, radius=7.5 if mark.sign else 4, hollow=mark.hollow))
    if mark.sign:
        parts.append(text(x, y + 4, mark.sign, "middle", "sign"))
    return parts


def bar_chart(rows: Sequence[tuple[str, float]], *, title: str, show: str = "{:g}", fill: str = "first") -> Markup:
    """A bar for each row, its number behind it. show: how the number is written."""
    left, most = _names_width(rows), max(value for _, value in rows) or 1.0
    across = Axis(0.0, most, left, WIDTH - _RIGHT - LETTER * max(len(show.format(value)) for _, value in rows))
    parts = [text(4, 15, title, kind="title"), *_names(rows, _TOP)]
    for place, (_, value) in enumerate(rows):
        y, end = _TOP + _ROW * place + 2.0, across.place(value)
        parts.append(element("rect", x=left, y=y, width=max(0.0, end - left), height=_ROW - 4, rx=2, fill=colour(fill)))
        parts.append(text(end + 6, y + _ROW / 2 + 2, show.format(value)))
    return svg(WIDTH, _TOP + _ROW * len(rows) + 10, title, *parts)


def stacked_bar(parts: Sequence[tuple[int, str, str]], *, width: float = 320, height: float = 20) -> Markup:
    """The parts of a whole: how many, their colour, and what they are."""
    total, x, drawn = sum(count for count, _, _ in parts) or 1, 0.0, []
    for count, fill, what in parts:
        share = width * count / total
        if count:
            hint = element("title", f"{count} {what}")
            drawn.append(
                element("rect", hint, x=x, width=max(1.0, share - 1.5), height=height, rx=2, fill=colour(fill))
            )
        if share > LETTER * len(str(count)) + 6:
            drawn.append(text(x + share / 2 - 0.75, height / 2 + 4.5, count, "middle", fill))
        x += share
    label = ", ".join(f"{count} {what}" for count, _, what in parts if count)
    return svg(width, height, label, *drawn, kind="stack")


# Heat maps: a matrix as coloured cells.

_TOP, _BIGGEST = 26, 26.0
_GREY = ((1, 0.3), (3, 0.6), (5, 0.1))
"""Where the channels of a colour stand in its name, and how bright they are."""


def heat_map(
    values: np.ndarray,
    *,
    title: str,
    x_label: str,
    y_label: str,
    x_names: Sequence[str] = (),
    y_names: Sequence[str] = (),
    low: float | None = None,
    high: float = 1.0,
    show: str = "",
) -> Markup:
    """values: [row, column]. From low to high; without low from -high through 0 to high, in the colours of - and +.

    x_names, y_names: of columns and rows; show: how the numbers are written into the cells, such as "{:.1f}".
    """
    rows, columns = values.shape
    left = 26 + LETTER * max(map(len, y_names), default=0)
    cell = min((WIDTH - left - 4) / columns, 60.0 if show else _BIGGEST)
    anchors, start = (colours.diverging(), -high) if low is None else (colours.VIRIDIS, low)
    bottom = _TOP + rows * cell
    below = bottom + 14 + LETTER * max(map(len, x_names), default=0)
    parts = [text(4, 15, title, kind="title")]
    for row, column in itertools.product(range(rows), range(columns)):
        value = float(values[row, column])
        fill = colours.shade(anchors, (value - start) / ((high - start) or 1.0))
        x, y = left + column * cell, _TOP + row * cell
        hint = element("title", f"{value:z.2f}")
        parts.append(element("rect", hint, x=x, y=y, width=cell + 0.2, height=cell + 0.2, fill=fill))
        if show:
            # Black or white, whichever is read more easily.
            ink = "#000" if sum(int(fill[place : place + 2], 16) * part for place, part in _GREY) > 120 else "#fff"
            parts.append(text(x + cell / 2, y + cell / 2 + 4, show.format(value), "middle", fill=ink))
    parts += [text(left - 5, _TOP + (place + 0.5) * cell + 4, name, "end") for place, name in enumerate(y_names)]
    parts += [upright(left + (place + 0.5) * cell + 4, bottom + 5, name, "end") for place, name in enumerate(x_names)]
    parts.append(text(left + columns * cell / 2, below + 4, x_label, "middle"))
    parts.append(upright(13, (_TOP + bottom) / 2, y_label, "middle"))
    return svg(max(WIDTH if show else 0.0, left + columns * cell + 4), below + 12, title, *parts)
