"""`hebbarium explain`: a rule in words, its relatives, and what each entry is worth."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import cyclopts
from cyclopts import Parameter

from hebbarium.cli.arguments import MINUS
from hebbarium.cli.common import (
    Common,
    CommonOptions,
    LifeOptions,
    Place,
    PlaceOptions,
    RuleArgument,
    Verb,
)
from hebbarium.cli.options import ASKED
from hebbarium.rules.layered import read_rule
from hebbarium.rules.rule import ENTRIES
from hebbarium.rules.words import NOTE, situation
from hebbarium.studies.explain import (
    Explanation,
    Neighbour,
    check_measured,
    home,
    rank_words,
)
from hebbarium.studies.explain import explain as explained
from hebbarium.tools.errors import BadInput, shown_setting
from hebbarium.tools.terminal import make_console
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import find_world

if TYPE_CHECKING:
    from rich.table import Table

app = cyclopts.App("explain", help="Explain a rule in words: its rank, its neighbours, what each entry contributes.")
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
    explanation = _measured(rule, world, life, place, common) if asked.measure else explained(rule, world, **weights)
    common.hand_over(explanation.to_json(), _show, explanation)


def _measured(rule: str, world: World, options: dict[str, Any], place: Place, common: Common) -> Explanation:
    from hebbarium.studies.engine import carry_out
    from hebbarium.studies.measure import measurement_of

    measurement = measurement_of(rule, world, **options)
    common.say_eta(measurement.chosen)
    return carry_out(measurement, threads=place, report=common)


def _show(explanation: Explanation) -> None:
    console = make_console()
    console.print(str(explanation))
    console.print(f"\n{NOTE}", style="dim")
    console.print(f"\n{_standing(explanation)}")
    if explanation.worth is not None:
        console.print(f"\n{_worth(explanation)}")
    if explanation.known is not None:
        console.print()
        console.print(_relatives(explanation))


def _standing(explanation: Explanation) -> str:
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
    if known.rank is None:
        standing = f"at eta {rule.eta_text}, with {shown_setting(explanation.hidden)} hidden neurons, measured now"
    else:
        eta = "at any eta" if explanation.inert else f"at eta {known.eta:g}, its best"
        standing = f"{eta}, {rank_words(known.rank, known.ranks)}"
    score = f"{known.fitness:z.1f} ± {known.sem:.1f} (mean and standard error of {known.lifetimes} lifetimes)"
    age = "" if explanation.age is None else f" {explanation.age.words()}"
    return f"On {explanation.task} it scores {score} {standing}. {explanation.fate}{age}{_other_eta(explanation)}"


def _other_eta(explanation: Explanation) -> str:
    """The atlas tells of the best eta only."""
    known, eta = explanation.known, explanation.rule.layers[-1].eta
    if known is None or known.rank is None or eta is None or eta == known.eta or explanation.inert:
        return ""
    return f" Use --measure for its score at eta {explanation.rule.eta_text}."


def _worth(explanation: Explanation) -> str:
    """What the entries add, the largest first; a rule without entries has nothing to tell."""
    assert explanation.worth is not None
    used = [place for place in range(ENTRIES) if explanation.rule.layers[-1].entries[place]]
    if not used:
        return "It has no entries that change anything."
    ranked = sorted(used, key=lambda place: -explanation.worth[place])  # type: ignore[index]
    parts = [f"{situation(place)} {explanation.worth[place]:+z.1f}" for place in ranked]
    return (
        f"How much each entry adds to the fitness, averaged over all orders in which the entries can be added "
        f"(Shapley values): {'; '.join(parts)}."
    )


def _relatives(explanation: Explanation) -> Table:
    from rich.table import Table

    measured, known = explanation.source == "measured", explanation.known is not None
    where = " (at the same eta, on the same lifetimes)" if measured else " (each at its own best eta)" if known else ""
    table = Table(title=f"One entry changed{where}", title_justify="left", box=None, pad_edge=False)
    names = ["rule", "layer", "entry changed", "to", "fitness", "change ± s.e.", "rank"]
    left_out = {
        "layer": not explanation.rule.is_layered,
        "fitness": not known,
        "change ± s.e.": not known,
        "rank": measured or not known,
    }
    shown = [name for name in names if not left_out.get(name, False)]
    for name in shown:
        table.add_column(name, justify="right" if name in ("fitness", "change ± s.e.", "rank") else "left")
    for neighbour in sorted(explanation.neighbours, key=lambda other: -(other.difference or 0.0)):
        cells = _cells(neighbour)
        table.add_row(*(cells[name] for name in shown))
    return table


def _cells(neighbour: Neighbour) -> dict[str, str]:
    """What a row may show, by column."""
    known = neighbour.known
    cells = {
        "rule": neighbour.rule.notation,
        "layer": neighbour.layer or "",
        "entry changed": situation(neighbour.place),
        "to": neighbour.to,
    }
    if known is None:
        return cells
    return cells | {
        "fitness": f"{known.fitness:z.1f}",
        "change ± s.e.": f"{neighbour.difference:+z.1f} ± {neighbour.difference_sem:.1f}",
        "rank": "" if known.rank is None else f"{known.rank:,}",
    }


class _Explain(Verb):
    def world(self, words: list[str]) -> type[World]:
        """Of --task, or where the rule is at home."""
        for place, word in enumerate(words):
            name, equals, value = word.partition("=")
            if name == "--task" and (equals or place + 1 < len(words)):
                return find_world(value if equals else words[place + 1])
        rules = [word.replace(MINUS, "-") for word in words if not word.startswith("--")]
        with contextlib.suppress(BadInput):  # said later, as for any other verb
            return find_world(home(read_rule(rules[0])) if rules else "foraging")
        return find_world("foraging")


_Explain(app, explain, lifetimes=200)
