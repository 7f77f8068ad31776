"""`hebbarium live`: let agents live under one rule."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from hebbarium.agents.registry import AGENTS, make_agent
from hebbarium.cli import shared_options as shared
from hebbarium.cli.commands import FILES, LIFE, TaskVerb
from hebbarium.tools.errors import BadInput, counted, option_name, settings_in_words, shown_setting
from hebbarium.tools.terminal import NARROW, make_console, table
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from hebbarium.studies.live import Lives


@dataclass(frozen=True, kw_only=True)
class Files:
    """What is read and written beside the result."""

    plot: shared.Picture | None = None
    """Draw what the first life collects, step by step, to this .svg, .png or .pdf file."""
    weights: shared.Picture | None = None
    """Draw the first life's weights at birth and after each season to this .svg, .png or .pdf file."""
    save: shared.NetworksFile | None = None
    """Save the trained networks to this .npz file."""
    load: Path | None = None
    """Start from the networks in this .npz file instead of random ones."""

    def write(self, lives: Lives, common: shared.Common) -> None:
        """What was asked for, of the first life (lived again) and of all grown networks."""
        from hebbarium.studies.plots import draw_life, draw_weights, snapshot_every
        from hebbarium.studies.trace import trace_experiment

        if lives.experiment is not None:  # agents have no network to draw
            traced = functools.partial(trace_experiment, lives.experiment, keep_steps=False)
            every = snapshot_every(lives.task.steps)
            common.draw(lambda: draw_life(traced(every=every, keep_weights=False)), self.plot)
            common.draw(lambda: draw_weights(traced()), self.weights)
        if lives.networks is not None and self.save is not None:
            lives.networks.save(self.save)
            common.say(f"wrote {self.save}")


@dataclass(frozen=True, kw_only=True)
class Who:
    """Who lives."""

    rule: shared.RuleArgument | None = None
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
    life: shared.LifeOptions,
    learning: shared.LearningOptions,
    files: Annotated[Files, FILES],
    place: shared.PlaceOptions,
    task: World,
    common: shared.CommonOptions,
) -> None:
    from hebbarium.executors.memory import check_hidden
    from hebbarium.studies.choosing_eta import rule_to_live_by
    from hebbarium.studies.engine import Study, carry_out
    from hebbarium.studies.live import LiveStudy, agent_study, experiment_of

    study: Study[Lives]
    if who.agent is None:
        for name in learning:
            raise BadInput(f"--{option_name(name)} is for --agent tabular and linear, not for a rule: leave it out.")
        chosen = rule_to_live_by(task, who.rule, life.pop("eta", None), frozen=who.frozen)
        experiment = experiment_of(task, chosen, frozen=who.frozen, networks=files.load, **life)
        check_hidden(experiment.world, experiment.brain.hidden, experiment.lifetimes if files.save else 0)
        common.say_eta([chosen], experiment)
        study = LiveStudy(experiment, files.save is not None)
    else:
        given = {"rule": who.rule, **life, **vars(files), "frozen": who.frozen or None}
        for option, value in given.items():
            if value is not None and option not in ("hidden", "lifetimes", "seed"):
                raise BadInput(
                    f"--{option_name(option)} cannot be used with --agent {who.agent}: this agent has no rule."
                )
        if "hidden" in life and not make_agent(who.agent).network:
            raise BadInput(f"--hidden cannot be used with --agent {who.agent}, which has no network.")
        study = agent_study(task, who.agent, **life, **learning)
    lives = carry_out(study, threads=place, report=common)
    files.write(lives, common)
    common.hand_over(lives.summary(), _print_lives, lives)


def _print_lives(lives: Lives) -> None:
    from hebbarium.show.plots import season_title
    from hebbarium.studies.live import std_in_words
    from hebbarium.worlds.seasons import FEWEST_LIVES

    result, many, who = lives.summary(), len(lives.counts), f"the {lives.agent} agent"
    if lives.rule is not None:
        paper = f" ({', '.join(lives.rule.paper)})" if lives.rule.paper else ""
        who = "frozen networks" if lives.frozen else f"rule {lives.rule}{paper}, eta {lives.rule.eta_text}"
    hidden = "" if lives.hidden is None else f", {shown_setting(lives.hidden)} hidden neurons"
    lived = f"{counted(many, 'lifetime')}, seed {lives.seed}"
    changed = settings_in_words(result["settings"])
    title = f"{lives.task.label}: {who}{hidden}, {lived}{f', {changed}' if changed else ''}"
    columns, rows, random = ("fitness", *lives.task.counts), [], lives.task.season_lengths == "random"
    for season in result["seasons"]:
        cells = [mean_and_std(season.get("usual_length", season)[column]) for column in columns]
        cells += [mean_and_std(season["season_steps"], ",.0f")] if random else []
        rows.append((season_title(season["season"]), *cells))
    heads = ("mean (std)" if many > 1 else "season", *columns, *(["length"] if random else []))
    seasons = table(heads, rows, **(NARROW if len(heads) > 5 else {}))
    # A count whose axis has another word than its name needs that word here, too.
    words = zip(lives.task.counts, lives.task.counted, strict=False)
    unusual = [f"{count}: {meaning}" for count, meaning in words if count.rstrip("s") not in meaning]
    console = make_console(soft_wrap=True)
    console.print(title, style="bold")
    console.print(seasons)
    if unusual:
        console.print(f"{'; '.join(unusual)}.")
    if random and many >= FEWEST_LIVES:
        console.print(
            f"The table is for seasons of {lives.task.season_steps:,} steps: what their own lengths (last column) add "
            "or take away is left out."
        )
    fitness, distinct, spread = result["fitness"], result["distinct_hidden"], ""
    if fitness["low"] is not None:
        spread = (
            f", standard error {fitness['sem']:.2f}, 95 % interval {fitness['low']:z.2f} to {fitness['high']:z.2f}; "
            f"std over {std_in_words(lives.task, many)} {fitness['std']:.2f}"
        )
    console.print(f"fitness {fitness['mean']:z.2f}{spread}")
    if distinct is not None and lives.hidden != 0:
        all_hidden = sum(lives.hidden) if isinstance(lives.hidden, tuple) else lives.hidden
        console.print(
            f"distinct hidden neurons at the end of life: {distinct['mean']:.1f} of {all_hidden} on average, at least "
            f"{distinct['min']}"
        )
    if lives.judged:
        console.print(lives.judged)
    rate = result["steps_per_second"]
    pace = f"{rate / 1e6:.1f} million" if rate >= 1e5 else f"{rate:,.0f}"
    console.print(f"{lives.steps:,} steps in {lives.seconds:.2f} s ({pace} a second), digest {lives.digest[:12]}")


def mean_and_std(value: dict[str, float | None], form: str = "z.1f") -> str:
    """Such as `9.1 (0.4)`; of one life there is no standard deviation."""
    return f"{value['mean']:{form}}" + ("" if value["std"] is None else f" ({value['std']:{form}})")


app = TaskVerb(live, "Run agents with one rule: scores per season, plots, weights.").app
