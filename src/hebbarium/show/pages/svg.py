"""What the charts are drawn with: SVG elements, axes and round numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hebbarium.show.pages.colours import PALETTE, colour, light
from hebbarium.show.pages.markup import Markup, element

if TYPE_CHECKING:
    import numpy as np

    Numbers = Sequence[float] | np.ndarray

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
