"""What is told of a rule, in Python and on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hebbarium.brains.network_files import kinds_of
from hebbarium.cli import main
from hebbarium.executors.threads import Threads
from hebbarium.rules.layered import read_rule
from hebbarium.rules.rule import Rule
from hebbarium.rules.words import in_words
from hebbarium.studies.explain import Explanation, explain, fate, home, measurement_of
from hebbarium.studies.live import live
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.registry import make_world

sys.path.insert(0, str(Path(__file__).parent / "atlas"))
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
        ("explain foraging:1 --measure --eta 2", "eta is 2"),
        ("explain foraging:1 --eta 0.1", "eta is only used together with measure"),
        ("explain foraging:1 --lifetimes 10", "lifetimes is only used together with measure"),
        ("explain foraging:1 --seed 1", "seed is only used together with measure"),
        ("explain foraging:1 --threads 1", "threads is only used together with measure"),
        ("explain foraging:1 --cluster local:2", "cluster is only used together with measure"),
        ("explain foraging:1 --measure --threads 1 --cluster local:2", "--threads cannot be used with --cluster"),
        ("explain foraging:1 --measure --lifetimes 100000000", "which would not fit in memory; the nearest that fits"),
        ("explain foraging:1 --measure --hidden 1000000000", "which would not fit in memory; the nearest that fits"),
        ("explain foraging:1 --measure --seed -1", "seed is -1"),
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
    assert measured.known.fitness > 35
    for neighbour in measured.neighbours:
        assert neighbour.known is not None
        assert neighbour.known.eta == 0.0375
        assert neighbour.difference == pytest.approx(neighbour.known.fitness - measured.known.fitness)
    # Without the entry that weakens what led to punishment nothing is learned.
    worst = {neighbour.place: neighbour.difference for neighbour in measured.neighbours}
    assert worst[3] < -20


def test_no_rank_of_the_atlas_stands_beside_what_was_measured(measured, capsys):
    assert measured.rank is None
    assert main(["explain", "foraging:6", "--measure", "--hidden", "5", "--eta", "0.5", "--lifetimes", "2"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "standard error of 2 lifetimes) at eta 0.5, with 5 hidden neurons, measured now." in out
    assert "rank" not in out


def test_compiling_is_announced_before_a_rule_is_measured(capsys, monkeypatch):
    monkeypatch.setattr("hebbarium.life.batch.is_compiled", lambda *life, **options: False)
    assert main(["explain", "foraging:1", "--measure", "--lifetimes", "2"]) == 0
    assert capsys.readouterr().err.startswith("Compiling the simulation of foraging")


def test_what_was_measured_is_said_of_the_brain_that_lived(capsys):
    words = ["explain", "foraging:1", "--measure", "--lifetimes", "2", "--seasons", "1", "--season-steps", "20"]
    brain = ["--hidden", "3,2", "--recurrent", "--activation", "tanh", "--scaling", "clip", "--trace", "0.5"]
    assert main([*words, *brain]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "A hidden neuron's activity is a number between -1 and 1" in text
    assert "Hidden neurons also hear their own activity of the last step." in text
    assert "Past steps take part in a change, each 0.5 times as much as the one after it." in text
    assert "After a change each weight is kept between -1 and 1." in text
    assert "unit length" not in text
    settings = "season-steps 20, seasons 1, recurrent, activation tanh, scaling clip, trace 0.5"
    assert f"with 3,2 hidden neurons, {settings}, measured now" in text
    assert main([*words, *brain, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["scaling"] == "clip"
    assert main(words) == 0
    assert "scaled to unit length" in " ".join(capsys.readouterr().out.split())


def test_fate_in_words(measured):
    assert measured.fate == "All 20 hidden neurons stay different to the end of life."
    assert fate(7.25, 20) == "By the end of a life 7.2 of 20 hidden neurons still differ."


def test_without_hidden_neurons_nothing_is_said_of_them(capsys):
    assert (
        main(["explain", "foraging:1", "--measure", "--lifetimes", "2", "--season-steps", "20", "--hidden", "0"]) == 0
    )
    text = " ".join(capsys.readouterr().out.split())
    assert "with 0 hidden neurons, season-steps 20, measured now. One entry changed" in text


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
    monkeypatch.setattr(
        "hebbarium.studies.atlas.finished_atlas.shipped", lambda task: atlas if task == "foraging" else None
    )
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
    assert "All 20 hidden neurons stay different to the end of life." in out
    assert "How much each entry adds" in out
    assert main(["explain", "0000/0000"]) == 0
    assert "no entries" in capsys.readouterr().out


def test_the_ranks_that_are_open_are_told(capsys):
    first, last = told(["-0+-/0000"], capsys)["rank_interval"]
    assert first <= told(["-0+-/0000"], capsys)["rank"] <= last
    assert main(["explain", "-0+-/0000"]) == 0
    assert f"of 6,561 (between {first} and {last})" in " ".join(capsys.readouterr().out.split())


def test_the_rule_that_changes_nothing_has_no_best_eta(capsys):
    assert told(["0000/0000"], capsys)["eta"] is None
    assert main(["explain", "0000/0000"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "at any eta, rank" in out
    assert "its best" not in out
    assert "-0.0 " not in out
    assert main(["explain", "0000/0000", "--measure"]) == 2
    assert "its neighbours need one" in capsys.readouterr().err


def test_an_eta_that_is_not_the_atlass_is_for_measure(capsys):
    assert main(["explain", "-0+-/0000@0.02"]) == 0
    assert "Use --measure for its score at eta 0.02." in " ".join(capsys.readouterr().out.split())
    best = explain("-0+-/0000").known.eta
    assert main(["explain", "-0+-/0000", "--measure", "--lifetimes", "2", "--json"]) == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["eta"], json.loads(out)["eta_source"]) == (best, "atlas")
    assert f"using {best:g}" in err


LAYERED = "-0+-/0000@0.005,00+-/0000@0.08"


def test_a_layered_rule_is_told_layer_by_layer(capsys):
    result = told([LAYERED], capsys)
    assert (result["rule"], result["eta"], result["index"]) == ("-0+-/0000,00+-/0000", [0.005, 0.08], None)
    assert result["etas"].startswith("The output layer learns at eta 0.08")
    assert [neighbour["layer"] for neighbour in result["neighbours"]] == ["hidden"] * 16 + ["output"] * 16
    for neighbour in result["neighbours"]:
        layer = Rule(neighbour["rule"].split(",")[neighbour["layer"] == "output"])
        assert "-0+"[layer.entries[neighbour["entry"]] + 1] == neighbour["to"]
    assert {neighbour["layer"] for neighbour in told(["frozen,00+-/0000"], capsys)["neighbours"]} == {"output"}


def test_a_person_reads_both_layers(capsys):
    assert main(["explain", LAYERED]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "hidden layer, eta 0.005" in out
    assert "output layer, eta 0.08" in out
    assert "The atlas does not cover rules that differ between layers" in out


def test_the_task_of_a_layered_rule_is_that_of_its_layers():
    assert home(read_rule("frozen,prey-predator:1")) == "prey-predator"


def test_blame_and_eligibility_are_told_in_words(capsys):
    blame = ["--blame", "open-turn=0.05,wall-turn=-0.06", "--eligibility", "missed=0.5"]
    assert main(["explain", "frozen,00+-/000+@0.03", *blame]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert (
        "turning in the open counts 0.05 times; turning away from a wall counts 0.06 times with the opposite sign"
        in out
    )
    assert "the previous step counts as well: 0.5 times after leaving a wanted item in view." in out
    assert "The atlas does not cover blame or eligibility" in out
    with pytest.raises(BadInput, match="missed"):
        explain("foraging:1", blame={"mised": 1})


@pytest.mark.parametrize("name", ["blame", "eligibility"])
@pytest.mark.parametrize("nonsense", [np.zeros((2, 0)), 0, [1]])
def test_weights_must_be_a_dict(name, nonsense):
    with pytest.raises(BadInput, match=f"{name} is .*, but must be a dict"):
        explain("foraging:1", **{name: nonsense})


def test_lifetimes_that_do_not_fit_are_refused_with_those_that_do(capsys):
    """The rule and its 16 neighbours together."""
    with pytest.raises(BadInput, match="would not fit in memory") as refused:
        explain("foraging:1", measure=True, lifetimes=10**8)
    nearest = int(str(refused.value).rstrip(".").rpartition(" ")[2])
    world = make_world("foraging")
    assert measurement_of("foraging:1", world, lifetimes=nearest).size == 17 * nearest
    with pytest.raises(BadInput, match=f"nearest that fits is {nearest}"):
        measurement_of("foraging:1", world, lifetimes=nearest + 1)


def test_lives_may_be_measured_elsewhere():
    """Any executor does, and is told of."""
    told, over = [], Threads(2)
    options = {"measure": True, "lifetimes": 3, "seed": 4}
    world = make_world("prey-predator", season_steps=100)
    here = explain("0-+0/0-00@0.83", world, threads=1, **options)
    assert explain("0-+0/0-00@0.83", world, threads=over, done=told.append, **options) == here
    assert sum(told) == 17 * 3
    with pytest.raises(BadInput, match="done is only used together with measure"):
        explain("foraging:1", done=told.append)


def test_what_was_measured_is_what_live_finds():
    world = make_world("foraging", season_steps=300)
    measured = explain("foraging:1", world, measure=True, lifetimes=3, seed=4, hidden=7)
    for known, rule in [(measured.known, "foraging:1"), *((near.known, near.rule) for near in measured.neighbours[:4])]:
        lives = live(world, rule, lifetimes=3, seed=4, hidden=7, keep_networks=True)
        assert known.fitness == lives.life_fitness.mean()
        assert known.distinct_hidden == lives.distinct_hidden.mean()
        assert known.kinds_of_hidden == kinds_of(lives.networks.hidden).mean()


def test_a_cluster_measures_the_same(capsys):
    words = ["--task", "t-maze", "--measure", "--lifetimes", "2", "--quiet"]
    here = told(["00+-/0000@0.04", *words], capsys)
    assert told(["00+-/0000@0.04", *words, "--cluster", "local:1"], capsys) == here


def test_blame_is_lived_with_where_it_is_measured():
    options = {"measure": True, "lifetimes": 3, "seed": 4, "threads": 1}
    world = make_world("foraging", season_steps=500)
    plain = explain("foraging:1", world, **options)
    blamed = explain("foraging:1", world, blame={"open-turn": 0.0}, **options)
    lives = live(world, "foraging:1", lifetimes=3, seed=4, blame={"open-turn": 0.0})
    assert blamed.known is not None
    assert blamed.known.fitness == lives.life_fitness.mean()
    assert blamed.known.fitness != plain.known.fitness
