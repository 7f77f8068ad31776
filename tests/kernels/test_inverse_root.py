"""1 / square root without square root and division: to the bit, wherever the numbers lie."""

from __future__ import annotations

import numpy as np
import pytest

from hebbarium.kernels.compile import kernel
from hebbarium.kernels.inverse_root import three_inverse_roots
from hebbarium.kernels.vectors import choose, fill, load, mask_of, store

random = np.random.default_rng(1)
CASES = {
    "sums of squares": random.uniform(0.25, 4, 3 << 14),
    "next to 1": 1 + np.arange(-(3 << 13), 3 << 13) * 2.0**-53,
    "near 1": 1 + random.normal(size=3 << 14) * 2.0 ** -random.uniform(20, 50, 3 << 14),
    "whole numbers": np.arange(1.0, (3 << 14) + 1),
    "squares of short numbers": (random.integers(1, 1 << 26, 3 << 14) / 2.0**20) ** 2,
    "of all sizes": 2.0 ** random.uniform(-1074, 1023, 3 << 14),
    "extremes": np.tile([0.0, np.inf, np.nan, 5e-324, 2.0**-900, 2.0**-899, 1.0, 1.7e308], 3),
}


@kernel
def all_roots(values, roots, needed):
    mask = mask_of(needed)
    for at in range(0, values.shape[0], 24):
        some = three_inverse_roots(load(values, at), load(values, at + 8), load(values, at + 16), mask)
        for place in range(3):
            store(roots, at + 8 * place, choose(mask, some[place], fill(-1.0)))


@pytest.mark.parametrize("needed", [0b11111111, 0b00101101])
@pytest.mark.parametrize("name", CASES)
def test_inverse_roots_are_what_root_and_division_give(name: str, needed: int) -> None:
    values = CASES[name]
    roots = np.zeros_like(values)
    all_roots(values, roots, needed)
    with np.errstate(all="ignore"):
        expected = np.where(needed >> np.arange(len(values)) % 8 & 1, 1.0 / np.sqrt(values), -1.0)
    assert np.array_equal(roots, expected, equal_nan=True)
