"""An evolution on the terminal: while it goes on, and what it found."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hebbarium.progress import Advance, duration, progress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hebbarium.runs.evolution import Evolution, State

SHOWN = 20
"""Rules in the table."""
EXPLAINED = 5
"""Rules whose words are printed; the report has all of them."""
_BLOCKS = "▁▂▃▄▅▆▇█"


class Watch(Protocol):
    began: bool
    """Whether anything had to be lived."""

    def __call__(self, state: State) -> None: ...


@contextlib.contextmanager
def watching(evolution: Evolution, folder: Path, *, quiet: bool) -> Iterator[Watch]:
    """What to tell of each batch: shown live on a terminal, as a line now and then elsewhere."""
    if quiet:
        yield _Silent()
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.live import Live

        head = title(evolution)
        with Live(f"{head}: getting ready", console=Console(stderr=True), refresh_per_second=4, transient=True) as live:
            yield _Screen(live, head)
    else:
        with contextlib.ExitStack() as stack:
            yield _Lines(stack)


def title(evolution: Evolution) -> str:
    runs = f"{evolution.runs} run{'s' if evolution.runs > 1 else ''}"
    return f"evolving {evolution.task.name}, {evolution.search} search, {runs}, seed {evolution.seed}"


class _Silent:
    began = False

    def __call__(self, state: State) -> None:
        self.began = True


class _Lines(_Silent):
    """Plain lines. The clock starts with the first, small batch, when all is compiled."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self._advance: Advance | None = None
        self._told = 0

    def __call__(self, state: State) -> None:
        self.began = True
        if self._advance is None:
            self._advance = self._stack.enter_context(progress("evolving", None, "lifetimes"))
        total = state.lifetimes + state.lifetimes_left
        self._advance(state.lifetimes - self._told, note="; ".join(status(state)), total=total)
        self._told = state.lifetimes


class _Screen(_Silent):
    def __init__(self, live: Any, title: str) -> None:
        self._live, self._title = live, title

    def __call__(self, state: State) -> None:
        self.began = True
        self._live.update(screen(self._title, state))


def screen(title: str, state: State) -> RenderableType:
    """Where all runs are, how long it will take, and how the best run got better."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    done, left = state.lifetimes, state.lifetimes_left
    bar = Table.grid(padding=(0, 1))
    bar.add_row(
        ProgressBar(total=done + left, completed=done, width=36), f"at least {duration(state.seconds_left)} left"
    )
    lines = [Text(line, no_wrap=True, overflow="ellipsis") for line in status(state)]
    curve = sparkline([moment.best for moment in state.leader.history][-60:])
    return Group(Text(title, style="bold"), bar, *lines, Text(curve, style="green"))


def status(state: State) -> list[str]:
    """Generation, best and mean fitness, the best rule, evaluations a second."""
    leader, runs = state.leader, len(state.lineages)
    searched = sum(lineage.searched for lineage in state.lineages)
    generations = [lineage.search.generation for lineage in state.lineages]
    where = f"generation {_span(generations)}" + (f", {searched} of {runs} runs searched" if runs > 1 else "")
    rate = state.evaluations / max(state.seconds, 1e-9)
    lines = [f"{where}, {rate:,.3g} evaluations/s"]
    best = leader.search.best
    if best is not None and leader.history:
        whose = f" (run {leader.run})" if runs > 1 else ""
        mean = leader.history[-1].mean
        lines.append(f"best {best.fitness:.2f} by {best.rule} at eta {best.rule.eta:.4f}{whose}, mean {mean:.2f}")
    return lines


def sparkline(values: Sequence[float]) -> str:
    """The values as little bars.

    >>> sparkline([0, 5, 10])
    '▁▅█'
    """
    low, high = min(values, default=0), max(values, default=0)
    span = (high - low) or 1
    return "".join(_BLOCKS[min(7, int(8 * (value - low) / span))] for value in values)


def _span(numbers: Sequence[int]) -> str:
    return f"{min(numbers)}" if min(numbers) == max(numbers) else f"{min(numbers)} to {max(numbers)}"


def print_summary(result: dict[str, Any]) -> None:
    """The distinct rules, what the best of them mean, and where everything is."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print(rules_table(result["rules"], len(result["best"])))
    for row in result["rules"][:EXPLAINED]:
        names = f" ({', '.join(row['paper'])})" if row["paper"] else ""
        console.print(Text.assemble((f"{row['rule']}{names}: ", "bold"), row["words"]))
    evaluations = f"{result['evaluations']:,} evaluations, {result['lifetimes']:,} lifetimes"
    fresh = result["rescored"]["lifetimes"]
    console.print(f"\n{evaluations}{f', and {fresh:,} fresh ones for the table' if fresh else ''}.", markup=False)
    console.print(f"Run:    {result['run']}", markup=False, soft_wrap=True)
    if result["report"]:
        console.print(f"Report: {result['report']}", markup=False, soft_wrap=True)
    console.print(f"Digest: {result['digest']}", markup=False, soft_wrap=True)


def rules_table(rules: Sequence[dict[str, Any]], runs: int) -> RenderableType:
    """The paper's columns, with the score in the search beside the fresh one."""
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 0, 0, 1), title="Distinct rules", title_justify="left"
    )
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("rule", no_wrap=True, style="bold")
    for name in ("count", "median", "std", "max", "min", "eta", "std", "in search"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rules[:SHOWN]:
        fitness = [f"{row[name]:.2f}" for name in ("median", "std", "max", "min")]
        etas = [f"{row[name]:.4f}" for name in ("eta_mean", "eta_std")]
        searched = f"{row['searched']['median']:.2f}"
        table.add_row(str(row["rank"]), row["rule"], str(row["count"]), *fitness, *etas, searched)
    table.caption, table.caption_justify = _caption(rules, runs), "left"
    return table


def _caption(rules: Sequence[dict[str, Any]], runs: int) -> str:
    scored = "as the search scored them" if rules[0]["rescored"] is None else "scored on fresh lifetimes"
    more = f" {len(rules) - SHOWN} more are in the report." if len(rules) > SHOWN else ""
    return f"The best of {runs} run{'s' if runs > 1 else ''}, {scored}, ranked by median.{more}"
