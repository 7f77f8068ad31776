"""What a person would see of a world: cells in rows and columns, each holding a thing, and perhaps an agent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Thing:
    """What a cell may hold."""

    name: str
    colour: str
    """As CSS writes it; the empty text for nothing to see."""
    symbol: str
    """One character, for a terminal."""


@dataclass(frozen=True)
class Picture:
    """One life's world at one moment."""

    cells: np.ndarray
    """uint8 [row, column]: places in the world's `legend`."""
    agent: tuple[int, int] | None = None
    """Row and column."""
    direction: int | None = None
    """0 north, 1 east, 2 south, 3 west."""
    view: tuple[tuple[int, int], ...] = ()
    """Rows and columns that the agent sees, those beyond the picture left out."""
    caption: str = ""
    """What a picture alone does not show."""


ARROWS = "^>v<"


def text_of(picture: Picture, legend: tuple[Thing, ...]) -> str:
    """The picture in characters, a line a row."""
    rows = [[legend[thing].symbol for thing in row] for row in picture.cells]
    if picture.agent is not None:
        row, column = picture.agent
        rows[row][column] = "@" if picture.direction is None else ARROWS[picture.direction]
    lines = ["".join(row) for row in rows]
    return "\n".join([*lines, *([picture.caption] if picture.caption else [])])


GROUND, AGENT, SEEN = (1.0, 1.0, 1.0), (0.1, 0.1, 0.1), 0.85
"""The colours of nothing and of the agent, and how bright what it sees is left."""
LARGEST = 512
"""Pixels along the longer side, about."""


def pixels_of(picture: Picture, legend: tuple[Thing, ...]) -> np.ndarray:
    """The picture in colours, uint8 [row, column, 3]: cells as squares, the agent as an arrow where it has a direction.

    What the agent sees is a little darker than the rest."""
    from matplotlib.colors import to_rgb

    colours = np.array([to_rgb(thing.colour) if thing.colour else GROUND for thing in legend])
    image = colours[picture.cells]
    for row, column in picture.view:
        image[row, column] *= SEEN
    side = 2 * max(1, round(LARGEST / 2 / max(picture.cells.shape)))  # even, as video needs it
    image = image.repeat(side, axis=0).repeat(side, axis=1)
    if picture.agent is not None:
        row, column = (place * side for place in picture.agent)
        image[row : row + side, column : column + side][_arrow(side, picture.direction)] = AGENT
    pixels: np.ndarray = np.round(255 * image).astype(np.uint8)
    return pixels


def _arrow(side: int, direction: int | None) -> np.ndarray:
    """bool [row, column]: a triangle that points there; a full square for no direction."""
    if direction is None:
        return np.ones((side, side), np.bool_)
    down, along = np.mgrid[:side, :side]
    north = 2 * np.abs(along - (side - 1) / 2) <= down
    return np.rot90(north, -direction)
