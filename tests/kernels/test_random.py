"""The random streams: the twin's bits, uniform, and apart from each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import naive
from hebbarium.kernels.compile import Kernel as compiled_test
from hebbarium.kernels.random import (
    BRAIN,
    NEVER,
    WORLD,
    draw_below,
    draw_gap,
    draw_unit,
    draw_word,
    gap_table,
    open_stream,
)

UNLIKELY = 1e-4
"""Seeds are fixed, so a p-value below this is a fault and no accident."""


@compiled_test
def words(seed, trial, which, count):
    stream, drawn = np.empty(2, np.uint64), np.empty(count, np.uint64)
    open_stream(stream, seed, trial, which)
    for i in range(count):
        drawn[i] = draw_word(stream)
    return drawn


@compiled_test
def words_of(stream, count):
    drawn = np.empty(count, np.uint64)
    for i in range(count):
        drawn[i] = draw_word(stream)
    return drawn


@compiled_test
def units(seed, trial, which, count):
    stream, drawn = np.empty(2, np.uint64), np.empty(count)
    open_stream(stream, seed, trial, which)
    for i in range(count):
        drawn[i] = draw_unit(stream)
    return drawn


@compiled_test
def numbers_below(n, seed, trial, which, count):
    stream, drawn = np.empty(2, np.uint64), np.empty(count, np.int64)
    open_stream(stream, seed, trial, which)
    for i in range(count):
        drawn[i] = draw_below(stream, n)
    return drawn


@compiled_test
def gaps(table, seed, trial, which, count):
    stream, drawn = np.empty(2, np.uint64), np.empty(count, np.int64)
    open_stream(stream, seed, trial, which)
    for i in range(count):
        drawn[i] = draw_gap(stream, table)
    return drawn


@compiled_test
def streams(seeds, trials, which):
    """uint64 [stream, state or stride]: as they are opened."""
    opened = np.empty((seeds.shape[0], 2), np.uint64)
    for i in range(seeds.shape[0]):
        open_stream(opened[i], seeds[i], trials[i], which)
    return opened


@compiled_test
def first_units(opened):
    drawn = np.empty(opened.shape[0])
    for i in range(opened.shape[0]):
        drawn[i] = draw_unit(opened[i])
    return drawn


def uniform(values: np.ndarray, cells: int) -> float:
    """The p-value of whole numbers below `cells` being uniform."""
    return float(stats.chisquare(np.bincount(values, minlength=cells)).pvalue)


WORDS = st.integers(0, 2**64 - 1)


@given(WORDS, WORDS, st.sampled_from([WORLD, BRAIN]))
@settings(max_examples=300)
def test_the_twins_bits(seed: int, trial: int, which: int) -> None:
    twin = naive.Stream(seed, trial, which)
    drawn = words(np.uint64(seed), np.uint64(trial), which, 20)
    assert drawn.tolist() == [twin.word() for _ in range(20)]


def test_splitmix64s_published_numbers() -> None:
    stream = np.array([1234567, 0x9E3779B97F4A7C15], np.uint64)
    assert words_of(stream, 5).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(WORDS, st.integers(1, 2**32 - 1))
def test_units_and_numbers_below_n_are_the_twins(seed: int, n: int) -> None:
    twin = naive.Stream(seed, 5, BRAIN)
    assert units(np.uint64(seed), 5, BRAIN, 20).tolist() == [twin.unit() for _ in range(20)]
    twin = naive.Stream(seed, 5, WORLD)
    assert numbers_below(n, np.uint64(seed), 5, WORLD, 20).tolist() == [twin.below(n) for _ in range(20)]


@given(WORDS, st.sampled_from([1.0, 0.999, 0.5, 0.02, 0.001]) | st.floats(1e-4, 1))
def test_gaps_are_the_twins(seed: int, probability: float) -> None:
    twin = naive.Stream(seed, 9, BRAIN)
    expected = [naive.draw_gap(twin, probability) for _ in range(20)]
    assert gaps(gap_table(probability), np.uint64(seed), 9, BRAIN, 20).tolist() == expected


@pytest.mark.parametrize("n", [2, 3, 4, 7, 100, 98 * 98])
def test_numbers_below_n_are_uniform(n: int) -> None:
    assert uniform(numbers_below(n, 11, 0, WORLD, 500_000), n) > UNLIKELY


def test_units_are_uniform_and_do_not_foretell_the_next() -> None:
    drawn = units(12, 0, BRAIN, 1_000_000)
    assert drawn.min() >= 0.0
    assert drawn.max() < 1.0
    assert stats.kstest(drawn, "uniform").pvalue > UNLIKELY
    cells = (drawn * 32).astype(np.int64)
    assert uniform(cells[:-1] * 32 + cells[1:], 1024) > UNLIKELY
    lowest_bits = (drawn * 2**53).astype(np.int64) % 256
    assert uniform(lowest_bits, 256) > UNLIKELY


@pytest.mark.parametrize("probability", [0.9, 0.5, 0.1, 0.02, 0.001])
def test_gaps_are_geometric(probability: float) -> None:
    count = 200_000
    drawn = gaps(gap_table(probability), 13, 0, BRAIN, count)
    geometric = stats.geom(probability, loc=-1)
    edges = np.unique(geometric.ppf(np.linspace(0, 1, 60)[1:-1]))  # about as many in each class
    expected = np.diff(geometric.cdf([-1, *edges, np.inf])) * count
    observed = np.histogram(drawn, [-1, *(edges + 0.5), np.inf])[0]
    assert stats.chisquare(observed, expected).pvalue > UNLIKELY


@pytest.mark.parametrize("probability", [1.0, 0.9, 0.5, 0.1, 0.02, 0.001, 1e-6])
def test_a_gap_is_never_shorter_than_its_guide(probability: float) -> None:
    survival, guide = gap_table(probability)
    largest = np.arange(1, len(guide) + 1) / len(guide) - 2.0**-53
    longest = [max(k for k in range(len(survival) - 1) if survival[k] > unit) for unit in largest]
    assert guide.tolist() == longest


def test_gaps_at_the_ends() -> None:
    assert (gaps(gap_table(0.0), 1, 0, BRAIN, 100) == NEVER).all()
    assert (gaps(gap_table(1.0), 1, 0, BRAIN, 100) == 0).all()
    rare = gaps(gap_table(1e-6), 14, 0, BRAIN, 2000)
    assert abs(rare.mean() - 1e6) < 5 * 1e6 / 2000**0.5


def test_gaps_say_how_often_actions_are_random() -> None:
    """A gap of g is g steps and then the random action."""
    for probability in (0.02, 0.3):
        count = 100_000
        drawn = gaps(gap_table(probability), 15, 0, BRAIN, count)
        steps = int((drawn + 1).sum())
        assert stats.binomtest(count, steps, probability).pvalue > UNLIKELY


def test_no_two_streams_are_alike() -> None:
    seeds, trials = (
        axis.ravel() for axis in np.meshgrid(np.arange(200, dtype=np.uint64), np.arange(200, dtype=np.uint64))
    )
    opened = np.concatenate([streams(seeds, trials, which) for which in (WORLD, BRAIN)])
    assert len(np.unique(opened[:, 0])) == len(np.unique(opened[:, 1])) == 2 * 200 * 200
    assert (opened[:, 1] % 2 == 1).all()
    changes = np.bitwise_count(opened[:, 1] ^ (opened[:, 1] >> np.uint64(1)))
    assert changes.min() >= 24


@pytest.mark.parametrize("which", [WORLD, BRAIN])
def test_the_first_draws_of_neighbouring_streams_are_uniform_and_independent(which: int) -> None:
    many, none = np.arange(200_000, dtype=np.uint64), np.zeros(200_000, np.uint64)
    for seeds, trials in ((many, none), (none, many), (many, many)):
        drawn = first_units(streams(seeds, trials, which))
        assert stats.kstest(drawn, "uniform").pvalue > UNLIKELY
        cells = (drawn * 16).astype(np.int64)
        assert uniform(cells[:-1] * 16 + cells[1:], 256) > UNLIKELY


def test_a_lifes_two_streams_are_independent() -> None:
    many, seeds = np.arange(200_000, dtype=np.uint64), np.full(200_000, 7, np.uint64)
    world, brain = (first_units(streams(seeds, many, which)) for which in (WORLD, BRAIN))
    assert uniform((world * 16).astype(np.int64) * 16 + (brain * 16).astype(np.int64), 256) > UNLIKELY
