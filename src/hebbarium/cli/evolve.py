"""`hebbarium evolve`: evolve rules, watch it happen, interrupt and resume it at will."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import cyclopts

from hebbarium.cli.options import ASKED, Given, given
from hebbarium.cli.search_options import SearchOptions, check_owners
from hebbarium.cli.shared_options import Common, CommonOptions, PlaceOptions, TaskVerb, WayOptions
from hebbarium.search.registry import usual_search
from hebbarium.studies.evolve.study import Evolution, carry_out, summary
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from hebbarium.store.writing import Run

app = cyclopts.App("evolve", help="Search for rules. Interrupt it at any time; rerun the same command to resume.")
ASKED_FOR = ("runs", "seed", "search", "layers", "genes", "top", "rescore")


@dataclass(frozen=True, kw_only=True)
class Kept:
    """Where it is kept."""

    out: Path | None = None
    """The run's folder; by default runs/evolve-TASK-SEARCH-SEED, with the layers and `genes` before the seed if you
    choose others than the defaults."""


def evolve(
    *,
    asked: Annotated[dict[str, Any], Given(given(ASKED, Evolution, *ASKED_FOR))],
    kept: Annotated[Kept, ASKED],
    life: WayOptions,
    settings: SearchOptions,
    place: PlaceOptions,
    task: World,
    common: CommonOptions,
) -> None:
    from hebbarium.cli.evolve_terminal import Watching

    check_owners(asked.get("search") or usual_search(asked.get("genes")), settings)
    evolution = Evolution.of(task, **asked, **settings, **life)
    tell(carry_out(evolution, kept.out, threads=place, report=Watching(common, evolution)), common)


def tell(run: Run, common: Common) -> None:
    """What a finished run found."""
    from hebbarium.cli.evolve_terminal import print_summary
    from hebbarium.studies.evolve.page import write_report
    from hebbarium.tools.errors import HebbariumError

    result: dict[str, Any] = summary(run)
    try:
        result["report"] = str(write_report(run, result))
    except HebbariumError as error:
        # The results are safe in the store, which matters more than a page about them.
        common.say(f"The run is complete, but its report is missing: {error}")
        result["report"] = None
    common.hand_over(result, print_summary, result)


TaskVerb(app, evolve)
