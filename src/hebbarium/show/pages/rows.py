"""Charts with a row for each thing: bars, parts of a whole, and dots with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from hebbarium.show.pages.colours import colour
from hebbarium.show.pages.markup import Markup, element
from hebbarium.show.pages.svg import LETTER, WIDTH, Axis, dot, line, plain, svg, text

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
