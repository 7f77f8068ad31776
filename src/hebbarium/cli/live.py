"""`hebbarium live`: let agents live under one rule."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import cyclopts

from hebbarium.agents.registry import AGENTS
from hebbarium.cli.common import (
    Common,
    CommonOptions,
    LearningOptions,
    LifeOptions,
    Place,
    PlaceOptions,
    RuleArgument,
    TaskVerb,
)
from hebbarium.cli.options import FILES, LIFE
from hebbarium.show.plots import ENDINGS
from hebbarium.tools.errors import BadInput, option_name, shown_setting
from hebbarium.tools.files import check_writable
from hebbarium.tools.terminal import make_console
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from hebbarium.brains.sizes import Hidden
    from hebbarium.experiment import Experiment
    from hebbarium.studies.live import Lives

app = cyclopts.App("live", help="Run agents with one rule: scores per season, plots, weights.")


@dataclass(frozen=True, kw_only=True)
class Files:
    """What is read and written beside the result."""

    plot: Path | None = None
    """Draw what the first life collects, step by step, to this .svg, .png or .pdf file."""
    weights: Path | None = None
    """Draw the first life's weights at birth and after each season to this .svg, .png or .pdf file."""
    save: Path | None = None
    """Save the trained networks to this .npz file."""
    load: Path | None = None
    """Start from the networks in this .npz file instead of random ones."""

    def check(self) -> None:
        """Before a single step is lived."""
        for picture in (self.plot, self.weights):
            if picture is not None:
                check_writable(picture, ENDINGS)
        if self.save is not None:
            check_writable(self.save, (".npz",))


@dataclass(frozen=True, kw_only=True)
class Who:
    """Who lives."""

    rule: RuleArgument | None = None
    """The rule: eight of -0+ such as 00+-/0000, an index 0 to 6560, or a name from the paper such as foraging:1, each
    with an eta after an @ (00+-/0000@0.04); or one for each layer, hidden first: 00+-/0000@0.005,00+-/0000@0.08."""
    agent: str | None = dataclasses.field(default=None, metadata={"choices": AGENTS})
    """Run an agent without a rule instead: perfect (hand-coded), hill-climbing (1000 iterations a season; unscaled: its
    weights are never scaled), random, or one that learns values."""
    frozen: bool = False
    """Run without plasticity: the weights never change."""


def live(
    *,
    who: Annotated[Who, LIFE],
    life: LifeOptions,
    learning: LearningOptions,
    files: Annotated[Files, FILES],
    place: PlaceOptions,
    task: World,
    common: CommonOptions,
) -> None:
    files.check()
    if who.agent is not None:
        _live_agent(task, who, life, learning, files, place, common)
        return
    for name in learning:
        raise BadInput(f"--{option_name(name)} is for --agent tabular and linear, not for a rule: leave it out.")
    from hebbarium.executors.threads import check_hidden
    from hebbarium.studies.engine import carry_out
    from hebbarium.studies.etas import rule_to_live_by
    from hebbarium.studies.live import LiveStudy, experiment_of

    chosen = rule_to_live_by(task, who.rule, life.pop("eta", None), frozen=who.frozen)
    experiment = experiment_of(task, chosen, frozen=who.frozen, networks=files.load, **life)
    check_hidden(experiment.world, experiment.brain.hidden, experiment.lifetimes if files.save else 0)
    common.say_eta(chosen, changed=experiment.changed_settings())
    lives = carry_out(LiveStudy(experiment, files.save is not None), threads=place, report=common)
    _write_files(files, lives, experiment)
    for path in filter(None, (files.plot, files.weights, files.save)):
        common.say(f"wrote {path}")
    common.hand_over(lives.summary(), _print_table, lives)


