"""Heat maps: a matrix as coloured cells."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hebbarium.show.pages import colours
from hebbarium.show.pages.markup import Markup, element
from hebbarium.show.pages.svg import LETTER, WIDTH, svg, text, upright

if TYPE_CHECKING:
    import numpy as np

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
