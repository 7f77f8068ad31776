"""`hebbarium evolve`: evolve rules, watch it happen, stop and go on at will."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import cyclopts
from cyclopts import Parameter

from hebbarium.cli.common import (
    HERE,
    USUAL,
    Common,
    CommonOptions,
    Place,
    PlaceOptions,
    prepare_kernels,
    print_json,
    read_weights,
    resumable,
    task_commands,
)
from hebbarium.cli.search_options import SHARED, SearchOptions, chosen_settings
from hebbarium.search.registry import SEARCHES
from hebbarium.search.space import SPACES, space_of
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    SearchName = str
    LayersName = str
    from hebbarium.store.store import Run
    from hebbarium.studies.evolve.evolution import Evolution
else:
    SearchName, LayersName = Literal[tuple(SEARCHES)], Literal[tuple(SPACES)]

app = cyclopts.App("evolve", help="Search for rules. Interrupt it at any time; rerun the same command to resume.")


def evolve(
    *,
    runs: int = 1,
    seed: int = 1,
    search: SearchName = "genetic",
    layers: LayersName = "same",
    blame: str | None = None,
    eligibility: str | None = None,
    genes: str | None = None,
    out: Path | None = None,
    top: int = 10,
    rescore: int = 100,
    hidden: int | None = None,
    place: PlaceOptions = HERE,
    settings: Annotated[SearchOptions, Parameter(name="*", group=SHARED)] = SearchOptions(),  # noqa: B008
    task: World,
    common: CommonOptions = USUAL,
) -> None:
    """
    Parameters
    ----------
    runs
        Number of independent runs of the search; a larger number extends an existing run.
    seed
        Random seed: the same seed gives the same rules.
    search
        The search algorithm; genetic is the paper's.
    layers
        What is searched: one rule and eta for both layers (same); one rule, an eta for each layer (two-etas); the
        hidden layer frozen (output); a rule and an eta for each layer (separate).
    blame
        How much each group of judgements changes the weights in all these lives, as in live.
    eligibility
        How much the previous step takes part in a change in all these lives, as in live.
    genes
        What each rule has of its own beside entries and etas: blame and eligibility of every group of judgements, or
        of single ones, such as blame,eligibility:missed. Not with racing.
    out
        The run's folder; by default runs/evolve-TASK-SEED, with the search, layers and `genes` before the seed if you
        choose others than the defaults.
    top
        How many of the best rules of each run's last population to report.
    rescore
        Fresh lifetimes on which each reported rule is scored again; 0 for none.
    hidden
        Number of hidden neurons; by default the task's usual number.
    """
    from hebbarium.studies.evolve.evolution import Evolution, as_begun, finished

    evolution = Evolution(
        task=task,
        search=search,
        settings=chosen_settings(search, settings),
        hidden=task.default_hidden if hidden is None else hidden,
        runs=runs,
        seed=seed,
        top=top,
        rescore=rescore,
        layers=layers,
        blame=read_weights("blame", blame),
        eligibility=read_weights("eligibility", eligibility, task.group_names),
        genes=genes or (),
    )
    folder = evolution.folder() if out is None else out
    with resumable(folder, common):
        evolution = as_begun(evolution, folder)
        run = finished(evolution, folder)
        if run is None:
            run = _evolved(evolution, folder, place, common)
        else:
            common.say(f"{folder} was finished on {run.finished}; this is its result.")
    tell(run, common)


def _evolved(evolution: Evolution, folder: Path, place: Place, common: Common) -> Run:
    from hebbarium.cli.evolution_view import title, watching
    from hebbarium.executors.signals import PATIENCE
    from hebbarium.studies.evolve.evolution import carry_out

    if cost := evolution.settings.cost():
        common.say(f"{title(evolution)}: {cost}.")
    with place.executor(common) as executor, watching(evolution, folder, quiet=common.quiet) as watch:
        return carry_out(
            evolution,
            folder,
            threads=executor,
            watch=watch,
            patience=PATIENCE,
            prepare=lambda asked: prepare_kernels(
                asked.task,
                asked.brain,
                common,
                blamed=asked.blamed,
                rules=space_of(asked.layers).samples(),
            ),
            remark=common.say,
        )


def tell(run: Run, common: Common) -> None:
    """What a finished run found."""
    from hebbarium.studies.evolve.evolution import summary
    from hebbarium.studies.evolve.report import write_report
    from hebbarium.tools.errors import HebbariumError

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
