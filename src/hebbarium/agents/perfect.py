"""The paper's "perfect agent": controlled by hand-coded rules, it knows the world from the beginning."""

from __future__ import annotations

from typing import ClassVar

from hebbarium.agents.base import Agent
from hebbarium.life.dispatch import Kind


class PerfectAgent(Agent):
    name: ClassVar[str] = "perfect"
    words: ClassVar[str] = (
        "It knows what is good in each season (the world's function choose), has no memory, and takes random actions "
        "like every other agent."
    )

    @property
    def kind(self) -> Kind:
        return "perfect"
