"""What brings weights to unit length, 1 / square root of the sum of their squares, without square root and division.

These take Intel's processors about forty cycles for eight numbers. From the processor's estimate a few multiplications
lead to the same bits, and show that they do.
"""

from __future__ import annotations

from hebbarium.kernels.compile import inlined
from hebbarium.kernels.vectors import (
    bits_of,
    both,
    choose,
    estimates,
    fill,
    fused,
    magnitude,
    mask_of,
    remainder,
    rough_inverse_root,
    square_root,
)

_SMALL = 2.0**-36
_LEAST = 2.0**-900
"""Below this, remainders would not be exact enough."""


@inlined
def three_inverse_roots(first, second, third, needed):
    """one / square_root of three vectors, both rounded as ever, in the lanes of the mask `needed`; anything in others.

    One is divided, as the processor multiplies meanwhile for the other two."""
    one = fill(1.0)
    if not estimates():
        return one / square_root(first), one / square_root(second), one / square_root(third)
    first_root = one / square_root(first)
    second_root, second_sure = _try(second)
    third_root, third_sure = _try(third)
    if bits_of(needed) & ~(second_sure & third_sure):
        second_root, second_sure = _try_near_one(second, second_root, second_sure)
        third_root, third_sure = _try_near_one(third, third_root, third_sure)
        if bits_of(needed) & ~(second_sure & third_sure):
            return first_root, one / square_root(second), one / square_root(third)
    return first_root, second_root, third_root


@inlined
def _try(value):
    """1 / square root, and the lanes in which it is sure to be rounded as ever, as bits.

    `near` is 1 / square root but for 2^-40 of it. What is missing of the root, and then of its inverse, is so small
    that 2^-36 more or less of it is more than all errors. If both come to the same number, that is the right one; apart
    from numbers next to 1, they nearly always do."""
    one = fill(1.0)
    rough = rough_inverse_root(value)
    missing = remainder(value * rough, rough, one)
    near = fused(rough * missing, fused(missing, fill(0.375), fill(0.5)), rough)
    root, half = value * near, near * fill(0.5)
    missing = remainder(root, root, value)
    low, high = fused(half, missing * fill(1.0 - _SMALL), root), fused(half, missing * fill(1.0 + _SMALL), root)
    sure = both(low == high, value > fill(_LEAST))
    missing = remainder(low, near, one)
    low, high = fused(near, missing * fill(1.0 - _SMALL), near), fused(near, missing * fill(1.0 + _SMALL), near)
    return low, bits_of(both(sure, low == high))


@inlined
def _try_near_one(value, found, sure):
    """The same for numbers next to 1, such as the sums of squares of scaled weights that have not changed.

    The root of 1 + 2 t is less than 1 + t, by less than any rounding sees, except where that lies in the middle between
    two numbers: then it is rounded down. The inverse of 1 + t is more than 1 - t, by as little, and is rounded up."""
    one, small = fill(1.0), fill(_SMALL)
    more = value - one
    is_near, half = fill(_SMALL) > magnitude(more), more * fill(0.5)
    more = (one + remainder(magnitude(half), small, half)) - one
    root = one + fused(magnitude(more), small, fill(0.0) - more)
    return choose(mask_of(sure), found, root), sure | bits_of(is_near)
