"""The page and the curves of a finished evolution."""

from __future__ import annotations

import re
import shlex
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from hebbarium.cli.evolve import app
from hebbarium.runs.chart import ticks
from hebbarium.runs.evolution import Evolution, carry_out
from hebbarium.runs.report import command, write_report
from hebbarium.runs.store import Run

SMALL = Evolution.of(
    "foraging", season_steps=30, grid_size=12, green=4, blue=4, hidden=3, max_generations=3, runs=3, top=6, rescore=3
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run = carry_out(SMALL, tmp_path_factory.mktemp("report"))
    write_report(run)
    return run


def test_the_page_needs_nothing_outside_itself(run: Run) -> None:
    text = (run.folder / "report.html").read_text()
    assert not re.search(r"(src|href)\s*=|url\(|@import|https?://", text)


def test_every_rule_is_on_the_page(run: Run) -> None:
    text = (run.folder / "report.html").read_text()
    plain = re.sub(r"<[^>]+>", "", text)
    for row in run.result("rules"):
        assert row["rule"] in plain
        assert f"{row['median']:.2f}" in plain
    assert run.digest() in plain


def test_the_curves_are_a_file_of_their_own(run: Run) -> None:
    root = ElementTree.parse(run.folder / "fitness.svg").getroot()
    lines = [path for path in root.iter("{http://www.w3.org/2000/svg}path") if "line" in path.get("class", "")]
    assert len(lines) == 3 + 2
    assert all(len(path.get("d", "").split("L")) == 3 for path in lines)


def test_the_command_on_the_page_is_the_same_evolution(run: Run) -> None:
    """What a reader would type, read by the real command line."""
    words = shlex.split(command(SMALL, run.folder))[2:]
    _, bound, _ = app.parse_args(words, exit_on_error=False, print_error=False)
    options = bound.arguments
    assert options["task"] == SMALL.task
    assert (options["runs"], options["seed"], options["hidden"], options["top"], options["rescore"]) == (3, 1, 3, 6, 3)
    assert options["settings"].max_generations == 3
    assert options["out"] == run.folder
    assert "--out" not in command(SMALL, Path("runs/evolve-foraging-1"))


def test_the_page_does_not_claim_that_scores_in_the_search_are_always_higher(run: Run) -> None:
    assert "they tend to be higher, because luck helps to be chosen, but need not be" in " ".join(
        (run.folder / "report.html").read_text().split()
    )


@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 47), (-3.2, 0.1), (0, 1e-6), (12.5, 12.5), (-700, 20)])
def test_ticks_are_round_and_enclose(low: float, high: float) -> None:
    marks = ticks(low, high)
    assert marks[0] <= low
    assert marks[-1] >= high
    assert 2 <= len(marks) <= 8


@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_in_a_browser(browser: Any, run: Run, width: int) -> None:
    """It fits, nothing is missing, and nothing is complained of."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((run.folder / "report.html").absolute().as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for part in ("h1", "svg.chart", "table.rule", "table.rules"):
        box = page.locator(part).first.bounding_box()
        assert box is not None
        assert box["width"] > 100
    page.close()
    assert complaints == []


def test_a_report_can_be_written_again(run: Run, tmp_path: Path) -> None:
    before = (run.folder / "report.html").read_text()
    (run.folder / "report.html").unlink()
    write_report(Run.open(run.folder))
    assert (run.folder / "report.html").read_text() == before
