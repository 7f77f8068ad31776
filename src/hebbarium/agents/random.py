"""An agent that takes one of the actions at random, each as likely."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from hebbarium.agents.base import Agent
from hebbarium.worlds.base import World


class RandomAgent(Agent):
    name: ClassVar[str] = "random"
    words: ClassVar[str] = "Takes one of the actions at random at every step."

    def own(self, world: World) -> World:
        return dataclasses.replace(world, random_action=1.0, random_kind="any", random_where="always")
