"""Whether a number is reproduced: one stated rule for every cell.

A verdict weighs the gap between two numbers against the combined standard error of both, and is called weak where
that error is so large that the gap says little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from hebbarium.paper.printed_numbers import Kind, Target
from hebbarium.tools.statistics import Estimate, finite

Verdict = Literal["reproduced", "close", "not reproduced", "not tried"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "close", "not reproduced", "not tried")

REPRODUCED_ERRORS = 2.0
CLOSE_ERRORS = 3.0
CLOSE_SHARE = 0.1
TELLING_SHARE = 0.25
"""Where two combined standard errors are more than this share of the paper's number, agreement says nothing."""
FEWEST = 5
"""With fewer lives or runs a standard error is not trusted."""
SAME_POWERS = 3.0

RULE = (
    "A number is reproduced if ours differs from the paper's by at most two combined standard errors, after allowing "
    "for the paper's rounding. It is close within three, or within 10 % of the paper's number. Otherwise it is not "
    "reproduced. The order counts too: if the paper has two rows of a column more than three combined standard errors "
    "apart and ours has them the other way round, neither is reproduced or close."
)
WEAK = (
    "A verdict is weak, and shown in brackets, if it says little: if ours is within three combined standard errors, "
    "but two of them are more than a quarter of the paper's number, so that agreement comes easily; or if there are "
    f"fewer than {FEWEST} lives or runs behind ours. All other verdicts are firm. Fitness is a difference of two "
    "counts and can be near zero, so its errors are compared with the std printed beside it if that is larger."
)
ERROR = (
    "The combined standard error joins ours, which is over lives (for a std by bootstrap over lives), with the "
    "paper's. The paper prints no standard errors. Where it prints a std over lives (tables 8 to 10, and the rule's "
    "row of table 4), we compute its error from that, unless the error that ours would have with the paper's number of "
    "lives is larger. Elsewhere we use the latter: the stds of tables 1 and 3 are over lives and seasons together, and "
    "the seasons of a life share a network, so they give no error over lives. A median over a rule's instances has the "
    "standard error of a median, 1.2533 std / √instances, and at least the noise that a hundred lives leave in so many "
    "instances. What our searches found has the error of resampling whole runs, and the paper's as many runs as it "
    "made."
)
LEVELS = (
    "A p-value is reproduced if it leads to the same decision at 0.05 and is within three powers of ten of the "
    "paper's. The remark says whether the decision is the same."
)
NOT_TRIED = (
    "Not tried: searches are cut short at this scale, so what they find says nothing about the paper's searches."
)


@dataclass(frozen=True)
class Comparison:
    """Our number beside the paper's."""

    item: str
    row: str
    column: str
    paper: float | None
    ours: float | None
    low: float | None = None
    high: float | None = None
    verdict: Verdict = "not reproduced"
    weak: bool = False
    """The verdict says little: errors are wide, or ours is based on very few lives."""
    remark: str = ""
    kind: Kind = "measured"
    task: str = "foraging"
    error: float | None = None
    """The combined standard error; None if it cannot be trusted."""
    lives: int | None = None
    """Lives or runs behind our number."""
    printed: str = ""
    quantity: str = ""
    """What is counted; the order is checked only among rows that count the same."""
    fitted: bool = False
    """A setting that the paper leaves open was chosen by looking at this number."""

    @property
    def cell(self) -> str:
        return f"{self.row} / {self.column}"

    @property
    def difference(self) -> float | None:
        return None if self.ours is None or self.paper is None else self.ours - self.paper

    def entry(self) -> dict[str, Any]:
        """An entry of comparison.json."""
        entry = {"item": self.item, "cell": self.cell, **asdict(self), "difference": self.difference}
        return {name: value for name, value in entry.items() if name not in ("row", "column", "printed", "quantity")}


def compare(target: Target, ours: Estimate | None, *, papers: float | None = None, remark: str = "") -> Comparison:
    """Our number beside a printed one, with its verdict.

    ours: None if we have no number. papers: the paper's standard error, if the target has none."""
    blank = _blank(target, remark)
    if ours is None:
        return replace(blank, weak=True)
    error = combined_error(ours, target.trials, target.error, papers)
    weak = is_weak(target.paper, ours.value, error, target.half_unit, target.scale)
    return replace(
        blank,
        remark=_join(_why_weak(target, error, ours.lives) if weak else "", blank.remark),
        ours=ours.value,
        low=finite(ours.low),
        high=finite(ours.high),
        error=error,
        lives=ours.lives,
        verdict=judge(target.paper, ours.value, error, target.half_unit),
        weak=weak,
    )


