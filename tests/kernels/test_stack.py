"""Arrays on the stack of a kernel, and bytes one by one."""

from __future__ import annotations

import numpy as np

from hebbarium.kernels.compile import inlined, kernel
from hebbarium.kernels.stack import byte_at, put_byte, stacked


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
