"""The report: one page that holds everything, and the same numbers as JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hebbarium import __version__
from hebbarium.paper.comparison_tables import FITTED, MARKS, bar, comparison_table, counts, every_number, missed, tally
from hebbarium.paper.items.base import Item, Scale, Section
from hebbarium.paper.printed_numbers import SLIPS
from hebbarium.paper.readings import FITTED as CHOICES
from hebbarium.paper.readings import READINGS, TEXT
from hebbarium.paper.verdict import ERROR, LEVELS, NOT_TRIED, RULE, VERDICTS, WEAK, Comparison
from hebbarium.show import pages
from hebbarium.tools.files import replacing

PAGE, JSON, CSV = "report.html", "comparison.json", "comparison.csv"
STYLE = Path(__file__).with_name("report.css")
PAPER = (
    "A. Yaman, G. Iacca, D. C. Mocanu, M. Coler, G. Fletcher and M. Pechenizkiy: Evolving Plasticity for Autonomous "
    "Learning under Changing Environmental Conditions. Evolutionary Computation, 2021."
)
GROUPS = (
    ("Foraging", "measured", "foraging"),
    ("Prey-predator", "measured", "prey-predator"),
    ("What our own searches found", "search", ""),
    ("Inputs of the experiment, only checked", "given", ""),
)
"""What is summed up apart: title, kind and task of the numbers."""


@dataclass(frozen=True)
class Reproduction:
    """Everything that was compared with the paper."""

    scale: Scale
    seed: int
    sections: Sequence[tuple[Item, Section]]
    reading: str = TEXT

    @property
    def comparisons(self) -> list[Comparison]:
        return [comparison for _, section in self.sections for comparison in section.comparisons]


def write(folder: Path, reproduction: Reproduction) -> Path:
    """Write the page and the numbers, each whole or not at all; returns the page."""
    entries = [comparison.entry() for comparison in reproduction.comparisons]
    table_ = io.StringIO()
    if entries:
        writer = csv.DictWriter(table_, list(entries[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(entries)
    texts = {
        JSON: json.dumps(entries, indent=1, allow_nan=False) + "\n",
        CSV: table_.getvalue(),
        PAGE: report(reproduction),
    }
    for name, text in texts.items():
        with replacing(folder / name) as part:
            part.write_text(text, encoding="utf-8")
    return folder / PAGE


def report(reproduction: Reproduction) -> str:
    """The report of a reproduction as one page."""
    entries = [(item.name, item.where, item.title) for item, _ in reproduction.sections]
    words = reproduction.scale.words
    if reproduction.reading != TEXT:
        reading = READINGS[reproduction.reading].words
        words += f" Reading '{reproduction.reading}' instead of the literal text: {reading}"
    return pages.page(
        "The paper, reproduced",
        pages.header("The paper, reproduced", pages.element("strong", _answer(reproduction)), words),
        pages.contents(
            [("answer", "Overview", "What was reproduced"), *entries, ("verdicts", "Method", "How it was judged")]
        ),
        pages.element(
            "main",
            _picture(reproduction),
            *(_section(item, shown) for item, shown in reproduction.sections),
            _method(),
            pages.section(
                "Slips in the paper", pages.paragraph("Found while comparing."), pages.bullets(SLIPS), id="slips"
            ),
            _footer(reproduction),
        ),
        style=STYLE.read_text(encoding="utf-8"),
    )


def _answer(reproduction: Reproduction) -> str:
    """The report's first sentence, from firm verdicts only: weak ones say little."""
    parts = []
    for title, kind, task in GROUPS[:2]:
        firm = counts(_of(reproduction.comparisons, kind, task))
        good, all_ = firm["reproduced"] + firm["close"], sum(firm[verdict] for verdict in VERDICTS[:3])
        parts += [f"{good} of {all_} {title.lower()} numbers"] if all_ else []
    return f"Counting firm verdicts only, {' and '.join(parts)} are reproduced or close." if parts else (
        "No verdict is firm, because there are too few lives or runs."
    )  # fmt: skip


