"""`hebbarium evolve`: evolve rules, watch it happen, stop and go on at will."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import cyclopts
from cyclopts import Parameter

from hebbarium.cli.common import USUAL, Common, CommonOptions, prepare_kernels, print_json, task_commands
from hebbarium.cli.search_options import SHARED, SearchOptions, chosen_settings
from hebbarium.search.registry import SEARCHES
from hebbarium.tasks.base import Task

if TYPE_CHECKING:
    SearchName = str
    from hebbarium.runs.evolution import Evolution
    from hebbarium.runs.store import Run
else:
    SearchName = Literal[tuple(SEARCHES)]

app = cyclopts.App("evolve", help="Evolve rules; stopped at any moment, the same command goes on where it was.")

PATIENCE = 1.5
"""Seconds after Ctrl-C by which the command has ended, however busy the machine is."""


def evolve(
    *,
    runs: int = 1,
    seed: int = 1,
    search: SearchName = "genetic",
    out: Path | None = None,
    top: int = 10,
    rescore: int = 100,
    hidden: int | None = None,
    threads: int | None = None,
    settings: Annotated[SearchOptions, Parameter(name="*", group=SHARED)] = SearchOptions(),  # noqa: B008
    task: Task,
    common: CommonOptions = USUAL,
) -> None:
    """
    Parameters
    ----------
    runs
        Independent runs of the search; more than before on an existing folder adds to it.
    seed
        Fixes all that is random: the same seed gives the same rules.
    search
        How rules are searched for: the paper's genetic algorithm, or another.
    out
        The run's folder; without it runs/evolve-TASK-SEED, or runs/evolve-TASK-SEARCH-SEED for another search.
    top
        How many of each run's last population count as found.
    rescore
        Fresh lifetimes on which each rule found is scored anew; 0 for none.
    hidden
        Hidden neurons; without it as many as in the paper.
    threads
        Threads to use; without it as many as there are cores.
    """
    from hebbarium.runs.evolution import Evolution
    from hebbarium.runs.signals import Interrupted, leave_at_once

    evolution = Evolution(
        task=task,
        search=search,
        settings=chosen_settings(search, settings),
        hidden=task.default_hidden if hidden is None else hidden,
        runs=runs,
        seed=seed,
        top=top,
        rescore=rescore,
    )
    folder = evolution.folder() if out is None else out
    try:
        run = _evolved(evolution, folder, threads, common)
    except Interrupted as interruption:
        common.say(f"{interruption}; everything lived so far is in {folder}, and the same command goes on.")
        leave_at_once(interruption.code)
    _tell(run, common)


def _evolved(evolution: Evolution, folder: Path, threads: int | None, common: Common) -> Run:
    from hebbarium.cli.evolution_view import watching
    from hebbarium.runs.evolution import carry_out

    with watching(evolution, folder, quiet=common.quiet) as watch:
        run = carry_out(
            evolution,
            folder,
            threads=threads,
            watch=watch,
            patience=PATIENCE,
            prepare=lambda task: prepare_kernels(task, common),
        )
    if not watch.began:
        common.say(f"{folder} was finished on {run.finished}; nothing is left to do.")
    return run


def _tell(run: Run, common: Common) -> None:
    from hebbarium.errors import HebbariumError
    from hebbarium.runs.evolution import summary
    from hebbarium.runs.report import write_report

    result: dict[str, Any] = summary(run)
    try:
        result["report"] = str(write_report(run, result))
    except HebbariumError as error:
        # The results are safe in the store, which matters more than a page about them.
        common.say(f"The run is complete, but its report is missing: {error}")
        result["report"] = None
    if common.json:
        print_json(result)
    else:
        from hebbarium.cli.evolution_view import print_summary

        print_summary(result)


task_commands(app, evolve)
