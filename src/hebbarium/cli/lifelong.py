"""`hebbarium lifelong`: does it keep learning?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import cyclopts
from cyclopts import Parameter

from hebbarium.cli.common import (
    CommonOptions,
    LearningOptions,
    LifeOptions,
    PlaceOptions,
    RuleArguments,
    TaskVerb,
)
from hebbarium.cli.options import LIFE
from hebbarium.tools.errors import option_name, printable, shown_setting
from hebbarium.tools.terminal import make_console
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    import numpy as np
    from rich.table import Table

    from hebbarium.studies.lifelong.longlife import LongLife
    from hebbarium.studies.lifelong.resampling import Value
    from hebbarium.studies.lifelong.study import Lifelong

app = cyclopts.App("lifelong", help="Does it keep learning? Recovery, savings, forgetting, ageing and tempo.")

SHOWN = 4
"""Seasons whose recovery the table shows, those of the paper's life."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Who lives long beside the rules, and where it is kept."""

    agent: Annotated[
        tuple[Literal["perfect", "random", "tabular", "linear"], ...],
        Parameter(consume_multiple=False, negative="", show_default=False),
    ] = ()
    """Also compare with an agent without a rule: perfect, random, tabular or linear. Can be repeated."""
    out: Path | None = None
    """The run's folder; by default runs/lifelong-TASK-SEED. Rerun the same command to resume, or add further rules."""


def lifelong(
    *rules: RuleArguments,
    asked: Annotated[Asked, LIFE],
    life: LifeOptions,
    learning: LearningOptions,
    place: PlaceOptions,
    task: World,
    common: CommonOptions,
) -> None:
    from hebbarium.studies.engine import carry_out
    from hebbarium.studies.lifelong.study import plan_of

    plan = plan_of(task, rules, asked.agent, **life, **learning)
    folder = asked.out or plan.folder
    common.say_eta(*plan.rules)
    study = carry_out(plan, folder, threads=place, report=common)
    common.hand_over({**study.summary(), "run": str(folder)}, _show, study, folder)


def _show(study: Lifelong, folder: Path) -> None:
    console = make_console(soft_wrap=True)
    console.print(_title(study), style="bold")
    tables = (_ageing(study), _recovery(study), _keeping(study))
    console.width = max(console.width, *(console.measure(table).maximum for table in tables))
    for table in tables:
        console.print(table, "")
    console.print(f"The page, with intervals and curves: {printable(str(folder / 'lifelong.html'))}")


def _title(study: Lifelong) -> str:
    experiment = study.plan.experiment
    same = {"hidden": experiment.brain.hidden, "lifetimes": experiment.lifetimes, "seed": experiment.seed}
    same |= {"seasons": experiment.world.seasons, **experiment.changed_settings()}
    words = (f"{option_name(name)} {shown_setting(value)}" for name, value in same.items())
    return f"{experiment.world.label}: {', '.join(words)}\n"


def _table(title: str, *columns: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, padding=(0, 0, 0, 1))
    for place, name in enumerate(("rule", *columns)):
        table.add_column(name, justify="right" if place else "left", overflow="fold")
    return table


def _ageing(study: Lifelong) -> Table:
    young, late = (f"seasons\n{seasons}" for seasons in study.plan.young_and_late)
    from hebbarium.studies.lifelong import ageing

    title = "Ageing: early and late fitness (± standard error), and what changes"
    table = _table(title, young, late, "late /\nyoung", "fallen\nto half", "hidden\nbias", "kinds of\nneurons")
    for life in study.lives:
        half = life.half_life.value
        table.add_row(
            life.subject.short,
            _with_error(ageing.young(life.lived.fitness)),
            _with_error(ageing.late(life.lived.fitness)),
            _number(life.late_over_young, "{:z.2f}"),
            "never" if half is None else f"season {half:z.0f}",
            *(_from_to(life, *measure) for measure in (("hidden_bias", "{:z.2f}"), ("kinds_of_hidden", "{:z.0f}"))),
        )
    return table


def _from_to(life: LongLife, measure: str, form: str) -> str:
    """At birth and in the end; an agent has no network to speak of."""
    values = life.fading[measure]
    return "" if life.subject.chosen is None else f"{form.format(values[0])} to {form.format(values[-1])}"


def _recovery(study: Lifelong) -> Table:
    seasons = study.plan.world.season_names[:SHOWN]
    table = _table("Recovery: steps until a season is learned", *seasons, f"savings\n{_of_kinds(study)}")
    for life in study.lives:
        table.add_row(
            life.subject.short, *(_steps(one.steps) for one in life.recovery[:SHOWN]), _kinds(life.savings, "{:.0%}")
        )
    return table


def _steps(steps: Value) -> str:
    from hebbarium.studies.lifelong.longlife import NEVER

    return {None: _number(steps, "{:,.0f}"), NEVER: "never"}.get(steps.why, "-")


def _keeping(study: Lifelong) -> Table:
    title = "Transfer: what a later season (backward) or an earlier one (forward) adds"
    relative = f"relative to lives of\none season: {_of_kinds(study)}"
    table = _table(title, "backward\ntransfer", "forward\ntransfer", relative)
    for life in study.lives:
        transfers = (life.transfer[f"{way}_transfer"] for way in ("backward", "forward"))
        table.add_row(
            life.subject.short,
            *(_number(one, "{:+z.1f}") for one in transfers),
            _kinds(life.relative_performance, "{:z.2f}"),
        )
    return table


def _kinds(values: dict[str, Value], form: str) -> str:
    return ", ".join(_number(value, form) for value in values.values())


def _of_kinds(study: Lifelong) -> str:
    world = study.plan.world
    return ", ".join(world.kinds[kind] for kind in dict.fromkeys(world.season_kinds))


def _number(value: Value | None, form: str) -> str:
    return "-" if value is None or value.value is None else form.format(value.value)


def _with_error(values: np.ndarray) -> str:
    """Mean and standard error. values: float64 [life]"""
    from hebbarium.tools import statistics

    return f"{statistics.mean(values):z.1f} ± {statistics.sem(values):z.1f}"


TaskVerb(app, lifelong, seasons=32, lifetimes=200)
