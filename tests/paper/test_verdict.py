"""The rule of verdicts: each boundary, and that it cannot be fooled by swapped rows."""

from __future__ import annotations

import itertools
import math

import pytest

from hebbarium.paper.printed_numbers import all_targets, targets_of
from hebbarium.paper.verdict import (
    combined_error,
    compare,
    compare_given,
    compare_level,
    is_weak,
    judge,
    judge_level,
    mind_the_order,
)
from hebbarium.tools.statistics import Estimate


def estimate(value: float, error: float = 0.5, lives: int = 100) -> Estimate:
    return Estimate(value, error, value - 2 * error, value + 2 * error, lives)


@pytest.mark.parametrize(
    ("paper", "ours", "error", "verdict"),
    [
        (5.0, 5.0, 0.0, "reproduced"),
        (9.0, 10.9, 1.0, "reproduced"),
        (9.0, 11.1, 1.0, "close"),
        (9.0, 12.1, 1.0, "not reproduced"),
        (7.0, 8.9, 1.0, "reproduced"),
        (7.0, 9.9, 1.0, "close"),
        (7.0, 10.1, 1.0, "not reproduced"),
        (50.0, 54.9, 0.1, "close"),
        (50.0, 55.1, 0.1, "not reproduced"),
        (0.0, 0.1, 0.0, "not reproduced"),
        (0.0, 0.1, 1.0, "reproduced"),
        (5.0, 5.4, None, "close"),
        (5.0, 5.6, None, "not reproduced"),
    ],
)
def test_boundaries(paper, ours, error, verdict):
    assert judge(paper, ours, error) == verdict


@pytest.mark.parametrize(
    ("paper", "ours", "error", "weak"),
    [
        (9.0, 10.9, 1.0, False),
        (7.0, 7.0, 1.0, True),
        (7.0, 9.9, 1.0, True),
        (7.0, 10.1, 1.0, False),
        (50.0, 54.9, 0.1, False),
        (0.0, 0.1, 1.0, True),
        (5.0, 5.0, None, True),
    ],
)
def test_a_verdict_is_weak_where_errors_are_wide_and_it_is_no_clear_miss(paper, ours, error, weak):
    assert is_weak(paper, ours, error) == weak


def test_rounding_hides_half_a_unit():
    assert judge(48, 48.49, 0.0, half_unit=0.5) == "reproduced"
    assert judge(0.2, 0.31, 0.0, half_unit=0.05) == "not reproduced"


def test_a_fitness_near_zero_is_held_against_its_std():
    assert is_weak(0.2, 0.1, 0.4)
    assert not is_weak(0.2, 0.1, 0.4, scale=6.13)
    fitness = next(t for t in targets_of("hand-made-rules") if t.cell == "rule 18 / Fitness")
    assert not compare(fitness, estimate(0.1, error=0.3)).weak
    walls = next(t for t in targets_of("hand-made-rules") if t.cell == "rule 16 / Wall")
    easy = compare(walls, estimate(15, error=5))
    assert (easy.verdict, easy.weak) == ("reproduced", True)
    assert "98 % of the paper's number" in easy.remark


def test_with_fewer_lives_a_wrong_number_can_only_be_reproduced_weakly():
    """The spread of lives is the same, only their number is not."""
    target = next(t for t in targets_of("foraging-comparison") if t.cell == "Hill Climbing (HC) / Fitness")
    for lives, weak in ((400, False), (100, False), (24, True)):
        one = compare(target, estimate(38, 40 / math.sqrt(lives), lives))
        assert (one.verdict == "not reproduced") is not weak
        assert one.weak is weak
    assert compare(target, estimate(59, 0.1, lives=4)).weak


def test_the_papers_error_is_ours_at_its_number_of_trials():
    assert combined_error(estimate(1, error=1, lives=100), 100) == pytest.approx(math.sqrt(2))
    assert combined_error(estimate(1, error=1, lives=400), 100) == pytest.approx(math.sqrt(5))
    assert combined_error(estimate(1, error=0, lives=400), 100, published=2) == 2
    assert combined_error(estimate(1, error=3, lives=400), 100, papers=4) == 5
    assert combined_error(estimate(1, error=1, lives=4), 100) is None
    assert combined_error(Estimate(1, math.nan, math.nan, math.nan, 100), 100) is None


