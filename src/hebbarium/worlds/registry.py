"""The worlds by name."""

from __future__ import annotations

import dataclasses
import importlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hebbarium.tools.errors import check_choice
from hebbarium.worlds.association import AssociationWorld
from hebbarium.worlds.base import World, check_settings
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.prey_predator import PreyPredator
from hebbarium.worlds.t_maze import TMaze

WORLDS: dict[str, type[World]] = {task.name: task for task in (Foraging, PreyPredator, TMaze, AssociationWorld)}

OTHERS = {"gymnasium": "hebbarium.gym.env_as_world:GymTask"}
"""Worlds that are made from other libraries' environments."""
_ENV_ID = re.compile(r"([A-Za-z_][\w.]*:)?([\w-]+/)?[\w.-]+-v\d+")
"""`CartPole-v1`, `ALE/Pong-v5`, `minigrid:MiniGrid-Empty-5x5-v0`."""


def is_env_id(task: object) -> bool:
    """Whether a task is named as an environment of Gymnasium's."""
    return isinstance(task, str) and bool(_ENV_ID.fullmatch(task)) and not Path(task).exists()


def make_world(task: str | World, **settings: Any) -> World:
    """A world from its name, or another world, and any of its settings.

    task: a name of WORLDS, or a world of one's own: a file (`./pond.py`), a module (`my_package.pond`) or an entry
    point of an installed package; or an id of Gymnasium's, such as `CartPole-v1`."""
    if isinstance(task, World):
        check_settings(type(task), tuple(settings), task.label)
        return dataclasses.replace(task, **settings) if settings else task
    world = find_world(task)
    environment = is_env_id(task)
    check_settings(world, tuple(settings), task if environment else None)
    return world(**({"env": task} if environment else {}) | settings)


def world_of(about: Mapping[str, Any], **settings: Any) -> World:
    """The world that another process has sent (`World.__reduce_ex__`): loads its code from the given place.

    Only for what a user's own processes send each other. For a run, which may come from anywhere, see
    `store/world_of_run.py`."""
    if not about.get("task_origin"):
        return make_world(about["task"], **settings)
    from hebbarium.worlds.loading import load_as, received

    return load_as(about, received(about["task_sources"]) or about["task_origin"], settings)


def find_world(task: str) -> type[World]:
    """By its name, or, for a user's world, by its file, module or entry point (see `loading.py`)."""
    if is_env_id(task):
        task = "gymnasium"
    if isinstance(task, str) and task in OTHERS:
        module, _, name = OTHERS[task].partition(":")
        found: type[World] = getattr(importlib.import_module(module), name)
        return found
    if isinstance(task, str) and task not in WORLDS:
        from hebbarium.worlds.loading import load_world

        return load_world(task, WORLDS)
    check_choice("task", task, tuple(WORLDS))
    return WORLDS[task]
