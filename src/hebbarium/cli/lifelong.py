"""`hebbarium lifelong`: does it keep learning?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import cyclopts
from cyclopts import Parameter

from hebbarium.cli.options import LIFE
from hebbarium.cli.shared_options import (
    NARROW,
    CommonOptions,
    LearningOptions,
    LifeOptions,
    PlaceOptions,
    RuleArguments,
    TaskVerb,
    table,
)
from hebbarium.tools.errors import printable, settings_in_words
from hebbarium.tools.terminal import make_console
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    import numpy as np
    from rich.table import Table

    from hebbarium.studies.lifelong.measures import Value
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
    common.say_eta(plan.rules, plan.experiment)
    study = carry_out(plan, folder, threads=place, report=common)
    common.hand_over({**study.summary(), "run": str(folder)}, _show, study, folder)


def _show(study: Lifelong, folder: Path) -> None:
    console, experiment = make_console(soft_wrap=True), study.plan.experiment
    same = {"hidden": experiment.brain.hidden, "lifetimes": experiment.lifetimes, "seed": experiment.seed}
    same |= {"seasons": experiment.world.seasons, **experiment.changed_settings()}
    console.print(f"{experiment.world.label}: {settings_in_words(same)}\n", style="bold")
    for one in _tables(study):
        console.print(one, "")
    console.print(f"The page, with intervals and curves: {printable(str(folder / 'lifelong.html'))}")


def _tables(study: Lifelong) -> tuple[Table, ...]:
    """Ageing, recovery and transfer, with a row for each rule or agent."""
    from hebbarium.studies.lifelong import measures
    from hebbarium.studies.lifelong.long_life import NEVER

    world = study.plan.world
    kinds = ", ".join(world.kinds[kind] for kind in dict.fromkeys(world.season_kinds))
    aged, recovered, transferred = [], [], []
    for life in study.lives:
        name, half = life.subject.short, life.half_life.value
        # At birth and in the end; an agent has no network to speak of.
        bias, neurons = (
            "" if life.subject.chosen is None else f"{values[0]:{form}} to {values[-1]:{form}}"
            for values, form in ((life.fading["hidden_bias"], "z.2f"), (life.fading["kinds_of_hidden"], "z.0f"))
        )
        aged.append(
            (
                name,
                _with_error(measures.young(life.lived.fitness)),
                _with_error(measures.late(life.lived.fitness)),
                _number(life.late_over_young, "z.2f"),
                "never" if half is None else f"{half:z.0f}",
                bias,
                neurons,
            )
        )
        steps = [one.steps for one in life.recovery[:SHOWN]]
        recovery = ({None: _number(one, ",.0f"), NEVER: "never"}.get(one.why, "-") for one in steps)
        recovered.append((name, *recovery, _numbers(life.savings.values(), ".0%")))
        ways = (_number(life.transfer[f"{way}_transfer"], "+z.1f") for way in ("backward", "forward"))
        transferred.append((name, *ways, _numbers(life.relative_performance.values(), "z.2f")))
    young, late = (f"seasons\n{seasons}" for seasons in study.plan.young_and_late)
    return (
        table(
            ("rule", young, late, "late/\nyoung", "half in\nseason", "hidden\nbias", "kinds of\nneurons"),
            aged,
            title="Ageing: early and late fitness (± standard error), and what changes",
            **NARROW,
        ),
        table(
            ("rule", *world.season_names[:SHOWN], f"savings\n{kinds}"),
            recovered,
            title="Recovery: steps until a season is learned",
            **NARROW,
        ),
        table(
            ("rule", "backward\ntransfer", "forward\ntransfer", f"relative to lives of\none season: {kinds}"),
            transferred,
            title="Transfer: what a later season (backward) or an earlier one (forward) adds",
            **NARROW,
        ),
    )


def _numbers(values: Iterable[Value], form: str) -> str:
    return ", ".join(_number(value, form) for value in values)


def _number(value: Value | None, form: str) -> str:
    return "-" if value is None or value.value is None else f"{value.value:{form}}"


def _with_error(values: np.ndarray) -> str:
    """Mean and standard error. values: float64 [life]"""
    from hebbarium.tools import statistics

    return f"{statistics.mean(values):z.1f} ± {statistics.sem(values):z.1f}"


TaskVerb(app, lifelong, seasons=32, lifetimes=200)
