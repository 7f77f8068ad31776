"""Side by side and one setting over values, in Python and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hebbarium.cli import main
from hebbarium.experiment import read_weights
from hebbarium.rules.rule import Rule
from hebbarium.studies.atlas.finished_atlas import Atlas
from hebbarium.studies.compare import compare
from hebbarium.studies.live import live, live_agent
from hebbarium.studies.plots import draw_sweep
from hebbarium.studies.sweep import read_over, sweep
from hebbarium.studies.trace import trace
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.registry import make_world

SHORT = {"season_steps": 1000, "seasons": 2}


def run_json(capsys, *words):
    assert main([*words, "--json", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)


def test_contenders_live_exactly_as_they_would_alone():
    result = compare("foraging", "foraging:1", "foraging:4", lifetimes=12, seed=5, **SHORT)
    for contender, rule in zip(result.contenders, ("foraging:1", "foraging:4"), strict=True):
        alone = live("foraging", rule, lifetimes=12, seed=5, **SHORT)
        assert np.array_equal(contender.fitness, alone.life_fitness)


def test_pairs_are_compared_trial_by_trial():
    result = compare("foraging", "foraging:1", "foraging:16", "foraging:18", lifetimes=12, **SHORT)
    assert len(result.pairs) == 3
    first, last = result.contenders[0].fitness, result.contenders[2].fitness
    pair = next(pair for pair in result.pairs if pair.b == result.contenders[2].name and "foraging:1)" in pair.a)
    assert pair.difference.value == pytest.approx((first - last).mean())
    assert pair.difference.low <= pair.difference.value <= pair.difference.high
    assert pair.signed_rank.p < 0.01
    assert all(pair.rank_sum_corrected >= pair.rank_sum.p for pair in result.pairs)


def test_agents_stand_beside_rules(capsys, tmp_path):
    picture = tmp_path / "compare.svg"
    result = run_json(
        capsys, "compare", "foraging", "foraging:1", "--agent", "perfect", "--agent", "random", "--lifetimes", "10",
        "--season-steps", "1000", "--seasons", "2", "--plot", str(picture),
    )  # fmt: skip
    assert [contender["name"] for contender in result["contenders"]][1:] == ["perfect agent", "random agent"]
    means = [contender["fitness"]["mean"] for contender in result["contenders"]]
    assert means[1] > means[0] > means[2]
    assert {"difference", "wins", "rank_sum", "signed_rank"} <= set(result["pairs"][0])
    assert picture.read_text().count("agent") >= 2


def test_a_rule_that_begins_with_a_minus_is_compared(capsys):
    result = run_json(
        capsys, "compare", "foraging", "-0+-/0000", "0", "--eta", "0.02", "--lifetimes", "2", "--season-steps", "50"
    )
    assert [contender["rule"] for contender in result["contenders"]] == ["-0+-/0000", "----/----"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["compare", "foraging", "foraging:1"], "at least two"),
        (["compare", "foraging", "foraging:1", "foraging:1"], "twice"),
        (["compare", "foraging", "foraging:1", "--agent", "random", "--agent", "random"], "agent random is given"),
        (["compare", "foraging", "foraging:1", "foraging:2", "--lifetimes", "3000000000"], "would not fit in memory"),
        (["compare", "association", "00+-/0000@0.1", "00+-/0000"], "needs an eta"),
        (["compare", "foraging", "foraging:1", "foraging:2", "--lifetimes", "1"], "nearest is 2"),
        (["compare", "foraging", "foraging:1", "--agent", "perfekt"], "perfect"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden"], "such as hidden=5:50:5"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "hiden=1,2"], "hidden"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "season_step=1,2"], "did you mean 'season-steps'"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=5:1:1"], "start:stop:step"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=5:inf:5"], "start:stop:step"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=5:nan:5"], "start:stop:step"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", f"hidden=1:{'9' * 400}:1"], "start:stop:step"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "eta=0:1e300:1e-300"], "too many values"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=1:1001:1"], "at most 1000"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=1,2", "--hidden", "3"], "what varies"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "eta=0,0.1", "--eta", "0.5"], "eta is what varies"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "green=1,2", "--green", "3"], "green is what varies"),
        (["sweep", "association", "--rule", "00+-/0000", "--over", "hidden=1,2"], "needs an eta"),
        (["sweep", "foraging", "--rule", "3442@0.1", "--over", "eta=0,0.1"], "eta is what varies"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=1,2", "--lifetimes=3000000000"], "in memory"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=-1,1"], "nearest is 0"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "eta=0.5,1"], "eta"),
        (["compare", "foraging", "foraging:1", "foraging:2", "--blame", "mised=1"], "did you mean 'missed'"),
        (["compare", "foraging", "foraging:1", "foraging:2", "--blame", "missed=1,missed=2"], "has missed twice"),
        (["compare", "foraging", "foraging:1", "foraging:2", "--eligibility", "0.3,0.5"], "two numbers for all groups"),
        (
            ["compare", "foraging", "--agent", "perfect", "--agent", "random", "--blame", "missed=1"],
            "blame is for rules",
        ),
        (["compare", "foraging", "--agent", "perfect", "--agent", "random", "--ties", "first"], "ties is for rules"),
        (["compare", "foraging", "foraging:1", "foraging:2", "--hidden", "1000000000"], "would not fit in memory"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=1,2", "--weight-noise", "11"], "weight-noise"),
        (["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=1,2", "--blame", "1"], "must name a group"),
        (["live", "foraging", "--agent", "perfect", "--rule", "foraging:1"], "--rule cannot be used with --agent"),
        (["live", "foraging", "--agent", "perfekt"], "perfect"),
        (["live", "foraging", "--agent", "random", "--lifetimes", "0"], "nearest is 1"),
        (["live", "foraging", "--agent", "random", "--lifetimes", "-5"], "nearest is 1"),
    ],
)
def test_bad_input_is_one_sentence(capsys, words, told):
    assert main(words) == 2
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error


def test_sweeping_hidden_neurons_gives_the_lives_of_each(capsys, tmp_path):
    picture = tmp_path / "sweep.png"
    result = run_json(
        capsys, "sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=2:6:2", "--lifetimes", "6",
        "--season-steps", "500", "--plot", str(picture),
    )  # fmt: skip
    assert [row["value"] for row in result["values"]] == [2, 4, 6]
    alone = live("foraging", "foraging:1", hidden=4, lifetimes=6, season_steps=500)
    assert result["values"][1]["digest"] == alone.digest
    assert picture.stat().st_size > 1000


def test_std_is_the_same_in_every_verb(capsys):
    same = ["--lifetimes", "6", "--season-steps", "500"]
    lived = run_json(capsys, "live", "foraging", "--rule", "foraging:1", *same)["fitness"]["std"]
    swept = run_json(capsys, "sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=20", *same)
    compared = run_json(capsys, "compare", "foraging", "foraging:1", "foraging:2", *same)
    assert swept["values"][0]["fitness"]["std"] == lived
    assert compared["contenders"][0]["fitness"]["std"] == lived


BLAME, REACH = {"open-turn": 0.05, "wall-turn": -0.06}, {"missed": 0.5}
UNUSUAL = {"hidden_bias": "fixed", "weight_noise": 0.01, "born_alike": True}
OPTIONS = [
    "--blame", "open-turn=0.05,wall-turn=-0.06", "--eligibility", "missed=0.5", "--hidden-bias", "fixed",
    "--weight-noise", "0.01", "--born-alike", "--lifetimes", "4", "--season-steps", "300", "--seed", "5",
]  # fmt: skip


@pytest.mark.parametrize(
    ("task", "settings"),
    [
        ("foraging", {"blame": BLAME}),
        ("foraging", {"eligibility": REACH, **UNUSUAL}),
        ("prey-predator", {"eligibility": {"1": 0.5}}),  # whose arithmetic is then another
        ("prey-predator", {"ties": "first", "output_bias": "none"}),
    ],
)
def test_blame_eligibility_and_brains_are_those_of_live(task, settings):
    rules, same = ("00+-/0000@0.04", "frozen,000-/0000@0.03"), {"lifetimes": 4, "seed": 5, "season_steps": 300}
    alone = [live(task, rule, **settings, **same) for rule in rules]
    result = compare(task, *rules, **settings, **same)
    for contender, lives in zip(result.contenders, alone, strict=True):
        assert np.array_equal(contender.fitness, lives.life_fitness)
    assert result.summary()["settings"] == alone[0].summary()["settings"]
    swept = sweep(task, rules[0], "hidden", [alone[0].hidden, 3], **settings, **same)
    assert swept.lives[0].digest == alone[0].digest
    assert swept.summary()["settings"] == alone[0].summary()["settings"]
    grid = sweep(task, "00+-/0000", {"eta": [0.04, 0.5], "season_steps": [300]}, **settings, lifetimes=4, seed=5)
    assert grid.lives[0][0].digest == alone[0].digest
    assert grid.summary()["settings"] == {
        name: value for name, value in alone[0].summary()["settings"].items() if name != "season_steps"
    }


def test_blame_eligibility_and_brains_on_the_command_line(capsys):
    alone = run_json(capsys, "live", "foraging", "--rule", "foraging:1", *OPTIONS)
    assert alone["settings"] == {"season_steps": 300, **UNUSUAL, "blame": BLAME, "eligibility": REACH}
    compared = run_json(capsys, "compare", "foraging", "foraging:1", "foraging:2", "--agent", "random", *OPTIONS)
    assert compared["settings"] == alone["settings"]
    assert compared["contenders"][0]["fitness"]["mean"] == alone["fitness"]["mean"]
    words = ["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=20,5", *OPTIONS]
    swept = run_json(capsys, *words)
    assert swept["settings"] == alone["settings"]
    assert swept["values"][0]["digest"] == alone["digest"]
    same = "season-steps 300, hidden-bias fixed, weight-noise 0.01, born-alike, blame open-turn=0.05,wall-turn=-0.06"
    for shown in (words, ["compare", "foraging", "foraging:1", "foraging:2", *OPTIONS]):
        assert main(shown) == 0
        assert f"{same}, eligibility missed=0.5" in capsys.readouterr().out


@pytest.mark.parametrize("call", [compare, sweep])
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"blame": 0.5}, "blame is 0.5, but must be a dict"),
        ({"eligibility": {"mised": 1}}, "did you mean 'missed'"),
        ({"ties": "last"}, "ties is 'last'"),
        ({"frozen": True}, "foraging has no setting 'frozen'"),
        ({"networks": None}, "foraging has no setting 'networks'"),
    ],
)
def test_what_lives_cannot_have_is_refused(call, settings, told):
    arguments = ("foraging:1", "foraging:2") if call is compare else ("foraging:1", "hidden", [5])
    with pytest.raises(BadInput, match=told):
        call("foraging", *arguments, lifetimes=2, **SHORT, **settings)


def test_who_has_no_network_has_no_hidden_neurons(capsys):
    short = ["--lifetimes", "2", "--season-steps", "50"]
    words = ["compare", "foraging", "--agent", "tabular", "--agent", "linear", *short]
    assert run_json(capsys, *words)["hidden"] is None
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "2 lifetimes each, seed 1 for all, season-steps 50; learning agents: step-size 0.5" in out
    assert main([*words, "--hidden", "5"]) == 2
    assert "none of these agents has one" in capsys.readouterr().err
    assert main(["sweep", "foraging", "--agent", "tabular", "--over", "step-size=0.2,1", *short]) == 0
    assert "neurons" not in capsys.readouterr().out
    climbing = compare("foraging", agents=("hill-climbing", "perfect"), lifetimes=2, season_steps=2, hidden=3)
    assert climbing.hidden == 3


def test_agents_alone_have_neither_blame_nor_brain():
    with pytest.raises(BadInput, match="born-alike is for rules, but only agents are compared here"):
        compare("foraging", agents=("perfect", "random"), lifetimes=2, born_alike=True)


@pytest.mark.parametrize(
    ("over", "values", "told"),
    [
        ("hidden", 5, r"the values of hidden are 5, but must be a list, such as \[5\]"),
        ("wall", "inside", r"the values of wall are 'inside', but must be a list"),
        ("hidden", None, "must be a list"),
        ({"hidden": 5, "eta": [0.1]}, (), "the values of hidden are 5"),
        (["hidden"], [5], "over is .*, but must be the name of a setting"),
        (5, [5], "over is 5"),
    ],
)
def test_values_are_a_list(over, values, told):
    with pytest.raises(BadInput, match=told):
        sweep("foraging", "foraging:1", over, values, lifetimes=2)


def test_weights_are_read_whatever_their_order():
    groups = ("missed", "wrong", "taken")
    own = {"missed": 0.5, "wrong": 0.3, "taken": 0.3}
    assert read_weights("eligibility", "0.3,missed=0.5", groups) == own
    assert read_weights("eligibility", "missed=0.5, 0.3", groups) == own
    assert read_weights("eligibility", "0.3", groups) == dict.fromkeys(groups, 0.3)
    assert read_weights("blame", "missed=0.5,3=-1") == {"missed": 0.5, "3": -1.0}
    assert read_weights("blame", None) == {}


def test_tables_say_what_is_the_same_for_all(capsys):
    words = ["sweep", "foraging", "--rule", "foraging:1", "--over", "season-steps=50,60", "--lifetimes", "2"]
    assert main([*words, "--seed", "4"]) == 0
    assert "rule 00+-/0000 (foraging:1), eta 0.0375, hidden 20, lifetimes 2, seed 4" in capsys.readouterr().out
    assert main(["compare", "foraging", "foraging:1", "foraging:2", "--lifetimes", "2", "--season-steps", "50"]) == 0
    out = capsys.readouterr().out
    assert "2 lifetimes each, 20 hidden neurons, seed 1 for all, season-steps 50" in out
    assert "1 - 2" in out


@pytest.mark.parametrize(("over", "scale"), [("eta=0.001,0.01,0.5", "log"), ("eta=0,0.5", "linear")])
def test_values_that_span_much_have_a_logarithmic_axis(over, scale):
    task = make_world("foraging", season_steps=20)
    axes = draw_sweep(sweep(task, "foraging:1", *read_over(over, task), lifetimes=2)).axes[0]
    assert axes.get_xscale() == scale


def test_words_are_points_that_no_line_joins():
    figure = draw_sweep(sweep("foraging", "foraging:1", "wall", ["inside", "outside"], lifetimes=3, season_steps=200))
    assert all(len(set(line.get_xdata())) == 1 for line in figure.axes[0].lines)


def test_eta_and_any_setting_of_the_world_can_be_swept():
    etas = sweep("foraging", "00+-/0000", "eta", [0.0, 0.04], lifetimes=4, **SHORT)
    assert etas.lives[0].rule.eta == 0.0
    assert etas.lives[0].digest != etas.lives[1].digest
    walls = sweep("foraging", "foraging:1", "wall", ["inside", "outside"], lifetimes=3, **SHORT)
    assert [lives.task.wall for lives in walls.lives] == ["inside", "outside"]
    with pytest.raises(BadInput, match="inside"):
        sweep("foraging", "foraging:1", "wall", ["insid"], lifetimes=3, **SHORT)


def test_a_swept_setting_has_no_value_of_its_own():
    etas = sweep("foraging", "foraging:1", "eta", np.array([0.0, 0.04]), lifetimes=2, **SHORT).summary()
    assert etas["eta"] is None
    assert [row["value"] for row in json.loads(json.dumps(etas))["values"]] == [0.0, 0.04]
    sizes = sweep("foraging", "foraging:1", "hidden", np.array([2, 3]), lifetimes=2, **SHORT).summary()
    assert sizes["eta"] == 0.0375
    assert [row["value"] for row in json.loads(json.dumps(sizes))["values"]] == [2, 3]
    for over, given in (("eta", {"eta": 0.5}), ("hidden", {"hidden": 5}), ("wall", {"wall": "inside"})):
        with pytest.raises(BadInput, match=f"{over} is what varies"):
            sweep("foraging", "foraging:1", over, [0.1], lifetimes=2, **given)
    with pytest.raises(BadInput, match="no values of eta"):
        sweep("foraging", "foraging:1", "eta", [], lifetimes=2)


def test_agents_are_swept_as_they_live_alone():
    """Over a learner's own settings, too."""
    steps = sweep("foraging", None, "step_size", [0.2, 1], agent="tabular", discount=0.5, lifetimes=3, seed=5, **SHORT)
    for size, lives in zip((0.2, 1.0), steps.lives, strict=True):
        alone = live_agent("foraging", "tabular", step_size=size, discount=0.5, lifetimes=3, seed=5, **SHORT)
        assert lives.digest == alone.digest
    said = steps.summary()
    assert (said["agent"], said["rule"], said["settings"]["discount"]) == ("tabular", None, 0.5)
    assert "tabular agent" in steps._repr_html_()
    assert "tabular agent" in draw_sweep(steps).axes[0].get_title(loc="left")
    both = sweep(
        "foraging", None, {"told": ["signal", "counts"], "green": [5, 50]}, agent="linear", lifetimes=2, **SHORT
    )
    assert both.means().shape == (2, 2)
    assert (
        both.lives[1][0].digest == live_agent("foraging", "linear", told="counts", green=5, lifetimes=2, **SHORT).digest
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--agent", "random", "--over", "step-size=0.5"], "over is 'step-size'"),
        (["--agent", "tabular", "--over", "hidden=5"], "over is 'hidden'"),
        (["--agent", "tabular", "--rule", "foraging:1", "--over", "green=5"], "leave out the one or the other"),
        (["--agent", "tabular", "--eta", "0.1", "--over", "green=5"], "eta is for rules, not for the tabular agent"),
        (["--agent", "tabular", "--blame", "3=0.5", "--over", "green=5"], "blame is for rules"),
        (["--agent", "tabular", "--told", "signal", "--over", "told=counts"], "told is what varies"),
        (
            ["--rule", "foraging:1", "--told", "signal", "--over", "green=5"],
            "told are for the agents tabular and linear",
        ),
        (["--over", "green=5"], "rule is missing"),
    ],
)
def test_what_an_agent_has_not_is_refused(words, complaint, capsys):
    assert main(["sweep", "foraging", *words]) == 2
    assert complaint in capsys.readouterr().err


