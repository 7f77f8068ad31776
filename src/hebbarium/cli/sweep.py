"""`hebbarium sweep`: one setting over several values, or two at once."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hebbarium.agents.registry import AGENTS
from hebbarium.cli import shared_options as shared
from hebbarium.cli.commands import LIFE, TaskVerb
from hebbarium.tools.errors import BadInput, option_name, settings_in_words, shown_setting
from hebbarium.tools.terminal import make_console, table, tables
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from hebbarium.studies.sweep import Grid, Sweep


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What varies, who lives, and a picture of it."""

    over: Annotated[tuple[str, ...], Parameter(consume_multiple=False, negative="", show_default=False)] = ()
    """The setting and its values: hidden=5:50:5 (from, to, step), season-steps=500:20000:log or eta=0.01,0.02,0.04.
    Any setting of the task works, and so do hidden, eta and those of the brain, or step-size and discount of an agent
    that learns. Give --over twice to vary two settings at once."""
    rule: shared.RuleArgument | None = None
    """The rule, by notation, index or name in the paper, with its eta after an @ (00+-/0000@0.04), or layered."""
    agent: str | None = dataclasses.field(default=None, metadata={"choices": AGENTS})
    """Run an agent without a rule instead, as in `live`."""
    plot: shared.Picture | None = None
    """Draw fitness over the values to this .svg, .png or .pdf file; for two settings as a heat map."""


def sweep(
    *,
    asked: Annotated[Asked, LIFE],
    life: shared.LifeOptions,
    learning: shared.LearningOptions,
    place: shared.PlaceOptions,
    task: World,
    common: shared.CommonOptions,
) -> None:
    if not asked.over:
        raise BadInput("--over is missing: give a setting and its values, such as --over hidden=5:50:5.")
    from hebbarium.studies.engine import carry_out
    from hebbarium.studies.live import LiveStudy
    from hebbarium.studies.plots import draw_grid, draw_sweep
    from hebbarium.studies.sweep import Sweep, read_overs, sweep_study

    over = read_overs(asked.over, task, asked.agent)
    study = sweep_study(task, asked.rule, over, agent=asked.agent, **life, **learning)
    if study.chosen is not None:
        common.say_eta([study.chosen], *(one.experiment for one in study.lived if isinstance(one, LiveStudy)))
    result = carry_out(study, threads=place, report=common)
    common.draw(lambda: draw_sweep(result) if isinstance(result, Sweep) else draw_grid(result), asked.plot)
    common.hand_over(result.summary(), _print_sweep if isinstance(result, Sweep) else _print_grid, result)


def _print_grid(result: Grid) -> None:
    """Means: the first setting down, the second across."""
    down, across = map(option_name, result.over)
    rows = [
        (str(value), *(f"{mean:z.2f}" for mean in means))
        for value, means in zip(result.values[0], result.means(), strict=True)
    ]
    errors = [lives.summary()["fitness"]["sem"] or 0.0 for lives in result.every]
    console = make_console(soft_wrap=True)
    console.print(_title(result), style="bold")
    for part in tables((f"{down} \\ {across}", *map(str, result.values[1])), rows, console.width):
        console.print("", part)
    console.print(f"\nMean fitness; standard errors are at most {max(errors):.2f}.")


def _print_sweep(result: Sweep) -> None:
    rows, networks = [], any(lives.distinct_hidden is not None for lives in result.lives)
    for value, lives, estimate in zip(result.values, result.lives, result.estimates(), strict=True):
        spread, distinct = lives.summary()["fitness"]["std"], lives.distinct_hidden
        row = [str(value), f"{estimate.value:z.2f}", estimate.interval()]
        row.append("-" if spread is None else f"{spread:.2f}")
        rows.append([*row, *(["-" if distinct is None else f"{distinct.mean():.1f}"] if networks else [])])
    heads = (option_name(result.over), "fitness", "95 % interval", "std", *(["distinct neurons"] if networks else []))
    shown = table(heads, rows, words=(0,) if isinstance(result.values[0], str) else ())
    console = make_console(soft_wrap=True)
    console.print(_title(result), style="bold")
    console.print(shown)


def _title(result: Sweep | Grid) -> str:
    """The line above the table: what is the same for all values."""
    lives, over = result.every[0], result.axes
    named = f" ({', '.join(result.rule.paper)})" if result.rule is not None and result.rule.paper else ""
    same = {} if "eta" in over or result.rule is None else {"eta": result.rule.eta_text}
    same |= {} if "hidden" in over or lives.hidden is None else {"hidden": shown_setting(lives.hidden)}
    same |= {"lifetimes": str(len(lives.counts)), "seed": str(lives.seed)}
    settings = settings_in_words(same | result.same_settings())
    return f"{result.task.label}: {lives.short_who}{named}, {settings}"


app = TaskVerb(sweep, "Vary one setting, or two at once, and keep everything else the same.").app
