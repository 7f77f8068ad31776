"""`hebbarium live`: let agents live under one rule."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import cyclopts
from cyclopts import Parameter

from hebbarium.cli.common import (
    FILES,
    LIFE,
    USUAL,
    Common,
    CommonOptions,
    Flag,
    RuleArgument,
    prepare_kernels,
    print_json,
    task_commands,
)
from hebbarium.errors import BadInput, option_name
from hebbarium.files import check_writable
from hebbarium.plots.style import ENDINGS
from hebbarium.progress import progress
from hebbarium.rule import Rule
from hebbarium.tasks.base import Task

if TYPE_CHECKING:
    from hebbarium.living import Lives
    from hebbarium.networks import Networks

app = cyclopts.App("live", help="Let agents live under one rule; scores per season.")


@dataclass(frozen=True, kw_only=True)
class Files:
    """What is read and written beside the result."""

    plot: Path | None = None
    """Draw what the first life collects, step by step, to this .svg, .png or .pdf file."""
    weights: Path | None = None
    """Draw the first life's weights at birth and after each season to this .svg, .png or .pdf file."""
    save: Path | None = None
    """Keep the grown networks in this .npz file."""
    load: Path | None = None
    """Live on with the networks of this .npz file instead of newborn ones."""

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
    """The rule: eight of -0+ such as 00+-/0000, an index 0 to 6560, or a paper's name such as foraging:1."""
    agent: Literal["perfect", "hill-climbing", "random"] | None = None
    """Instead of a rule, an agent without one: perfect (hand-coded), hill-climbing (1000 iterations a season) or
    random."""
    eta: float | None = None
    """The learning rate, from 0 up to 1; the paper's named rules have their own."""
    frozen: Flag = False
    """Live without plasticity: no weight ever changes."""
    hidden: int | None = None
    """Hidden neurons; without it as many as in the paper."""
    lifetimes: int | None = None
    """How many lifetimes; without it 100, or as many as --load brings."""
    seed: int = 1
    """Fixes everything random: the same seed gives the same lives."""
    threads: int | None = None
    """Threads; without it one for each core. The results do not depend on them."""


def live(
    *,
    life: Annotated[Life, Parameter(name="*", group=LIFE)] = Life(),  # noqa: B008 - immutable
    files: Annotated[Files, Parameter(name="*", group=FILES)] = Files(),  # noqa: B008
    task: Task,
    common: CommonOptions = USUAL,
) -> None:
    files.check()
    if life.agent is not None:
        _live_agent(task, life, files, common)
        return
    from hebbarium.living import read_networks, rule_to_live_by, sizes

    rule = rule_to_live_by(task, life.rule, life.eta, life.frozen)
    born = read_networks(files.load)
    hidden, lifetimes = sizes(task, life.hidden, life.lifetimes, born)
    lives = _live(task, rule, life, hidden, lifetimes, born, files, common)
    _write_files(files, lives, born)
    for path in filter(None, (files.plot, files.weights, files.save)):
        common.remark(f"wrote {path}")
    if common.json:
        print_json(lives.summary())
    else:
        _print_table(lives)


def _live_agent(task: Task, life: Life, files: Files, common: Common) -> None:
    """An agent without a rule: nothing to learn, draw or keep."""
    given = {"rule": life.rule, "eta": life.eta, **vars(files), "frozen": life.frozen or None}
    for name, value in given.items():
        if value is not None:
            raise BadInput(f"--{name} cannot be used with --agent {life.agent}, which lives without a rule.")
    from hebbarium.agents.living import live_agent
    from hebbarium.agents.registry import make_agent
    from hebbarium.living import USUAL_LIFETIMES, check_life

    if life.hidden is not None and not make_agent(str(life.agent)).network:
        raise BadInput(f"--hidden cannot be used with --agent {life.agent}, which has no network.")

    lifetimes = USUAL_LIFETIMES if life.lifetimes is None else life.lifetimes
    hidden = task.default_hidden if life.hidden is None else life.hidden
    check_life(task, hidden, lifetimes, life.seed, life.threads)
    prepare_kernels(task, common, [str(life.agent)])
    with progress("living", lifetimes, "lifetimes", quiet=common.quiet) as advance:
        lives = live_agent(
            task,
            str(life.agent),
            hidden=hidden,
            lifetimes=lifetimes,
            seed=life.seed,
            threads=life.threads,
            done=advance,
        )
    if common.json:
        print_json(lives.summary())
    else:
        _print_table(lives, f"the {life.agent} agent")


