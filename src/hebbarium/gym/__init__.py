"""Gymnasium both ways: our worlds as environments, and lives in anybody's environment.

Importing this registers `hebbarium/Foraging-v0` and an id for every other world, single and as a vector.
"""

from __future__ import annotations

try:
    import gymnasium
except ImportError as error:
    from hebbarium.errors import BadInput

    raise BadInput("this needs Gymnasium: pip install 'hebbarium[gym]'.") from error

from hebbarium.gym.single import WorldEnv
from hebbarium.gym.vector import WorldVectorEnv
from hebbarium.worlds.registry import WORLDS

__all__ = ["WorldEnv", "WorldVectorEnv", "env_id", "register"]


def env_id(task: str) -> str:
    """
    >>> env_id("prey-predator")
    'hebbarium/PreyPredator-v0'
    """
    return f"hebbarium/{''.join(word.capitalize() for word in task.split('-'))}-v0"


def register(task: str) -> None:
    """Give a world an id: one of ours, or one of your own, by whatever names it on the command line."""
    gymnasium.register(
        env_id(task),
        entry_point="hebbarium.gym.single:WorldEnv",
        vector_entry_point="hebbarium.gym.vector:WorldVectorEnv",
        kwargs={"task": task},
    )


for _name in WORLDS:
    register(_name)
