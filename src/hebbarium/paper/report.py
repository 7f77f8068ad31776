"""The report: one page that holds everything, and the same numbers as JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from hebbarium import __version__
from hebbarium.files import replacing
from hebbarium.paper.items.base import Figure, Item, PlainTable, Scale, Section
from hebbarium.paper.printed import CHOSEN, SLIPS
from hebbarium.paper.verdict import ERROR, LEVELS, RULE, VERDICTS, WEAK, Comparison

PAGE, JSON, CSV = "report.html", "comparison.json", "comparison.csv"
STYLE = Path(__file__).with_name("report.css")
_MARKS: dict[str, str] = {"reproduced": "✓", "close": "≈", "not reproduced": "✗"}
_CLASSES: dict[str, str] = {
    "reproduced": "reproduced",
    "close": "close",
    "not reproduced": "not",
}
_FITTED = "‡"
NOT_TRIED = "Searches are cut short at this scale, so what they find says nothing about the paper's."
PAPER = (
    "A. Yaman, G. Iacca, D. C. Mocanu, M. Coler, G. Fletcher and M. Pechenizkiy: Evolving Plasticity for Autonomous "
    "Learning under Changing Environmental Conditions. Evolutionary Computation, 2021."
)


@dataclass(frozen=True)
class Reproduction:
    """Everything that was compared."""

    scale: Scale
    seed: int
    sections: Sequence[tuple[Item, Section]]

    @property
    def comparisons(self) -> list[Comparison]:
        return [comparison for _, section in self.sections for comparison in section.comparisons]


def write(folder: Path, reproduction: Reproduction) -> Path:
    """Write the page and the numbers, each whole or not at all; returns the page."""
    entries = [comparison.entry() for comparison in reproduction.comparisons]
    texts = {
        JSON: json.dumps(entries, indent=1, allow_nan=False) + "\n",
        CSV: _csv(entries),
        PAGE: page(reproduction),
    }
    for name, text in texts.items():
        with replacing(folder / name) as part:
            part.write_text(text, encoding="utf-8")
    return folder / PAGE


def _csv(entries: Sequence[dict[str, object]]) -> str:
    if not entries:
        return ""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(entries[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(entries)
    return file.getvalue()


def page(reproduction: Reproduction) -> str:
    sections = "".join(_section(item, section) for item, section in reproduction.sections)
    links = "".join(f"<li><a href='#{item.name}'>{escape(item.title)}</a></li>" for item, _ in reproduction.sections)
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "img-src data:\"><link rel='icon' href='data:,'>"
        f"<title>The paper, reproduced</title><style>{STYLE.read_text(encoding='utf-8')}</style></head>"
        f"<body><div class='page'>{_header(reproduction)}<nav aria-label='Items'><ol>{links}</ol></nav>"
        f"<main>{_summary(reproduction)}{sections}{_slips()}{_footer(reproduction)}</main></div></body></html>\n"
    )


def _header(reproduction: Reproduction) -> str:
    return (
        "<header><h1>Evolved plasticity, reproduced</h1>"
        "<p>Every table and figure of the paper made again, beside the published values, with a verdict for every "
        "number of the tables, save the entries of the rules, which are put in as printed.</p>"
        f"<p>{escape(PAPER)}</p><p><strong>{escape(reproduction.scale.words)}</strong> Seed "
        f"{reproduction.seed}.</p></header>"
    )


def _summary(reproduction: Reproduction) -> str:
    everything = reproduction.comparisons
    groups = (
        ("Foraging", "numbers that a faithful copy should find", _of(everything, "measured", "foraging")),
        ("Prey-predator", "numbers that a faithful copy should find", _of(everything, "measured", "prey-predator")),
        ("Searches", "numbers that depend on what a search finds", _of(everything, "search")),
        ("Inputs", "numbers that are given and only checked", _of(everything, "given")),
    )
    cards = "".join(_card(title, words, group, reproduction.scale) for title, words, group in groups if group)
    rows = "".join(
        f"<tr><td class='words'><a href='#{item.name}'>{escape(item.title)}</a></td>"
        f"<td class='words where-cell'>{escape(item.where)}</td><td>{_bar(section.comparisons)}</td>"
        f"<td>{_tally(section.comparisons)}</td></tr>"
        for item, section in reproduction.sections
        if section.comparisons
    )
    return (
        f"<div class='cards'>{cards}</div><section id='verdicts'><h2>How a verdict is given</h2><p>{escape(RULE)}</p>"
        f"<p>{escape(WEAK)}</p><p>{escape(LEVELS)}</p><p class='legend'>{_key()}</p>"
        "<div class='scroll'><table class='overview'>"
        "<thead><tr><th class='words'>Item</th><th class='words where-cell'>In the paper</th><th>Verdicts</th>"
        f"<th>{' '.join(_MARKS[verdict] for verdict in VERDICTS)} ( )</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div><h3>The combined standard error</h3><p>{escape(ERROR)}</p>"
        f"<h3>What was fitted {_FITTED}</h3><p>Cells with {_FITTED} agree the more easily because something that the "
        f"paper leaves open was chosen with them in sight.</p>{_remarks(CHOSEN)}</section>"
    )


def _of(comparisons: Iterable[Comparison], kind: str, task: str | None = None) -> list[Comparison]:
    return [one for one in comparisons if one.kind == kind and task in (None, one.task)]


def _card(title: str, words: str, group: Sequence[Comparison], scale: Scale) -> str:
    """A headline only where the trials are the paper's."""
    if title == "Searches" and scale.max_generations is not None:
        return f"<div class='card'><h3>{title}</h3><div class='big'>Not tried</div><p>{NOT_TRIED}</p></div>"
    good = [one for one in group if one.verdict != "not reproduced"]
    weak = sum(one.weak for one in good)
    fitted = sum(one.fitted for one in group)
    marked = f" {_FITTED} stands on {fitted}." if fitted else ""
    share = _shares(good, group) if scale.name == "paper" and title != "Inputs" else ""
    weakly = f", {weak} of them weakly" if weak else ""
    return (
        f"<div class='card'><h3>{title}</h3><div class='big'>{len(good)} of {len(group)}</div>{_bar(group)}"
        f"<p>reproduced or close{weakly}, of the {words}.{share}{marked}</p></div>"
    )


