"""Studies of agents whose answers are known, lived for real."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.studies.engine import carry_out
from hebbarium.studies.lifelong.long_life import NEVER, NOTHING_LEARNED, LongLife
from hebbarium.studies.lifelong.study import plan_of
from hebbarium.studies.lifelong.works import WINDOW, Subject

SMALL: dict[str, Any] = {"lifetimes": 6, "seasons": 4, "season_steps": 600, "seed": 4}


@pytest.fixture(scope="module")
def study() -> hb.Study:
    """A rule that learns, one that does nothing, and both agents."""
    return hb.lifelong("foraging", "foraging:1", "0000/0000", agents=["perfect", "random"], seasons=4, seed=5)


def named(study: hb.Study, name: str) -> LongLife:
    return next(life for life in study.lives if name in life.subject.name)


def test_a_rule_that_learns_recovers_in_every_season(study: hb.Study) -> None:
    life = named(study, "foraging:1")
    assert all(life.learned.values())
    steps = [one.steps.value for one in life.recovery[:2]]
    assert all(step is not None and 500 <= step <= 3500 for step in steps)


def test_a_perfect_agent_recovers_in_the_first_window(study: hb.Study) -> None:
    life = named(study, "perfect")
    assert [one.steps.value for one in life.recovery] == [WINDOW] * 4
    assert {kind: saved.value for kind, saved in life.savings.items()} == {"summer": 0, "winter": 0}


def test_a_perfect_agent_forgets_nothing_and_does_not_age(study: hb.Study) -> None:
    life = named(study, "perfect")
    assert all(value is not None and value.value == value.low == value.high == 0 for value in life.transfer.values())
    assert life.late_over_young.value == pytest.approx(1, abs=0.1)
    assert life.half_life.value is None
    for relative in life.relative_performance.values():
        assert relative.value == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("name", ["0000/0000", "random"])
def test_who_cannot_learn_has_learned_nothing(study: hb.Study, name: str) -> None:
    life = named(study, name)
    assert not any(life.learned.values())
    for measure in ([one.steps for one in life.recovery], life.savings.values(), life.sample_efficiency.values()):
        assert {(value.value, value.low, value.high, value.why) for value in measure} == {
            (None, None, None, NOTHING_LEARNED)
        }
    assert set(life.performance_recovery.values()) == {None}
    assert life.half_life.value is None


def test_a_level_that_is_never_reached_says_so() -> None:
    """Rule 3 learns both seasons and is dead by the tenth."""
    life = hb.lifelong("foraging", "foraging:3", lifetimes=40, seasons=16)[0]
    assert life.learned == {0: True, 1: True}
    assert (life.recovery[-1].steps.value, life.recovery[-1].steps.why) == (None, NEVER)
    assert life.half_life.value is not None
    assert 4 <= life.half_life.value <= 10
    assert life.late_over_young.high is not None
    assert life.late_over_young.high < 0.25


def test_forgetting_on_foraging_is_total(study: hb.Study) -> None:
    """A frozen network does the same in both seasons, and what is good in one is bad in the other."""
    matrix = named(study, "foraging:1").forgetting
    assert matrix[:, 0] == pytest.approx(-matrix[:, 1])
    assert matrix[1, 0] > 45
    assert matrix[2, 0] < -45


def test_lives_are_those_that_live_lives(study: hb.Study) -> None:
    lives = hb.live("foraging", "foraging:1", lifetimes=200, seasons=4, seed=5)
    assert np.array_equal(named(study, "foraging:1").lived.fitness, lives.fitness)


def test_tests_leave_no_trace_in_the_life(study: hb.Study) -> None:
    alone = named(study, "foraging:1").lived.alone[0]
    lives = hb.live("foraging", "foraging:1", lifetimes=200, seasons=2, schedule="summer", seed=5)
    assert np.array_equal(alone.fitness, lives.fitness)


def test_a_frozen_network_is_tested_as_live_would(tmp_path: Path) -> None:
    """The test after the last season is a life of the grown network, frozen, in the test's own world."""
    study = hb.lifelong("foraging", "foraging:1", **SMALL)
    grown = hb.live("foraging", "foraging:1", keep_networks=True, **SMALL).networks
    assert grown is not None
    from hebbarium.brains.base import Brain
    from hebbarium.executors.base import run
    from hebbarium.life.jobs import FROZEN, Jobs
    from hebbarium.studies.lifelong.observers import _TESTS

    world = hb.make_world("foraging", season_steps=600, seasons=1, schedule="winter")
    jobs = Jobs.of_rule(FROZEN, 6, 4, first_trial=_TESTS)
    counts = run(1, world, Brain.of(world), jobs, networks=grown).counts
    assert np.array_equal(study[0].lived.tests[:, -1, 1], world.fitness(counts)[:, 0])


