"""`hebbarium sweep`: one setting over several values, or two at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import cyclopts
from cyclopts import Parameter

from hebbarium.cli.common import (
    Common,
    CommonOptions,
    LifeOptions,
    PlaceOptions,
    RuleArgument,
    TaskVerb,
    right,
)
from hebbarium.cli.options import LIFE
from hebbarium.show.plots import ENDINGS
from hebbarium.tools.errors import BadInput, option_name, shown_setting
from hebbarium.tools.files import check_writable
from hebbarium.tools.terminal import make_console
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from hebbarium.studies.grid import Grid
    from hebbarium.studies.sweep import Sweep

T = TypeVar("T", "Sweep", "Grid")

app = cyclopts.App("sweep", help="Vary one setting, or two at once, and keep everything else the same.")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What varies, under which rule, and a picture of it."""

    over: Annotated[tuple[str, ...], Parameter(consume_multiple=False, negative="", show_default=False)] = ()
    """The setting and its values: hidden=5:50:5 (from, to, step), season-steps=500:20000:log or eta=0.01,0.02,0.04.
    Any setting of the task works, and so do hidden, eta and those of the brain. Give --over twice to vary two settings
    at once."""
    rule: RuleArgument | None = None
    """The rule, by notation, index or name in the paper, with its eta after an @ (00+-/0000@0.04), or layered."""
    plot: Path | None = None
    """Draw fitness over the values to this .svg, .png or .pdf file; for two settings as a heat map."""


def sweep(
    *,
    asked: Annotated[Asked, LIFE],
    life: LifeOptions,
    place: PlaceOptions,
    task: World,
    common: CommonOptions,
) -> None:
    over, rule, plot = asked.over, asked.rule, asked.plot
    if not over:
        raise BadInput("--over is missing: give a setting and its values, such as --over hidden=5:50:5.")
    if rule is None:
        raise BadInput("--rule is missing: give one such as foraging:1, or 00+-/0000 with an eta.")
    if plot is not None:
        check_writable(plot, ENDINGS)
    usual = {"eta": None, "lifetimes": 100, **life}
    from hebbarium.studies.engine import carry_out
    from hebbarium.studies.grid import grid_of
    from hebbarium.studies.sweep import read_overs, variants_of

    settings = read_overs(over, task)
    if len(over) > 1:
        two = grid_of(task, rule, settings, **usual)
        common.say_eta(two.chosen)
        _hand_over(carry_out(two, threads=place, report=common), _show_grid, "draw_grid", plot, common)
    else:
        ((name, values),) = settings.items()
        one = variants_of(task, rule, name, values, **usual)
        common.say_eta(one.chosen)
        _hand_over(carry_out(one, threads=place, report=common), _show, "draw_sweep", plot, common)


def _hand_over(result: T, show: Callable[[T], None], draw: str, plot: Path | None, common: Common) -> None:
    """Drawn and printed as it was asked for."""
    if plot is not None:
        from hebbarium.show import plots
        from hebbarium.studies.plots import comparison

        plots.save(getattr(comparison, draw)(result), plot)
        common.say(f"wrote {plot}")
    common.hand_over(result.summary(), show, result)


def _show_grid(result: Grid) -> None:
    """Means: the first setting down, the second across."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    down, across = map(option_name, result.over)
    table = Table(*right(f"{down} \\ {across}", *map(str, result.values[1])), box=SIMPLE_HEAD)
    for value, means in zip(result.values[0], result.means(), strict=True):
        table.add_row(str(value), *(f"{mean:z.2f}" for mean in means))
    errors = [lives.summary()["fitness"]["sem"] or 0.0 for row in result.lives for lives in row]
    console = make_console(soft_wrap=True)
    console.print(_title(result), style="bold")
    console.print(table)
    console.print(f"Mean fitness; standard errors are at most {max(errors):.2f}.")


def _show(result: Sweep) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    over = option_name(result.over)
    first = [over] if isinstance(result.values[0], str) else right(over)
    table = Table(*first, *right("fitness", "95 % interval", "std", "distinct neurons"), box=SIMPLE_HEAD)
    for value, lives, estimate in zip(result.values, result.lives, result.estimates(), strict=True):
        summary = lives.summary()
        spread = summary["fitness"]["std"]
        table.add_row(
            str(value),
            f"{estimate.value:z.2f}",
            f"{estimate.low:z.2f} to {estimate.high:z.2f}",
            "-" if spread is None else f"{spread:.2f}",
            f"{summary['distinct_hidden']['mean']:.1f}",
        )
    console = make_console(soft_wrap=True)
    console.print(_title(result), style="bold")
    console.print(table)


def _title(result: Sweep | Grid) -> str:
    """What is the same for all values."""
    from hebbarium.studies.live import Lives

    first = result.lives[0]
    lives = first if isinstance(first, Lives) else first[0]
    over = (result.over,) if isinstance(result.over, str) else result.over
    named = f" ({', '.join(result.rule.paper)})" if result.rule.paper else ""
    same = {} if "eta" in over else {"eta": result.rule.eta_text}
    same |= {} if "hidden" in over else {"hidden": str(lives.hidden)}
    same |= {"lifetimes": str(len(lives.counts)), "seed": str(lives.seed)}
    same |= {option_name(name): shown_setting(value) for name, value in result.same_settings().items()}
    settings = ", ".join(f"{name} {value}" for name, value in same.items())
    return f"{result.task.label}: rule {result.rule}{named}, {settings}"


TaskVerb(app, sweep)