def test_rules_are_the_same_when_entries_and_eta_are():
    near = compare("foraging", Rule(3442, 0.0375), Rule(3442, 0.03750001), Rule(3442, 0.5), lifetimes=2, **SHORT)
    names = [contender.name for contender in near.contenders]
    assert names == ["00+-/0000@0.0375 (foraging:1)", "00+-/0000@0.03750001", "00+-/0000@0.5"]  # the paper's eta is one
    with pytest.raises(BadInput, match=r"rule 00\+-/0000@0\.0375 is given twice"):
        compare("foraging", "foraging:1", Rule(3442, 0.0375), lifetimes=2)


def test_each_rule_is_compared_at_its_own_eta(capsys):
    words = ["compare", "foraging", "foraging:1", "-0+-/0000@0.02", "-0+-/0000", "--lifetimes", "2"]
    assert main([*words, "--season-steps", "50", "--json"]) == 0
    out, err = capsys.readouterr()
    best = float(Atlas.of("foraging").eta[Rule("-0+-/0000").index])
    etas = [(contender["eta"], contender["eta_source"]) for contender in json.loads(out)["contenders"]]
    assert etas == [(0.0375, "paper"), (0.02, "given"), (best, "atlas")]
    assert f"Rule -0+-/0000 was given without an eta; using {best:g}" in err
    assert err.count("another eta may be better here") == 1
    assert "another eta may be better here: season-steps 5000 (here 50)." in err
    shared = compare("foraging", "foraging:1", "-0+-/0000@0.02", "3442", eta=0.5, lifetimes=2, **SHORT)
    assert [contender.rule.eta for contender in shared.contenders] == [0.0375, 0.02, 0.5]
    with pytest.raises(BadInput, match="each has one"):
        compare("foraging", "foraging:1", "foraging:2", eta=0.5, lifetimes=2)


