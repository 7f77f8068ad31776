"""Discover, test and explain the local rules by which a random network teaches itself."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hebbarium.agents.living import AgentLives, live_agent
    from hebbarium.atlas.making import make_atlas
    from hebbarium.atlas.table import Atlas
    from hebbarium.comparing import SideBySide, compare
    from hebbarium.errors import BadInput, HebbariumError, RunError
    from hebbarium.explanation import Explanation, explain
    from hebbarium.living import Lives, live
    from hebbarium.networks import Networks
    from hebbarium.paper.reproduction import Reproduced, reproduce
    from hebbarium.rule import PAPER_RULES, Rule
    from hebbarium.runs.evolution import evolve
    from hebbarium.runs.export import export
    from hebbarium.runs.listing import list_runs
    from hebbarium.runs.store import Run
    from hebbarium.sweeping import Sweep, sweep
    from hebbarium.tasks.base import Task
    from hebbarium.tasks.registry import TASKS, make_task
    from hebbarium.traces import Trace, trace

__version__ = "0.1.0"

__all__ = [
    "PAPER_RULES",
    "TASKS",
    "AgentLives",
    "Atlas",
    "BadInput",
    "Explanation",
    "HebbariumError",
    "Lives",
    "Networks",
    "Reproduced",
    "Rule",
    "Run",
    "RunError",
    "SideBySide",
    "Sweep",
    "Task",
    "Trace",
    "__version__",
    "compare",
    "evolve",
    "explain",
    "export",
    "list_runs",
    "live",
    "live_agent",
    "make_atlas",
    "make_task",
    "reproduce",
    "sweep",
    "trace",
]

# Each public name is imported when it is first used, so that `import hebbarium` stays cheap.
_HOMES = {
    "AgentLives": "agents.living",
    "Atlas": "atlas.table",
    "BadInput": "errors",
    "Explanation": "explanation",
    "HebbariumError": "errors",
    "Lives": "living",
    "Networks": "networks",
    "PAPER_RULES": "rule",
    "Reproduced": "paper.reproduction",
    "Rule": "rule",
    "Run": "runs.store",
    "RunError": "errors",
    "SideBySide": "comparing",
    "Sweep": "sweeping",
    "TASKS": "tasks.registry",
    "Task": "tasks.base",
    "Trace": "traces",
    "compare": "comparing",
    "evolve": "runs.evolution",
    "explain": "explanation",
    "export": "runs.export",
    "list_runs": "runs.listing",
    "live": "living",
    "live_agent": "agents.living",
    "make_atlas": "atlas.making",
    "make_task": "tasks.registry",
    "reproduce": "paper.reproduction",
    "sweep": "sweeping",
    "trace": "traces",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hebbarium' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"hebbarium.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
