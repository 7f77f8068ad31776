"""The published numbers, held against what the paper itself says about them."""

from __future__ import annotations

from collections import Counter

import pytest

from hebbarium.paper import printed_numbers
from hebbarium.paper.printed_numbers import all_targets, rows_of, targets_of
from hebbarium.rules.rule import PAPER_RULES
from hebbarium.worlds.foraging import Foraging


def cells(item: str) -> dict[tuple[str, str], float]:
    return {(target.row, target.column): target.paper for target in targets_of(item)}


def test_every_numeric_cell_is_there():
    counted = Counter(target.item for target in all_targets())
    assert counted == {
        "foraging-comparison": 4 * 2,
        "foraging-rules": 15 * 7,
        "hand-made-rules": 3 * 9,
        "prey-predator-comparison": 2 * 2,
        "prey-predator-rules": 6 * 7,
        "foraging-associations": 20 * 2,
        "prey-predator-associations": 8 * 2,
        "hill-climbing": 4 * 3 * 4 * 2,
        "seasons": 4 * 4 * 2,
        "validation": 2 * 4 * 2,
        "rank-sum": 3,
    }


def test_no_cell_is_named_twice():
    names = [(target.item, target.cell) for target in all_targets()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("item", "total", "largest"), [("foraging-rules", 300, 164), ("prey-predator-rules", 70, 35)])
def test_instances_add_up_as_the_text_says(item, total, largest):
    rules = [value for (_, column), value in cells(item).items() if column == "Rules"]
    assert sum(rules) == total
    assert max(rules) == largest


@pytest.mark.parametrize("item", ["foraging-rules", "prey-predator-rules"])
def test_rules_are_ranked_by_median_and_medians_lie_between_min_and_max(item):
    table = cells(item)
    rows = list(dict.fromkeys(row for row, _ in table))
    medians = [table[row, "Median"] for row in rows]
    assert medians == sorted(medians, reverse=True)
    for row in rows:
        assert table[row, "Min"] <= table[row, "Median"] <= table[row, "Max"]
        alone = table[row, "Rules"] == 1
        assert (table[row, "Std"] == 0) == alone == (table[row, "Min"] == table[row, "Max"])
        assert (table[row, "eta Std"] == 0) == alone


@pytest.mark.parametrize(
    ("task", "text"),
    [("foraging", printed_numbers.FORAGING_RULES + printed_numbers.HAND_MADE_RULES.lstrip()),
     ("prey-predator", printed_numbers.PREY_PREDATOR_RULES)],
)  # fmt: skip
def test_rules_and_etas_are_those_the_package_knows_by_name(task, text):
    for name, *numbers, notation in rows_of(text):
        eta = numbers[8] if len(numbers) == 9 else numbers[5]
        assert PAPER_RULES[f"{task}:{name}"] == (notation, float(eta))


def test_hand_made_fitness_is_correct_minus_incorrect():
    table = cells("hand-made-rules")
    for row in ("rule 16", "rule 17", "rule 18"):
        assert table[row, "Fitness"] == pytest.approx(table[row, "Correct"] - table[row, "Incor."], abs=0.11)


@pytest.mark.parametrize(
    ("item", "seasons"), [("seasons", printed_numbers.SEASON_NAMES), ("validation", ("Summer", "Winter"))]
)
def test_season_fitness_is_wanted_minus_unwanted(item, seasons):
    table = cells(item)
    for season in seasons:
        difference = table[season, "G Mean"] - table[season, "B Mean"]
        wanted = difference if season.startswith("Summer") else -difference
        assert table[season, "Fitness Mean"] == pytest.approx(wanted, abs=0.1)


def test_hill_climbing_fitness_is_wanted_minus_unwanted():
    table = cells("hill-climbing")
    for iteration in ("10th", "500th", "1000th"):
        for season in printed_numbers.SEASON_NAMES:
            column = f"{season} mean"
            difference = table[f"G at the {iteration}", column] - table[f"B at the {iteration}", column]
            wanted = difference if season.startswith("Summer") else -difference
            assert table[f"Fitness at the {iteration}", column] == pytest.approx(wanted, abs=0.02)


def test_one_number_printed_in_two_tables_is_the_same():
    comparison, hand_made = cells("foraging-comparison"), cells("hand-made-rules")
    row = "Discrete Hebbian/anti-Hebbian (rule ID:18)"
    assert comparison[row, "Fitness"] == hand_made["rule 18", "Fitness"]
    assert comparison[row, "Std"] == hand_made["rule 18", "Std Fit."]


def test_associations_are_the_ones_the_world_uses():
    rows = rows_of(printed_numbers.FORAGING_ASSOCIATIONS)
    ours = [(str(a.id), a.sensor, a.behaviour, *map(str, a.signals)) for a in Foraging.associations]
    assert [tuple(row) for row in rows] == ours


def test_a_slip_of_the_paper_is_where_the_remarks_say():
    comparison, rules = cells("prey-predator-comparison"), cells("prey-predator-rules")
    assert comparison["Evolved Synaptic Plasticity (rule ID:1)", "Fitness"] == rules["rule 2", "Max"] == 31.88
    hand_made = cells("hand-made-rules")
    assert hand_made["rule 16", "Wall"] == hand_made["rule 16", "Std Cor."]


def test_every_remark_belongs_to_a_cell():
    known = {(target.item, target.row, target.column) for target in all_targets()}
    rows = {(item, row, "") for item, row, _ in known}
    assert set(printed_numbers.REMARKS) <= known | rows


def test_rounding_is_read_from_the_printed_digits():
    by_cell = {(target.item, target.cell): target for target in all_targets()}
    assert by_cell["foraging-rules", "rule 10 / Max"].half_unit == 0.5
    assert by_cell["foraging-rules", "rule 1 / Median"].half_unit == 0.005
    assert by_cell["rank-sum", "rule 1 with validation against without / p"].half_unit == 0