def _why_weak(target: Target, error: float | None, lives: int) -> str:
    if error is None:
        return f"Fewer than {FEWEST} lives or runs." if lives < FEWEST else ""
    scale = max(abs(target.paper), target.scale)
    if scale == 0:
        return "The paper's number is zero, and ours may be."
    held_against = "number" if scale == abs(target.paper) else "std"
    return f"Two combined standard errors are {200 * error / scale:z.0f} % of the paper's {held_against}."


def compare_given(target: Target, ours: float) -> Comparison:
    """An input of the experiment, which must be the same."""
    verdict: Verdict = "reproduced" if ours == target.paper else "not reproduced"
    return replace(_blank(target, ""), ours=ours, low=ours, high=ours, verdict=verdict)


def compare_level(target: Target, p: float, lives: int) -> Comparison:
    same = (target.paper < 0.05) == (p < 0.05)
    decision = f"At 0.05 ours leads to {'the same' if same else 'another'} decision."
    return replace(
        _blank(target, decision), ours=p, lives=lives, verdict=judge_level(target.paper, p), weak=lives < FEWEST
    )


def _blank(target: Target, remark: str) -> Comparison:
    """A comparison without our number."""
    shared = {name: getattr(target, name) for name in ("kind", "task", "printed", "quantity", "fitted")}
    remarks = _join(remark, target.remark)
    return Comparison(target.item, target.row, target.column, target.paper, None, remark=remarks, **shared)


def combined_error(
    ours: Estimate, paper_trials: int, published: float = 0.0, papers: float | None = None
) -> float | None:
    """The combined standard error of our number and the paper's.

    published: a lower bound of the paper's error, from the std beside the number; papers: the error itself."""
    if not math.isfinite(ours.error) or ours.lives < FEWEST:
        return None
    if papers is None:
        papers = max(published, error_at(ours, paper_trials))
    return math.hypot(ours.error, papers)


def error_at(ours: Estimate, trials: int) -> float:
    """The standard error that ours would have with this number of lives."""
    return ours.error * math.sqrt(ours.lives / trials)


def judge(paper: float, ours: float, error: float | None, half_unit: float = 0.0) -> Verdict:
    """The verdict on a number. error: None if it cannot be trusted; then a number is at best close."""
    apart = max(0.0, abs(ours - paper) - half_unit)
    if error is not None and apart <= REPRODUCED_ERRORS * error:
        return "reproduced"
    return "close" if apart <= max(CLOSE_ERRORS * (error or 0.0), CLOSE_SHARE * abs(paper)) else "not reproduced"


def is_weak(paper: float, ours: float, error: float | None, half_unit: float = 0.0, scale: float = 0.0) -> bool:
    """Whether a verdict says little. scale: compared with the error instead of the paper's number, if it is larger."""
    if error is None:
        return True
    apart = max(0.0, abs(ours - paper) - half_unit)
    return apart <= CLOSE_ERRORS * error and REPRODUCED_ERRORS * error > TELLING_SHARE * max(abs(paper), scale)


def judge_level(paper: float, ours: float) -> Verdict:
    if (paper < 0.05) != (ours < 0.05):
        return "not reproduced"
    tiny = 1e-300
    powers = abs(math.log10(max(ours, tiny)) - math.log10(max(paper, tiny)))
    return "reproduced" if powers <= SAME_POWERS else "not reproduced"


def mind_the_order(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The last part of the rule: refuse rows of one column that the paper has clearly in one order, and we in the
    other."""
    held = [one for one in comparisons if one.kind == "measured" and one.error is not None]
    columns: dict[tuple[str, str, str], list[Comparison]] = {}
    for one in held:
        columns.setdefault((one.item, one.column, one.quantity), []).append(one)

    def swapped(one: Comparison, other: Comparison) -> bool:
        papers, ours = (one.paper or 0) - (other.paper or 0), (one.ours or 0) - (other.ours or 0)
        return abs(papers) > CLOSE_ERRORS * math.hypot(one.error or 0, other.error or 0) and papers * ours < 0

    judged = []
    for one in comparisons:
        others = columns.get((one.item, one.column, one.quantity), []) if one in held else []
        other = next((other for other in others if swapped(one, other)), None)
        if other is not None:
            remark = _join(one.remark, f"In the wrong order with {other.row}.")
            one = replace(one, verdict="not reproduced", weak=False, remark=remark)
        judged.append(one)
    return judged


def leave_searches(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """For searches that were cut short: no verdict on what they found."""
    return [replace(one, verdict="not tried", remark=NOT_TRIED) if one.kind == "search" else one for one in comparisons]


def _join(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)