def _live(
    task: Task,
    rule: Rule,
    life: Life,
    hidden: int,
    lifetimes: int,
    born: Networks | None,
    files: Files,
    common: Common,
) -> Lives:
    from hebbarium.living import check_life, live

    check_life(task, hidden, lifetimes, life.seed, life.threads, files.save is not None)
    prepare_kernels(task, common)
    with progress("living", lifetimes, "lifetimes", quiet=common.quiet) as advance:
        return live(
            task,
            rule,
            hidden=hidden,
            lifetimes=lifetimes,
            seed=life.seed,
            threads=life.threads,
            frozen=life.frozen,
            networks=born,
            keep_networks=files.save is not None,
            done=advance,
        )


def _write_files(files: Files, lives: Lives, born: Networks | None) -> None:
    if lives.networks is not None and files.save is not None:
        lives.networks.save(files.save)
    if files.plot is None and files.weights is None:
        return
    from hebbarium.plots import collected, style, weights
    from hebbarium.traces import trace

    first: dict[str, Any] = {
        "hidden": lives.hidden,
        "seed": lives.seed,
        "frozen": lives.frozen,
        "networks": born,
        "keep_steps": False,
    }
    if files.plot is not None:
        every = collected.snapshot_every(lives.task.steps)
        style.save(collected.draw(trace(lives.task, lives.rule, every=every, keep_weights=False, **first)), files.plot)
    if files.weights is not None:
        style.save(weights.draw(trace(lives.task, lives.rule, **first)), files.weights)


def _print_table(lives: Lives, who: str = "") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from hebbarium.plots.style import season_title

    result = lives.summary()
    columns = ("fitness", *lives.task.counts)
    table = Table(box=SIMPLE_HEAD)
    table.add_column("season")
    for column in columns:
        table.add_column(column, justify="right")
    for season in result["seasons"]:
        table.add_row(season_title(season["season"]), *(_mean_and_std(season[column]) for column in columns))
    console = Console(highlight=False, soft_wrap=True)
    console.print(_title(lives, result, who), style="bold", markup=False)
    console.print(table)
    for line in _lines(lives, result):
        console.print(line)


def _lines(lives: Lives, result: dict[str, Any]) -> list[str]:
    from hebbarium.statistics import mean_interval

    return [
        _fitness_line(result["fitness"], mean_interval(lives.life_fitness)),
        *_neurons_line(result["distinct_hidden"], lives.hidden),
        f"{lives.steps:,} steps in {lives.seconds:.2f} s ({result['steps_per_second'] / 1e6:.1f} million a second), "
        f"digest {lives.digest[:12]}",
    ]


def _neurons_line(distinct: dict[str, float] | None, hidden: int) -> list[str]:
    if distinct is None:
        return []
    return [
        f"distinct hidden neurons at the end of life: {distinct['mean']:.1f} of {hidden} on average, "
        f"at least {distinct['min']}"
    ]


def _title(lives: Lives, result: dict[str, Any], who: str = "") -> str:
    rule = who or ("frozen networks" if lives.frozen else f"rule {lives.rule}")
    if lives.rule.paper and not lives.frozen:
        rule += f" ({', '.join(lives.rule.paper)})"
    eta = "" if lives.frozen else f", eta {lives.rule.eta:g}"
    many = f"{len(lives.counts)} lifetime{'s' if len(lives.counts) > 1 else ''}"
    changed = "".join(f", {option_name(name)} {value}" for name, value in lives.task.changed_settings().items())
    hidden = "" if result["hidden"] is None else f", {result['hidden']} hidden neurons"
    return f"{lives.task.name}: {rule}{eta}{hidden}, {many}, seed {lives.seed}{changed}"


def _mean_and_std(value: dict[str, float | None]) -> str:
    if value["std"] is None:
        return f"{value['mean']:.1f}"
    return f"{value['mean']:.1f} ± {value['std']:.1f}"


def _fitness_line(fitness: dict[str, float | None], interval: tuple[float, float] | None) -> str:
    if interval is None:
        return f"fitness [bold]{fitness['mean']:.2f}[/bold]"
    return (
        f"fitness [bold]{fitness['mean']:.2f}[/bold], standard error {fitness['sem']:.2f}, "
        f"95 % interval {interval[0]:.2f} to {interval[1]:.2f}; std {fitness['std']:.2f}"
    )


task_commands(app, live)