def _live_agent(
    task: World,
    who: Who,
    life: dict[str, Any],
    learning: dict[str, Any],
    files: Files,
    place: Place,
    common: Common,
) -> None:
    """An agent without a rule: no network to draw or keep."""
    from hebbarium.agents.registry import make_agent
    from hebbarium.studies.engine import carry_out
    from hebbarium.studies.live import agent_study

    name, taken = str(who.agent), ("hidden", "lifetimes", "seed")
    given = {"rule": who.rule, **life, **vars(files), "frozen": who.frozen or None}
    for option, value in given.items():
        if value is not None and option not in taken:
            raise BadInput(f"--{option_name(option)} cannot be used with --agent {name}: this agent has no rule.")
    if "hidden" in life and not make_agent(name).network:
        raise BadInput(f"--hidden cannot be used with --agent {name}, which has no network.")
    lives = carry_out(agent_study(task, name, **life, **learning), threads=place, report=common)
    common.hand_over(lives.summary(), _print_table, lives)


def _write_files(files: Files, lives: Lives, experiment: Experiment) -> None:
    if lives.networks is not None and files.save is not None:
        lives.networks.save(files.save)
    if files.plot is None and files.weights is None:
        return
    from hebbarium.show import plots
    from hebbarium.studies.plots import collected, weights
    from hebbarium.studies.trace import trace_experiment

    if files.plot is not None:
        every = collected.snapshot_every(lives.task.steps)
        life = trace_experiment(experiment, every=every, keep_steps=False, keep_weights=False)
        plots.save(collected.draw(life), files.plot)
    if files.weights is not None:
        plots.save(weights.draw(trace_experiment(experiment, keep_steps=False)), files.weights)


def _print_table(lives: Lives) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from hebbarium.show.plots import season_title

    result = lives.summary()
    columns = ("fitness", *lives.task.counts)
    table = Table(box=SIMPLE_HEAD)
    table.add_column("mean (std)" if len(lives.counts) > 1 else "season")
    for column in columns:
        table.add_column(column, justify="right")
    for season in result["seasons"]:
        table.add_row(season_title(season["season"]), *(_mean_and_std(season[column]) for column in columns))
    console = make_console(soft_wrap=True)
    console.print(_title(lives, result), style="bold")
    console.print(table)
    for line in _lines(lives, result):
        console.print(line)


def _lines(lives: Lives, result: dict[str, Any]) -> list[str]:
    return [
        _fitness_line(result["fitness"], lives.task.std_over),
        *_neurons_line(result["distinct_hidden"], lives.hidden),
        f"{lives.steps:,} steps in {lives.seconds:.2f} s ({result['steps_per_second'] / 1e6:.1f} million a second), "
        f"digest {lives.digest[:12]}",
    ]


def _neurons_line(distinct: dict[str, float] | None, hidden: Hidden | None) -> list[str]:
    if distinct is None or hidden == 0:
        return []
    return [
        f"distinct hidden neurons at the end of life: {distinct['mean']:.1f} of {shown_setting(hidden)} on average, "
        f"at least {distinct['min']}"
    ]


def _title(lives: Lives, result: dict[str, Any]) -> str:
    many = f"{len(lives.counts)} lifetime{'s' if len(lives.counts) > 1 else ''}"
    changed = "".join(f", {option_name(name)} {shown_setting(value)}" for name, value in result["settings"].items())
    hidden = "" if lives.hidden is None else f", {shown_setting(lives.hidden)} hidden neurons"
    return f"{lives.task.label}: {_who(lives)}{hidden}, {many}, seed {lives.seed}{changed}"


def _who(lives: Lives) -> str:
    if lives.rule is None:
        return f"the {lives.agent} agent"
    if lives.frozen:
        return "frozen networks"
    paper = f" ({', '.join(lives.rule.paper)})" if lives.rule.paper else ""
    return f"rule {lives.rule}{paper}, eta {lives.rule.eta_text}"


def _mean_and_std(value: dict[str, float | None]) -> str:
    if value["std"] is None:
        return f"{value['mean']:z.1f}"
    return f"{value['mean']:z.1f} ({value['std']:.1f})"


def _fitness_line(fitness: dict[str, float | None], std_over: str) -> str:
    if fitness["low"] is None:
        return f"fitness {fitness['mean']:z.2f}"
    return (
        f"fitness {fitness['mean']:z.2f}, standard error {fitness['sem']:.2f}, "
        f"95 % interval {fitness['low']:z.2f} to {fitness['high']:z.2f}; std over {std_over} {fitness['std']:.2f}"
    )


TaskVerb(app, live)
