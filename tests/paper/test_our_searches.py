"""What searches found: counts and errors by whole runs."""

from __future__ import annotations

import numpy as np
import pytest

from hebbarium.paper.items.distinct_rules import _of_search, compare_median
from hebbarium.paper.items.our_searches import Found
from hebbarium.paper.printed_numbers import POOLED, targets_of
from hebbarium.rules.rule import Rule
from hebbarium.tools.statistics import Estimate

FIRST, SECOND, OTHER = "00+-/0000", "-++-/0000", "++++/----"
COLUMNS = {target.column: target for target in targets_of("foraging-rules") if target.row == "rule 1"}


def found_of(*runs: list[str]) -> Found:
    """Each run as the notations of its ten instances."""
    notations = [notation for run in runs for notation in run]
    entries = np.array([Rule(notation).entries for notation in notations], np.int8)
    eta = np.linspace(0.03, 0.05, len(notations))
    scores = np.linspace(40, 50, len(notations))[:, None] + np.zeros(5)
    return Found({"entries": entries, "eta": eta, "scores": scores, "generations": np.full(len(runs), 60)})


def test_a_rule_of_every_run_is_judged_with_the_number_of_runs():
    found = found_of(*[[FIRST] * 6 + [OTHER] * 4] * 8)
    count = found.statistic(FIRST, "Rules", 300)
    assert count.value == pytest.approx(180)
    assert (count.error, count.lives) == (pytest.approx(0, abs=1e-9), 8)
    assert _of_search(COLUMNS["eta Mean"], found, FIRST).lives == 8


def test_a_rule_never_found_counts_zero_with_an_error_and_says_nothing_else():
    found = found_of(*[[OTHER] * POOLED] * 30)
    count = _of_search(COLUMNS["Rules"], found, FIRST)
    assert (count.ours, count.verdict) == (0.0, "not reproduced")
    assert 5 < count.error < 20
    assert "did not find" in count.remark
    for column in ("Std", "Max", "Min", "eta Mean", "eta Std"):
        one = _of_search(COLUMNS[column], found, FIRST)
        assert (one.ours, one.verdict, one.weak) == (None, "not reproduced", True)


def test_two_runs_that_found_a_rule_are_too_few_to_say():
    found = found_of(*[[FIRST] * POOLED] * 2, *[[OTHER] * POOLED] * 8)
    one = _of_search(COLUMNS["Max"], found, FIRST)
    assert one.ours is not None
    assert (one.error, one.weak) == (None, True)
    assert "2 runs" in one.remark


def test_types_have_an_error_by_runs():
    alike = found_of(*[[FIRST] * 5 + [SECOND] * 5] * 6).types()
    assert (alike.value, alike.error) == (2, 0)
    mixed = found_of(
        *[[FIRST] * POOLED] * 3, *[[FIRST] * 9 + [other] for other in (SECOND, OTHER, "0000/0000")]
    ).types()
    assert mixed.value == 4
    assert mixed.error == pytest.approx(np.sqrt(5 / 6 * 6 * 0.25))


def test_a_median_has_the_error_of_a_median():
    """Rule 2: a spread of 1.05 over 23 instances; rule 5 has one, and what a hundred lives leave open."""
    rows = {target.row: target for target in targets_of("foraging-rules") if target.column == "Median"}
    ours = Estimate(44, 0.1, 43.8, 44.2, 100)
    assert compare_median(rows["rule 2"], ours).error == pytest.approx(np.hypot(0.1, 1.2533 * 1.05 / np.sqrt(23)))
    assert compare_median(rows["rule 5"], ours).error == pytest.approx(np.hypot(0.1, 0.1))
