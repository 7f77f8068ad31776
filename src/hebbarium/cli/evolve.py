"""`hebbarium evolve`: evolve rules, watch it happen, interrupt and resume it at will."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from hebbarium.cli import shared_options as shared
from hebbarium.cli.commands import ASKED, Given, TaskVerb, given
from hebbarium.search.registry import usual_search
from hebbarium.studies.evolve.best_rules import eta_of_row
from hebbarium.studies.evolve.study import Evolution, carry_out, summary
from hebbarium.tools.errors import printable
from hebbarium.tools.progress import Advance, Report, duration, ignore
from hebbarium.tools.terminal import NARROW, make_console, table
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from hebbarium.store.writing import Run
    from hebbarium.studies.evolve.study import State

ASKED_FOR = ("runs", "seed", "search", "layers", "genes", "top", "rescore")


@dataclass(frozen=True, kw_only=True)
class Kept:
    """Where the run is kept."""

    out: Path | None = None
    """The run's folder; by default runs/evolve-TASK-SEARCH-SEED, with the layers and `genes` before the seed if you
    choose others than the defaults."""


def evolve(
    *,
    asked: Annotated[dict[str, Any], Given(given(ASKED, Evolution, *ASKED_FOR))],
    kept: Annotated[Kept, ASKED],
    life: shared.WayOptions,
    settings: shared.SearchOptions,
    place: shared.PlaceOptions,
    task: World,
    common: shared.CommonOptions,
) -> None:
    shared.check_owners(asked.get("search") or usual_search(asked.get("genes")), settings)
    evolution = Evolution.of(task, **asked, **settings, **life)
    tell(carry_out(evolution, kept.out, threads=place, report=Watching(common, evolution)), common)


def tell(run: Run, common: shared.Common) -> None:
    """Write the report of a finished run, and print what it found."""
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


app = TaskVerb(evolve, "Search for rules. Interrupt it at any time; rerun the same command to resume.").app


# An evolution on the terminal: while it runs, and what it found.

SHOWN = 20
"""Rules in the table."""
EXPLAINED = 5
"""Rules whose words are printed; the report has all of them."""
_BLOCKS = "▁▂▃▄▅▆▇█"


class Watching(Report):
    """As every command reports; on a terminal, progress is a small screen."""

    patience = shared.Common.patience

    def __init__(self, common: shared.Common, evolution: Evolution) -> None:
        self.say, self.remark, self.farewell = common.say, common.remark, common.farewell  # type: ignore[method-assign]
        self._common, self._title = common, evolution.title
        self._live: Any = None

    @contextlib.contextmanager
    def progress(self, doing: str, total: float | None, unit: str, done: float) -> Iterator[Advance]:
        if self._common.quiet or not sys.stderr.isatty():
            with self._common.progress(doing, None, unit, done) as advance:
                yield advance
            return
        from rich.live import Live

        begun, console = f"{self._title}: getting ready", make_console(stderr=True)
        with Live(begun, console=console, refresh_per_second=4, transient=True) as self._live:
            yield ignore

    def watch(self, state: State) -> None:
        if self._live is not None:
            self._live.update(screen(self._title, state))


def screen(title: str, state: State) -> RenderableType:
    """Where all runs are, how long it will take, and how the best run got better."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    done, left = state.stored + state.lifetimes, state.lifetimes_left
    bar = Table.grid(padding=(0, 1))
    bar.add_row(
        ProgressBar(total=done + left, completed=done, width=36), f"at least {duration(state.seconds_left)} left"
    )
    lines = [Text(line, no_wrap=True, overflow="ellipsis") for line in state.words()]
    curve = sparkline([moment.best for moment in state.leader.history][-60:])
    return Group(Text(title, style="bold"), bar, *lines, Text(curve, style="green"))


def sparkline(values: Sequence[float]) -> str:
    """The values as little bars.

    >>> sparkline([0, 5, 10])
    '▁▅█'
    """
    low, high = min(values, default=0), max(values, default=0)
    span = (high - low) or 1
    return "".join(_BLOCKS[min(7, int(8 * (value - low) / span))] for value in values)


