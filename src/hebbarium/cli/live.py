"""`hebbarium live`: let agents live under one rule."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import cyclopts
from cyclopts import Parameter

from hebbarium.cli.common import (
    BRAIN,
    FILES,
    HERE,
    LIFE,
    USUAL,
    Common,
    CommonOptions,
    Flag,
    Place,
    PlaceOptions,
    RuleArgument,
    prepare_kernels,
    print_json,
    read_weights,
    task_commands,
)
from hebbarium.show.plots.style import ENDINGS
from hebbarium.tools.errors import BadInput, check_integer, option_name, shown_setting
from hebbarium.tools.files import check_writable
from hebbarium.tools.terminal import make_console
from hebbarium.worlds.base import World

if TYPE_CHECKING:
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
class Life:
    """Who lives, how often and from which seed."""

    rule: RuleArgument | None = None
    """The rule: eight of -0+ such as 00+-/0000, an index 0 to 6560, or a name from the paper such as foraging:1, each
    with an eta after an @ (00+-/0000@0.04); or one for each layer, hidden first: 00+-/0000@0.005,00+-/0000@0.08."""
    agent: Literal["perfect", "hill-climbing", "unscaled-climbing", "random", "tabular", "linear"] | None = None
    """Run an agent without a rule instead: perfect (hand-coded), hill-climbing (1000 iterations a season),
    unscaled-climbing (the same with weights that are never scaled), random, tabular or linear (they learn values)."""
    eta: float | None = None
    """The learning rate, from 0 up to 1, of a rule without an @; by default the paper's for a rule given by name,
    otherwise the best in the atlas of the task."""
    frozen: Flag = False
    """Run without plasticity: the weights never change."""
    hidden: int | None = None
    """Number of hidden neurons; by default the task's usual number."""
    lifetimes: int | None = None
    """Number of lifetimes; by default 100, or one for each network in --load."""
    seed: int = 1
    """Random seed: the same seed gives the same lives."""
    blame: str | None = None
    """How much each group of judgements, or an association by its id, changes the weights, such as
    open-turn=0.05,wall-turn=-0.06,3=0.05; 1 where not given."""
    eligibility: str | None = None
    """How much the previous step takes part in a change: one number, or by group of judgements, such as missed=0.5."""


@dataclass(frozen=True, kw_only=True)
class LearningOptions:
    """How the tabular and the linear agent learn."""

    step_size: float | None = None
    """The tabular and the linear agent's step size: how much of an error they correct at each step, from 0 to 1."""
    discount: float | None = None
    """How much the value of the next step counts for them, from 0 to 1."""
    told: Literal["signal", "counts"] | None = None
    """What they learn from: the world's reinforcement signal, or only what is counted, as it counts for the fitness."""


@dataclass(frozen=True, kw_only=True)
class BrainOptions:
    """What kind of network lives."""

    ties: Literal["first", "random"] | None = None
    """Which output acts when several have the largest sum; by default as usual for the task."""
    arithmetic: Literal["plain", "tallied"] | None = None
    """How weights are normalised; by default as usual for the task."""
    hidden_bias: Literal["plastic", "unscaled", "unchanged", "fixed", "none"] | None = None
    """The hidden neurons' bias: plastic like every weight, unscaled (left out of scaling), unchanged (left out of
    change), fixed (both) or none."""
    output_bias: Literal["plastic", "unscaled", "unchanged", "fixed", "none"] | None = None
    """The outputs' bias, likewise."""
    weight_noise: float | None = None
    """Standard deviation of noise that each weight of a layer gets whenever the layer changes."""
    born_alike: Annotated[bool | None, Parameter(negative="")] = None
    """All hidden neurons are born with the weights of the first."""


