"""Checks that a user's world keeps to the contract of `base.py`; errors are one sentence with file and line.

The class and its source are checked when it is loaded, which costs nothing. Before the first life, `life/rehearsal.py`
lives a few hundred steps, and has groups, legend and pictures checked here.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.kernels.source_hash import parsed
from hebbarium.kernels.user_errors import blaming, shown_path
from hebbarium.tools.errors import BadInput, option_name, shown
from hebbarium.worlds.base import NEEDED, OPTIONAL, Association, World
from hebbarium.worlds.picture import ARROWS, Picture, Thing, text_of

ARGUMENTS = {
    "begin": "constants, state, i, stream",
    "sense": "constants, state, i, senses",
    "judge": "constants, state, i, season, action, stream",
    "act": "constants, state, i, season, action, counts, stream",
    "turn": "constants, state, i, season, stream",
    "choose": "constants, state, i, season, stream",
    "note": "constants, state, i, notes, t",
    "coast": "constants, state, i, season, action, most, counts",
}
COLUMNS = ("lifetime", "season", "fitness", "step", "distinct_hidden", "rule", "eta", "seed", "trial")
"""What stands beside counts in tables."""
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_COUNT = re.compile(r"[a-z][a-z0-9_]*")
_GROUP = re.compile(r"[a-z][a-z0-9_-]*")
_HEX = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_LARGEST_ID = 127
UNWRITTEN = 77
"""What an input holds before `sense` writes it."""
_MEANT = {*World.__annotations__, *dir(World)} - {field.name for field in dataclasses.fields(World)}
"""Names with a meaning in every world, except settings, which a world may give other defaults."""


def is_name(name: str) -> bool:
    """Whether a world may be called so."""
    return bool(_NAME.fullmatch(name))


def wrong(world: type[World], name: str, what: str) -> BadInput:
    """What to raise about a name of a world's class, or a function beside it."""
    return BadInput(f"{place_of(world, name)}: {what}")


def place_of(world: type[World], name: str) -> str:
    """File and line where a name is defined, else of the class."""
    file = getattr(sys.modules[world.__module__], "__file__", None)
    if file is None:
        return f"world {world.__name__}"
    body = parsed(Path(file).read_bytes()).body
    classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == world.__name__]
    line = classes[0].lineno if classes else 1
    for node in (*(inner for one in classes for inner in one.body), *body):
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        if getattr(node, "name", None) == name or any(getattr(target, "id", None) == name for target in targets):
            line = node.lineno
            break
    return f"{shown_path(file)}, line {line}"


def taken(world: type[World], setting: str) -> BadInput:
    """What to raise about a setting whose name is that of another option or column."""
    return wrong(world, setting, f"the setting {setting!r} has a name that is taken; choose another.")


def check_names(world: World, *options: Iterable[str]) -> None:
    """Refuse settings of a user's world that have the names of other options of the same command."""
    names = {name for some in options for name in some} if world.origin else set()
    for field in dataclasses.fields(world):
        if field.name in names:
            raise taken(type(world), field.name)


def broken(world: type[World], name: str, *found: Any) -> BadInput:
    """What to raise about a step in which one of the world's functions broke the contract."""
    if name == "sense":
        bit, value, inputs = found
        what = f"sense writes {value} to senses[{bit}], but each input is 0 or 1."
        if value == UNWRITTEN:
            what = f"sense does not write senses[{bit}], but there are {inputs} inputs."
    elif name == "judge":
        season, signal, association = found
        rows = {row.id: row for row in world.associations}
        if signal not in (-1, 0, 1):
            what = f"judge gives the signal {signal}, but it must be -1, 0 or 1."
        elif association not in rows:
            what = f"judge names association {association}, but there are only {', '.join(map(str, rows))}."
        else:
            table = f"whose signal in {world.kinds[season]} is {rows[association].signals[season]}"
            what = f"judge gives the signal {signal} by association {association}, {table}."
    elif name == "coast" and len(found) == 2:
        what = f"coast gives {found[0]!r}, but must give how many steps it has taken, 0 to {found[1]}."
    elif name in ("act", "coast"):
        what = f"{name} makes the count {world.counts[found[0]]!r} smaller or sets it, but must add to it."
    else:
        what = f"choose gives {found[0]!r}, but must give an action, 0 to {found[1] - 1}."
    return wrong(world, name, what)