def test_a_sweep_takes_the_best_known_eta_and_a_trace_too():
    best = float(Atlas.of("foraging").eta[3442])
    swept = sweep("foraging", "00+-/0000", "hidden", [2, 3], lifetimes=2, **SHORT)
    assert (swept.rule.eta, swept.eta_source, swept.summary()["eta_source"]) == (best, "atlas", "atlas")
    traced = trace("foraging", "00+-/0000", **SHORT)
    assert (traced.rule.eta, traced.eta_source) == (best, "atlas")


def test_agents_can_be_compared_without_a_rule():
    result = compare("foraging", agents=("perfect", "random"), lifetimes=3, **SHORT)
    assert [contender.name for contender in result.contenders] == ["perfect agent", "random agent"]
    with pytest.raises(BadInput, match="agent random is given twice"):
        compare("foraging", agents=("random", "random"), lifetimes=3)


def test_values_are_read_as_they_are_meant():
    world = make_world("foraging")
    assert read_over("eta=0.01:0.05:0.02", world) == ("eta", [0.01, 0.03, 0.05])
    assert read_over("random-action=0,0.1", world) == ("random_action", [0, 0.1])
    assert read_over("turn-at-wall=true,false", world) == ("turn_at_wall", [True, False])


def test_agents_live_on_the_command_line(capsys):
    words = ["live", "foraging", "--agent", "perfect", "--lifetimes", "6", "--season-steps", "500", "--seed", "3"]
    first, again = run_json(capsys, *words), run_json(capsys, *words, "--threads", "1")
    assert first["digest"] == again["digest"]
    assert first["agent"] == "perfect"
    assert first["rule"] is None
    assert len(first["seasons"]) == 4
    assert main([*words, "--quiet"]) == 0
    assert "perfect agent" in capsys.readouterr().out


