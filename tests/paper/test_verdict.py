"""The rule of verdicts: each boundary, and that it cannot be fooled by swapped rows."""

from __future__ import annotations

import itertools
import math

import pytest

from hebbarium.paper.targets import all_targets, targets_of
from hebbarium.paper.verdict import combined_error, compare, compare_given, judge, judge_level, mind_the_order
from hebbarium.statistics import Estimate


def estimate(value: float, error: float = 0.5, lives: int = 100) -> Estimate:
    return Estimate(value, error, value - 2 * error, value + 2 * error, lives)


@pytest.mark.parametrize(
    ("paper", "ours", "error", "verdict"),
    [
        (5.0, 5.0, 0.0, "reproduced"),
        (5.0, 6.9, 1.0, "reproduced"),
        (5.0, 7.1, 1.0, "close"),
        (5.0, 8.1, 1.0, "not reproduced"),
        (50.0, 54.9, 0.1, "close"),
        (50.0, 55.1, 0.1, "not reproduced"),
        (0.0, 0.1, 0.0, "not reproduced"),
        (5.0, 4.9, None, "close"),
    ],
)
def test_boundaries(paper, ours, error, verdict):
    assert judge(paper, ours, error) == verdict


def test_rounding_hides_half_a_unit():
    assert judge(48, 48.49, 0.0, half_unit=0.5) == "reproduced"
    assert judge(0.2, 0.31, 0.0, half_unit=0.05) == "not reproduced"


def test_the_papers_error_is_ours_at_its_number_of_trials():
    assert combined_error(estimate(1, error=1, lives=100), 100) == pytest.approx(math.sqrt(2))
    assert combined_error(estimate(1, error=1, lives=400), 100) == pytest.approx(math.sqrt(5))
    assert combined_error(estimate(1, error=0, lives=400), 100, spread=3) == 3
    assert combined_error(estimate(1, error=0, lives=400), 100, published=2) == 2
    assert combined_error(Estimate(1, math.nan, math.nan, math.nan, 1), 100) is None


def test_levels_are_judged_by_decision_and_powers_of_ten():
    assert judge_level(9.9e-14, 1e-15) == "reproduced"
    assert judge_level(9.9e-14, 1e-30) == "close"
    assert judge_level(9.9e-14, 0.06) == "not reproduced"
    assert judge_level(9.9e-14, 0.0) == "close"


def test_nothing_to_show_and_inputs():
    target = targets_of("foraging-rules")[0]
    assert compare(target, None).verdict == "not reproduced"
    given = next(target for target in all_targets() if target.kind == "given")
    assert compare_given(given, given.paper).verdict == "reproduced"
    assert compare_given(given, given.paper + 1).verdict == "not reproduced"


@pytest.mark.parametrize("error", [0.05, 0.5, 2.0])
def test_swapped_rows_fail(error):
    """Ours equal to the paper's is reproduced everywhere; any two rows that lie clearly apart, swapped, are not."""
    tried = 0
    columns = {(t.item, t.column) for t in all_targets() if t.kind == "measured" and t.item != "rank-sum"}
    for item, column in sorted(columns):
        targets = [target for target in targets_of(item) if target.column == column]
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