def check_class(world: type[World], taken: Iterable[str]) -> None:
    """Everything that can be checked without a life. taken: names of other worlds."""
    try:
        typing.get_type_hints(world)
    except Exception as error:
        raise wrong(world, "", f"an annotation of {world.__name__} cannot be read: {str(error).rstrip('.')}.") from None
    name = getattr(world, "name", None)
    if not isinstance(name, str) or not is_name(name):
        raise wrong(world, "name", f"the name of a world is a word such as 'pond' or 'deep-pond', not {name!r}.")
    if name in taken:
        raise wrong(world, "name", f"the name {name!r} is taken by a world of the package; choose another.")
    _check_words(world)
    if world.lived_by == World.lived_by:  # other worlds have no compiled functions
        _check_functions(world)
    _check_associations(world)
    for group in world.groups:
        if not _GROUP.fullmatch(group):
            raise wrong(world, "groups", f"the group {group!r} must be a word of a-z, 0-9, _ and -.")
    if world.groups and world.group_table is World.group_table:
        raise wrong(world, "groups", f"{world.__name__} has groups, so it needs a group_table of its own, too.")
    _check_settings(world)


def _check_words(world: type[World]) -> None:
    for name, least in (("actions", 2), ("counts", 1), ("kinds", 1), ("groups", 0)):
        words = getattr(world, name, None)
        if name == "actions" and isinstance(words, property):
            continue  # it depends on settings: the rehearsal looks at it
        check_words(world, name, words, least)
    for count in world.counts:
        if not _COUNT.fullmatch(count) or count in (*COLUMNS, "season_steps", "usual_length"):
            raise wrong(world, "counts", f"the count {count!r} must be a word of a-z, 0-9 and _ that is not taken.")
    hidden = getattr(world, "default_hidden", None)
    if not isinstance(hidden, int) or hidden < 1:
        raise wrong(world, "default_hidden", "default_hidden must be a whole number: the usual hidden neurons.")
    if not isinstance(world.meanings, Mapping):
        raise wrong(world, "meanings", f"meanings must be a dictionary of things, but is {shown(world.meanings)}.")
    for thing, words in world.meanings.items():
        if not isinstance(words, tuple) or list(map(type, words)) != [str] * len(world.kinds):
            kinds = ", ".join(world.kinds)
            raise wrong(world, "meanings", f"meanings of {thing!r} must be one word for each kind of season: {kinds}.")


def check_words(world: type[World], name: str, words: Any, least: int) -> None:
    """A tuple of different words."""
    if isinstance(words, property):
        raise wrong(world, name, f"{name} must be a tuple of words that stands in the class, but is a property.")
    if not isinstance(words, tuple) or not all(isinstance(word, str) for word in words) or len(words) < least:
        raise wrong(world, name, f"{name} must be a tuple of at least {least} words, but is {shown(words)}.")
    if len(set(words)) < len(words):
        raise wrong(world, name, f"{name} has a word twice: {', '.join(words)}.")


def _check_functions(world: type[World]) -> None:
    scope = vars(sys.modules[world.__module__])
    for name in (*NEEDED, *OPTIONAL):
        function = scope.get(name)
        if function is None and name in OPTIONAL:
            continue
        call = f"{name}({ARGUMENTS[name]})"
        if not inspect.isfunction(function):
            raise wrong(world, name, f"the function {call} is missing beside the class {world.__name__}.")
        if not hasattr(function, "how_compiled"):
            raise wrong(world, name, f"{name} must be marked with @compiled (from hebbarium.world).")
        parameters = inspect.signature(function).parameters
        if len(parameters) != len(ARGUMENTS[name].split(",")):
            raise wrong(world, name, f"{name} has {len(parameters)} arguments, but must be {call}.")
    for name in ("constants", "new_state", "fitness", "picture", "inputs"):
        if getattr(world, name) is getattr(World, name):
            raise wrong(world, world.__name__, f"{world.__name__} has no {name} of its own; every world needs one.")


def _check_settings(world: type[World]) -> None:
    if not dataclasses.is_dataclass(world) or "__dataclass_params__" not in vars(world):
        raise wrong(
            world, world.__name__, f"{world.__name__} must be marked with @dataclass(frozen=True, kw_only=True)."
        )
    for field in dataclasses.fields(world):
        if field.name in _MEANT:
            what = f"{field.name!r} means something in every world, so it cannot be a setting"
            raise wrong(world, field.name, f"{what}; declare it as a ClassVar, or choose another name.")
        if field.name in COLUMNS:
            raise taken(world, field.name)
        if not isinstance(field.default, (bool, int, float, str)):
            raise wrong(
                world, field.name, f"the setting {field.name!r} needs a number, text, True or False as its default."
            )
    try:
        world()
    except BadInput as error:
        where = next((f.name for f in dataclasses.fields(world) if option_name(f.name) in str(error)), world.__name__)
        raise wrong(world, where, f"the default settings make no sense: {error}") from None
    except Exception:
        with blaming():
            raise


