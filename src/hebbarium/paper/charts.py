"""Small charts as SVG text: they scale with the page, print sharply and stand on their own as files.

Text and axes take the colour of the surrounding text, so a chart suits a dark page as well as a light one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

GREEN, BLUE, RED, OURS, PAPER, GREY = "#2e9e5b", "#3b6fd4", "#d1493f", "#7a4fc9", "#e08a1e", "#8a8f98"
WIDTH, HEIGHT = 440, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 24, 34, 44
_FONT = "font-family='system-ui, sans-serif'"


@dataclass(frozen=True)
class Line:
    """y over x; `low` and `high` shade a band; dots instead of a line where `dots`."""

    name: str
    x: np.ndarray
    y: np.ndarray
    colour: str
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    dots: bool = False
    dashed: bool = False


@dataclass(frozen=True)
class _Frame:
    """Where numbers lie on the paper."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        share = (value - self.x_low) / (self.x_high - self.x_low or 1)
        return _LEFT + share * (WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.y_low) / (self.y_high - self.y_low or 1)
        return HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM)

    def path(self, xs: np.ndarray, ys: np.ndarray) -> str:
        return "M" + "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in zip(xs, ys, strict=True))


def svg(body: str, width: float, height: float, label: str) -> str:
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:g}' role='img' "
        f"aria-label='{escape(label, quote=True)}' {_FONT} font-size='12'>{body}</svg>"
    )


def text(x: float, y: float, words: str, anchor: str = "start", extra: str = "") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' fill='currentColor' {extra}>{escape(words)}</text>"


