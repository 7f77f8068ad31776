"""Counting zero bits, 64 bits from any byte on, and numbers that are not negative, as numba does not have them."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic as numba_intrinsic

from hebbarium.kernels.compile import inlined

intrinsic: Any = numba_intrinsic
"""numba's types show the typing context as an argument that callers never give."""


def _zero_count(name):
    @intrinsic
    def count(typing_context, word):
        def generate(context, builder, signature, arguments):
            return getattr(builder, name)(arguments[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.uint64), generate

    return count


trailing_zeros = _zero_count("cttz")
leading_zeros = _zero_count("ctlz")


@intrinsic
def word_at(typing_context, words, byte):
    """The eight bytes from `byte` on of a contiguous array, as one word."""

    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        start = builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [arguments[1]])
        return builder.load(builder.bitcast(start, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(words, types.int64), generate


@inlined
def natural(number):
    """The same number of at most 32 bits, known not to be negative: numba asks of any other index whether it counts
    from the end. It does not of np.uint64 either, but a sum of that and another integer is a float."""
    return np.int64(np.uint32(number))
