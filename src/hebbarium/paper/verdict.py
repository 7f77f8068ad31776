"""Whether a number is reproduced: one stated rule for every cell.

The combined standard error of a cell joins two: ours (of a std by bootstrap over lives), and the paper's, which it does
not print. A published number is given the error that ours would have at the paper's number of lives, or the one that
follows from the std printed beside it if that is larger; a published median over instances of a rule also gets
their published spread, because ours is one more instance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from hebbarium.paper.targets import Kind, Target
from hebbarium.statistics import Estimate

Verdict = Literal["reproduced", "close", "not reproduced"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "close", "not reproduced")

REPRODUCED_ERRORS = 2.0
CLOSE_ERRORS = 3.0
CLOSE_SHARE = 0.1
SAME_POWERS = 3.0

RULE = (
    "A number is reproduced when ours differs from the paper's by at most two combined standard errors, beyond what "
    "the paper's rounding hides. It is close within three, or within 10 % of the paper's number. It is not reproduced "
    "otherwise, and never when it stands in the wrong order: when the paper puts two rows of a column more than three "
    "combined standard errors apart and ours puts them the other way round, neither is reproduced nor close."
)
LEVELS = (
    "A significance level is reproduced when ours leads to the same decision at 0.05 and lies within three powers of "
    "ten, and close when the decision is the same."
)


@dataclass(frozen=True)
class Comparison:
    """Ours beside the paper's."""

    item: str
    row: str
    column: str
    paper: float | None
    ours: float | None
    low: float | None = None
    high: float | None = None
    verdict: Verdict = "not reproduced"
    remark: str = ""
    kind: Kind = "measured"
    task: str = "foraging"
    error: float | None = None
    """The combined standard error; None where there is none."""
    lives: int | None = None
    """Lives or runs behind our number."""
    printed: str = ""

    @property
    def cell(self) -> str:
        return f"{self.row} / {self.column}"

    @property
    def difference(self) -> float | None:
        return None if self.ours is None or self.paper is None else self.ours - self.paper

    def entry(self) -> dict[str, Any]:
        """An entry of comparison.json."""
        entry = {"item": self.item, "cell": self.cell, **asdict(self), "difference": self.difference}
        return {name: value for name, value in entry.items() if name not in ("row", "column", "printed")}


def compare(target: Target, ours: Estimate | None, *, spread: float = 0.0, remark: str = "") -> Comparison:
    """ours: None where we have nothing to show. spread: the published spread between instances of a rule."""
    blank = _blank(target, remark)
    if ours is None:
        return blank
    error = combined_error(ours, target.trials, spread, target.error)
    return replace(
        blank,
        ours=ours.value,
        low=_finite(ours.low),
        high=_finite(ours.high),
        error=error,
        lives=ours.lives,
        verdict=judge(target.paper, ours.value, error, target.half_unit),
    )


def compare_given(target: Target, ours: float) -> Comparison:
    """An input of the experiment: ours is the same or it is not."""
    verdict: Verdict = "reproduced" if ours == target.paper else "not reproduced"
    return replace(_blank(target, ""), ours=ours, low=ours, high=ours, verdict=verdict)


def compare_level(target: Target, p: float, lives: int) -> Comparison:
    return replace(_blank(target, ""), ours=p, lives=lives, verdict=judge_level(target.paper, p))


def _blank(target: Target, remark: str) -> Comparison:
    remarks = " ".join(text for text in (remark, target.remark) if text)
    return Comparison(
        target.item,
        target.row,
        target.column,
        target.paper,
        None,
        remark=remarks,
        kind=target.kind,
        task=target.task,
        printed=target.printed,
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def combined_error(ours: Estimate, paper_trials: int, spread: float = 0.0, published: float = 0.0) -> float | None:
    """published: the paper's own standard error, where it can be told from what is printed."""
    if not math.isfinite(ours.error):
        return None
    papers = max(published, ours.error * math.sqrt(ours.lives / paper_trials))
    return math.sqrt(ours.error**2 + papers**2 + spread**2)


def judge(paper: float, ours: float, error: float | None, half_unit: float = 0.0) -> Verdict:
    apart = max(0.0, abs(ours - paper) - half_unit)
    if apart <= REPRODUCED_ERRORS * (error or 0.0):
        return "reproduced"
    if apart <= max(CLOSE_ERRORS * (error or 0.0), CLOSE_SHARE * abs(paper)):
        return "close"
    return "not reproduced"


def judge_level(paper: float, ours: float) -> Verdict:
    if (paper < 0.05) != (ours < 0.05):
        return "not reproduced"
    tiny = 1e-300
    powers = abs(math.log10(max(ours, tiny)) - math.log10(max(paper, tiny)))
    return "reproduced" if powers <= SAME_POWERS else "close"


def mind_the_order(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The last part of the rule, which looks at the rows of one column together."""
    return [
        replace(one, verdict="not reproduced", remark=_join(one.remark, _OUT_OF_ORDER.format(other.row)))
        if (other := _out_of_order(one, comparisons)) is not None
        else one
        for one in comparisons
    ]


_OUT_OF_ORDER = "In the wrong order with {}."


def _join(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def _out_of_order(one: Comparison, comparisons: Sequence[Comparison]) -> Comparison | None:
    """A row of the same column which the paper puts clearly on one side of this one, and we on the other."""
    if one.kind != "measured" or one.difference is None or one.error is None:
        return None
    for other in comparisons:
        if (other.item, other.column, other.kind) != (one.item, one.column, one.kind) or other.error is None:
            continue
        if other.paper is None or other.ours is None or one.paper is None or one.ours is None:
            continue
        papers, ours = one.paper - other.paper, one.ours - other.ours
        if abs(papers) > CLOSE_ERRORS * math.hypot(one.error, other.error) and papers * ours < 0:
            return other
    return None
