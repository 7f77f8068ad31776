"""Whether somebody's world keeps to the contract of `base.py`: one sentence with file and line where it does not.

This looks at what is written, which costs nothing. Before anybody lives there, `life/rehearsal.py` does so for a few
hundred steps.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
from collections.abc import Iterable

from hebbarium.errors import BadInput, option_name
from hebbarium.worlds.base import NEEDED, OPTIONAL, World
from hebbarium.worlds.loading import blaming, shown_path

ARGUMENTS = {
    "begin": "constants, state, i, stream",
    "sense": "constants, state, i, senses",
    "judge": "constants, state, i, season, action, stream",
    "act": "constants, state, i, season, action, counts, stream",
    "turn": "constants, state, i, season, stream",
    "choose": "constants, state, i, season, stream",
    "note": "constants, state, i, notes, t",
}
TAKEN = (
    "task", "rule", "rules", "eta", "hidden", "lifetimes", "seed", "trial", "threads", "agent", "frozen", "networks",
    "search", "runs", "out", "top", "every", "json", "quiet", "verbose", "config", "debug", "season", "fitness",
)  # fmt: skip
"""Words that mean something else wherever a world's settings and counts are named."""
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_COUNT = re.compile(r"[a-z][a-z0-9_]*")
_LARGEST_ID = 127


def is_name(name: str) -> bool:
    """Whether a world may be called so."""
    return bool(_NAME.fullmatch(name))


def wrong(world: type[World], name: str, what: str) -> BadInput:
    """What to raise about a name of a world's class, or a function beside it."""
    return BadInput(f"{place_of(world, name)}: {what}")


def place_of(world: type[World], name: str) -> str:
    """File and line of what is written under a name, else of the class."""
    module = sys.modules[world.__module__]
    file = getattr(module, "__file__", None)
    if file is None:
        return f"world {world.__name__}"
    return f"{shown_path(file)}, line {_line(file, world.__name__, name)}"


def _line(file: str, class_name: str, name: str) -> int:
    with open(file, encoding="utf-8") as source:
        body = ast.parse(source.read()).body
    classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == class_name]
    for node in (*(inner for one in classes for inner in one.body), *body):
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        if getattr(node, "name", None) == name or any(getattr(target, "id", None) == name for target in targets):
            return node.lineno
    return classes[0].lineno if classes else 1


def check_class(world: type[World], taken: Iterable[str]) -> None:
    """What can be told without living in it. taken: names of other worlds."""
    _check_name(world, taken)
    _check_words(world)
    if world.lived_by == World.lived_by:  # others need none of its functions
        _check_functions(world)
    _check_settings(world)
    _check_associations(world)


def _check_name(world: type[World], taken: Iterable[str]) -> None:
    name = getattr(world, "name", None)
    if not isinstance(name, str) or not is_name(name):
        raise wrong(world, "name", f"the name of a world is a word such as 'pond' or 'deep-pond', not {name!r}.")
    if name in taken:
        raise wrong(world, "name", f"the name {name!r} is taken by a world of the package; choose another.")


def _check_words(world: type[World]) -> None:
    for name, least in (("actions", 2), ("counts", 1), ("kinds", 1)):
        words = getattr(world, name, None)
        if isinstance(words, property):
            continue  # it depends on settings
        if not isinstance(words, tuple) or not all(isinstance(word, str) for word in words) or len(words) < least:
            raise wrong(world, name, f"{name} must be a tuple of at least {least} words, but is {words!r}.")
        if len(set(words)) < len(words):
            raise wrong(world, name, f"{name} has a word twice: {', '.join(words)}.")
    for count in world.counts:
        if not _COUNT.fullmatch(count) or count in TAKEN:
            raise wrong(world, "counts", f"the count {count!r} must be a word of a-z, 0-9 and _ that is not taken.")
    if not isinstance(getattr(world, "default_hidden", None), int):
        raise wrong(world, "default_hidden", "default_hidden must be a whole number: the usual hidden neurons.")


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
        if field.name in TAKEN:
            raise wrong(world, field.name, f"the setting {field.name!r} has a name that is taken; choose another.")
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
    rows = getattr(world, "associations", ())
    ids = [row.id for row in rows]
    if not ids or len(set(ids)) < len(ids) or min(ids) < 1 or max(ids) > _LARGEST_ID:
        raise wrong(
            world, "associations", f"associations need ids of their own from 1 to {_LARGEST_ID}, but have {ids}."
        )
    for row in rows:
        if len(row.signals) != len(world.kinds) or not all(signal in (-1, 0, 1) for signal in row.signals):
            kinds = ", ".join(world.kinds)
            raise wrong(
                world,
                "associations",
                f"association {row.id} needs a signal -1, 0 or 1 for each of {kinds}: {row.signals}.",
            )
