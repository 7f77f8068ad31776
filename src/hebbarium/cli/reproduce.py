"""`hebbarium reproduce`: the paper's tables and figures beside ours."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import cyclopts
from cyclopts import Parameter

from hebbarium.cli.common import USUAL, Common, CommonOptions, print_json

if TYPE_CHECKING:
    from hebbarium.paper.reproduction import Reproduced
    from hebbarium.paper.verdict import Comparison

app = cyclopts.App("reproduce", help="Make the paper's tables and figures again, beside the published values.")


@app.default
def reproduce(
    *items: str,
    scale: Literal["quick", "paper"] = "quick",
    out: Path | None = None,
    seed: int = 1,
    threads: int | None = None,
    list_: Annotated[bool, Parameter(name="--list", negative="")] = False,
    common: CommonOptions = USUAL,
) -> int | None:
    """Make the paper's tables and figures again, beside the published values.

    Parameters
    ----------
    items
        Which tables and figures; without any, all of them. --list names them.
    scale
        quick: fewer trials, a minute or two. paper: the paper's own numbers of trials, about a quarter of an hour.
    out
        The folder for results and report; without it runs/reproduce-SCALE-SEED. The same command goes on where it
        was stopped.
    seed
        Fixes all that is random: the same seed gives the same report.
    threads
        Threads to use; without it as many as there are cores.
    list_
        Name the tables and figures there are.
    """
    if list_:
        _list(common)
        return None
    from hebbarium.paper.reproduction import reproduce as do
    from hebbarium.runs.signals import Interrupted, stopped_by_signals

    _announce_compiling(common)
    try:
        with stopped_by_signals():
            result = do(*items, scale=scale, out=out, seed=seed, threads=threads, quiet=common.quiet)
    except Interrupted as interrupted:
        print("hebbarium: stopped; the same command goes on from here.", file=sys.stderr)
        return interrupted.code
    if common.json:
        print_json(_summary(result))
    else:
        _show(result)
    return None


def _announce_compiling(common: Common) -> None:
    from hebbarium.lifetime import is_compiled
    from hebbarium.tasks.registry import TASKS, make_task

    if not all(is_compiled(make_task(task)) for task in TASKS):
        common.say("Where lives are missing, their kernels are compiled first: about half a minute for each task.")


def _list(common: Common) -> None:
    from hebbarium.paper.items import ITEMS

    if common.json:
        print_json(
            {"items": [{"item": item.name, "where": item.where, "title": item.title} for item in ITEMS.values()]}
        )
        return
    width = max(map(len, ITEMS))
    for item in ITEMS.values():
        print(f"{item.name:{width}}  {item.where}: {item.title}")


def _summary(result: Reproduced) -> dict[str, Any]:
    return {
        "report": str(result.page),
        "done": result.done,
        "verdicts": dict(Counter(one.verdict for one in result.comparisons)),
        "comparison": [one.entry() for one in result.comparisons],
    }


def _show(result: Reproduced) -> None:
    if result.done == 0:
        print("Everything was there already; only the report was written again.")
    groups = {
        "foraging": [one for one in result.comparisons if one.kind == "measured" and one.task == "foraging"],
        "prey-predator": [one for one in result.comparisons if one.kind == "measured" and one.task == "prey-predator"],
    }
    for name, group in groups.items():
        if group:
            print(f"{name}: {_verdicts(group)}.")
    if (searched := _of_searches(result)) and result.scale.max_generations is not None:
        print("what a search found: not tried at this scale, where searches are cut short.")
    elif searched:
        print(f"what a search found: {_verdicts(searched)}.")
    print(f"The report: {result.page}")


def _of_searches(result: Reproduced) -> list[Comparison]:
    return [one for one in result.comparisons if one.kind == "search"]


def _verdicts(group: list[Comparison]) -> str:
    counts = Counter(one.verdict for one in group)
    return (
        f"{counts['reproduced']} reproduced, {counts['close']} close, {counts['not reproduced']} not reproduced, "
        f"of {len(group)} numbers; {sum(one.weak for one in group)} of these verdicts are weak"
    )
