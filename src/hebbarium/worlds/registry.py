"""The worlds there are, by name."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping
from typing import Any

from hebbarium.errors import BadInput, RunError, check_choice
from hebbarium.worlds.association import AssociationWorld
from hebbarium.worlds.base import World, check_settings
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.prey_predator import PreyPredator
from hebbarium.worlds.t_maze import TMaze

WORLDS: dict[str, type[World]] = {task.name: task for task in (Foraging, PreyPredator, TMaze, AssociationWorld)}

OTHERS = {"gymnasium": "hebbarium.gym.task:GymTask"}
"""Worlds that others make of what is not ours: they have no command of their own."""


def make_world(task: str | World, **settings: Any) -> World:
    """A world from its name, or another world, and any of its settings.

    task: a name of WORLDS, or a world of one's own: a file (`./pond.py`), a module (`my_package.pond`) or an entry
    point of an installed package."""
    if isinstance(task, World):
        check_settings(type(task), tuple(settings))
        return dataclasses.replace(task, **settings) if settings else task
    world = find_world(task)
    check_settings(world, tuple(settings))
    return world(**settings)


def world_of(about: Mapping[str, Any], **settings: Any) -> World:
    """The world that a run has written down by `World.about`."""
    if not about.get("task_origin"):
        return make_world(about["task"], **settings)
    from hebbarium.worlds.loading import received

    name, origin = about["task"], about["task_origin"]
    try:
        made = make_world(received(about["task_sources"]) or origin, **settings)
    except BadInput as error:
        raise RunError(f"the world {name} was in {origin}, but cannot be loaded from there now: {error}") from None
    if made.about()["task_sources"] != about["task_sources"]:
        raise RunError(f"the world {name} in {origin} has been edited since.")
    return made


def find_world(task: str) -> type[World]:
    """By its name, or, for a world of one's own, by its file, module or entry point (see `loading.py`)."""
    if isinstance(task, str) and task in OTHERS:
        module, _, name = OTHERS[task].partition(":")
        found: type[World] = getattr(importlib.import_module(module), name)
        return found
    if isinstance(task, str) and task not in WORLDS:
        from hebbarium.worlds.loading import load_world

        return load_world(task, WORLDS)
    check_choice("task", task, tuple(WORLDS))
    return WORLDS[task]
