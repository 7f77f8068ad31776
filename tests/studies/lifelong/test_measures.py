"""Measures of long lives on arrays whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from hebbarium.studies.lifelong import measures
from hebbarium.studies.lifelong.measures import Value, interval, means, shares

ALTERNATING = (0, 1, 0, 1)
WIDTHS = np.full(20, 250)


def test_windows_of_a_season_add_up_to_it() -> None:
    assert measures.window_widths(5000, 250).tolist() == [250] * 20
    assert measures.window_widths(600, 250).tolist() == [250, 250, 100]
    assert measures.window_widths(100, 250).tolist() == [100]


def test_late_is_the_last_fifth_of_a_season_and_at_least_one_window() -> None:
    assert np.flatnonzero(measures.late_windows(WIDTHS)).tolist() == [16, 17, 18, 19]
    assert measures.late_windows(np.array([250, 250])).tolist() == [False, True]


def test_windows_weigh_as_much_as_they_are_long() -> None:
    rates = np.array([0.0] * 8 + [1.0, 4.0])
    widths = np.array([100] * 8 + [150, 50])
    assert measures.late_rate(rates, widths) == pytest.approx((150 * 1 + 50 * 4) / 200)


def test_recovery_ends_with_the_first_window_that_reaches_the_level() -> None:
    rates = np.zeros((1, 3, 20))
    rates[0, 0] = 1.0  # from the start
    rates[0, 1, 7:] = 0.9  # reaches 0.9 of the way exactly in the eighth window
    rates[0, 2] = 0.89  # never
    steps = measures.recovery_steps(rates, WIDTHS, np.zeros((1, 1)), np.ones((1, 1)))
    assert steps.tolist() == [[250, 2000, np.inf]]


def test_the_level_counts_from_the_random_agents_rate() -> None:
    rates = np.linspace(-1, 1, 20)[None, None]
    (steps,) = measures.recovery_steps(rates, WIDTHS, np.array([[-1.0]]), np.array([[1.0]]))[0]
    assert steps == 250 * (1 + np.flatnonzero(rates[0, 0] >= -1 + 0.9 * 2)[0])


def test_savings_are_the_share_of_steps_that_is_spared() -> None:
    first, second = np.array([2000, 2000, 2000, np.inf]), np.array([500, 3000, np.inf, 500])
    assert measures.savings(first, second).tolist()[:3] == [0.75, -0.5, -np.inf]
    assert np.isnan(measures.savings(first, second)[3])


def test_performance_recovery_is_minus_the_slope_of_recovery_times() -> None:
    assert measures.performance_recovery(np.array([2000.0, 1500.0, 1000.0])) == 500
    assert measures.performance_recovery(np.array([1000.0, np.inf, 1500.0, 2000.0])) == -500
    assert measures.performance_recovery(np.array([1000.0, np.inf])) is None


def test_sample_efficiency_is_one_where_both_lives_learn_alike() -> None:
    one = np.array([2.0])
    assert measures.sample_efficiency(one, np.array([500.0]), one, np.array([500.0])) == 1
    assert measures.sample_efficiency(one, np.array([250.0]), one, np.array([500.0])) == 2
    assert np.isnan(measures.sample_efficiency(one, np.array([np.inf]), one, np.array([500.0])))


def test_transfer_compares_the_tests_it_should() -> None:
    # One life: at birth, after summer 1, winter 1, summer 2, winter 2; each in summer and winter.
    tests = np.array([[[1.0, 2.0], [50.0, -40.0], [-30.0, 60.0], [55.0, -45.0], [-35.0, 65.0]]])
    assert measures.backward_transfer(tests, ALTERNATING) == [-30 - 50]
    assert measures.forward_transfer(tests, ALTERNATING) == [-40 - 2]
    assert measures.performance_maintenance(tests, ALTERNATING) == [np.mean([-30 - 50, -45 - 60, -35 - 55])]


def test_one_kind_of_season_alone_has_no_transfer() -> None:
    tests = np.ones((3, 3, 2))
    for measure in (measures.backward_transfer, measures.forward_transfer, measures.performance_maintenance):
        assert len(measure(tests, (0, 0))) == 0


def test_an_agent_that_stays_the_same_forgets_nothing() -> None:
    tests = np.tile(np.random.default_rng(1).normal(60, 5, (10, 1, 2)), (1, 5, 1))
    for measure in (measures.backward_transfer, measures.forward_transfer, measures.performance_maintenance):
        assert not measure(tests, ALTERNATING).any()


def test_late_over_young_takes_the_last_and_the_first_seasons() -> None:
    fitness = np.array([[40.0] * 4 + [99.0] * 24 + [10.0] * 4])
    assert measures.late_over_young(fitness) == 0.25
    assert (measures.span_of(32), measures.span_of(6), measures.span_of(1)) == (4, 3, 1)
    assert np.isnan(measures.late_over_young(-fitness)[0])


def test_half_life_is_the_first_season_with_half_of_its_kinds_young_fitness() -> None:
    steady = np.array([[40.0, 30, 40, 30, 40, 30, 40, 30]])
    falling = np.array([[40.0, 30, 40, 30, 21, 16, 20, 15]])
    kinds = (0, 1) * 4
    assert measures.half_life(steady, kinds) == [np.inf]
    assert measures.half_life(falling, kinds) == [7]


def test_a_rule_that_is_good_in_one_kind_of_season_has_not_fallen_in_the_other() -> None:
    assert measures.half_life(np.array([[40.0, 5, 40, 5, 40, 5, 40, 5]]), (0, 1) * 4) == [np.inf]
    assert np.isnan(measures.half_life(np.array([[-4.0] * 8]), (0, 1) * 4))  # there was nothing to lose


def test_relative_performance_is_a_ratio_of_sums() -> None:
    assert measures.relative_performance(np.array([[10.0, 20.0]]), np.array([[20.0, 40.0]])) == [0.5]
    assert np.isnan(measures.relative_performance(np.array([[1.0]]), np.array([[-1.0]]))[0])


def test_resamples_are_means_over_lives_and_the_first_is_the_sample() -> None:
    values = np.random.default_rng(2).normal(3.0, 1.0, (50, 2))
    resampled = means(shares(50, seed=1), values)
    assert resampled[0] == pytest.approx(values.mean(axis=0))
    low, high = interval(resampled[:, 0])
    assert low is not None
    assert high is not None
    half = 1.96 * values[:, 0].std(ddof=1) / np.sqrt(50)
    assert (high - low) / 2 == pytest.approx(half, rel=0.15)


def test_an_interval_is_open_where_resamples_never_get_there() -> None:
    reached = np.array([500.0] * 900 + [np.inf] * 101)
    assert interval(reached) == (500.0, None)
    assert Value.resampled(reached) == Value(500.0, 500.0, None)


def test_what_is_missing_in_many_resamples_is_missing() -> None:
    by_luck = np.array([1.0] * 900 + [np.nan] * 101)
    assert Value.resampled(by_luck, "why") == Value(None, why="why")
    assert Value.resampled(np.array([np.inf] * 1001), "why") == Value(None, why="why")