def _shares(good: Sequence[Comparison], group: Sequence[Comparison]) -> str:
    telling = [one for one in group if not one.weak]
    strong = sum(not one.weak for one in good)
    told = f"; {100 * strong / len(telling):.0f} % of the {len(telling)} whose verdict is not weak" if telling else ""
    return f" That is {100 * len(good) / len(group):.0f} %{told}."


def _counts(group: Sequence[Comparison]) -> list[int]:
    """Verdicts of each kind that are not weak, then the weak ones."""
    told = [sum(one.verdict == verdict and not one.weak for one in group) for verdict in VERDICTS]
    return [*told, sum(one.weak for one in group)]


def _bar(group: Sequence[Comparison]) -> str:
    parts = "".join(
        f"<i class='{kind}' style='width:{100 * count / len(group):.1f}%'></i>"
        for kind, count in zip([*_CLASSES.values(), "weak"], _counts(group), strict=True)
    )
    return f"<div class='bar' role='img' aria-label='{_tally(group)}'>{parts}</div>"


def _tally(group: Sequence[Comparison]) -> str:
    return " · ".join(str(count) for count in _counts(group))


def _verdict(one: Comparison) -> str:
    return f"{one.verdict} (weak)" if one.weak else one.verdict


def _mark(one: Comparison) -> str:
    return f"({_MARKS[one.verdict]})" if one.weak else _MARKS[one.verdict]


def _key() -> str:
    words = (f"<span class='{_CLASSES[v]}-word'>{_MARKS[v]}</span> {v}" for v in VERDICTS)
    return (
        " &nbsp; ".join(words)
        + f" &nbsp; ( ) weak. In the tables: ours in bold, the paper's number below it; {_FITTED} fitted."
    )


def _section(item: Item, section: Section) -> str:
    parts = [
        f"<section id='{item.name}'><p class='where'>{escape(item.where)}</p><h2>{escape(item.title)}</h2>",
        f"<p>{escape(item.about)}</p><p class='ran'>{escape(section.ran)}</p>",
        _comparison_table(section),
        *(_plain_table(table) for table in section.tables),
        *(_figure(figure) for figure in section.figures),
        _remarks(section.remarks),
        _details(section.comparisons),
        "</section>",
    ]
    return "".join(parts)


def _comparison_table(section: Section) -> str:
    """The paper's own layout: a row for each row, ours over the paper's in each cell."""
    if not section.comparisons:
        return ""
    columns = list(dict.fromkeys(one.column for one in section.comparisons))
    rows = list(dict.fromkeys(one.row for one in section.comparisons))
    cells = {(one.row, one.column): one for one in section.comparisons}
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        f"<tr><th scope='row'>{escape(row)}{_note(section.row_notes.get(row))}</th>"
        + "".join(_cell(cells.get((row, column))) for column in columns)
        + "</tr>"
        for row in rows
    )
    return f"<div class='scroll'><table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _note(note: str | None) -> str:
    return f"<small>{escape(note)}</small>" if note else ""