def test_biases_are_measured_where_they_are() -> None:
    none = hb.lifelong("foraging", "foraging:1", hidden_bias="none", **SMALL)[0].fading
    assert not any(none["hidden_bias"])
    assert any(none["output_bias"])
    assert none["hidden_norm"] == pytest.approx([1.0] * 5)
    usual = hb.lifelong("foraging", "foraging:1", **SMALL)[0].fading
    squares = np.square(usual["hidden_bias"][0]) + np.square(usual["hidden_norm"][0])
    assert squares == pytest.approx(1.0, abs=0.01)  # each neuron has unit length


def test_every_world_can_be_studied() -> None:
    life = hb.lifelong("prey-predator", "prey-predator:1", lifetimes=3, seasons=3, season_steps=300)[0]
    assert life.lived.seasons.rates.shape == (3, 3, 2)
    json.dumps(life.summary(), allow_nan=False)


def test_a_life_of_one_season_has_no_savings_and_no_transfer() -> None:
    life = hb.lifelong("foraging", "foraging:1", lifetimes=4, seasons=1, season_steps=300)[0]
    assert life.savings == {}
    assert set(life.transfer.values()) == {None}
    json.dumps(life.summary(), allow_nan=False)


def test_a_study_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = hb.lifelong("foraging", "foraging:1", **SMALL).summary()
    plan, done, live = plan_of("foraging", ["foraging:1"], **SMALL), [], Subject.live

    def until_the_third(*given: Any, **options: Any) -> Any:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(1)
        return live(*given, **options)

    monkeypatch.setattr(Subject, "live", until_the_third)
    with pytest.raises(KeyboardInterrupt):
        carry_out(plan, tmp_path / "run")
    done.clear()
    monkeypatch.setattr(Subject, "live", lambda *given, **options: (done.append(1), live(*given, **options))[1])
    resumed = hb.lifelong("foraging", "foraging:1", out=tmp_path / "run", **SMALL)
    assert resumed.summary() == whole
    assert len(done) == len(plan.works()) - 3


def test_further_rules_can_be_asked_for_later_but_not_another_seed(tmp_path: Path) -> None:
    hb.lifelong("foraging", "foraging:1", out=tmp_path, **SMALL)
    both = hb.lifelong("foraging", "foraging:1", "foraging:2", out=tmp_path, **SMALL)
    assert [life.subject.key for life in both.lives] == ["00+-/0000@0.0375", "-++-/0000@0.0167"]
    with pytest.raises(hb.RunError, match="seed is 4 there and 5 here"):
        hb.lifelong("foraging", "foraging:1", out=tmp_path, **{**SMALL, "seed": 5})


def test_the_papers_name_stands_only_for_the_papers_eta() -> None:
    rules = ["foraging:1", "00+-/0000@0.01", "frozen,00+-/0000@0.01"]
    shorts = [subject.short for subject in plan_of("foraging", rules, ["perfect"], **SMALL).subjects]
    assert shorts == ["foraging:1", "00+-/0000@0.01", "frozen,00+-/0000@0.01", "perfect agent"]


@pytest.mark.parametrize(
    ("rules", "settings", "sentence"),
    [
        ([], {}, "a rule is missing"),
        (["foraging:1", "foraging:1"], {}, "given twice"),
        (["foraging:1"], {"lifetimes": 1}, "lifetimes is 1"),
        (["foraging:1"], {"agents": ["hill-climbing"]}, "agent is 'hill-climbing'"),
        (["foraging:1"], {"hidden_bias": "fixd"}, "fixed"),
        (["foraging:1"], {"saesons": 8}, "seasons"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(rules: list[str], settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(hb.BadInput, match=sentence):
        hb.lifelong("foraging", *rules, **settings)
