"""The page and the curves of a finished evolution."""

from __future__ import annotations

import json
import re
import shlex
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from hebbarium.cli import main
from hebbarium.cli.evolve import print_summary, rules_table
from hebbarium.show.pages import Markup
from hebbarium.store.writing import Run
from hebbarium.studies.evolve.best_rules import placed, placed_words
from hebbarium.studies.evolve.page import command, fitness_chart, report, write_report
from hebbarium.studies.evolve.study import Evolution, carry_out, summary
from hebbarium.worlds.registry import make_world

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
    assert not re.search(r'(src|href)\s*=\s*"(?!#|data:)|url\(|@import|https?://', text)


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
    points = [len(path.get("d", "").split("L")) for path in lines]
    assert points.count(3) == 3 + 2
    assert points.count(2) == 2  # the samples of the legend


def test_the_command_on_the_page_is_the_same_evolution(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a reader would type, read by the real command line."""
    asked = []

    def stop(evolution: Evolution, out: Path, **_: object) -> None:
        asked.append((evolution, out))
        raise KeyboardInterrupt

    monkeypatch.setattr("hebbarium.cli.evolve.carry_out", stop)
    assert main(shlex.split(command(SMALL, run.folder))[1:]) == 130
    assert asked == [(SMALL, run.folder)]
    assert "--out" not in command(SMALL, SMALL.folder)


def test_the_best_rule_is_tried_in_the_brain_and_the_world_of_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evolution = Evolution.of(
        "foraging", "random", evaluations=2, lifetimes=1, rescore=2, season_steps=30, hidden=(3, 2), scaling="oja",
        recurrent=True, activation="tanh", trace=0.5, blame={"missed": 0.5},
    )  # fmt: skip
    run = carry_out(evolution, tmp_path / "run")
    page = write_report(run).read_text()
    typed = re.sub(r"<[^>]+>", "", page.partition("Try it: ")[2].partition("</code>")[0])
    assert main([*shlex.split(typed)[1:], "--lifetimes", "2", "--json"]) == 0
    lived = json.loads(capsys.readouterr().out)
    assert lived["hidden"] == [3, 2]
    assert lived["settings"] == {
        "season_steps": 30, "recurrent": True, "activation": "tanh", "scaling": "oja", "trace": 0.5,
        "blame": {"missed": 0.5},
    }  # fmt: skip
    assert "unit length" not in page
    assert "each weight shrinks by eta times the square of the activity" in page


def test_the_page_does_not_claim_that_scores_in_the_search_are_always_higher(run: Run) -> None:
    assert "they tend to be higher, because lucky rules are selected more often, but need not be" in " ".join(
        (run.folder / "report.html").read_text().split()
    )


HOSTILE = "<script>hit()</script><img src=x onerror=hit()>"


def test_what_is_stored_is_shown_and_never_markup(browser: Any, run: Run, tmp_path: Path) -> None:
    """A run's file may come from anybody."""
    result = summary(run)
    result["task"] = result["search"] = result["digest"] = HOSTILE
    rules = [
        {**row, "rank": HOSTILE, "count": HOSTILE, "words": HOSTILE, "paper": [HOSTILE]} for row in result["rules"]
    ]
    rules[1]["rule"] = HOSTILE
    curves = fitness_chart(run.result("curves"), HOSTILE)
    text = report(run, {**result, "rules": rules}, curves)
    assert "<script" not in text
    assert "<img" not in text
    file = tmp_path / "report.html"
    file.write_text(text, encoding="utf-8")
    page = browser.new_page()
    page.add_init_script("window.hits = 0; window.hit = () => { window.hits += 1; };")
    page.goto(file.as_uri())
    assert page.evaluate("window.hits") == 0
    assert page.inner_text("table.rules tbody th") == HOSTILE
    page.close()


def test_one_run_has_no_columns_about_several(run: Run) -> None:
    result = summary(run)
    several = _heads(report(run, result, Markup("")))
    one = _heads(report(run, {**result, "runs": 1}, Markup("")))
    assert several == ["rank", "rule", "count", "median", "std", "max", "min", "eta", "eta std", "in search"]
    assert one == ["rank", "rule", "fitness", "eta", "in search"]


def _heads(text: str) -> list[str]:
    head = text[text.index('<table class="rules">') : text.index("</thead>", text.index('<table class="rules">'))]
    return re.findall(r'scope="col"[^>]*>([^<]+)<', head)


def test_the_terminal_s_table_has_no_two_columns_of_one_name(run: Run) -> None:
    rules = run.result("rules")
    several, one = rules_table(rules, 3), rules_table(rules, 1)
    names = [str(column.header) for column in several.columns]
    assert names == ["#", "rule", "count", "median", "std", "max", "min", "eta", "eta std", "in search"]
    assert [str(column.header) for column in one.columns] == ["#", "rule", "fitness", "std. error", "eta", "in search"]
    fresh = rules[0]["fitness"]
    assert next(iter(one.columns[2].cells)) == f"{fresh['mean']:z.2f}"
    assert next(iter(one.columns[3].cells)) == f"{fresh['sem']:.2f}"


def test_the_winner_is_placed_where_the_atlas_is_of_the_same_world(run: Run, capsys: pytest.CaptureFixture) -> None:
    usual, hidden = make_world("foraging"), 20
    assert summary(run)["atlas"] is None  # another world
    assert placed("00+-/0000", 0.034, usual, 5) is None
    assert placed("00+-/0000,00+-/0000", 0.034, usual, hidden) is None
    assert placed("-++-/0000", 0.2, usual, hidden) is None  # the atlas has its rank at 0.017
    known = placed("-++-/0000", 0.02, usual, hidden)
    assert known is not None
    words = "-++-/0000 is rank 5 (3 to 5) of 6,561 in the atlas; the best known is 48.0 by 00+-/0000 at eta 0.0343."
    assert placed_words(known) == words
    result = {**summary(run), "atlas": known, "report": None}
    assert words in re.sub("<[^>]+>", "", report(run, result, Markup("")))
    assert "best known: 00+-/0000, 48.0" in report(run, result, Markup(""))
    print_summary(result)
    assert words in " ".join(capsys.readouterr().out.split())


def test_racing_has_rounds_and_a_leader(run: Run) -> None:
    text = report(run, {**summary(run), "search": "racing"}, fitness_chart(run.result("curves"), "racing"))
    assert "estimate of the current leader" in text
    assert "may fall" in text
    assert "generation</text>" not in text
    assert "population</text>" not in text


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
