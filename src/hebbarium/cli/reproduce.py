"""`hebbarium reproduce`: the paper's tables and figures beside ours."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from hebbarium.cli.commands import Verb
from hebbarium.cli.shared_options import Common, CommonOptions, PlaceOptions, print_json
from hebbarium.tools.errors import printable
from hebbarium.tools.terminal import make_console

if TYPE_CHECKING:
    from hebbarium.paper.reproduction import Reproduced


def reproduce(
    *items: str,
    scale: Literal["quick", "paper"] = "quick",
    out: Path | None = None,
    seed: int = 1,
    reading: str = "text",
    place: PlaceOptions,
    list_: Annotated[bool, Parameter(name="--list", negative="", show_default=False)] = False,
    common: CommonOptions,
) -> None:
    """Rerun the paper's tables and figures and compare them with the published values.

    Parameters
    ----------
    items
        Which tables and figures (see --list); by default all of them.
    scale
        quick: fewer trials, a minute or two. paper: the paper's own numbers of trials, about a quarter of an hour.
    out
        The folder for results and report; by default runs/reproduce-SCALE-SEED, with -READING after it for another
        reading. Rerun the same command to resume.
    seed
        Random seed: the same seed gives the same report.
    reading
        How to read what the paper leaves open: text, literal, turn, turn-unseen-2, turn-unseen, three-percent,
        no-hidden-bias, fixed-hidden-bias, frozen-hidden, unscaled-climbing, scaled-eta or scaled-eta-other. --list
        says what each of them is, and what was fitted.
    list_
        List the tables and figures, and the readings.
    """
    if list_:
        _print_items(common)
        return
    from hebbarium.paper.reproduction import reproduce as do

    result = do(*items, scale=scale, out=out, seed=seed, reading=reading, threads=place, report=common)
    summary = {
        "report": str(result.page),
        "done": result.done,
        "verdicts": dict(Counter(one.verdict for one in result.comparisons)),
        "comparison": [one.entry() for one in result.comparisons],
    }
    common.hand_over(summary, _print_verdicts, result)


def _print_items(common: Common) -> None:
    from hebbarium.paper.items import ITEMS
    from hebbarium.paper.readings import FITTED, READINGS

    if common.json:
        print_json(
            {
                "items": [{"item": item.name, "where": item.where, "title": item.title} for item in ITEMS.values()],
                "readings": {name: reading.words for name, reading in READINGS.items()},
                "fitted": {**FITTED, **{name: one.words for name, one in READINGS.items() if one.fitted}},
            }
        )
        return
    width = max(map(len, ITEMS))
    console = make_console(soft_wrap=True)
    for item in ITEMS.values():
        console.print(f"{item.name:{width}}  {item.where}: {item.title}")
    console.print("\nReadings (--reading):")
    for name, reading in READINGS.items():
        console.print(f"{name:{width}}  {reading.words}{' ‡' if reading.fitted else ''}")
    console.print(
        "\n‡ fitted: chosen by looking at the paper's numbers. So are, in every reading unless it says otherwise:"
    )
    for name, words in FITTED.items():
        console.print(f"{name}: {words}")


def _print_verdicts(result: Reproduced) -> None:
    from hebbarium.paper.comparison_tables import tally

    if result.done == 0:
        print("Everything had been computed already; only the report was rewritten.")
    for task in ("foraging", "prey-predator"):
        if group := [one for one in result.comparisons if one.kind == "measured" and one.task == task]:
            print(f"{task}: {tally(group)}.")
    if searched := [one for one in result.comparisons if one.kind == "search"]:
        print(f"our own searches: {tally(searched)}.")
    print(f"The report: {printable(str(result.page))}")


app = Verb(reproduce, "Rerun the paper's tables and figures and compare them with the published values.").app
