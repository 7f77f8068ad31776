"""Other readings of the paper: what is lived under them, where it is kept, and the section that compares them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.cli import main
from hebbarium.paper.items import ITEMS, items_of
from hebbarium.paper.items.other_readings import answer
from hebbarium.paper.readings import READINGS, TEXT
from hebbarium.paper.reproduction import ReproduceStudy
from hebbarium.paper.verdict import Comparison
from hebbarium.paper.works import Evolutions, HillClimbs, Roaming, RuleLives
from hebbarium.tools.errors import BadInput, RunError
from hebbarium.worlds.registry import make_world
from tiny_scale import TINY, reproduce_at

LIVED = {
    TEXT: ("foraging:6", {}),
    "literal": ("foraging:6", {"priority": "items"}),
    "turn": ("foraging:6", {"random_kind": "turn"}),
    "turn-unseen-2": ("foraging:6", {"random_kind": "turn", "random_where": "nothing-sensed"}),
    "turn-unseen": ("foraging:6", {"random_kind": "turn", "random_where": "nothing-sensed", "random_action": 0.03}),
    "three-percent": ("foraging:6", {"random_action": 0.03}),
    "no-hidden-bias": ("foraging:6", {"hidden_bias": "none"}),
    "fixed-hidden-bias": ("foraging:6", {"hidden_bias": "fixed"}),
    "frozen-hidden": ("frozen,-++-/--++@0.0118", {}),
    "unscaled-climbing": ("foraging:6", {}),
    "scaled-eta": ("foraging:6", {}),
    "scaled-eta-other": ("foraging:6", {}),
}


@pytest.mark.parametrize("reading", READINGS)
def test_a_reading_is_what_live_lives_with_its_settings(reading):
    rule, settings = LIVED[reading]
    ours = RuleLives(task="foraging", rule="foraging:6", lifetimes=2, seed=4, reading=reading).do(1)
    theirs = hb.live("foraging", rule, lifetimes=2, seed=4, threads=1, **settings)
    assert np.array_equal(ours["counts"], theirs.counts)


@pytest.mark.parametrize("reading", READINGS)
def test_every_reading_lives_prey_predator(reading):
    lives = RuleLives(task="prey-predator", rule="prey-predator:2", lifetimes=1, reading=reading).do(1)
    assert lives["counts"].shape == (1, 2, 3)


def test_what_the_text_says_is_kept_under_the_names_of_before_readings():
    """The name that version 0.1 gave these lives; other readings have other names."""
    usual = RuleLives(task="foraging", rule="foraging:1", lifetimes=24)
    assert "reading" not in usual.piece.asked
    names = {RuleLives(task="foraging", rule="foraging:1", lifetimes=24, reading=name).piece.name for name in READINGS}
    assert len(names) == len(READINGS)
    assert usual.piece.name in names


def test_items_are_lived_under_the_reading_that_is_asked_for():
    works = ReproduceStudy(TINY, [], reading="turn").works_of(ITEMS["seasons"]).values()
    assert [work.reading for work in works] == ["turn"]
    assert {work.reading for work in ReproduceStudy(TINY, []).works_of(ITEMS["silence"]).values()} == {
        name for name, reading in READINGS.items() if not reading.search
    }


def test_a_search_lives_under_its_reading():
    text, frozen = (
        Evolutions(task="foraging", runs=1, max_generations=1, rescored=1, reading=reading).do(2)
        for reading in (TEXT, "frozen-hidden")
    )
    assert not np.array_equal(text["scores"], frozen["scores"])


def test_a_search_has_the_settings_of_its_reading():
    text, scaled = (
        Evolutions(task="foraging", runs=1, max_generations=1, rescored=1, reading=reading).do(2)
        for reading in (TEXT, "scaled-eta")
    )
    assert text["eta"].max() > 0.1 > scaled["eta"].max()
    assert Evolutions(task="prey-predator", runs=1, reading="scaled-eta").world == make_world("prey-predator")


def test_a_reading_of_one_world_leaves_the_other_as_it_is():
    foraging, hunting = (
        RuleLives(task=task, rule=f"{task}:1", lifetimes=1, reading="literal").world
        for task in ("foraging", "prey-predator")
    )
    assert foraging.settings()["priority"] == "items"
    assert hunting == make_world("prey-predator")


def test_unscaled_climbing_climbs_unscaled():
    scaled, unscaled = (
        HillClimbs(task="foraging", lifetimes=1, iterations=2, tests=1, reading=reading).do(1)
        for reading in (TEXT, "unscaled-climbing")
    )
    assert not np.array_equal(scaled["fitness"], unscaled["fitness"])


def test_ground_is_the_different_cells_of_the_last_steps():
    work = Roaming(task="foraging", rule="foraging:12", lifetimes=2, tail=1000, seed=3, reading="turn").do(2)
    trace = hb.trace("foraging", "foraging:12", seed=3, trial=1, random_kind="turn")
    assert trace.steps is not None
    assert work["cells"][1] == len(np.unique(trace.steps.position[-1000:], axis=0))
    assert np.array_equal(work["counts"], hb.live("foraging", "foraging:12", lifetimes=2, seed=3,
                                                  random_kind="turn").counts)  # fmt: skip


def test_a_reading_has_a_folder_of_its_own(tmp_path):
    result = reproduce_at(TINY, ["seasons"], tmp_path, reading="turn")
    text = re.sub(r"<[^>]+>", "", result.page.read_text())
    assert "Random actions are Left or Right" in text
    assert "--reading turn" in text.replace("\xa0", " ")
    assert reproduce_at(TINY, ["seasons"], tmp_path, reading="turn").done == 0
    with pytest.raises(RunError, match="reading"):
        reproduce_at(TINY, ["seasons"], tmp_path)


def test_what_compares_readings_has_none_itself():
    assert "silence" not in [item.name for item in items_of([], "turn")]
    with pytest.raises(BadInput, match="compares all readings"):
        items_of(["silence"], "turn")


def test_an_unknown_reading_is_refused_with_the_nearest(capsys, tmp_path):
    assert main(["reproduce", "seasons", "--reading", "turns", "--out", str(tmp_path / "none")]) == 2
    assert "turn" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_readings_are_listed(capsys):
    assert main(["reproduce", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in READINGS)
    assert all(choice in listed for choice in ("alpha", "notice-distance", "notice-probability", "priority"))


class _Judged:
    """A reading with so many firm verdicts."""

    def __init__(self, name, near, missed):
        def some(verdict, number):
            return [Comparison("seasons", "row", "column", 1.0, 1.0, verdict=verdict)] * number

        self.name, self.comparisons = name, [*some("close", near), *some("not reproduced", missed)]


def test_the_answer_names_the_best_reading_that_keeps_the_texts_two_percent():
    judged = {name: _Judged(name, near, 10 - near) for name, near in (
        (TEXT, 5), ("turn", 8), ("turn-unseen", 9), ("no-hidden-bias", 2))}  # fmt: skip
    told = answer(judged)
    assert "5 of 10 firm numbers" in told
    assert "'turn'" in told
    assert "8 of 10 (80 %)" in told
    nothing = {name: _Judged(name, 0, 0) for name in judged}
    assert "No verdict is firm" in answer(nothing)
