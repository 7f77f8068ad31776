"""How a statement of the paper's text is judged."""

from __future__ import annotations

import math
from dataclasses import replace

from hebbarium.paper.printed_numbers import Kind, Target
from hebbarium.paper.verdict import FEWEST, Comparison, Verdict, compare
from hebbarium.tools.statistics import Estimate, reach

Row = tuple[Comparison, str]
"""A statement, and by what it is judged."""


def like_a_number(statement: str, number: str, ours: Estimate, kind: Kind = "measured", trials: int = 100) -> Row:
    """A statement that gives a number, as printed."""
    target = Target("statements", statement, "number", number, kind, trials, quantity=statement)
    return replace(compare(target, ours), task=_task(statement)), "judged like a number of a table"


def above_zero(statement: str, ours: Estimate, what: str) -> Row:
    """A statement that a difference is positive."""
    criterion = f"{what}: reproduced when its interval is above zero"
    return judged(statement, ours, ours.low > 0, False, criterion, unknown=ours.low <= 0 <= ours.high)


def judged(
    statement: str,
    ours: Estimate,
    holds: bool,
    nearly: bool,
    criterion: str,
    *,
    unknown: bool = False,
    kind: Kind = "measured",
) -> Row:
    """holds, nearly: whether it is reproduced, or close. unknown: the interval allows for both."""
    verdict: Verdict = "reproduced" if holds else "close" if nearly else "not reproduced"
    low, high = (value if math.isfinite(value) else None for value in (ours.low, ours.high))
    comparison = Comparison(
        "statements",
        statement,
        "number",
        None,
        ours.value,
        low,
        high,
        verdict=verdict,
        lives=ours.lives,
        weak=unknown or ours.lives < FEWEST,
        kind=kind,
        task=_task(statement),
        remark=f"Judged by: {criterion}.",
    )
    return comparison, criterion


def _task(statement: str) -> str:
    return "prey-predator" if statement.startswith("Prey") else "foraging"


def ratio(a: Estimate, b: Estimate) -> Estimate:
    share = a.value / b.value
    error = abs(share) * math.hypot(a.error / a.value, b.error / b.value)
    return with_error(share, error, min(a.lives, b.lives))


def difference(a: Estimate, b: Estimate) -> Estimate:
    return with_error(a.value - b.value, math.hypot(a.error, b.error), min(a.lives, b.lives))


def with_error(value: float, error: float, lives: int) -> Estimate:
    half = reach(lives) * error if lives > 1 else math.nan
    return Estimate(value, error, value - half, value + half, lives)