TWO = ["sweep", "foraging", "--rule", "00+-/0000", "--over", "hidden=2,5", "--over", "eta=0.01,0.04"]


def test_two_settings_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*TWO, "--lifetimes", "2", "--season-steps", "30", "--quiet"]
    assert main([*words, "--plot", str(tmp_path / "heat.svg")]) == 0
    out = capsys.readouterr().out
    assert "hidden \\ eta" in out
    assert "standard errors are at most" in out
    picture = (tmp_path / "heat.svg").read_text()
    assert "hidden neurons" in picture
    assert main([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["over"] == ["hidden", "eta"]
    assert [row["value"] for row in result["values"]] == [
        {"hidden": hidden, "eta": eta} for hidden in (2, 5) for eta in (0.01, 0.04)
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--over", "green=3"], "over has 3 settings, but a sweep takes one or two"),
        (["--hidden", "4"], "hidden is what varies"),
    ],
)
def test_two_settings_that_make_no_sense(words: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TWO, *words]) == 2
    assert expected in capsys.readouterr().err


def test_one_setting_given_twice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TWO[:4], "--over", "hidden=2", "--over", "hidden=5"]) == 2
    assert "--over has hidden twice" in capsys.readouterr().err


def test_settings_of_the_brain_can_be_swept() -> None:
    short = {"season_steps": 60, "seasons": 2, "hidden": 4, "lifetimes": 2, "threads": 1}
    found = sweep("foraging", "foraging:1", "trace", [0.0, 0.5], **short)
    alone = live("foraging", "foraging:1", trace=0.5, **short)
    assert found.values == [0.0, 0.5]
    assert np.array_equal(found.lives[1].counts, alone.counts)
    with pytest.raises(BadInput, match="trace is what varies"):
        sweep("foraging", "foraging:1", "trace", [0.0, 0.5], trace=0.2, **short)
