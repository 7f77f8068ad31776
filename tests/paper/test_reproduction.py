"""The whole reproduction, much smaller: every item, its page in a real browser, and going on after a stop."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil

import pytest

from hebbarium.cli import main
from hebbarium.cli.reproduce import _print_verdicts
from hebbarium.paper.comparison_tables import missed, tally
from hebbarium.paper.items import ITEMS
from hebbarium.paper.items.base import Section
from hebbarium.paper.printed_numbers import all_targets
from hebbarium.paper.report import Reproduction, report
from hebbarium.paper.reproduction import ReproduceStudy
from hebbarium.paper.verdict import VERDICTS, Comparison
from hebbarium.paper.works import Evolutions
from hebbarium.store.listing import describe
from hebbarium.store.writing import Run, Writer
from hebbarium.tools.errors import RunError
from tiny_scale import TINY, reproduce_at

CHEAP = ["seasons", "hand-made-rules", "hidden-neurons"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduction")
    reproduce_at(TINY, [], folder)
    return folder


def test_every_cell_of_the_papers_tables_is_compared_once(folder):
    entries = json.loads((folder / "comparison.json").read_text())
    compared = [(entry["item"], entry["cell"]) for entry in entries if entry["item"] != "statements"]
    assert sorted(compared) == sorted((target.item, target.cell) for target in all_targets())
    by_cell = {(entry["item"], entry["cell"]): entry for entry in entries}
    for target in all_targets():
        entry = by_cell[target.item, target.cell]
        assert entry["paper"] == target.paper
        assert entry["verdict"] in VERDICTS
        assert entry["ours"] is not None or entry["kind"] == "search"


def test_statements_are_judged(folder):
    entries = json.loads((folder / "comparison.json").read_text())
    statements = [entry for entry in entries if entry["item"] == "statements"]
    assert len(statements) == 31
    assert {entry["cell"].split()[0] for entry in statements if entry["task"] == "prey-predator"} == {"Prey-predator's"}
    assert all(entry["ours"] is not None for entry in statements)


def test_with_too_few_lives_every_verdict_is_weak(folder):
    """Three lives, two climbs and one search stand behind this report."""
    entries = json.loads((folder / "comparison.json").read_text())
    assert all(entry["weak"] for entry in entries if entry["kind"] != "given")
    assert not any(entry["weak"] for entry in entries if entry["kind"] == "given")


def test_what_was_not_tried_is_called_so_everywhere(folder, capsys):
    """Searches are cut short here."""
    entries = json.loads((folder / "comparison.json").read_text())
    searched = [entry for entry in entries if entry["kind"] == "search"]
    assert {entry["verdict"] for entry in searched} == {"not tried"}
    assert not any(entry["verdict"] == "not tried" for entry in entries if entry["kind"] != "search")
    page = (folder / "report.html").read_text()
    assert "Not tried: searches are cut short at this scale" in page
    cells = re.findall(r'<td class="([^"]*)" title="not tried', page)
    assert cells
    assert set(cells) == {"untried"}
    _print_verdicts(reproduce_at(TINY, [], folder))
    assert f"our own searches: {len(searched)} not tried." in capsys.readouterr().out


def test_the_answer_comes_before_the_method(folder):
    page = (folder / "report.html").read_text()
    places = [
        page.index(words)
        for words in (
            'id="answer"',
            'id="foraging-comparison"',
            "How a verdict is given",
            "The combined standard error",
        )
    ]
    assert places == sorted(places)
    assert "No verdict is firm" in page  # three lives stand behind everything


def test_what_a_newcomer_stumbled_over_is_gone(folder):
    page = (folder / "report.html").read_text()
    text = re.sub(r"<[^>]+>", " ", page)
    assert "<li>tested again." not in page
    assert not re.search(r"The first (\d+) of \1\.", text)
    assert not re.search(r"\d+ · \d+ · \d+ · \d+", text)
    assert "-0.0<" not in page


def test_hostile_words_of_a_comparison_are_shown_as_words():
    hostile = "<script>hit()</script><img src=x onerror=hit()>"
    one = Comparison("seasons", hostile, hostile, 1.0, 2.0, remark=hostile, printed=hostile, error=0.1, lives=100)
    shown = Section(ran=hostile, comparisons=[one], remarks=[hostile], row_notes={hostile: hostile})
    text = report(Reproduction(TINY, 1, [(ITEMS["seasons"], shown)]))
    assert "<script" not in text
    assert "<img" not in text
    assert text.count("&lt;script&gt;") >= 6


def test_headlines_count_firm_verdicts_only():
    def one(verdict, weak):
        return Comparison("seasons", "row", "column", 1.0, 2.0, verdict=verdict, weak=weak)

    firm = [one("reproduced", False)] * 3 + [one("close", False)] + [one("not reproduced", False)] * 2
    weak = [one("reproduced", True)] * 40
    text = report(Reproduction(TINY, 1, [(ITEMS["seasons"], Section(ran="", comparisons=firm + weak))]))
    assert "4 of 6 foraging numbers are reproduced or close" in text
    assert tally(firm + weak) == "3 reproduced, 1 close, 2 not reproduced; 40 weak"
    ((cells, reason),) = missed([*firm, *weak, one("not reproduced", True)])
    assert (cells, reason) == ("row (column)", "Not explained.")


def test_what_was_fitted_bears_a_mark(folder):
    entries = json.loads((folder / "comparison.json").read_text())
    fitted = {(entry["item"], entry["cell"].split()[0]) for entry in entries if entry["fitted"]}
    assert ("foraging-comparison", "Perfect") in fitted
    assert ("foraging-comparison", "Evolved") not in fitted
    assert all(e["fitted"] == ("/ W " in e["cell"]) for e in entries if e["item"] == "seasons")
    assert all(e["fitted"] for e in entries if e["item"].startswith("prey-predator-") and e["kind"] == "measured")
    assert "What was fitted" in (folder / "report.html").read_text()


def test_csv_holds_the_same(folder):
    entries = json.loads((folder / "comparison.json").read_text())
    with (folder / "comparison.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["cell"] for row in rows] == [entry["cell"] for entry in entries]


def test_a_second_time_nothing_is_run_and_the_report_is_the_same(folder):
    before = {name: (folder / name).read_bytes() for name in ("report.html", "comparison.json", "comparison.csv")}
    assert reproduce_at(TINY, [], folder).done == 0
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert Run.open(folder).finished is not None


def test_a_finished_one_of_another_arithmetic_is_still_reported(folder, tmp_path, monkeypatch):
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / "report.html").unlink()
    monkeypatch.setattr("hebbarium.store.about.ARITHMETIC", 99)
    assert reproduce_at(TINY, [], copy).done == 0
    assert (copy / "report.html").read_bytes() == (folder / "report.html").read_bytes()


def test_stopped_in_the_middle_it_goes_on_to_the_same_result(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    everything = reproduce_at(TINY, CHEAP, whole).done
    study = ReproduceStudy(TINY, [ITEMS[name] for name in CHEAP])
    with Writer.begin(parts, study.kind, study.configuration()) as writer:
        writer.save(pieces={work.piece: work.do(1) for work in study.works()[:4]})
    assert reproduce_at(TINY, CHEAP, parts, threads=1).done == everything - 4
    assert (whole / "comparison.json").read_bytes() == (parts / "comparison.json").read_bytes()
    assert (whole / "report.html").read_bytes() == (parts / "report.html").read_bytes()
    assert describe(whole)["state"] == "finished"


def test_some_items_that_are_done_are_not_listed_as_stopped(tmp_path):
    Writer.begin(tmp_path, "reproduce", ReproduceStudy(TINY, []).configuration()).close()
    assert describe(tmp_path)["state"] == "stopped"
    reproduce_at(TINY, ["seasons"], tmp_path)
    listed = describe(tmp_path)
    assert (listed["state"], listed["lifetimes"]) == ("finished", None)


def test_another_seed_in_the_same_folder_is_refused(folder):
    with pytest.raises(RunError, match="seed"):
        reproduce_at(TINY, ["seasons"], folder, seed=2)


@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_in_a_browser(browser, folder, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    page.goto((folder / "report.html").absolute().as_uri())
    assert complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for item in ITEMS.values():
        assert page.locator(f"#{item.name} h2").is_visible()
    figures = page.locator("figure svg")
    assert figures.count() == 32
    for number in range(figures.count()):
        box = figures.nth(number).bounding_box()
        assert 150 < box["width"] <= width
        assert box["height"] > 40
    smallest = page.evaluate(
        "Math.min(...[...document.querySelectorAll('figure svg text')]"
        ".map(text => text.getBoundingClientRect()).filter(box => box.width > 0)"
        ".map(box => Math.max(box.height, box.width)))"
    )
    assert smallest >= 5
    body = page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")
    assert body >= 14
    page.close()


def test_items_are_listed_and_unknown_ones_refused(capsys, tmp_path):
    assert main(["reproduce", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in ITEMS)
    assert main(["reproduce", "season", "--out", str(tmp_path / "none")]) == 2
    assert "seasons" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_one_item_on_the_command_line(capsys, tmp_path):
    words = ["reproduce", "hand-made-rules", "--out", str(tmp_path / "one"), "--quiet", "--json"]
    assert main(words) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["done"] == 3
    assert len(first["comparison"]) == 27
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["done"] == 0


SEARCHES = {
    "foraging": ({"seed": 1, "first_run": 1, "max_generations": 3, "rescored": 4}, "3740ef23de9fe237"),
    "prey-predator": ({"seed": 2, "max_generations": 1, "rescored": 2}, "6cb20cbb62a380ef"),
}
"""A search of the reproduction, and the digest that version 0.1 gave it."""


@pytest.mark.parametrize("task", SEARCHES)
def test_searches_are_those_of_version_0_1(task):
    settings, expected = SEARCHES[task]
    arrays = Evolutions(task=task, runs=1, **settings).do(2)
    digest = hashlib.sha256()
    for name in ("entries", "eta", "scores", "generations"):
        digest.update(arrays[name].astype("<f8").tobytes())
    assert digest.hexdigest()[:16] == expected
