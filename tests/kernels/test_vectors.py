"""Parts of vectors are read and written without touching what stands beside them."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from hebbarium.kernels.compile import kernel
from hebbarium.kernels.vectors import load_some, store, store_some


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
