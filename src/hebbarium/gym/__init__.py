"""Gymnasium both ways: our worlds as environments, and lives in other environments.

Importing this registers `hebbarium/Foraging-v0` and an id for every other world, single and as a vector.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any

from hebbarium.tools.errors import BadInput, shown

try:
    import gymnasium
except ImportError as error:
    raise BadInput("this needs Gymnasium: pip install 'hebbarium[gym]'.") from error

from hebbarium.gym.world_env import WorldEnv
from hebbarium.gym.world_stepping import check_steppable
from hebbarium.gym.world_vector_env import WorldVectorEnv
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS, find_world, make_world

__all__ = ["WorldEnv", "WorldVectorEnv", "env_id", "register"]


def env_id(task: str) -> str:
    """
    >>> env_id("prey-predator")
    'hebbarium/PreyPredator-v0'
    """
    return f"hebbarium/{''.join(word.capitalize() for word in task.split('-'))}-v0"


def register(task: str | World, id: str | None = None, replace: bool = False) -> str:
    """Give a world an id, and return it.

    task: as on the command line, or a World with its settings.
    id: such as `mine/Pond-v0`; `hebbarium/Pond-v0` if not given.
    replace: whether to take the id over from another environment.
    """
    world = make_world(task)
    check_steppable(world)
    name = id or env_id(world.name)
    place = world.origin or world.name
    single: Any = "hebbarium.gym.world_env:WorldEnv"
    vector: Any = "hebbarium.gym.world_vector_env:WorldVectorEnv"
    kwargs = {"task": place, **world.changed_settings()}
    found: type[World] | None = None
    with contextlib.suppress(BadInput):
        found = find_world(place)
    if found is not type(world):  # a class that only this process has, such as a notebook's
        single, vector = functools.partial(WorldEnv, world), functools.partial(WorldVectorEnv, task=world)
        kwargs = {}
    known = gymnasium.registry.get(name)
    if known is not None and not replace:
        if (known.entry_point, known.kwargs) == (single, kwargs):
            return name
        raise BadInput(f"the id {name!r} has another environment already; give an id of its own, or replace=True.")
    try:
        gymnasium.register(name, entry_point=single, vector_entry_point=vector, kwargs=kwargs)
    except gymnasium.error.Error as error:
        raise BadInput(f"id is {shown(name)}, but must be like mine/Pond-v0 ({' '.join(str(error).split())})") from None
    return name


for _name in WORLDS:
    register(_name)
