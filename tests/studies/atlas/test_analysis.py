"""Worth, landscape and collapse, on invented figures whose answers are known by hand."""

from __future__ import annotations

import dataclasses
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

from hebbarium.rules.rule import RULES, Rule
from hebbarium.search.base import Request
from hebbarium.studies.atlas.analysis import (
    StandIn,
    climb,
    decompose,
    entry_values,
    look_for_collapse,
    neighbours,
    part,
    random_search_regret,
    search_atlas,
    spearman,
    survey_landscape,
)
from hebbarium.studies.atlas.page import collapse_words, landscape_words, sections, worth_words
from hebbarium.tools.errors import BadInput

sys.path.insert(0, str(Path(__file__).parent))
from invented import entries, invented

SIGNS = entries()


def test_a_sum_of_entries_has_main_effects_only():
    split = decompose(3.0 * SIGNS[:, 3] - 1.0 * SIGNS[:, 6] + 7)
    assert split.mean == pytest.approx(7)
    assert split.orders() == pytest.approx([1, 0, 0, 0, 0, 0, 0, 0])
    assert split.shares() == pytest.approx([0, 0, 0, 0.9, 0, 0, 0.1, 0])
    assert split.levels[3] == pytest.approx([4, 7, 10])


def test_a_product_is_a_pure_interaction_shared_equally():
    split = decompose(1.0 * SIGNS[:, 2] * SIGNS[:, 3])
    assert split.strongest(2, 1) == [((2, 3), pytest.approx(1))]
    assert split.shares() == pytest.approx([0, 0, 0.5, 0.5, 0, 0, 0, 0])


def test_the_parts_add_up_to_every_rule_and_the_variances_to_the_total():
    values = np.random.default_rng(1).normal(size=RULES)
    split = decompose(values)
    assert len(split.variance) == 255
    assert split.total == pytest.approx(values.var())
    assert split.shares().sum() == pytest.approx(1)
    rule = SIGNS[4321] + 1
    places = [places for size in range(1, 9) for places in itertools.combinations(range(8), size)]
    parts = sum(part(values, some)[tuple(rule[list(some)])] for some in places)
    assert parts + split.mean == pytest.approx(values[4321])


def test_noise_is_taken_off():
    truth = 3.0 * SIGNS[:, 3] + 2.0 * SIGNS[:, 0] * SIGNS[:, 1]
    values = truth + np.random.default_rng(2).normal(0, 2, RULES)
    plain, honest = decompose(values), decompose(values, np.full(RULES, 2.0))
    assert honest.noise / honest.total == pytest.approx(4 / (4 + 6 + 16 / 9), rel=0.05)
    assert honest.orders().sum() == pytest.approx(1)
    assert honest.orders()[:2] == pytest.approx([6 / (6 + 16 / 9), 16 / 9 / (6 + 16 / 9)], abs=0.02)
    assert plain.orders()[3:].sum() > 0.25
    assert abs(honest.orders()[3:].sum()) < 0.05


def test_the_decomposition_needs_all_rules():
    with pytest.raises(BadInput, match="needs all 6561 rules"):
        decompose(np.zeros(10))


def test_entry_values_add_up_and_are_fair():
    atlas = invented(mean=10.0 * SIGNS[:, 2] - 4.0 * SIGNS[:, 3] + 6.0 * (SIGNS[:, 2] == 1) * (SIGNS[:, 3] == -1))
    values = entry_values(atlas, Rule("00+-/0000"))
    assert values == pytest.approx([0, 0, 13, 7, 0, 0, 0, 0])
    assert entry_values(atlas, Rule("0000/0000")) == pytest.approx(np.zeros(8))


def test_neighbours_are_the_rules_own():
    for index in (0, 3442, 6560):
        assert sorted(neighbours()[index].tolist()) == sorted(rule.index for rule in Rule(index).neighbours())


def test_a_landscape_of_one_hill_has_one_optimum():
    land = survey_landscape(invented(mean=-2.0 * np.abs(SIGNS - np.array(Rule("00+-/0000").entries)).sum(axis=1)))
    assert land.optima.tolist() == [3442]
    assert land.reach_top == 1
    assert land.regret == 0
    assert land.certain.tolist() == [True]
    assert len(land.neutral) == 0


def test_two_hills_share_the_rules():
    far = np.abs(SIGNS - np.array(Rule("++++/++++").entries)).sum(axis=1)
    near = np.abs(SIGNS - np.array(Rule("----/----").entries)).sum(axis=1)
    land = survey_landscape(invented(mean=np.maximum(30.0 - 3 * far, 20.0 - 3 * near)))
    assert land.optima.tolist() == [6560, 0]
    assert land.basins.sum() == RULES
    assert land.basins[0] > land.basins[1] > 0
    assert land.regret == pytest.approx(10 * land.basins[1] / RULES)


