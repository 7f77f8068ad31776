"""How comparisons are shown: cells of a table, counts of verdicts, what is not reproduced and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hebbarium.paper.printed_numbers import known_reason
from hebbarium.paper.verdict import VERDICTS, Comparison
from hebbarium.show.pages import Cell, Markup, details, element, join, stacked_bar, table

MARKS = {"reproduced": "✓", "close": "≈", "not reproduced": "✗", "not tried": "–"}
COLOURS = {"reproduced": "good", "close": "near", "not reproduced": "bad", "weak": "line", "not tried": "card"}
FITTED = "‡"
_MOST = 6
"""Rows that are named where several share a reason."""


def counts(group: Iterable[Comparison]) -> dict[str, int]:
    """Firm verdicts of each kind, then the weak ones and those not tried."""
    kinds = [_kind(one) for one in group]
    return {kind: kinds.count(kind) for kind in COLOURS}


def _kind(one: Comparison) -> str:
    return "weak" if one.weak and one.verdict != "not tried" else one.verdict


def tally(group: Iterable[Comparison]) -> str:
    """Counts of verdicts, such as `6 reproduced, 1 close; 3 weak`."""
    found = counts(group)
    firm = ", ".join(f"{found[kind]} {kind}" for kind in VERDICTS[:3] if found[kind])
    rest = "; ".join(f"{found[kind]} {kind}" for kind in ("weak", "not tried") if found[kind])
    return "; ".join(filter(None, (firm, rest)))


def bar(group: Iterable[Comparison]) -> Markup:
    """A bar of the verdicts: firm ones first, in full colour."""
    return stacked_bar([(count, COLOURS[kind], kind) for kind, count in counts(group).items()])


def missed(group: Iterable[Comparison]) -> list[tuple[str, str]]:
    """What is firmly not reproduced: the cells, and the reason as far as it is known."""
    reasons: dict[str, list[Comparison]] = {}
    for one in group:
        if _kind(one) == "not reproduced":
            known = known_reason(one.item, one.row, one.column) or one.remark or "Not explained."
            stated = f"Ours is {number(one, one.ours)}. {one.remark}".strip()
            reasons.setdefault(stated if one.item == "statements" else known, []).append(one)
    described = []
    for reason, missing in reasons.items():
        rows, columns = ([*dict.fromkeys(getattr(one, name) for one in missing)] for name in ("row", "column"))
        more = f" and {len(rows) - _MOST} more" if len(rows) > _MOST else ""
        named = ", ".join(columns) if len(columns) <= 3 else f"{len(missing)} numbers"
        described.append((", ".join(rows[:_MOST]) + more + ("" if columns == ["number"] else f" ({named})"), reason))
    return described


def comparison_table(comparisons: Sequence[Comparison], notes: Mapping[str, str]) -> Markup:
    """The paper's own layout: ours over the paper's in each cell. notes: under the names of rows."""
    columns = list(dict.fromkeys(one.column for one in comparisons))
    cells = {(one.row, one.column): one for one in comparisons}
    rows = []
    for row in dict.fromkeys(one.row for one in comparisons):
        note = notes.get(row)
        name = join(row, element("small", note) if note else None)
        rows.append([name, *(_cell(cells.get((row, column))) for column in columns)])
    return table(["", *columns], rows, kind="compared")


def _cell(one: Comparison | None) -> Cell:
    if one is None:
        return Cell("")
    interval = f", interval {_interval(one)}" if one.low is not None else ""
    kind = "untried" if one.verdict == "not tried" or one.ours is None else COLOURS[one.verdict]
    papers = element("small", one.printed, FITTED if one.fitted else None) if one.printed else None
    content = join(element("i", mark(one)), element("b", number(one, one.ours)), papers)
    weak = " weak" if _kind(one) == "weak" else ""
    return Cell(content, f"{kind}{weak}", f"{verdict(one)}{interval}. {one.remark}".strip())


def mark(one: Comparison) -> str:
    if one.ours is None:
        return ""
    return f"({MARKS[one.verdict]})" if _kind(one) == "weak" else MARKS[one.verdict]


def verdict(one: Comparison) -> str:
    return f"{one.verdict} (weak)" if _kind(one) == "weak" else one.verdict


def number(one: Comparison, value: float | None) -> str:
    """A number of a comparison, with as many decimals as the paper prints."""
    if value is None:
        return "–"
    if value != 0 and abs(value) < 1e-3:
        return f"{value:.1e}"
    counted = one.kind == "search" or not one.printed
    if one.kind == "given" or (counted and "." not in one.printed and value == int(value)):
        return f"{value:g}"
    decimals = len(one.printed.partition(".")[2]) if one.printed else 2
    return f"{value:z.{max(1, decimals)}f}"


def _interval(one: Comparison) -> str:
    if one.low is None or one.high is None:
        return "–"
    return f"{number(one, one.low)} to {number(one, one.high)}"


def every_number(comparisons: Sequence[Comparison]) -> Markup:
    """A folded table of all numbers with difference, interval, verdict and remark."""
    rows = [
        (
            one.cell,
            one.printed or "–",
            number(one, one.ours),
            number(one, one.difference),
            _interval(one),
            Cell(verdict(one), f"{COLOURS[one.verdict]}-word"),
            one.remark,
        )
        for one in comparisons
    ]
    head = ("Cell", "Paper", "Ours", "Difference", "95 % interval", "Verdict", "Remark")
    title = f"All {len(comparisons)} numbers, with differences, intervals and remarks"
    return details(title, table(head, rows, kind="every", words=(0, 6)))
