"""Gymnasium both ways: our worlds as environments, and lives in anybody's environment.

Importing this registers `hebbarium/Foraging-v0` and an id for every other world, single and as a vector.
"""

from __future__ import annotations

from hebbarium.tools.errors import BadInput

try:
    import gymnasium
except ImportError as error:
    raise BadInput("this needs Gymnasium: pip install 'hebbarium[gym]'.") from error

from hebbarium.gym.single import WorldEnv
from hebbarium.gym.steps import check_steppable
from hebbarium.gym.vector import WorldVectorEnv
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS, find_world, make_world

__all__ = ["WorldEnv", "WorldVectorEnv", "env_id", "register"]


def env_id(task: str) -> str:
    """
    >>> env_id("prey-predator")
    'hebbarium/PreyPredator-v0'
    """
    return f"hebbarium/{''.join(word.capitalize() for word in task.split('-'))}-v0"


def register(task: str | World) -> str:
    """Give a world an id, and return it.

    task: one of ours, or one of your own: whatever names it on the command line, or a World with its settings.
    """
    world = make_world(task)
    check_steppable(world)
    name = env_id(world.name)
    place = world.origin or world.name
    if _leads_to(place, type(world)):
        gymnasium.register(
            name,
            entry_point="hebbarium.gym.single:WorldEnv",
            vector_entry_point="hebbarium.gym.vector:WorldVectorEnv",
            kwargs={"task": place, **world.changed_settings()},
        )
    else:  # a class that only this process has, as a notebook's
        gymnasium.register(
            name,
            entry_point=lambda **options: WorldEnv(world, **options),
            vector_entry_point=lambda **options: WorldVectorEnv(task=world, **options),
        )
    return name


def _leads_to(place: str, world: type[World]) -> bool:
    """Whether this very world is found there, by any process."""
    try:
        return find_world(place) is world
    except BadInput:
        return False


for _name in WORLDS:
    register(_name)
