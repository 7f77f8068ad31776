"""`hebbarium explain`: a rule in words, its relatives, and what each entry is worth."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hebbarium.cli.commands import ASKED, Verb
from hebbarium.cli.parsing import MINUS
from hebbarium.cli.shared_options import CommonOptions, LifeOptions, Place, PlaceOptions, RuleArgument
from hebbarium.rules.layered import read_rule
from hebbarium.rules.rule import ENTRIES
from hebbarium.rules.words import note, situation
from hebbarium.studies.explain import Explanation, Known, Neighbour, check_measured, home, rank_words
from hebbarium.studies.explain import explain as explained
from hebbarium.tools.errors import BadInput, settings_in_words, shown_setting
from hebbarium.tools.terminal import make_console, table
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from rich.table import Table

RULE = (
    "The rule: eight of -0+ such as 00+-/0000, an index 0 to 6560, a name from the paper such as foraging:1, or one "
    "for each layer such as frozen,00+-/0000@0.06."
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Where it is explained, and whether it is measured."""

    task: str | None = None
    """The task whose figures to show; by default the paper's task for this rule, or foraging."""
    measure: bool = False
    """Run the rule and its neighbours now, at the rule's eta, instead of reading the atlas. All options of a life are
    for this; --threads and --cluster say where."""


def explain(
    rule: Annotated[RuleArgument, Parameter(help=RULE)],
    /,
    *,
    asked: Annotated[Asked, ASKED],
    life: LifeOptions,
    place: PlaceOptions,
    world: World,
    common: CommonOptions,
) -> None:
    weights = {name: life[name] for name in ("blame", "eligibility") if name in life}
    only_measured = {name: value for name, value in life.items() if name not in weights}
    where = {name: value for name, value in vars(place).items() if value != getattr(Place(), name)}
    check_measured(asked.measure, **only_measured, **world.changed_settings(), **where)
    if asked.measure:
        from hebbarium.studies.engine import carry_out
        from hebbarium.studies.explain import measurement_of

        measurement = measurement_of(rule, world, **life)
        common.say_eta([measurement.chosen], measurement.experiment)
        explanation = carry_out(measurement, threads=place, report=common)
    else:
        explanation = explained(rule, world, **weights)
    common.hand_over(explanation.to_json(), _print_explanation, explanation)


def _print_explanation(explanation: Explanation) -> None:
    console = make_console(soft_wrap=True)
    console.print(str(explanation))
    console.print(f"\n{note(explanation.settings)}", style="dim")
    console.print(f"\n{_standing(explanation)}")
    if (worth := explanation.worth) is not None:  # the largest first
        used = [place for place in range(ENTRIES) if explanation.rule.layers[-1].entries[place]]
        parts = [f"{situation(place)} {worth[place]:+z.1f}" for place in sorted(used, key=lambda at: -worth[at])]
        words = (
            f"How much each entry adds to the fitness, averaged over all orders in which the entries can be added "
            f"(Shapley values): {'; '.join(parts)}."
        )
        console.print(f"\n{words if used else 'It has no entries that change anything.'}")
    if explanation.known is not None:
        console.print()
        console.print(_relatives(explanation))


def _standing(explanation: Explanation) -> str:
    """How good the rule is, where that is known."""
    known, rule = explanation.known, explanation.rule
    if known is None:
        why = f"There is no atlas of {explanation.task}"
        if rule.is_layered:
            why = "The atlas does not cover rules that differ between layers"
        if rule.frozen_hidden:
            why = f"There is no atlas of output rules of {explanation.task}"
        if not rule.is_ternary or rule.is_wide:
            why = "The atlas does not cover real or neutral entries"
        if explanation.blame:
            why = "The atlas does not cover blame or eligibility"
        return f"{why}; use --measure to run the rule and its neighbours now."
    own, other = rule.layers[-1].eta, ""
    if known.rank is None:
        lived = [f"with {shown_setting(explanation.hidden)} hidden neurons", settings_in_words(explanation.settings)]
        standing = ", ".join(filter(None, (f"at eta {rule.eta_text}", *lived, "measured now")))
    else:
        eta = "at any eta" if explanation.inert else f"at eta {known.eta:g}, its best"
        standing = f"{eta}, {rank_words(known.rank, known.ranks)}"
        if own not in (None, known.eta) and not explanation.inert:  # an atlas knows the best eta only
            other = f" Use --measure for its score at eta {rule.eta_text}."
    score = f"{known.fitness:z.1f} ± {known.sem:.1f} (mean and standard error of {known.lifetimes} lifetimes)"
    fate = f" {explanation.fate}" if explanation.fate else ""
    age = "" if explanation.age is None else f" {explanation.age.words()}"
    return f"On {explanation.task} it scores {score} {standing}.{fate}{age}{other}"


def _relatives(explanation: Explanation) -> Table:
    """The neighbours, the best first. explanation: one with figures."""
    measured = explanation.source == "measured"
    columns: dict[str, Callable[[Neighbour, Known], str]] = {
        "rule": lambda one, known: one.rule.notation,
        "layer": lambda one, known: one.layer or "",
        "entry changed": lambda one, known: situation(one.place),
        "to": lambda one, known: one.to,
        "fitness": lambda one, known: f"{known.fitness:z.1f}",
        "change ± s.e.": lambda one, known: f"{one.difference:+z.1f} ± {one.difference_sem:.1f}",
        "rank": lambda one, known: "" if known.rank is None else f"{known.rank:,}",
    }
    left_out = {"layer": not explanation.rule.is_layered, "rank": measured}
    shown = [name for name in columns if not left_out.get(name)]
    neighbours = sorted(explanation.neighbours, key=lambda other: -(other.difference or 0.0))
    rows = [[columns[name](one, one.known) for name in shown] for one in neighbours if one.known is not None]
    words = range(shown.index("to") + 1)
    where = "at the same eta, on the same lifetimes" if measured else "each at its own best eta"
    title = f"One entry changed ({where})"
    return table(shown, rows, words, title=title, title_justify="left", box=None, padding=(0, 1, 0, 0))


class _Explain(Verb):
    def task(self, words: list[str]) -> str:
        """The task of --task, or the one the rule is from."""
        for place, word in enumerate(words):
            name, equals, value = word.partition("=")
            if name == "--task" and (equals or place + 1 < len(words)):
                return value if equals else words[place + 1]
        rules = [word.replace(MINUS, "-") for word in words if not word.startswith("--")]
        with contextlib.suppress(BadInput):  # said later, as for any other verb
            return home(read_rule(rules[0])) if rules else "foraging"
        return "foraging"


app = _Explain(
    explain, "Explain a rule in words: its rank, its neighbours, what each entry contributes.", lifetimes=200
).app
