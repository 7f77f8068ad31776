"""Discover, test and explain the local rules that let a random network teach itself."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as in typing, which takes longer to import than all the rest here
if TYPE_CHECKING:
    from typing import Any

    from hebbarium.atlas.making import make_atlas
    from hebbarium.atlas.table import Atlas
    from hebbarium.brains.networks import Networks
    from hebbarium.errors import BadInput, ClusterError, HebbariumError, RunError
    from hebbarium.evolution.evolution import evolve
    from hebbarium.evolution.merge import merge
    from hebbarium.executors.connect import cluster
    from hebbarium.gym.task import GymTask
    from hebbarium.layered import LayeredRule, read_rule
    from hebbarium.life.by_hand import PlasticAgent
    from hebbarium.longevity.study import Study, lifelong
    from hebbarium.paper.reproduction import Reproduced, reproduce
    from hebbarium.rule import PAPER_RULES, Rule
    from hebbarium.runs.export import export
    from hebbarium.runs.listing import list_runs
    from hebbarium.runs.store import Run
    from hebbarium.transfers.matrix import Transfer
    from hebbarium.transfers.study import transfer
    from hebbarium.verbs.compare import SideBySide, compare
    from hebbarium.verbs.explain import Explanation, explain
    from hebbarium.verbs.grid import Grid
    from hebbarium.verbs.live import Lives, live, live_agent
    from hebbarium.verbs.new_world import new_world
    from hebbarium.verbs.sweep import Sweep, sweep
    from hebbarium.verbs.trace import Trace, trace
    from hebbarium.watch.replay import record
    from hebbarium.worlds.base import World
    from hebbarium.worlds.registry import WORLDS, make_world

__version__ = "0.1.0"

__all__ = [
    "PAPER_RULES",
    "WORLDS",
    "Atlas",
    "BadInput",
    "ClusterError",
    "Explanation",
    "Grid",
    "GymTask",
    "HebbariumError",
    "LayeredRule",
    "Lives",
    "Networks",
    "PlasticAgent",
    "Reproduced",
    "Rule",
    "Run",
    "RunError",
    "SideBySide",
    "Study",
    "Sweep",
    "Trace",
    "Transfer",
    "World",
    "__version__",
    "cluster",
    "compare",
    "evolve",
    "explain",
    "export",
    "lifelong",
    "list_runs",
    "live",
    "live_agent",
    "make_atlas",
    "make_world",
    "merge",
    "new_world",
    "read_rule",
    "record",
    "reproduce",
    "sweep",
    "trace",
    "transfer",
]

# Each public name is imported when it is first used, so that `import hebbarium` stays cheap.
_HOMES = {
    "Atlas": "atlas.table",
    "BadInput": "errors",
    "ClusterError": "errors",
    "Explanation": "verbs.explain",
    "Grid": "verbs.grid",
    "GymTask": "gym.task",
    "HebbariumError": "errors",
    "LayeredRule": "layered",
    "Lives": "verbs.live",
    "Networks": "brains.networks",
    "PAPER_RULES": "rule",
    "PlasticAgent": "life.by_hand",
    "Reproduced": "paper.reproduction",
    "Rule": "rule",
    "Run": "runs.store",
    "RunError": "errors",
    "SideBySide": "verbs.compare",
    "Study": "longevity.study",
    "Sweep": "verbs.sweep",
    "WORLDS": "worlds.registry",
    "World": "worlds.base",
    "Trace": "verbs.trace",
    "Transfer": "transfers.matrix",
    "cluster": "executors.connect",
    "compare": "verbs.compare",
    "evolve": "evolution.evolution",
    "explain": "verbs.explain",
    "export": "runs.export",
    "lifelong": "longevity.study",
    "list_runs": "runs.listing",
    "live": "verbs.live",
    "live_agent": "verbs.live",
    "make_atlas": "atlas.making",
    "make_world": "worlds.registry",
    "merge": "evolution.merge",
    "new_world": "verbs.new_world",
    "read_rule": "layered",
    "record": "watch.replay",
    "reproduce": "paper.reproduction",
    "sweep": "verbs.sweep",
    "trace": "verbs.trace",
    "transfer": "transfers.study",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hebbarium' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"hebbarium.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
