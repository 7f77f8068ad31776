"""`hebbarium compare`: rules and agents side by side on the same seeds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import cyclopts
from cyclopts import Parameter

from hebbarium.cli.common import (
    FILES,
    LIFE,
    USUAL,
    CommonOptions,
    RuleArgument,
    prepare_kernels,
    print_json,
    task_commands,
)
from hebbarium.errors import option_name
from hebbarium.files import check_writable
from hebbarium.plots.style import ENDINGS
from hebbarium.progress import progress
from hebbarium.tasks.base import Task

if TYPE_CHECKING:
    from hebbarium.comparing import SideBySide

app = cyclopts.App("compare", help="Rules and agents side by side on the same seeds, with statistics.")


def compare(
    *rules: RuleArgument,
    agent: Annotated[tuple[str, ...], Parameter(group=LIFE, consume_multiple=False)] = (),
    eta: Annotated[float | None, Parameter(group=LIFE)] = None,
    hidden: Annotated[int | None, Parameter(group=LIFE)] = None,
    lifetimes: Annotated[int, Parameter(group=LIFE)] = 100,
    seed: Annotated[int, Parameter(group=LIFE)] = 1,
    threads: Annotated[int | None, Parameter(group=LIFE)] = None,
    plot: Annotated[Path | None, Parameter(group=FILES)] = None,
    task: Task,
    common: CommonOptions = USUAL,
) -> None:
    """
    Parameters
    ----------
    rules
        The rules, as notation, index or paper's name.
    agent
        Also compare with an agent without a rule: perfect, hill-climbing or random. May be given several times.
    eta
        The learning rate of rules that have none of their own.
    hidden
        Hidden neurons; without it as many as in the paper.
    lifetimes
        Lifetimes of each.
    seed
        Fixes everything random: all meet the same newborn brains and the same worlds.
    threads
        Threads; without it one for each core. The results do not depend on them.
    plot
        Draw all lives side by side to this .svg, .png or .pdf file.
    """
    if plot is not None:
        check_writable(plot, ENDINGS)
    from hebbarium.comparing import check_contest, compare

    check_contest(task, rules, agent, eta=eta, hidden=hidden, lifetimes=lifetimes, seed=seed, threads=threads)
    prepare_kernels(task, common, agent)
    total = lifetimes * (len(rules) + len(agent))
    with progress("comparing", total, "lifetimes", quiet=common.quiet) as advance:
        result = compare(
            task,
            *rules,
            agents=agent,
            eta=eta,
            hidden=hidden,
            lifetimes=lifetimes,
            seed=seed,
            threads=threads,
            done=advance,
        )
    if plot is not None:
        from hebbarium.plots import comparison, style

        style.save(comparison.draw_comparison(result), plot)
    if common.json:
        print_json(result.summary())
    else:
        _show(result)


def _show(result: SideBySide) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    console.print(_title(result), style="bold", markup=False)
    scores = Table("#", "", "fitness", "95 % interval", "std", box=SIMPLE_HEAD)
    for number, contender in enumerate(result.contenders, 1):
        estimate = contender.estimate
        scores.add_row(
            str(number),
            contender.name,
            f"{estimate.value:.2f}",
            f"{estimate.low:.2f} to {estimate.high:.2f}",
            "-" if contender.std is None else f"{contender.std:.2f}",
        )
    console.print(scores)
    numbers = {contender.name: number for number, contender in enumerate(result.contenders, 1)}
    pairs = Table("pair", "difference", "95 % interval", "wins", "rank-sum p", "signed-rank p", box=SIMPLE_HEAD)
    for pair in result.pairs:
        difference = pair.difference
        pairs.add_row(
            f"{numbers[pair.a]} - {numbers[pair.b]}",
            f"{difference.value:+.2f}",
            f"{difference.low:+.2f} to {difference.high:+.2f}",
            f"{100 * pair.wins:.0f} %",
            f"{pair.rank_sum_corrected:.2g}",
            f"{pair.signed_rank_corrected:.2g}",
        )
    console.print(pairs)
    console.print("Levels are corrected for the number of pairs (false discovery rate).")


def _title(result: SideBySide) -> str:
    lives = len(result.contenders[0].fitness)
    changed = "".join(f", {option_name(name)} {value}" for name, value in result.task.changed_settings().items())
    same = f"{result.hidden} hidden neurons, the same seed {result.seed}{changed}"
    return f"{result.task.name}: {lives} lifetimes each, {same}"


task_commands(app, compare)
