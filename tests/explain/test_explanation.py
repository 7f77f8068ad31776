"""What is told of a rule, in Python and on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hebbarium.cli import main
from hebbarium.explanation import Explanation, explain, fate, home
from hebbarium.rule import Rule
from hebbarium.words import in_words

sys.path.insert(0, str(Path(__file__).parent.parent / "atlas"))
from invented import invented


def told(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict:
    assert main(["explain", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_machine_readable_contract(capsys):
    result = told(["foraging:1"], capsys)
    assert {"rule", "index", "paper", "words", "family", "rank", "neighbours"} <= set(result)
    assert result["rule"] == "00+-/0000"
    assert result["index"] == 3442
    assert result["paper"] == ["foraging:1"]
    assert len(result["neighbours"]) == 16


@pytest.mark.parametrize("text", ["-0+-/0000", "-0+-0000", "1255"])
def test_a_rule_may_begin_with_a_minus(text, capsys):
    result = told([text], capsys)
    assert result["rule"] == "-0+-/0000"
    assert result["words"] == in_words(Rule("-0+-/0000"))


def test_neighbours_differ_in_the_entry_they_name():
    rule = Rule("-++-/+0-0")
    for neighbour in explain(rule).neighbours:
        differs = [place for place in range(8) if neighbour.rule.entries[place] != rule.entries[place]]
        assert differs == [neighbour.place]


def test_a_person_reads_words_and_picture(capsys):
    assert main(["explain", "00+-/0000"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Reward changes nothing." in out
    assert "punished 0 0 + −" in out
    assert "foraging:1 in the paper" in out
    assert "A neuron is active when its input is above zero" in out
    assert "the bias, which feeds every neuron, always is" in out


def test_the_task_is_the_one_the_paper_names_the_rule_for():
    assert home(Rule("foraging:3")) == "foraging"
    assert home(Rule("0000/0000")) == "foraging"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("explain 00+", "has 3 entries"),
        ("explain 6561", "the nearest is 6560"),
        ("explain foraging:1 --task foragin", "did you mean 'foraging'?"),
        ("explain foraging:1 --measure --lifetimes 1", "the nearest is 2"),
        ("explain foraging:1 --eta 2", "eta is 2"),
        ("explain foraging:1 --eta 0.1", "eta is only used together with measure"),
        ("explain foraging:1 --lifetimes 10", "lifetimes is only used together with measure"),
        ("explain foraging:1 --seed 1", "seed is only used together with measure"),
    ],
)
def test_bad_input(words, expected, capsys):
    assert main(words.split()) == 2
    assert expected in capsys.readouterr().err


@pytest.fixture(scope="module")
def measured() -> Explanation:
    return explain("foraging:1", measure=True, lifetimes=8, seed=3)


def test_measured_neighbours_are_paired_at_one_eta(measured):
    assert measured.source == "measured"
    assert measured.known is not None
    assert measured.known.mean > 35
    for neighbour in measured.neighbours:
        assert neighbour.known is not None
        assert neighbour.known.eta == 0.0375
        assert neighbour.difference == pytest.approx(neighbour.known.mean - measured.known.mean)
    # Without the entry that weakens what led to punishment nothing is learned.
    worst = {neighbour.place: neighbour.difference for neighbour in measured.neighbours}
    assert worst[3] < -20


def test_no_rank_of_the_atlas_stands_beside_what_was_measured(measured, capsys):
    assert measured.rank is None
    assert main(["explain", "foraging:6", "--measure", "--hidden", "5", "--eta", "0.5", "--lifetimes", "2"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "at eta 0.5, with 5 hidden neurons, measured now (2 lifetimes)" in out
    assert "rank" not in out


def test_compiling_is_announced_before_a_rule_is_measured(capsys, monkeypatch):
    monkeypatch.setattr("hebbarium.lifetime.is_compiled", lambda task: False)
    assert main(["explain", "foraging:1", "--measure", "--lifetimes", "2"]) == 0
    assert capsys.readouterr().err.startswith("Compiling the kernels of foraging")


def test_fate_in_words(measured):
    assert measured.fate == "All 20 hidden neurons stay different for life."
    assert fate(7.25, 20) == "By the end of a life 7.2 of 20 hidden neurons still differ."


def test_explaining_needs_no_compiler():
    code = (
        "import sys; from hebbarium.cli import main; main(['explain', 'foraging:1', '--json']); "
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


@pytest.fixture
def with_atlas(monkeypatch):
    """An invented atlas in place of the one that comes with the package."""
    atlas = invented()
    monkeypatch.setattr("hebbarium.atlas.table.shipped", lambda task: atlas if task == "foraging" else None)
    return atlas


def test_the_atlas_tells_rank_fitness_worth_and_what_a_change_costs(with_atlas, capsys):
    result = told(["foraging:1"], capsys)
    assert result["rank"] == 1
    assert result["source"] == "atlas"
    assert result["fitness"] == {"mean": pytest.approx(48.3), "sem": 0.4, "lifetimes": 100}
    inert = with_atlas.mean[Rule("0000/0000").index]
    assert sum(result["worth"]) == pytest.approx(48.3 - inert, abs=0.01)
    for neighbour in result["neighbours"]:
        assert neighbour["difference"] == pytest.approx(with_atlas.mean[neighbour["index"]] - 48.3)
        assert neighbour["rank"] == with_atlas.ranks[neighbour["index"]]


def test_a_person_reads_what_the_atlas_knows(with_atlas, capsys):
    assert main(["explain", "00+-/0000"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "it scores 48.3 ± 0.4" in out
    assert "rank 1 of 6,561" in out
    assert "All 20 hidden neurons stay different for life." in out
    assert "What its entries add" in out
    assert main(["explain", "0000/0000"]) == 0
    assert "no entries" in capsys.readouterr().out