def nice_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers between two others.

    >>> nice_ticks(0, 97)
    [0.0, 20.0, 40.0, 60.0, 80.0]
    """
    span = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(span / count))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= count)
    first = math.ceil(low / step - 1e-9)
    return [round(step * number, 10) for number in range(first, math.floor(high / step + 1e-9) + 1)]


def line_chart(
    lines: Sequence[Line],
    *,
    title: str,
    x_label: str,
    y_label: str,
    changes: Sequence[float] = (),
    from_zero: bool = False,
) -> str:
    """changes: places where the season changes, drawn as faint upright lines."""
    frame = _frame(lines, from_zero)
    body = [_axes(frame, title, x_label, y_label)]
    for place in changes:
        body.append(
            f"<line x1='{frame.x(place):.1f}' x2='{frame.x(place):.1f}' y1='{_TOP}' y2='{HEIGHT - _BOTTOM}' "
            f"stroke='currentColor' stroke-opacity='.3' stroke-dasharray='3 3'/>"
        )
    body.extend(_draw_line(frame, line) for line in lines)
    body.append(_legend(lines))
    return svg("".join(body), WIDTH, HEIGHT, title)


def _frame(lines: Sequence[Line], from_zero: bool) -> _Frame:
    xs = np.concatenate([line.x for line in lines])
    values = [part for line in lines for part in (line.y, line.low, line.high) if part is not None]
    ys = np.concatenate(values)
    low, high = float(ys.min()), float(ys.max())
    pad = 0.06 * (high - low or 1)
    bottom = 0.0 if from_zero and low >= 0 else low - pad
    return _Frame(float(xs.min()), float(xs.max()), bottom, high + pad)


def _axes(frame: _Frame, title: str, x_label: str, y_label: str) -> str:
    body = [text(_LEFT, 16, title, extra="font-weight='600'")]
    for value in nice_ticks(frame.y_low, frame.y_high):
        y = frame.y(value)
        body.append(
            f"<line x1='{_LEFT}' x2='{WIDTH - _RIGHT}' y1='{y:.1f}' y2='{y:.1f}' "
            f"stroke='currentColor' stroke-opacity='.13'/>"
        )
        body.append(text(_LEFT - 6, y + 4, _plain(value), "end", "opacity='.75'"))
    for value in nice_ticks(frame.x_low, frame.x_high):
        body.append(text(frame.x(value), HEIGHT - _BOTTOM + 16, _plain(value), "middle", "opacity='.75'"))
    base = HEIGHT - _BOTTOM
    body.append(
        f"<line x1='{_LEFT}' x2='{WIDTH - _RIGHT}' y1='{base}' y2='{base}' stroke='currentColor' stroke-opacity='.5'/>"
    )
    body.append(text((_LEFT + WIDTH - _RIGHT) / 2, HEIGHT - 8, x_label, "middle", "opacity='.75'"))
    middle = (_TOP + base) / 2
    body.append(text(13, middle, y_label, "middle", f"opacity='.75' transform='rotate(-90 13 {middle:.1f})'"))
    return "".join(body)


def _plain(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 or value == int(value) else f"{value:g}"


def _draw_line(frame: _Frame, line: Line) -> str:
    body = []
    if line.low is not None and line.high is not None and not line.dots:
        edge = frame.path(np.concatenate([line.x, line.x[::-1]]), np.concatenate([line.high, line.low[::-1]]))
        body.append(f"<path d='{edge}Z' fill='{line.colour}' fill-opacity='.16'/>")
    if line.dots:
        return "".join(_dot(frame, line, i) for i in range(len(line.x)))
    dashes = "stroke-dasharray='5 4'" if line.dashed else ""
    body.append(
        f"<path d='{frame.path(line.x, line.y)}' fill='none' stroke='{line.colour}' stroke-width='1.8' "
        f"stroke-linejoin='round' {dashes}/>"
    )
    return "".join(body)


def _dot(frame: _Frame, line: Line, i: int) -> str:
    x, y = frame.x(line.x[i]), frame.y(line.y[i])
    bar = ""
    if line.low is not None and line.high is not None:
        bar = (
            f"<line x1='{x:.1f}' x2='{x:.1f}' y1='{frame.y(line.low[i]):.1f}' y2='{frame.y(line.high[i]):.1f}' "
            f"stroke='{line.colour}' stroke-width='1.6'/>"
        )
    return f"{bar}<circle cx='{x:.1f}' cy='{y:.1f}' r='3.6' fill='{line.colour}'/>"


def _legend(lines: Sequence[Line]) -> str:
    """Names from right to left along the top, where there are several."""
    body, right = [], float(WIDTH - _RIGHT)
    if len(lines) < 2:
        return ""
    for line in reversed(lines):
        width = 6.4 * len(line.name)
        body.append(text(right, 29, line.name, "end", "font-size='11'"))
        body.append(f"<circle cx='{right - width - 6:.1f}' cy='25' r='4' fill='{line.colour}'/>")
        right -= width + 20
    return "".join(body)


def histogram(values: np.ndarray, *, title: str, x_label: str, y_label: str, colour: str, bins: np.ndarray) -> str:
    heights, edges = np.histogram(values, bins)
    frame = _Frame(float(edges[0]), float(edges[-1]), 0.0, max(1.0, 1.08 * heights.max()))
    body = [_axes(frame, title, x_label, y_label)]
    for height, left, right in zip(heights, edges[:-1], edges[1:], strict=True):
        top = frame.y(height)
        body.append(
            f"<rect x='{frame.x(left) + 0.5:.1f}' width='{max(0.5, frame.x(right) - frame.x(left) - 1):.1f}' "
            f"y='{top:.1f}' height='{HEIGHT - _BOTTOM - top:.1f}' fill='{colour}'><title>{height}</title></rect>"
        )
    mean = float(np.mean(values))
    body.append(
        f"<line x1='{frame.x(mean):.1f}' x2='{frame.x(mean):.1f}' y1='{_TOP}' y2='{HEIGHT - _BOTTOM}' "
        f"stroke='currentColor' stroke-width='1.5' stroke-dasharray='5 3'/>"
    )
    body.append(text(frame.x(mean) + 5, _TOP + 8, f"mean {mean:.1f}", extra="font-size='11'"))
    return svg("".join(body), WIDTH, HEIGHT, title)


def heat_map(values: np.ndarray, *, title: str, x_label: str, y_label: str) -> str:
    """values: [row, column] in -1 to 1: blue below zero, red above."""
    rows, columns = values.shape
    cell = min((WIDTH - 40) / columns, 22.0)
    height = 30 + rows * cell + 24
    body = [text(30, 16, title, extra="font-weight='600'")]
    for row in range(rows):
        for column in range(columns):
            value = float(values[row, column])
            body.append(
                f"<rect x='{30 + column * cell:.1f}' y='{26 + row * cell:.1f}' width='{cell:.1f}' "
                f"height='{cell:.1f}' fill='{_shade(value)}'><title>{value:.2f}</title></rect>"
            )
    width = 30 + columns * cell
    body.append(text((30 + width) / 2, height - 8, x_label, "middle", "opacity='.75' font-size='11'"))
    middle = 26 + rows * cell / 2
    body.append(
        text(18, middle, y_label, "middle", f"opacity='.75' font-size='11' transform='rotate(-90 18 {middle:.1f})'")
    )
    return svg("".join(body), width + 10, height, title)


def _shade(value: float) -> str:
    """From blue through near white to red."""
    strength = min(1.0, abs(value))
    far = (209, 73, 63) if value > 0 else (59, 111, 212)
    near = (246, 244, 240)
    mixed = [round(a + (b - a) * strength**0.7) for a, b in zip(near, far, strict=True)]
    return f"rgb({mixed[0]},{mixed[1]},{mixed[2]})"


@dataclass(frozen=True)
class Pair:
    """A row of a dot plot: ours with its interval beside the paper's."""

    name: str
    ours: float | None
    low: float | None
    high: float | None
    paper: float | None


