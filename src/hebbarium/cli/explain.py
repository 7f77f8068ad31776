"""`hebbarium explain`: a rule in words, its relatives, and what each entry is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import cyclopts
from cyclopts import Parameter

from hebbarium.cli.common import USUAL, CommonOptions, RuleArgument, prepare_kernels, print_json
from hebbarium.errors import check_integer
from hebbarium.explanation import MEASURE_LIFETIMES, Explanation, explain, home, rank_words
from hebbarium.rule import ENTRIES, Rule
from hebbarium.tasks.registry import make_task
from hebbarium.words import NOTE, situation

if TYPE_CHECKING:
    from rich.table import Table

app = cyclopts.App("explain", help="A rule in words, its relatives, and what each entry is worth.")


@app.default
def command(
    rule: RuleArgument,
    /,
    *,
    task: str | None = None,
    measure: Annotated[bool, Parameter(negative="")] = False,
    eta: float | None = None,
    lifetimes: int | None = None,
    hidden: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    common: CommonOptions = USUAL,
) -> None:
    """
    Parameters
    ----------
    rule
        The rule: eight of -0+ such as 00+-/0000, an index 0 to 6560, or a name of the paper's such as foraging:1.
    task
        Whose figures to show; without it the task the paper names the rule for, or foraging.
    measure
        Live the rule and its 16 neighbours now, at the rule's eta, instead of reading the atlas.
    eta
        The learning rate for --measure; without it the paper's or the atlas's.
    lifetimes
        Lifetimes of each rule for --measure; without it 200.
    hidden
        Hidden neurons for --measure; without it as many as in the paper.
    seed
        Fixes all that is random in --measure; without it 1.
    threads
        Threads for --measure; without it as many as there are cores.
    """
    if measure:
        check_integer("lifetimes", MEASURE_LIFETIMES if lifetimes is None else lifetimes, 2)
        prepare_kernels(make_task(home(Rule(rule, eta)) if task is None else task), common)
    options = {"measure": measure, "lifetimes": lifetimes, "hidden": hidden, "seed": seed, "threads": threads}
    explanation = explain(rule, task, eta=eta, **options)  # type: ignore[arg-type]
    if common.json:
        print_json(explanation.to_json())
    else:
        _show(explanation)


def _show(explanation: Explanation) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    console.print(str(explanation), markup=False)
    console.print(f"\n{NOTE}", style="dim")
    if explanation.known is None:
        console.print(
            f"\nNo atlas of {explanation.task} is at hand; --measure lives the rule and its neighbours now.",
            style="dim",
        )
        return
    console.print(f"\n{_standing(explanation)}", markup=False)
    if explanation.worth is not None:
        console.print(f"\n{_worth(explanation)}", markup=False)
    console.print()
    console.print(_relatives(explanation))


def _standing(explanation: Explanation) -> str:
    known = explanation.known
    assert known is not None
    if known.rank is None:
        standing = f"with {explanation.hidden} hidden neurons, measured now"
    else:
        standing = f"its best, {rank_words(known.rank)}"
    return (
        f"On {explanation.task} it scores {known.mean:.1f} ± {known.sem:.1f} at eta {known.eta:g}, {standing} "
        f"({known.lifetimes} lifetimes). {explanation.fate}"
    )


def _worth(explanation: Explanation) -> str:
    """What the entries add, the largest first; a rule without entries has nothing to tell."""
    assert explanation.worth is not None
    used = [place for place in range(ENTRIES) if explanation.rule.entries[place]]
    if not used:
        return "It has no entries that could be worth anything."
    ranked = sorted(used, key=lambda place: -explanation.worth[place])  # type: ignore[index]
    parts = [f"{situation(place)} {explanation.worth[place]:+.1f}" for place in ranked]
    return f"What its entries add to the fitness of a rule that changes nothing: {'; '.join(parts)}."


def _relatives(explanation: Explanation) -> Table:
    from rich.table import Table

    measured = explanation.source == "measured"
    where = "at the same eta, on the same lifetimes" if measured else "each at its own best eta"
    table = Table(title=f"One entry changed ({where})", title_justify="left", box=None, pad_edge=False)
    for name, side in (("rule", "left"), ("entry changed", "left"), ("to", "center"), ("fitness", "right")):
        table.add_column(name, justify=side)  # type: ignore[arg-type]
    table.add_column("change", justify="right")
    if not measured:
        table.add_column("rank", justify="right")
    for neighbour in sorted(explanation.neighbours, key=lambda other: -(other.difference or 0.0)):
        assert neighbour.known is not None
        assert neighbour.difference is not None
        where, _, to = neighbour.change.rpartition(": ")
        cells = [neighbour.rule.notation, where, to, f"{neighbour.known.mean:.1f}"]
        cells.append(f"{neighbour.difference:+.1f} ± {neighbour.difference_sem:.1f}")
        table.add_row(*cells, *([] if measured else [f"{neighbour.known.rank:,}"]))
    return table
