"""`hebbarium compare`: rules and agents side by side on the same seeds."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from hebbarium.cli import shared_options as shared
from hebbarium.cli.commands import LIFE, TaskVerb
from hebbarium.tools.errors import settings_in_words, shown_setting
from hebbarium.tools.terminal import make_console, table
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from hebbarium.studies.compare import SideBySide


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Who is compared beside the rules, and a picture of it."""

    agent: tuple[str, ...] = dataclasses.field(default=(), metadata={"kind": shared.SEVERAL_AGENTS})
    """Also compare with an agent without a rule. Can be repeated."""
    plot: shared.Picture | None = None
    """Draw all lives side by side to this .svg, .png or .pdf file."""


def compare(
    *rules: shared.RuleArguments,
    asked: Annotated[Asked, LIFE],
    life: shared.LifeOptions,
    learning: shared.LearningOptions,
    place: shared.PlaceOptions,
    task: World,
    common: shared.CommonOptions,
) -> None:
    from hebbarium.studies.compare import contest_of
    from hebbarium.studies.engine import carry_out
    from hebbarium.studies.plots import draw_comparison

    contest = contest_of(task, rules, asked.agent, **life, **learning)
    common.say_eta(contest.rules.values(), contest.experiment)
    result = carry_out(contest, threads=place, report=common)
    common.draw(lambda: draw_comparison(result), asked.plot)
    common.hand_over(result.summary(), _print_comparison, result)


def _print_comparison(result: SideBySide) -> None:
    from hebbarium.studies.live import std_in_words

    many, changed = len(result.contenders[0].fitness), settings_in_words(result.experiment.changed_settings())
    neurons = "" if result.hidden is None else f", {shown_setting(result.hidden)} hidden neurons"
    title = f"{result.task.label}: {many} lifetimes each{neurons}, seed {result.seed} for all"
    if result.learning:
        changed = "; ".join(filter(None, [changed, f"learning agents: {settings_in_words(result.learning)}"]))
    who = "rule or agent" if any(one.rule is None for one in result.contenders) else "rule"
    scores = [
        (
            str(number),
            contender.name,
            f"{contender.estimate.value:z.2f}",
            contender.estimate.interval(),
            "-" if contender.std is None else f"{contender.std:.2f}",
        )
        for number, contender in enumerate(result.contenders, 1)
    ]
    numbers = {contender.name: number for number, contender in enumerate(result.contenders, 1)}
    pairs = [
        (
            f"{numbers[pair.a]} - {numbers[pair.b]}",
            f"{pair.difference.value:+z.2f}",
            pair.difference.interval("+z.2f"),
            f"{100 * pair.wins:.0f} %",
            f"{pair.rank_sum_corrected:.2g}",
            f"{pair.signed_rank_corrected:.2g}",
        )
        for pair in result.pairs
    ]
    tables = (
        table(("#", who, "fitness", "95 % interval", "std"), scores, words=(1,)),
        table(("pair", "difference", "95 % interval", "wins", "rank-sum p", "signed-rank p"), pairs, words=()),
    )
    console = make_console(soft_wrap=True)
    console.print(f"{title}{f', {changed}' if changed else ''}", style="bold")
    for one in tables:
        console.print(one)
    console.print(
        f"The std is over {std_in_words(result.task, many)}; p-values are FDR-corrected. "
        "Wins: how often the first rule of a pair scores more, on the same lifetimes; a tie counts half."
    )


app = TaskVerb(compare, "Compare rules and agents on the same seeds, with statistics.").app
