"""The agents there are, by name."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hebbarium.tools.errors import BadInput, check_choice, option_name

if TYPE_CHECKING:
    from hebbarium.agents.base import Agent

AGENTS = {
    "perfect": "perfect:PerfectAgent",
    "hill-climbing": "hill_climbing:HillClimbing",
    "unscaled-climbing": "hill_climbing:UnscaledClimbing",
    "random": "random:RandomAgent",
    "tabular": "learners:Tabular",
    "linear": "learners:Linear",
}
"""By name, where each is. Their kernels are imported when one is made, so that naming one stays cheap."""
LEARNERS = ("tabular", "linear")


def make_agent(name: str, **settings: Any) -> Agent:
    """An agent, as the paper has it where the paper has it.

    settings: of a learner, those that are not None; other agents have none."""
    check_choice("agent", name, tuple(AGENTS))
    given = {setting: value for setting, value in settings.items() if value is not None}
    if given and name not in LEARNERS:
        raise BadInput(f"{option_name(next(iter(given)))} is for the agents {' and '.join(LEARNERS)}, not for {name}.")
    module, _, made = AGENTS[name].partition(":")
    agent: Agent = getattr(importlib.import_module(f"hebbarium.agents.{module}"), made)(**given)
    return agent


def make_agents(names: Sequence[str], **settings: Any) -> dict[str, Agent]:
    """Several by name; settings are for the learners among them."""
    given = any(value is not None for value in settings.values())
    if given and not set(names) & set(LEARNERS):
        raise BadInput(f"step-size, discount and told are for the agents {' and '.join(LEARNERS)}: add one of them.")
    return {name: make_agent(name, **(settings if name in LEARNERS else {})) for name in names}
