"""Counting zero bits, which numba has no word for."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _zero_count(name):
    @intrinsic
    def count(typing_context, word):
        def generate(context, builder, signature, arguments):
            return getattr(builder, name)(arguments[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.uint64), generate

    return count


trailing_zeros = _zero_count("cttz")
leading_zeros = _zero_count("ctlz")
