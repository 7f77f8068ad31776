"""Discover, test and explain the local rules by which a random network teaches itself."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hebbarium.atlas.making import make_atlas
    from hebbarium.atlas.table import Atlas
    from hebbarium.errors import BadInput, HebbariumError, RunError
    from hebbarium.explanation import Explanation, explain
    from hebbarium.living import Lives, live
    from hebbarium.networks import Networks
    from hebbarium.rule import PAPER_RULES, Rule
    from hebbarium.runs.evolution import evolve
    from hebbarium.runs.store import Run
    from hebbarium.tasks.base import Task
    from hebbarium.tasks.registry import TASKS, make_task
    from hebbarium.traces import Trace, trace

__version__ = "0.1.0"

__all__ = [
    "PAPER_RULES",
    "TASKS",
    "Atlas",
    "BadInput",
    "Explanation",
    "HebbariumError",
    "Lives",
    "Networks",
    "Rule",
    "Run",
    "RunError",
    "Task",
    "Trace",
    "__version__",
    "evolve",
    "explain",
    "live",
    "make_atlas",
    "make_task",
    "trace",
]

# Each public name is imported when it is first used, so that `import hebbarium` stays cheap.
_HOMES = {
    "Atlas": "atlas.table",
    "BadInput": "errors",
    "Explanation": "explanation",
    "HebbariumError": "errors",
    "Lives": "living",
    "Networks": "networks",
    "PAPER_RULES": "rule",
    "Rule": "rule",
    "Run": "runs.store",
    "RunError": "errors",
    "TASKS": "tasks.registry",
    "Task": "tasks.base",
    "Trace": "traces",
    "evolve": "runs.evolution",
    "explain": "explanation",
    "live": "living",
    "make_atlas": "atlas.making",
    "make_task": "tasks.registry",
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
