"""Charts with two axes: lines with bands, histograms, scatter plots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from hebbarium.show.pages.colours import colour
from hebbarium.show.pages.markup import Markup, element
from hebbarium.show.pages.svg import HEIGHT, LETTER, WIDTH, Axis, axis_of, dot, line, path, plain, svg, text, upright

if TYPE_CHECKING:
    from hebbarium.show.pages.svg import Numbers

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