def live(
    *,
    life: Annotated[Life, Parameter(name="*", group=LIFE)] = Life(),
    learning: Annotated[LearningOptions, Parameter(name="*", group=LIFE)] = LearningOptions(),
    brain: Annotated[BrainOptions, Parameter(name="*", group=BRAIN)] = BrainOptions(),
    files: Annotated[Files, Parameter(name="*", group=FILES)] = Files(),
    place: PlaceOptions = HERE,
    task: World,
    common: CommonOptions = USUAL,
) -> None:
    files.check()
    if life.agent is not None:
        _live_agent(task, life, learning, brain, files, place, common)
        return
    for name, value in vars(learning).items():
        if value is not None:
            raise BadInput(f"--{option_name(name)} is for --agent tabular and linear, not for a rule: leave it out.")
    from hebbarium.executors.threads import check_hidden
    from hebbarium.studies.etas import rule_to_live_by
    from hebbarium.studies.live import carry_out, experiment_of

    chosen = rule_to_live_by(task.name, life.rule, life.eta, frozen=life.frozen)
    common.say_eta(chosen)
    experiment = experiment_of(
        task,
        chosen,
        hidden=life.hidden,
        lifetimes=life.lifetimes,
        seed=life.seed,
        frozen=life.frozen,
        networks=files.load,
        blame=read_weights("blame", life.blame),
        eligibility=read_weights("eligibility", life.eligibility, task.group_names),
        **vars(brain),
    )
    check_hidden(experiment.world, experiment.brain.hidden, experiment.lifetimes if files.save else 0)
    needed = (experiment.world, experiment.brain, common, (), experiment.blamed, [experiment.lived_by])
    prepare = functools.partial(prepare_kernels, *needed)
    with place.living(common, "living", experiment.lifetimes, prepare) as (executor, done):
        lives = carry_out(experiment, executor, keep_networks=files.save is not None, done=done)
    _write_files(files, lives, experiment)
    for path in filter(None, (files.plot, files.weights, files.save)):
        common.remark(f"wrote {path}")
    if common.json:
        print_json(lives.summary())
    else:
        _print_table(lives)


def _live_agent(
    task: World,
    life: Life,
    learning: LearningOptions,
    brain: BrainOptions,
    files: Files,
    place: Place,
    common: Common,
) -> None:
    """An agent without a rule: no network to draw or keep."""
    of_rules = {"rule": life.rule, "eta": life.eta, "blame": life.blame, "eligibility": life.eligibility}
    given = {**of_rules, **vars(brain), **vars(files), "frozen": life.frozen or None}
    for name, value in given.items():
        if value is not None:
            raise BadInput(f"--{option_name(name)} cannot be used with --agent {life.agent}: this agent has no rule.")
    from hebbarium.agents.registry import make_agent, make_agents
    from hebbarium.studies.live import USUAL_LIFETIMES, live_agent

    name = str(life.agent)
    if life.hidden is not None and not make_agent(name).network:
        raise BadInput(f"--hidden cannot be used with --agent {name}, which has no network.")
    lifetimes = check_integer("lifetimes", USUAL_LIFETIMES if life.lifetimes is None else life.lifetimes, 1)
    own = vars(learning)
    prepare = functools.partial(prepare_kernels, task, None, common, make_agents([name], **own))
    with place.living(common, "living", lifetimes, prepare) as (executor, done):
        lives = live_agent(
            task, name, hidden=life.hidden, lifetimes=lifetimes, seed=life.seed, threads=executor, done=done, **own
        )
    if common.json:
        print_json(lives.summary())
    else:
        _print_table(lives)


def _write_files(files: Files, lives: Lives, experiment: Experiment) -> None:
    if lives.networks is not None and files.save is not None:
        lives.networks.save(files.save)
    if files.plot is None and files.weights is None:
        return
    from hebbarium.show.plots import collected, style, weights
    from hebbarium.studies.trace import trace_experiment

    if files.plot is not None:
        every = collected.snapshot_every(lives.task.steps)
        life = trace_experiment(experiment, every=every, keep_steps=False, keep_weights=False)
        style.save(collected.draw(life), files.plot)
    if files.weights is not None:
        style.save(weights.draw(trace_experiment(experiment, keep_steps=False)), files.weights)


def _print_table(lives: Lives) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from hebbarium.show.plots.style import season_title

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


def _neurons_line(distinct: dict[str, float] | None, hidden: int | None) -> list[str]:
    if distinct is None:
        return []
    return [
        f"distinct hidden neurons at the end of life: {distinct['mean']:.1f} of {hidden} on average, "
        f"at least {distinct['min']}"
    ]


def _title(lives: Lives, result: dict[str, Any]) -> str:
    many = f"{len(lives.counts)} lifetime{'s' if len(lives.counts) > 1 else ''}"
    changed = "".join(f", {option_name(name)} {shown_setting(value)}" for name, value in result["settings"].items())
    hidden = "" if lives.hidden is None else f", {lives.hidden} hidden neurons"
    return f"{lives.task.name}: {_who(lives)}{hidden}, {many}, seed {lives.seed}{changed}"


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


task_commands(app, live)