def print_summary(result: dict[str, Any]) -> None:
    """The distinct rules, what the best of them mean, and where everything is."""
    from hebbarium.studies.evolve.best_rules import placed_words

    console = make_console(soft_wrap=True)
    console.print(rules_table(result["rules"], len(result["best"])))
    known = "" if result["atlas"] is None else f"{placed_words(result['atlas'])}\n"
    console.print(known)
    for row in result["rules"][:EXPLAINED]:
        names = f" ({', '.join(row['paper'])})" if row["paper"] else ""
        console.print(f"{row['rule']}{names}:", style="bold")
        console.print(f"    {row['words']}")
    if "live" in (result["rules"][0].get("best") or {}):
        _print_best(result, console)
    if "judged" in result:
        console.print(f"\n{result['judged']}")
    evaluations = f"{result['evaluations']:,} evaluations, {result['lifetimes']:,} lifetimes"
    fresh = result["rescored"]["lifetimes"]
    console.print(f"\n{evaluations}{f', and {fresh:,} fresh ones for the table' if fresh else ''}.")
    console.print(f"Run:    {printable(result['run'])}")
    if result["report"]:
        console.print(f"Report: {printable(result['report'])}")
    console.print(f"Digest: {result['digest']} (a checksum of all lifetimes)")


def _print_best(result: dict[str, Any], console: Console) -> None:
    """How the best instance of the best rule weighs judgements, and what to type to run it."""
    from rich.text import Text

    rule, best = result["rules"][0]["rule"], result["rules"][0]["best"]
    weights = [{**result.get(kind, {}), **best[kind]} for kind in ("blame", "eligibility")]
    rows = [
        (printable(group), *(f"{some[group]:.2g}" if group in some else "" for some in weights))
        for group in dict.fromkeys(name for some in weights for name in some)
    ]
    shown = table(("judgement", "blame", "eligibility"), rows, **NARROW)
    named = "an instance is a rule with its own eta and weights"
    console.print(f"\nThe best instance of {rule} ({named}), fitness {best['fitness']:z.2f}:")
    if rows:  # with a trace alone there is nothing to weigh
        console.print(shown)
    console.print(Text(f"To run it:\n  {printable(best['live'])}"))  # not folded, to be copied
    if len(result["rules"]) > 1 and result["report"]:
        console.print("The report has the same for the other rules.")


def rules_table(rules: Sequence[dict[str, Any]], runs: int) -> RenderableType:
    """The paper's columns, with the score in the search beside the fresh one; of one run only what it can tell."""
    layered, fresh = "," in rules[0]["rule"], rules[0]["fitness"] is not None
    # Layered rules are long: the spread of their instances is shown in the report.
    fitness, etas = (("median",), ("mean",)) if layered else (("median", "std", "max", "min"), ("mean", "std"))
    heads = ("count", *fitness, "eta", *(() if layered else ("eta std",)))
    rows = []
    for row in rules[:SHOWN]:
        numbers = [str(row["count"]), *(f"{row[name]:z.2f}" for name in fitness)]
        numbers += [eta_of_row(row, name) for name in etas]
        if runs == 1:
            scored = row["fitness"]  # on fresh lifetimes, where there are any
            mean = row["median"] if scored is None else scored["mean"]
            error = "" if scored is None or scored["sem"] is None else f"{scored['sem']:.2f}"
            numbers = [f"{mean:z.2f}", error, eta_of_row(row)]
        rows.append((str(row["rank"]), row["rule"], *numbers, f"{row['searched']['median']:z.2f}"))
    if runs == 1:
        heads = ("fitness", "std. error", "eta")
    made = table(("#", "rule", *heads, "in search"), rows, words=(1,), title="Distinct rules", **NARROW)
    made.columns[1].style = "bold"
    if runs > 1:
        how = "scored on fresh lifetimes" if fresh else "as scored by the search"
        caption = f"The best of {runs} runs, {how}, ranked by median."
    elif fresh:
        pooled = any(row["count"] > 1 for row in rules)
        instances = " of all instances of a rule, and the mean of their etas" if pooled else ""
        caption = f"Mean and standard error over fresh lifetimes{instances}."
    else:
        caption = "The best rules, as scored by the search."
    more = f" {len(rules) - SHOWN} more are in the report." if len(rules) > SHOWN else ""
    made.caption, made.caption_justify = f"{caption}{more}", "left"
    return made
