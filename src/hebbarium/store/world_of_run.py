"""The world that a run was made in.

A run may come from anywhere, so code is never executed because a run names it. A user's world is loaded only from where
the user says it is, after its source has been compared with the hash stored in the run. One that this process has
already loaded, because the user named it before, is used as it is.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

from hebbarium.kernels.source_hash import module_hash
from hebbarium.tools.errors import RunError, check_choice, shown
from hebbarium.worlds.base import World
from hebbarium.worlds.loading import check_same_world, load_as
from hebbarium.worlds.registry import OTHERS, WORLDS, make_world

Named = str | World
"""How users name their own world: its file, module or entry point; in Python also the world itself."""
_NUMBERED = re.compile(r"(thermometer|quantiles|baseline):[0-9][0-9.e+-]*")
"""Settings of a Gymnasium task with a colon that name no code."""
_FUNCTIONS: set[tuple[str, frozenset[str]]] = set()
"""The functions of worlds of OTHERS that the user has made in this process, by the name of the world."""


def world_of_run(configuration: Mapping[str, Any], named: Named | None = None) -> World:
    """From what a run has stored. named: the world or its place, as the user gives it."""
    name, settings = configuration["task"], configuration.get("task_settings", {})
    if configuration.get("task_origin"):
        return _own(configuration, settings, named)
    if name in OTHERS:
        return _of_others(configuration, settings, named)
    if named is not None:
        raise RunError(f"the run was made in {name}, a world of the package: leave --world out.")
    check_choice("task", name, tuple(WORLDS))
    return make_world(name, **settings)


def _own(about: Mapping[str, Any], settings: Mapping[str, Any], named: Named | None) -> World:
    if isinstance(named, World):
        check_same_world(named, about)
        return make_world(type(named)(), **settings)
    if named is not None:
        if named in WORLDS or named in OTHERS:
            raise RunError(f"the run was made in the world {about['task']}, not in {named}.")
        return load_as(about, named, settings)
    known = _loaded_already(about)
    if known is None:
        raise RunError(
            f"the world {about['task']} is not part of Hebbarium, and its code is executed only if you name it: if you "
            f"trust it, add --world {shlex.quote(about['task_origin'])}, or wherever it is now (in Python world=...)."
        )
    return make_world(known(), **settings)


def _loaded_already(about: Mapping[str, Any]) -> type[World] | None:
    """The class that this process has, wherever it was loaded from."""
    waiting: list[type[World]] = [World]
    while waiting:
        one = waiting.pop()
        waiting += one.__subclasses__()
        same_name = bool(one.origin) and getattr(one, "name", None) == about["task"]
        if same_name and (module_hash(one.__module__) or "") == about["task_sources"]:
            return one
    return None


def _of_others(about: Mapping[str, Any], settings: Mapping[str, Any], named: Named | None) -> World:
    """A world that may be made of a user's functions: none is imported or called just because a run names it."""
    functions = _functions(settings)
    if isinstance(named, World):
        remember(named)
    if functions and (about["task"], functions) not in _FUNCTIONS:
        raise RunError(
            f"the world {about['task']} of this run is made of {shown(', '.join(sorted(functions)))}, which is "
            "executed only if you name it: make the same world in Python, and give it as world=..."
        )
    made = make_world(about["task"], **settings)
    check_same_world(made, about)
    return made


def remember(world: World) -> None:
    """Allow the functions of a world that the user has made in this process."""
    if world.name in OTHERS:
        _FUNCTIONS.add((world.name, _functions(vars(world))))


def _functions(settings: Mapping[str, Any]) -> frozenset[str]:
    """Those of the settings that name code, such as `module:function`, unlike `quantiles:8`."""
    texts = [(name, value) for name, value in settings.items() if isinstance(value, str) and ":" in value]
    return frozenset(text for name, text in texts if name == "env" or not _NUMBERED.fullmatch(text))


def names_counted(world: World) -> dict[str, list[str]] | None:
    """The names that a table of lifetimes needs, stored with a run so that its readers need not load the world; None
    for a world of the package."""
    if world.name in WORLDS and not world.origin:
        return None
    return {"seasons": list(world.season_names), "counts": list(world.counts)}
