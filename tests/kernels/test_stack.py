"""Arrays on the stack of a kernel, and bytes one by one."""

from __future__ import annotations

import numpy as np

from hebbarium.kernels.compile import inlined, kernel
from hebbarium.kernels.stack import byte_at, put_byte, put_word, stacked


@inlined
def running_sums(numbers, sums):
    """Each call has its own array, whatever stood in that of the call before."""
    room = stacked(numbers, 4, 4)
    for place in range(4):
        room[place] = 0
    for place in range(numbers.shape[0]):
        room[place] = numbers[place] + (room[place - 1] if place else 0)
    for place in range(numbers.shape[0]):
        sums[place] = room[place]


@kernel
def sum_rows(numbers, sums):
    for row in range(numbers.shape[0]):
        running_sums(numbers[row], sums[row])


@kernel
def change_bytes(some, found):
    for place in range(some.shape[0]):
        found[place] = byte_at(some, place)
        put_byte(some, place, 255 - place)


@kernel
def put_words(some):
    put_word(some, 1, np.uint64(0x0807060504030201))
    put_word(some, 8, np.uint64(0xFF))


def test_an_array_on_the_stack_is_an_array() -> None:
    numbers = np.arange(6, dtype=np.int64).reshape(2, 3)
    sums = np.zeros_like(numbers)
    sum_rows(numbers, sums)
    assert np.array_equal(sums, numbers.cumsum(axis=1))


def test_bytes_are_read_and_written_one_by_one() -> None:
    some, found = np.array([0, 1, 200, 255], np.uint8), np.zeros(4, np.int64)
    change_bytes(some, found)
    assert found.tolist() == [0, 1, 200, 255]
    assert some.tolist() == [255, 254, 253, 252]


def test_eight_bytes_are_written_at_once() -> None:
    some = np.full(17, 9, np.uint8)
    put_words(some)
    assert some.tolist() == [9, 1, 2, 3, 4, 5, 6, 7, 255, *[0] * 7, 9]


@kernel
def some_zeros(rows):
    return np.zeros(rows), np.zeros((rows, 3), np.uint8), np.zeros((2, rows), np.int64)


def test_zeros_have_the_shape_and_kind_that_was_asked_for_and_begin_on_a_cache_line() -> None:
    for _ in range(20):  # memory that was used before is cleared
        for found, expected in zip(some_zeros(5), some_zeros.function(5), strict=True):
            assert (found.shape, found.dtype, found.strides) == (expected.shape, expected.dtype, expected.strides)
            assert not found.any()
            assert found.ctypes.data % 64 == 0
            found[:] = 7
