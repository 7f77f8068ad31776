"""The agents there are, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbarium.tools.errors import check_choice

if TYPE_CHECKING:
    from hebbarium.agents.base import Agent

AGENTS = ("perfect", "hill-climbing", "unscaled-climbing", "random")


def make_agent(name: str) -> Agent:
    """An agent as the paper has it. Kernels are imported here, so that naming one stays cheap."""
    check_choice("agent", name, AGENTS)
    from hebbarium.agents.hill_climbing import HillClimbing, UnscaledClimbing
    from hebbarium.agents.perfect import PerfectAgent
    from hebbarium.agents.random import RandomAgent

    agents = (PerfectAgent, HillClimbing, UnscaledClimbing, RandomAgent)
    classes: dict[str, type[Agent]] = {agent.name: agent for agent in agents}
    return classes[name]()