def test_climbing_counts_its_steps():
    ends, steps = climb(np.array([1, 2, 2, 3]))
    assert ends.tolist() == [2, 2, 2, 3]
    assert steps.tolist() == [2, 1, 0, 0]


def test_regret_of_random_search():
    atlas = invented(mean=np.arange(RULES, dtype=float))
    assert random_search_regret(atlas, 1) == pytest.approx(6560 / 2)
    draws = np.random.default_rng(3).integers(0, RULES, (4000, 10)).max(axis=1)
    assert random_search_regret(atlas, 10) == pytest.approx(6560 - draws.mean(), rel=0.05)


def test_collapse_is_found_where_it_was_put():
    atlas = invented()
    found = look_for_collapse(atlas)
    assert found.collapsed.sum() == RULES - 81
    assert found.diverse.sum() == 81
    assert found.by_half.tolist() == [[0, 1], [0, 1]]
    assert found.best_diverse == 3442
    assert Rule(found.best_collapsed).rewarded != (0, 0, 0, 0)
    assert found.correlation > 0
    assert found.by_entry[0] == pytest.approx([80 / 81] * 3)
    assert found.by_entry[4] == pytest.approx([1, 1 - 27 * 3 / 2187, 1])


def test_spearman_follows_ranks_with_ties():
    assert spearman(np.array([1, 2, 3, 4]), np.array([1, 10, 100, 1000])) == pytest.approx(1)
    assert spearman(np.array([1.0, 2, 2, 3]), np.array([3.0, 2, 2, 1])) == pytest.approx(-1)
    assert np.isnan(spearman(np.ones(4), np.arange(4)))


def test_the_words_name_what_was_found():
    atlas = invented()
    text = " ".join(worth_words(decompose(atlas.mean, atlas.sem)))
    assert "punished, active → silent" in text or "punished, active → active" in text
    assert "The best of the rules that stay diverse is 00+-/0000 (rank 1, 48.3)." in collapse_words(
        atlas, look_for_collapse(atlas)
    )
    assert any("16 neighbours" in sentence for sentence in landscape_words(atlas, survey_landscape(atlas)))


def test_sections_are_whole_html():
    text = "\n".join(sections(invented()))
    assert text.count("<section>") == text.count("</section>") == 3
    assert "nan" not in text


def test_sections_of_several_hidden_layers_and_of_none():
    atlas = invented()
    two = dataclasses.replace(atlas, about={**atlas.about, "hidden": [12, 8], "recurrent": True, "trace": 0.5})
    assert two.brain == "12,8 hidden neurons, recurrent, trace 0.5"
    assert "starts with 20 different hidden neurons" in "\n".join(sections(two))
    none = dataclasses.replace(atlas, about={**atlas.about, "hidden": 0}, kinds=np.zeros_like(atlas.kinds))
    text = "\n".join(sections(none))
    assert text.count("<section>") == 2
    assert "Why rules fail" not in text


def test_a_stand_in_gives_the_atlas_back():
    atlas = invented()
    stand_in, rule = StandIn(atlas, 1), Rule(3442, float(atlas.eta[3442]))
    assert stand_in.fitness(rule) == pytest.approx(48.3)
    assert stand_in.fitness(Rule(3442, 0.003)) == pytest.approx(48.3 * 0.3)
    low, high = sorted((stand_in.fitness(Rule(3442, 0.12)), stand_in.fitness(Rule(3442, 0.3))))
    assert low <= stand_in.fitness(Rule(3442, 0.2)) <= high
    scores = np.array(stand_in.scores(Request(rule, 4000, 0)))
    assert scores.mean() == pytest.approx(48.3, abs=0.3)
    assert scores.std() == pytest.approx(0.4 * 10, rel=0.1)


def test_searches_on_the_atlas_are_judged_against_its_best():
    atlas = invented(mean=-2.0 * np.abs(SIGNS - np.array(Rule("00+-/0000").entries)).sum(axis=1) + 30)
    genetic = search_atlas(atlas, "genetic", runs=4)
    assert genetic == search_atlas(atlas, "genetic", runs=4)
    assert 0 <= genetic.found_best <= 4
    assert genetic.regret <= search_atlas(atlas, "random", runs=4).regret
    assert genetic.lifetimes > 1000