def _check_associations(world: type[World]) -> None:
    def refused(what: str) -> BadInput:
        return wrong(world, "associations", what)

    rows = getattr(world, "associations", ())
    if isinstance(rows, property) or not isinstance(rows, (tuple, list)):
        raise refused("associations must be a tuple that stands in the class.")
    for row in rows:
        if not isinstance(row, Association):
            what = "each of associations must be an Association(id, sensor, behaviour, signals)"
            raise refused(f"{what}, not {shown(row)}.")
        if not isinstance(row.id, int) or not isinstance(row.sensor, str) or not isinstance(row.behaviour, str):
            raise refused(f"an association has a whole number, two texts and the signals, but here is {shown(row)}.")
        signals, kinds = row.signals, ", ".join(world.kinds)
        whole = isinstance(signals, (tuple, list)) and len(signals) == len(world.kinds)
        if not whole or not all(isinstance(signal, int) and signal in (-1, 0, 1) for signal in signals):
            raise refused(f"association {row.id} needs a signal -1, 0 or 1 for each of {kinds}: {shown(signals)}.")
    ids = [row.id for row in rows]
    if not ids or len(set(ids)) < len(ids) or min(ids) < 1 or max(ids) > _LARGEST_ID:
        raise refused(f"associations need ids of their own from 1 to {_LARGEST_ID}, but have {ids}.")


def check_groups(world: World) -> None:
    """Check the group table, in which compiled code looks places up unchecked. Of an instance, because it may depend on
    settings."""
    table, groups = world.group_table(), world.group_places
    shape = (len(world.kinds), max(row.id for row in world.associations) + 1, world.outputs)
    if not isinstance(table, np.ndarray) or table.dtype.kind not in "iu" or table.shape != shape:
        found = f"{table.dtype} {list(table.shape)}" if isinstance(table, np.ndarray) else type(table).__name__
        rule = f"whole numbers [season kind, association id, action], here {list(shape)}"
        raise wrong(type(world), "group_table", f"group_table must give an array of {rule}, but gives {found}.")
    if not 0 <= table.min() <= table.max() < groups:
        found = f"{table.min()} to {table.max()}"
        raise wrong(
            type(world), "group_table", f"group_table has {found}, but there are only the groups 0 to {groups - 1}."
        )


def check_legend(world: World) -> None:
    def refused(what: str) -> BadInput:
        return wrong(type(world), "legend", what)

    if not isinstance(world.legend, (tuple, list)):
        raise refused(f"legend must be a tuple of things, but is {shown(world.legend)}.")
    for thing in world.legend:
        if not isinstance(thing, Thing):
            raise refused(f"each of legend must be a Thing(name, colour, symbol), not {shown(thing)}.")
        if not isinstance(thing.name, str) or not isinstance(thing.symbol, str) or len(thing.symbol) != 1:
            what = "a thing of legend needs a name and one character as its symbol"
            raise refused(f"{what}, but here is {shown(thing)}.")
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
    if not isinstance(picture.view, (tuple, list)):
        raise refused(f"the view of picture must be a tuple of places, but is {shown(picture.view)}.")
    for place in picture.view:
        if not _is_inside(place, cells):
            raise refused(f"the view of picture has {shown(place)}, which is no cell of {_size(cells)}.")
    if not isinstance(picture.caption, str):
        raise refused(f"the caption of picture must be text, but is {shown(picture.caption)}.")
    text_of(picture, tuple(world.legend))


def _is_inside(place: Any, cells: np.ndarray) -> bool:
    """Whether it is a row and a column of these cells."""
    if not isinstance(place, (tuple, list, np.ndarray)) or len(place) != 2:
        return False
    return all(map(_is_whole, place)) and all(0 <= part < size for part, size in zip(place, cells.shape, strict=True))


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer))


def _size(cells: np.ndarray) -> str:
    return f"{cells.shape[0]} rows and {cells.shape[1]} columns"
