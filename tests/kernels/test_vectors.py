"""Parts of vectors are read and written without touching what stands beside them."""

from __future__ import annotations

import gc
import os
import platform
import subprocess
import sys

import numpy as np
import pytest

from hebbarium.kernels.compile import kernel
from hebbarium.kernels.random import draw_word
from hebbarium.kernels.random_in_lanes import draw_words
from hebbarium.kernels.vectors import (
    TOGETHER,
    change_and_sum_rows,
    change_rows,
    load_some,
    mask_of,
    store,
    store_some,
    sum_rows,
)


@kernel
def copy_some(numbers, index, bits, room, target, place):
    some = load_some(numbers, index, bits)
    store(room, 0, some)
    store_some(target, place, some, bits)


@pytest.mark.parametrize("bits", [0, 0b1, 0b111, 0b111000, 0b10100101, 0xFF])
@pytest.mark.parametrize("index", [-3, 0, 5, 12])
def test_only_the_lanes_of_the_bits_are_read_and_written(index: int, bits: int) -> None:
    beyond = np.full(8, np.nan)
    numbers, room, target = np.concatenate([beyond, np.arange(1.0, 13.0), beyond]), np.zeros(8), np.full(28, -1.0)
    copy_some(numbers, index + 8, bits, room, target, index + 8)
    chosen = (bits >> np.arange(8) & 1).astype(bool)
    assert np.array_equal(room, np.where(chosen, numbers[index + 8 : index + 16], 0.0), equal_nan=True)
    expected = np.full(28, -1.0)
    expected[index + 8 : index + 16][chosen] = room[chosen]
    assert np.array_equal(target, expected, equal_nan=True)


@kernel
def divide(number, by):
    if by == 0:
        raise ValueError("nothing to divide by")
    return number // by


def test_garbage_is_looked_for_again_after_a_first_call_that_failed_or_not() -> None:
    with pytest.raises(ValueError, match="nothing to divide by"):
        divide(6, 0)
    assert gc.isenabled()
    assert divide(6, 2) == 3
    assert gc.isenabled()


@kernel
def draw_all(streams, drawing, words):
    store(words, 0, draw_words(streams, mask_of(drawing)))


@kernel
def draw_one(stream):
    return draw_word(stream)


def test_streams_of_eight_lives_give_the_words_of_each_alone() -> None:
    numbers = np.random.default_rng(1).integers(0, 2**64, 16, np.uint64)
    streams, words, drawing = numbers.copy(), np.zeros(8, np.uint64), 0b10110110
    draw_all(streams, drawing, words)
    for life in range(8):
        stream = numbers[2 * life : 2 * life + 2].copy()
        word = draw_one(stream)
        assert words[life] == word
        expected = stream if drawing >> life & 1 else numbers[2 * life : 2 * life + 2]
        assert np.array_equal(streams[2 * life : 2 * life + 2], expected)


@kernel
def change_all(weights, rows, count, made, width, added, factors, end):
    change_rows(weights, rows, count, made, width, added, factors, end)


@kernel
def sum_all(weights, rows, count, width, changing, added, factors, number, sums):
    if changing:
        change_and_sum_rows(weights, rows, count, width, added, factors, number, sums)
    else:
        sum_rows(weights, rows, count, width, added, factors, number, sums)


@pytest.mark.parametrize("blocks", [1, 3, 7, 9])
@pytest.mark.parametrize("count", [1, 4, 10])
def test_rows_undergo_the_changes_that_each_lacks_in_any_company(count: int, blocks: int) -> None:
    random, width, end, spare = np.random.default_rng(blocks), 8 * blocks, 7, 19
    weights, added = random.normal(size=(20, width)), random.normal(size=(9, width))
    factors, made = random.uniform(0.5, 1.5, (9, width)), random.integers(0, end, 20)
    chosen, made[spare] = random.permutation(spare)[:count], end
    chosen = chosen[np.argsort(made[chosen])]
    expected = weights.copy()
    for row in chosen:
        for change in range(made[row], end):
            expected[row] = (expected[row] + added[change]) * factors[change]
    flat, rows = weights.ravel(), np.array([*chosen, *[spare] * (TOGETHER - 1)])
    change_all(flat, rows, count, made, width, added.ravel(), factors.ravel(), end)
    assert np.array_equal(flat, expected.ravel())


@pytest.mark.parametrize("blocks", [1, 3, 7, 9])
@pytest.mark.parametrize("changing", [False, True])
def test_rows_are_summed_in_their_order_and_changed_first_if_asked(changing: bool, blocks: int) -> None:
    random, width, rows, number = np.random.default_rng(blocks), 8 * blocks, np.array([5, 2, 11, 7]), 3
    weights, added, factors = random.normal(size=(12, width)), random.normal(size=width), random.normal(size=(9, width))
    expected, total, sums = weights.copy(), np.zeros(width), np.zeros(width)
    for row in rows[:3]:
        if changing:
            expected[row] = (expected[row] + added) * factors[number]
        total += expected[row]
    flat = weights.ravel()
    sum_all(flat, rows, 3, width, changing, added, factors.ravel(), number, sums)
    assert np.array_equal(flat, expected.ravel())
    assert np.array_equal(sums, total)


OTHERS = "+sse,+sse2,+sse3,+ssse3,+sse4.1,+sse4.2,+avx,+avx2,+fma,+bmi,+bmi2,+popcnt,+lzcnt"
LIVES = """
import numpy as np

from hebbarium.life.batch import Batch
from hebbarium.studies.live import experiment_of

for rule, hidden in (("prey-predator:1@0.001", 20), ("prey-predator:2@0.001", 100), ("prey-predator:2", 50)):
    asked = experiment_of("prey-predator", rule, hidden=hidden, lifetimes=8, season_steps=300, seasons=2, seed=5)
    fast, generic = (Batch(asked.world, asked.brain, asked.jobs(), fast=fast) for fast in (True, False))
    for batch in (fast, generic):
        batch.advance(asked.world.steps)
    assert np.array_equal(fast.counts, generic.counts), (rule, hidden)
    ours, theirs = fast.networks(), generic.networks()
    assert ours.hidden.tobytes() == theirs.hidden.tobytes() and ours.output.tobytes() == theirs.output.tobytes()
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="features of Intel's and AMD's processors")
def test_a_processor_with_half_as_wide_vectors_lives_the_same_lives() -> None:
    """Without AVX-512 fewer vectors fit in its registers, and columns are changed one by one."""
    environment = {**os.environ, "NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": OTHERS}
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not processor", __file__]
    for command in (tests, [sys.executable, "-c", LIVES]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
