"""`hebbarium sweep`: one setting over several values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from hebbarium.errors import BadInput, option_name
from hebbarium.files import check_writable
from hebbarium.plots.style import ENDINGS
from hebbarium.progress import progress
from hebbarium.tasks.base import Task

if TYPE_CHECKING:
    from hebbarium.sweeping import Sweep

app = cyclopts.App("sweep", help="One setting over several values, everything else the same.")


def sweep(
    *,
    over: Annotated[str | None, Parameter(group=LIFE)] = None,
    rule: Annotated[RuleArgument | None, Parameter(group=LIFE)] = None,
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
    over
        The setting and its values: hidden=5:50:5 (from, to, step) or eta=0.01,0.02,0.04. Any setting of the task will
        do, and hidden and eta.
    rule
        The rule, as notation, index or paper's name.
    eta
        The learning rate, where it is not what varies; the paper's named rules have their own.
    hidden
        Hidden neurons, where they are not what varies; without it as many as in the paper.
    lifetimes
        Lifetimes for each value.
    seed
        Fixes everything random: every value meets the same seeds.
    threads
        Threads; without it one for each core. The results do not depend on them.
    plot
        Draw fitness over the values to this .svg, .png or .pdf file.
    """
    if over is None:
        raise BadInput("--over is missing: give a setting and its values, such as --over hidden=5:50:5.")
    if rule is None:
        raise BadInput("--rule is missing: give one such as foraging:1, or 00+-/0000 with an eta.")
    if plot is not None:
        check_writable(plot, ENDINGS)
    from hebbarium.sweeping import read_over, sweep, variants_of

    name, values = read_over(over, task)
    life: dict[str, Any] = {"eta": eta, "hidden": hidden, "lifetimes": lifetimes, "seed": seed, "threads": threads}
    variants_of(task, rule, name, values, **life)
    prepare_kernels(task, common)
    with progress("sweeping", lifetimes * len(values), "lifetimes", quiet=common.quiet) as advance:
        result = sweep(task, rule, name, values, **life, done=advance)
    if plot is not None:
        from hebbarium.plots import comparison, style

        style.save(comparison.draw_sweep(result), plot)
    if common.json:
        print_json(result.summary())
    else:
        _show(result)


def _show(result: Sweep) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(option_name(result.over), "fitness", "95 % interval", "std", "distinct neurons", box=SIMPLE_HEAD)
    for value, lives, estimate in zip(result.values, result.lives, result.estimates(), strict=True):
        summary = lives.summary()
        spread = summary["fitness"]["std"]
        table.add_row(
            str(value),
            f"{estimate.value:.2f}",
            f"{estimate.low:.2f} to {estimate.high:.2f}",
            "-" if spread is None else f"{spread:.2f}",
            f"{summary['distinct_hidden']['mean']:.1f}",
        )
    console = Console(highlight=False, soft_wrap=True)
    console.print(_title(result), style="bold", markup=False)
    console.print(table)


def _title(result: Sweep) -> str:
    """What is the same for all values."""
    lives = result.lives[0]
    named = f" ({', '.join(result.rule.paper)})" if result.rule.paper else ""
    same = {} if result.over == "eta" else {"eta": f"{lives.rule.eta:g}"}
    same |= {} if result.over == "hidden" else {"hidden": str(lives.hidden)}
    same |= {"lifetimes": str(len(lives.counts)), "seed": str(lives.seed)}
    same |= {option_name(name): str(value) for name, value in result.task.changed_settings().items()}
    return (
        f"{result.task.name}: rule {result.rule}{named}, {', '.join(f'{name} {value}' for name, value in same.items())}"
    )


task_commands(app, sweep)