def dot_plot(pairs: Sequence[Pair], *, title: str, x_label: str, reach: float = 0.0) -> str:
    """Ours and the paper's, row by row: the gap is what the eye sees. reach: how far the axis goes at least."""
    numbers = [n for pair in pairs for n in (pair.ours, pair.low, pair.high, pair.paper) if n is not None]
    low, high = min([0.0, *numbers]), max([reach, *numbers])
    left, row, top = 120, 20, 46
    height = top + row * len(pairs) + 36

    def x(value: float) -> float:
        return left + (value - low) / (high - low or 1) * (WIDTH - left - 18)

    body = [text(8, 16, title, extra="font-weight='600'")]
    if any(pair.paper is not None for pair in pairs):
        body.append(_ours_and_papers())
    for value in nice_ticks(low, high):
        body.append(
            f"<line x1='{x(value):.1f}' x2='{x(value):.1f}' y1='{top - 6}' y2='{height - 34}' "
            f"stroke='currentColor' stroke-opacity='.13'/>"
        )
        body.append(text(x(value), height - 20, _plain(value), "middle", "opacity='.75' font-size='11'"))
    for number, pair in enumerate(pairs):
        body.append(_dot_row(pair, top + row * number + 8, left, x))
    body.append(text((left + WIDTH) / 2, height - 5, x_label, "middle", "opacity='.75' font-size='11'"))
    return svg("".join(body), WIDTH, height, title)


def _ours_and_papers() -> str:
    body = []
    for name, colour, place in (("ours", OURS, 14), ("paper", PAPER, 70)):
        body.append(f"<circle cx='{place}' cy='30' r='4' fill='{colour}'/>")
        body.append(text(place + 8, 34, name, extra="font-size='11'"))
    return "".join(body)


def _dot_row(pair: Pair, y: float, left: float, x: object) -> str:
    place = x if callable(x) else float
    body = [text(left - 8, y + 4, pair.name, "end", "font-size='11'")]
    if pair.low is not None and pair.high is not None:
        body.append(
            f"<line x1='{place(pair.low):.1f}' x2='{place(pair.high):.1f}' y1='{y}' y2='{y}' stroke='{OURS}' "
            f"stroke-width='2.2'/>"
        )
    if pair.paper is not None:
        body.append(f"<circle cx='{place(pair.paper):.1f}' cy='{y}' r='4.5' fill='{PAPER}'/>")
    if pair.ours is not None:
        body.append(f"<circle cx='{place(pair.ours):.1f}' cy='{y}' r='3.6' fill='{OURS}'/>")
    return "".join(body)