def test_the_paper_has_an_error_of_its_own_only_where_its_std_is_over_lives():
    with_error = {target.item for target in all_targets() if target.error > 0}
    assert with_error == {"hill-climbing", "seasons", "validation", "prey-predator-comparison"}
    hunting = {target.row.split()[0] for target in targets_of("prey-predator-comparison") if target.error > 0}
    assert hunting == {"Evolved"}


def test_levels_are_judged_by_decision_and_powers_of_ten():
    assert judge_level(9.9e-14, 1e-15) == "reproduced"
    assert judge_level(9.9e-14, 1e-30) == "not reproduced"
    assert judge_level(9.9e-14, 0.06) == "not reproduced"
    assert judge_level(9.9e-14, 0.0) == "not reproduced"
    target = targets_of("rank-sum")[0]
    assert "the same decision" in compare_level(target, 1e-3, 100).remark
    assert "another decision" in compare_level(target, 0.3, 100).remark
    assert compare_level(target, target.paper, 4).weak


def test_nothing_to_show_and_inputs():
    target = targets_of("foraging-rules")[0]
    nothing = compare(target, None)
    assert (nothing.verdict, nothing.weak) == ("not reproduced", True)
    given = next(target for target in all_targets() if target.kind == "given")
    assert compare_given(given, given.paper).verdict == "reproduced"
    assert compare_given(given, given.paper + 1).verdict == "not reproduced"


@pytest.mark.parametrize("error", [0.05, 0.5, 2.0])
def test_swapped_rows_fail(error):
    """Ours equal to the paper's fails nowhere; any two rows that lie clearly apart, swapped, do."""
    tried = 0
    columns = {(t.item, t.column, t.quantity) for t in all_targets() if t.kind == "measured" and t.item != "rank-sum"}
    for item, column, quantity in sorted(columns):
        targets = [target for target in targets_of(item) if (target.column, target.quantity) == (column, quantity)]
        for first, second in itertools.combinations(range(len(targets)), 2):
            ours = [target.paper for target in targets]
            honest = mind_the_order([compare(t, estimate(v, error)) for t, v in zip(targets, ours, strict=True)])
            assert {one.verdict for one in honest} == {"reproduced"}
            combined = math.hypot(honest[first].error or 0, honest[second].error or 0)
            if abs(ours[first] - ours[second]) <= 3 * combined:
                continue
            ours[first], ours[second] = ours[second], ours[first]
            swapped = mind_the_order([compare(t, estimate(v, error)) for t, v in zip(targets, ours, strict=True)])
            assert swapped[first].verdict == swapped[second].verdict == "not reproduced"
            tried += 1
    assert tried > 100


def test_a_row_beside_a_wrong_one_is_not_blamed_unless_the_order_is_wrong():
    targets = [target for target in targets_of("foraging-rules") if target.column == "Median"]
    ours = [estimate(target.paper) for target in targets]
    ours[3] = estimate(targets[3].paper - 5)  # below rule 8, which the paper puts clearly lower
    verdicts = [one.verdict for one in mind_the_order([compare(t, e) for t, e in zip(targets, ours, strict=True)])]
    assert verdicts[3] == "not reproduced"
    assert verdicts[0] == verdicts[1] == verdicts[14] == "reproduced"


def test_only_rows_that_count_the_same_are_held_to_an_order():
    cells = {(t.row, t.column): t for t in targets_of("hill-climbing")}
    fitness, blue = cells["Fitness at the 10th", "Summer1 mean"], cells["B at the 10th", "Summer1 mean"]
    assert fitness.paper > blue.paper
    judged = mind_the_order([compare(fitness, estimate(1.0, 0.1)), compare(blue, estimate(2.4, 0.1))])
    assert not any("wrong order" in one.remark for one in judged)
