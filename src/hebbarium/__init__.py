"""Discover, test and explain the local rules that let a random network teach itself."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as in typing, which takes longer to import than all the rest here
if TYPE_CHECKING:
    from typing import Any

    from hebbarium.brains.network_files import Networks
    from hebbarium.executors.cluster_connect import cluster
    from hebbarium.gym.env_as_world import GymTask
    from hebbarium.life.stepwise import PlasticAgent
    from hebbarium.paper.reproduction import Reproduced, reproduce
    from hebbarium.rules.layered import LayeredRule, read_rule
    from hebbarium.rules.rule import PAPER_RULES, Rule
    from hebbarium.show.latex import latex
    from hebbarium.store.listing import list_runs
    from hebbarium.store.tables import export
    from hebbarium.store.writing import Run
    from hebbarium.studies.atlas.finished_atlas import Atlas, use_atlas
    from hebbarium.studies.atlas.making import make_atlas
    from hebbarium.studies.atlas.phases import make_phases
    from hebbarium.studies.compare import SideBySide, compare
    from hebbarium.studies.evolve.merge import merge
    from hebbarium.studies.evolve.study import evolve
    from hebbarium.studies.explain import Explanation, explain
    from hebbarium.studies.fitness import fitness
    from hebbarium.studies.lifelong.study import Lifelong, lifelong
    from hebbarium.studies.live import Lives, live, live_agent
    from hebbarium.studies.plots import draw_searches
    from hebbarium.studies.sweep import Grid, Sweep, sweep
    from hebbarium.studies.trace import Trace, trace
    from hebbarium.studies.transfer.scores import Transfer
    from hebbarium.studies.transfer.study import transfer
    from hebbarium.tools.errors import BadInput, ClusterError, HebbariumError, RunError
    from hebbarium.watch.replay import record
    from hebbarium.worlds.base import World
    from hebbarium.worlds.new_world import new_world
    from hebbarium.worlds.registry import WORLDS, make_world

__version__ = "0.2.0"

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
    "Lifelong",
    "Lives",
    "Networks",
    "PlasticAgent",
    "Reproduced",
    "Rule",
    "Run",
    "RunError",
    "SideBySide",
    "Sweep",
    "Trace",
    "Transfer",
    "World",
    "__version__",
    "cluster",
    "compare",
    "draw_searches",
    "evolve",
    "explain",
    "export",
    "fitness",
    "latex",
    "lifelong",
    "list_runs",
    "live",
    "live_agent",
    "make_atlas",
    "make_phases",
    "make_world",
    "merge",
    "new_world",
    "read_rule",
    "record",
    "reproduce",
    "sweep",
    "trace",
    "transfer",
    "use_atlas",
]

# Each public name is imported when it is first used, so that `import hebbarium` stays cheap.
_HOMES = {
    "Atlas": "studies.atlas.finished_atlas",
    "BadInput": "tools.errors",
    "ClusterError": "tools.errors",
    "Explanation": "studies.explain",
    "Grid": "studies.sweep",
    "GymTask": "gym.env_as_world",
    "HebbariumError": "tools.errors",
    "LayeredRule": "rules.layered",
    "Lifelong": "studies.lifelong.study",
    "Lives": "studies.live",
    "Networks": "brains.network_files",
    "PAPER_RULES": "rules.rule",
    "PlasticAgent": "life.stepwise",
    "Reproduced": "paper.reproduction",
    "Rule": "rules.rule",
    "Run": "store.writing",
    "RunError": "tools.errors",
    "SideBySide": "studies.compare",
    "Sweep": "studies.sweep",
    "WORLDS": "worlds.registry",
    "World": "worlds.base",
    "Trace": "studies.trace",
    "Transfer": "studies.transfer.scores",
    "cluster": "executors.cluster_connect",
    "compare": "studies.compare",
    "draw_searches": "studies.plots",
    "evolve": "studies.evolve.study",
    "explain": "studies.explain",
    "export": "store.tables",
    "fitness": "studies.fitness",
    "latex": "show.latex",
    "lifelong": "studies.lifelong.study",
    "list_runs": "store.listing",
    "live": "studies.live",
    "live_agent": "studies.live",
    "make_atlas": "studies.atlas.making",
    "make_phases": "studies.atlas.phases",
    "make_world": "worlds.registry",
    "merge": "studies.evolve.merge",
    "new_world": "worlds.new_world",
    "read_rule": "rules.layered",
    "record": "watch.replay",
    "reproduce": "paper.reproduction",
    "sweep": "studies.sweep",
    "trace": "studies.trace",
    "transfer": "studies.transfer.study",
    "use_atlas": "studies.atlas.finished_atlas",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hebbarium' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"hebbarium.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