def _of(comparisons: Sequence[Comparison], kind: str, task: str) -> list[Comparison]:
    return [one for one in comparisons if one.kind == kind and task in ("", one.task)]


def _picture(reproduction: Reproduction) -> pages.Markup:
    """Every item as a bar of its verdicts, with what is not reproduced and why."""
    rows: list[list[object]] = []
    for title, kind, task in GROUPS:
        groups = [(item, _of(one.comparisons, kind, task)) for item, one in reproduction.sections]
        if any(group for _, group in groups):
            rows.append([pages.Cell(title, "group", span=3)])
        for item, group in groups:
            if group:
                link = pages.element("a", item.where, href=f"#{item.name}")
                name = pages.element("small", item.title.removeprefix(f"{title}: "))
                why = [pages.element("div", pages.element("b", cells), ": ", reason) for cells, reason in missed(group)]
                rows.append([pages.join(link, name), bar(group), pages.join(*why)])
    key = [
        part
        for one, kind in zip(VERDICTS, ("good", "near", "bad", "soft"), strict=True)
        for part in (pages.element("span", MARKS[one], class_=f"{kind}-word"), f" {one} · ")
    ]
    key += [pages.element("span", "( )"), " weak: the errors are too wide to tell, so these are not counted above"]
    cut = pages.paragraph(NOT_TRIED, "soft") if not reproduction.scale.searches_whole else None
    head = ("", "Verdicts", "Not reproduced, and why")
    shown = pages.table(head, rows, kind="picture", words=(0, 1, 2))
    return pages.element("section", pages.paragraph(pages.join(*key), "soft"), shown, cut, id="answer")


def _section(item: Item, shown: Section) -> pages.Markup:
    compared = shown.comparisons
    return pages.element(
        "section",
        pages.paragraph(item.where, "where"),
        pages.element("h2", item.title),
        pages.paragraph(pages.element("strong", shown.answer)) if shown.answer else None,
        pages.paragraph(item.about),
        pages.paragraph(shown.ran, "soft"),
        pages.paragraph(f"{len(compared)} numbers: {tally(compared)}.", "soft") if compared else None,
        comparison_table(compared, shown.row_notes) if compared else None,
        *(
            pages.join(
                pages.element("h3", one.title),
                pages.table(one.columns, one.rows, words=one.words),
                pages.paragraph(one.caption, "soft") if one.caption else None,
                pages.details(one.more_title, pages.paragraph(one.more)) if one.more else None,
            )
            for one in shown.tables
        ),
        *(pages.figure(one.panels, one.title, one.caption, one.layout) for one in shown.figures),
        pages.bullets(shown.remarks),
        every_number(compared) if compared else None,
        id=item.name,
    )


def _method() -> pages.Markup:
    """How a verdict on a number is given, and what was fitted."""
    return pages.section(
        "How a verdict is given",
        *map(pages.paragraph, (RULE, WEAK, LEVELS)),
        pages.paragraph(
            f"In the tables ours is in bold, with the paper's number below it. {FITTED} marks what was fitted."
        ),
        pages.element("h3", "The combined standard error"),
        pages.paragraph(ERROR),
        pages.element("h3", f"What was fitted {FITTED}"),
        pages.paragraph(
            f"Numbers marked {FITTED} agree more easily, because a choice that the paper leaves open was made by "
            "looking at them."
        ),
        pages.bullets([*CHOICES.values()]),
        id="verdicts",
    )


def _footer(reproduction: Reproduction) -> pages.Markup:
    reading = "" if reproduction.reading == TEXT else f" --reading {reproduction.reading}"
    again = pages.command(f"hebbarium reproduce --scale {reproduction.scale.name} --seed {reproduction.seed}{reading}")
    return pages.element(
        "footer",
        pages.paragraph(
            f"The paper: {PAPER} Every table and figure is made again, with a verdict for every number of the tables "
            "except the rule entries, which are inputs."
        ),
        pages.element(
            "p",
            f"Made by hebbarium {__version__} with ",
            again,
            " . The same command gives the same numbers on any machine. They are also in "
            f"{JSON} and {CSV} beside this page.",
        ),
    )
