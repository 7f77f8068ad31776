"""Fitness over the rounds of a search, in the words of that search."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

from hebbarium.show.pages import Line, Markup, line_chart


class Words(NamedTuple):
    """What the curves of a search are about."""

    title: str
    round: str
    best: str
    mean: str
    note: str = ""


USUAL = Words("How fitness rose", "generation", "best fitness", "mean of the population")
SPECIAL = {
    "racing": Words(
        "How the race went",
        "round",
        "estimate of the current leader",
        "mean of the leading rules",
        "The leader is the rule with the best estimate so far. Its estimate may fall: a first estimate rests on a "
        "few lifetimes and is partly luck; more lifetimes correct it, or another rule takes the lead.",
    ),
    "random": Words("How fitness rose", "round", "best fitness so far", "mean of the rules kept"),
}


def words_of(search: str) -> Words:
    return SPECIAL.get(search, USUAL)


def fitness_chart(histories: Sequence[Sequence[dict[str, Any]]], search: str) -> Markup:
    """histories: for each run its moments (generation, best, mean)."""
    words, several = words_of(search), len(histories) > 1
    best, mean = ([[moment[name] for moment in history] for history in histories] for name in ("best", "mean"))
    each = [Line("", range(1, len(run) + 1), run, "first", thin=True) for run in best if several]
    over = f", median of {len(histories)} runs (each thin)" if several else ""
    means, bests = _middle(mean), _middle(best)
    rounds = range(1, len(bests) + 1)
    lines = [
        *each,
        Line(words.mean + (", median" if several else ""), rounds, means, "second", dashed=True),
        Line(words.best + over, rounds, bests, "first"),
    ]
    return line_chart(lines, title="Fitness", x_label=words.round, y_label="fitness", from_zero=True)


def _middle(runs: Sequence[Sequence[float]]) -> list[float]:
    """The median over the runs at each round; a run that has ended counts as it ended."""
    whole = [run for run in runs if run]
    last = max(map(len, whole), default=0)
    return [statistics.median(run[min(place, len(run) - 1)] for run in whole) for place in range(last)]
