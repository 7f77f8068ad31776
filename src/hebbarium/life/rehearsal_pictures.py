"""Whether what a user's world shows of itself can be drawn, in characters and in colours."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from hebbarium.tools.errors import BadInput, shown
from hebbarium.worlds.base import World
from hebbarium.worlds.checking import wrong
from hebbarium.worlds.picture import ARROWS, Picture, Thing, text_of

_HEX = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")


def check_legend(world: World) -> None:
    if not isinstance(world.legend, (tuple, list)):
        raise wrong(type(world), "legend", f"legend must be a tuple of things, but is {shown(world.legend)}.")
    for thing in world.legend:
        _check_thing(world, thing)


def _check_thing(world: World, thing: Any) -> None:
    def refused(what: str) -> BadInput:
        return wrong(type(world), "legend", what)

    if not isinstance(thing, Thing):
        raise refused(f"each of legend must be a Thing(name, colour, symbol), not {shown(thing)}.")
    if not isinstance(thing.name, str) or not isinstance(thing.symbol, str) or len(thing.symbol) != 1:
        raise refused(f"a thing of legend needs a name and one character as its symbol, but here is {shown(thing)}.")
    if not isinstance(thing.colour, str) or not (thing.colour == "" or _is_colour(thing.colour)):
        rule = "the name of a colour, or # and six digits such as #c0392b, or empty"
        raise refused(f"the colour of {thing.name!r} must be {rule}, but is {shown(thing.colour)}.")


def _is_colour(text: str) -> bool:
    """As both a browser and matplotlib know it."""
    if text.startswith("#"):
        return bool(_HEX.fullmatch(text))
    from matplotlib.colors import CSS4_COLORS

    return text.lower() in CSS4_COLORS


def check_picture(world: World, picture: Any) -> None:
    """Drawn as a terminal would see it, once everything in it has been looked at."""

    def refused(what: str) -> BadInput:
        return wrong(type(world), "picture", what)

    cells = getattr(picture, "cells", None)
    if not isinstance(picture, Picture) or not isinstance(cells, np.ndarray) or cells.ndim != 2:
        raise refused("picture must give a Picture whose cells are an array [row, column].")
    if cells.dtype.kind not in "iu":
        raise refused(f"the cells of picture must be whole numbers such as uint8, but are {cells.dtype}.")
    if cells.size and not 0 <= cells.min() <= cells.max() < len(world.legend):
        furthest = cells.min() if cells.min() < 0 else cells.max()
        raise refused(f"picture has a cell {furthest}, but legend has {len(world.legend)} things.")
    if picture.agent is not None and not _is_inside(picture.agent, cells):
        raise refused(f"the agent of picture is at {shown(picture.agent)}, which is no cell of {_size(cells)}.")
    if picture.direction is not None and not (_is_whole(picture.direction) and 0 <= picture.direction < len(ARROWS)):
        raise refused(f"the direction of picture is {shown(picture.direction)}, but must be 0, 1, 2 or 3, or None.")
    _check_view(picture, refused)
    if not isinstance(picture.caption, str):
        raise refused(f"the caption of picture must be text, but is {shown(picture.caption)}.")
    text_of(picture, tuple(world.legend))


def _check_view(picture: Picture, refused: Any) -> None:
    if not isinstance(picture.view, (tuple, list)):
        raise refused(f"the view of picture must be a tuple of places, but is {shown(picture.view)}.")
    for place in picture.view:
        if not _is_inside(place, picture.cells):
            raise refused(f"the view of picture has {shown(place)}, which is no cell of {_size(picture.cells)}.")


def _is_inside(place: Any, cells: np.ndarray) -> bool:
    """Whether it is a row and a column of these cells."""
    if not isinstance(place, (tuple, list, np.ndarray)) or len(place) != 2:
        return False
    return all(map(_is_whole, place)) and all(0 <= part < size for part, size in zip(place, cells.shape, strict=True))


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer))


def _size(cells: np.ndarray) -> str:
    return f"{cells.shape[0]} rows and {cells.shape[1]} columns"
