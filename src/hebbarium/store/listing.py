"""The runs in a folder, and how far each is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hebbarium.store import opening, schema
from hebbarium.store.lock import is_held
from hebbarium.store.writing import Run
from hebbarium.tools.errors import RunError
from hebbarium.worlds.registry import OTHERS

DEPTH = 2
"""How many folders below the given one a run may lie."""
FEWEST = 5
"""Lifetimes that an evaluation needs to be called the best: the best of thousands of single ones is just lucky."""


def list_runs(folder: str | os.PathLike[str] = "runs") -> list[dict[str, Any]]:
    """The latest first. A run that cannot be read is listed with what is wrong."""
    found = [describe(path) for path in run_folders(Path(folder))]
    return sorted(found, key=lambda run: run["updated"] or "", reverse=True)


def describe(folder: Path) -> dict[str, Any]:
    """A row of the list; of a damaged run, with the first problem found."""
    try:
        with opening.briefly():
            run = Run.open(folder)
            configuration = run.configuration
            evaluations, evaluated = run.totals()
            # Work that keeps its lives as arrays stores their number; a reproduction has many kinds, and does not.
            lifetimes = evaluated or run.result("lifetimes") or (None if run.kind == "reproduce" else 0)
            state = "finished" if run.finished else "stopped"
            return {
                "run": str(run.folder),
                "state": "running" if is_held(run.folder / schema.LOCK) else state,
                "kind": run.kind,
                "task": _task(configuration),
                "search": configuration.get("search"),
                "runs": configuration.get("runs"),
                "evaluations": evaluations,
                "lifetimes": lifetimes,
                "best": _best(run),
                "created": run.created,
                "updated": run.updated,
                "finished": run.finished,
                "problem": None,
            }
    except RunError as error:
        unknown = dict.fromkeys(("kind", "task", "search", "runs", "evaluations", "lifetimes", "best"))
        times = dict.fromkeys(("created", "updated", "finished"))
        return {"run": str(folder), "state": "unreadable", **unknown, **times, "problem": str(error)}


def _task(configuration: dict[str, Any]) -> Any:
    """As users call it: an environment of Gymnasium's by its id."""
    settings = configuration.get("task_settings") or configuration.get("world")
    env = settings.get("env") if isinstance(settings, dict) and str(configuration.get("task")) in OTHERS else None
    return env.rpartition(":")[2] if isinstance(env, str) else configuration.get("task")


def _best(run: Run) -> dict[str, Any] | None:
    """The first of the rules found; before there are any, the best evaluation so far that is more than luck."""
    if found := run.result("rules"):
        row = found[0]
        # As `evolve` prints it: of one run the mean over fresh lifetimes, of several the median.
        fresh = row["fitness"] if len(run.result("best") or ()) == 1 else None
        fitness = float(row["median"] if fresh is None else fresh["mean"])
        return {"rule": row["rule"], "eta": row["eta_mean"], "fitness": fitness}
    if found := run.result("top"):
        return {"rule": found[0]["rule"], "eta": found[0]["eta"], "fitness": found[0]["fitness"]}
    best = run.best_evaluation(FEWEST)
    if best is None or best.rule is None:
        return None
    return {"rule": best.rule.notation, "eta": best.rule.eta, "fitness": best.mean}


def run_folders(folder: Path) -> list[Path]:
    """The folders of runs in a folder, itself included."""
    folder = schema.folder_of(folder)
    if not folder.is_dir():
        raise RunError(f"there is no folder {folder}; runs are kept in `runs` unless --out says otherwise.")
    patterns = ("/".join(["*"] * depth + [schema.DATABASE]) for depth in range(DEPTH + 1))
    return [database.parent for pattern in patterns for database in folder.glob(pattern)]
