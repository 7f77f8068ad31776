"""`hebbarium lifelong`: does it keep learning?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from hebbarium.cli import shared_options as shared
from hebbarium.cli.commands import LIFE, TaskVerb
from hebbarium.tools.errors import printable, settings_in_words
from hebbarium.tools.terminal import NARROW, make_console, table
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    import numpy as np
    from rich.table import Table

    from hebbarium.studies.lifelong.measures import Value
    from hebbarium.studies.lifelong.study import Lifelong


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
    *rules: shared.RuleArguments,
    asked: Annotated[Asked, LIFE],
    life: shared.LifeOptions,
    learning: shared.LearningOptions,
    place: shared.PlaceOptions,
    task: World,
    common: shared.CommonOptions,
) -> None:
    from hebbarium.studies.engine import carry_out
    from hebbarium.studies.lifelong.study import plan_of

    plan = plan_of(task, rules, asked.agent, **life, **learning)
    folder = asked.out or plan.folder
    common.say_eta(plan.rules, plan.experiment)
    study = carry_out(plan, folder, threads=place, report=common)
    common.hand_over({**study.summary(), "run": str(folder)}, _print_long_lives, study, folder)


def _print_long_lives(study: Lifelong, folder: Path) -> None:
    console, experiment = make_console(soft_wrap=True), study.plan.experiment
    same: dict[str, Any] = {"hidden": experiment.brain.hidden} if study.plan.rules else {}  # agents have no network
    same |= {"lifetimes": experiment.lifetimes, "seed": experiment.seed}
    same |= {"seasons": experiment.world.seasons, **experiment.changed_settings()}
    console.print(f"{experiment.world.label}: {settings_in_words(same)}\n", style="bold")
    for one in _tables(study):
        console.print(one, "")
    for why, names in _dashes(study).items():
        console.print(f"A dash {why} ({', '.join(names)}).")
    if experiment.world.season_lengths == "random":
        console.print(
            f"Fitness is for seasons of {experiment.world.season_steps:,} steps: what their own lengths add or take "
            "away is left out."
        )
    console.print(f"The page, with intervals and curves: {printable(str(folder / 'lifelong.html'))}")


def _tables(study: Lifelong) -> tuple[Table, ...]:
    """Ageing, recovery and transfer, with a row for each rule or agent."""
    from hebbarium.studies.lifelong import measures

    world = study.plan.world
    kinds = ", ".join(world.kinds[kind] for kind in dict.fromkeys(world.season_kinds))
    aged, recovered, transferred = [], [], []
    for life in study.lives:
        name, fitness = life.subject.short, life.lived.seasons.comparable
        # At birth and in the end; an agent has no network to speak of.
        bias, neurons = (
            "" if life.subject.chosen is None else f"{values[0]:{form}} to {values[-1]:{form}}"
            for values, form in ((life.fading["hidden_bias"], "z.2f"), (life.fading["kinds_of_hidden"], "z.0f"))
        )
        aged.append(
            (
                name,
                _with_error(measures.young(fitness)),
                _with_error(measures.late(fitness)),
                _number(life.late_over_young, "z.2f"),
                _number(life.half_life, "z.0f"),
                bias,
                neurons,
            )
        )
        recovery = (_number(season.steps, ",.0f") for season in life.recovery[:SHOWN])
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
    from hebbarium.studies.lifelong.long_life import NEVER, NEVER_HALF

    if value is None or value.value is None:
        return "never" if value is not None and value.why in (NEVER, NEVER_HALF) else "-"
    return f"{value.value:{form}}"


def _dashes(study: Lifelong) -> dict[str, list[str]]:
    """What the dashes of the tables mean, and in whose rows they are."""
    from hebbarium.studies.lifelong.long_life import NOT_POSITIVE, NOTHING_LEARNED, TOO_SHORT

    reasons = {
        NOT_POSITIVE: "in late/young, half or relative: what it would be compared with is not above zero (95 % level)",
        NOTHING_LEARNED: "in recovery: nothing was learned in the first season of that kind, whose end is no better "
        "than with random actions or newborn networks (95 % level)",
        TOO_SHORT: "in recovery: the first season of that kind lasted long enough to see its end in fewer than two "
        "lives, so more --lifetimes are needed",
        None: "in transfer: all seasons are of one kind",
    }
    found: dict[str, list[str]] = {}
    for life in study.lives:
        values = [life.late_over_young, life.half_life, *(season.steps for season in life.recovery[:SHOWN])]
        values += [*life.savings.values(), *life.relative_performance.values()]
        shown = [*values, life.transfer["backward_transfer"], life.transfer["forward_transfer"]]
        for why in dict.fromkeys(None if one is None else one.why for one in shown if _number(one, "") == "-"):
            found.setdefault(reasons[why], []).append(life.subject.short)
    return found


def _with_error(values: np.ndarray) -> str:
    """Mean and standard error. values: float64 [life]"""
    from hebbarium.tools import statistics

    return f"{statistics.mean(values):z.1f} ± {statistics.sem(values):z.1f}"


app = TaskVerb(
    lifelong, "Does it keep learning? Recovery, savings, forgetting, ageing and tempo.", seasons=32, lifetimes=200
).app