def _cell(one: Comparison | None) -> str:
    if one is None:
        return "<td></td>"
    interval = f", interval {_number(one, one.low)} to {_number(one, one.high)}" if one.low is not None else ""
    hint = escape(f"{_verdict(one)}{interval}. {one.remark}".strip(), quote=True)
    papers = f"<small>{escape(one.printed)}{_FITTED if one.fitted else ''}</small>" if one.printed else ""
    return (
        f"<td class='cell {_CLASSES[one.verdict]}-cell {one.kind}' title='{hint}'>"
        f"<i>{_mark(one)}</i><b>{_number(one, one.ours)}</b>{papers}</td>"
    )


def _number(one: Comparison, value: float | None) -> str:
    """As finely as the paper prints it."""
    if value is None:
        return "–"
    if value != 0 and abs(value) < 1e-3:
        return f"{value:.1e}"
    counted = one.kind == "search" or not one.printed
    if one.kind == "given" or (counted and "." not in one.printed and value == int(value)):
        return f"{value:g}"
    decimals = len(one.printed.partition(".")[2]) if one.printed else 2
    return f"{value:.{max(1, decimals)}f}"


def _plain_table(table: PlainTable) -> str:
    head = "".join(f"<th{_words(place)}>{escape(column)}</th>" for place, column in enumerate(table.columns))
    body = "".join(
        "<tr>" + "".join(f"<td{_words(place)}>{escape(value)}</td>" for place, value in enumerate(row)) + "</tr>"
        for row in table.rows
    )
    caption = f"<p class='legend'>{escape(table.caption)}</p>" if table.caption else ""
    more = f"<details><summary>More</summary><p>{escape(table.more)}</p></details>" if table.more else ""
    return (
        f"<h3>{escape(table.title)}</h3><div class='scroll'><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>{caption}{more}"
    )


def _words(place: int) -> str:
    return " class='words'" if place == 0 else ""


def _figure(figure: Figure) -> str:
    panels = "".join(f"<div>{panel}</div>" for panel in figure.panels)
    caption = f"<figcaption>{escape(figure.caption)}</figcaption>" if figure.caption else ""
    return (
        f"<figure><h3>{escape(figure.title)}</h3><div class='panels {figure.layout}'>{panels}</div>{caption}</figure>"
    )


def _remarks(remarks: Sequence[str]) -> str:
    if not remarks:
        return ""
    return "<ul class='remarks'>" + "".join(f"<li>{escape(remark)}</li>" for remark in remarks) + "</ul>"


def _details(comparisons: Sequence[Comparison]) -> str:
    """Every number with difference, interval, verdict and remark."""
    if not comparisons:
        return ""
    rows = "".join(
        f"<tr><td class='words'>{escape(one.cell)}</td><td>{escape(one.printed) or '–'}</td>"
        f"<td>{_number(one, one.ours)}</td><td>{_number(one, one.difference)}</td>"
        f"<td>{_interval(one)}</td><td class='{_CLASSES[one.verdict]}-word'>{_verdict(one)}</td>"
        f"<td class='words'>{escape(one.remark)}</td></tr>"
        for one in comparisons
    )
    return (
        f"<details><summary>All {len(comparisons)} numbers, with differences, intervals and remarks</summary>"
        "<div class='scroll'><table><thead><tr><th class='words'>Cell</th><th>Paper</th><th>Ours</th>"
        "<th>Difference</th><th>95 % interval</th><th>Verdict</th><th class='words'>Remark</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div></details>"
    )


def _interval(one: Comparison) -> str:
    if one.low is None or one.high is None:
        return "–"
    return f"{_number(one, one.low)} to {_number(one, one.high)}"


def _slips() -> str:
    rows = "".join(f"<li>{escape(slip)}</li>" for slip in SLIPS)
    return (
        "<section id='slips'><h2>Slips in the paper</h2><p>Found while comparing.</p>"
        f"<ul class='remarks'>{rows}</ul></section>"
    )


def _footer(reproduction: Reproduction) -> str:
    return (
        f"<footer><p>Made by hebbarium {escape(__version__)} with <code>hebbarium reproduce --scale "
        f"{reproduction.scale.name} --seed {reproduction.seed}</code>. The same command gives the same numbers on any "
        f"machine. They are also in {JSON} and {CSV} beside this page.</p></footer>"
    )
