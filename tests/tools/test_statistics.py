"""Statistics, held against formulas and against cases whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hebbarium.tools import statistics

NORMAL = np.random.default_rng(3).normal(50, 10, (400, 4))


def test_std_is_with_n_minus_1_and_one_life_has_none():
    assert statistics.std(np.array([1.0, 3.0])) == pytest.approx(np.sqrt(2))
    assert statistics.sem(np.array([1.0, 3.0])) == pytest.approx(1)
    assert statistics.std(np.array([5.0])) is None
    assert statistics.sem(np.array([5.0])) is None


@pytest.mark.parametrize("lives", [2, 3, 5, 10])
def test_intervals_of_means_hold_what_they_promise_for_few_lives(lives):
    samples = np.random.default_rng(lives).normal(50, 10, (2000, lives))
    estimates = [statistics.estimate_mean(sample) for sample in samples]
    held = np.mean([estimate.low <= 50 <= estimate.high for estimate in estimates])
    assert held == pytest.approx(0.95, abs=0.02)


def test_the_interval_of_a_mean_is_the_same_everywhere():
    lives = NORMAL[:7, 0]
    estimate = statistics.estimate_mean(lives)
    assert (estimate.low, estimate.high) == statistics.mean_interval(lives)
    assert (estimate.low, estimate.high) == stats.t.interval(0.95, 6, lives.mean(), stats.sem(lives))


def test_seasons_of_a_life_are_taken_together():
    same = np.repeat(NORMAL[:, :1], 4, axis=1)
    assert statistics.estimate_mean(same).error == pytest.approx(statistics.sem(NORMAL[:, 0]))
    assert statistics.estimate_std(same).error == pytest.approx(statistics.estimate_std(NORMAL[:, 0]).error, rel=0.1)
    assert statistics.estimate_mean(NORMAL).error == pytest.approx(0.25, rel=0.15)


def test_the_error_of_a_std_is_that_of_a_normal_sample():
    estimate = statistics.estimate_std(NORMAL[:, 0])
    assert estimate.value == pytest.approx(NORMAL[:, 0].std(ddof=1))
    assert estimate.error == pytest.approx(10 / np.sqrt(800), rel=0.25)
    assert estimate.low == pytest.approx(estimate.value - 1.96 * estimate.error, abs=0.15)
    assert estimate.high == pytest.approx(estimate.value + 1.96 * estimate.error, abs=0.15)
    assert estimate.lives == 400


def test_equal_values_and_one_life_are_no_error():
    assert statistics.estimate_std(np.zeros(10)).error == 0
    assert np.isnan(statistics.estimate_mean(np.array([[1.0, 2.0]])).error)
    assert statistics.estimate_mean(np.array([[1.0, 2.0]])).value == 1.5


def test_estimates_are_the_same_each_time():
    assert statistics.estimate_std(NORMAL) == statistics.estimate_std(NORMAL)


def test_pairs_show_what_groups_hide():
    before = NORMAL[:40, 0]
    after = before + 1 + np.random.default_rng(0).normal(0, 0.5, 40)
    assert statistics.rank_sum(before, after).p > 0.3
    assert statistics.signed_rank(before, after).p < 1e-6
    assert statistics.signed_rank(before, before).p == 1


def test_rank_sum_has_the_sign_of_the_difference():
    assert statistics.rank_sum(NORMAL[:, 0] + 20, NORMAL[:, 1]).statistic > 0


def test_corrected_levels_are_benjamini_and_hochbergs():
    assert statistics.correct_levels([0.01, 0.02, 0.5]) == pytest.approx([0.03, 0.03, 0.5])
    assert statistics.correct_levels([]) == []
