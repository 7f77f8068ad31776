"""Small arrays on the stack of a kernel, and bytes one by one.

The compiler knows that nothing else points to such an array: so a random stream is kept in registers, and what was read
from a world's state before something was sensed need not be read again.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import signature
from numba.extending import intrinsic as numba_intrinsic
from numba.np.arrayobj import populate_array

intrinsic: Any = numba_intrinsic


@intrinsic
def stacked(typing_context, like, size, length):
    """Room for `size` numbers, a constant, of the kind that the array `like` holds; the first `length` are the array.

    It lives as long as the function that asks for it, and the one that this is inlined into: it must not be returned.
    What it holds is undefined until it is written."""
    if not isinstance(size, types.IntegerLiteral):
        return None
    kind = types.Array(like.dtype, 1, "C")

    def generate(context, builder, sig, arguments):
        element = context.get_data_type(kind.dtype)
        room = cgutils.alloca_once(builder, ir.ArrayType(element, size.literal_value))
        array = context.make_array(kind)(context, builder)
        width = context.get_constant(types.intp, context.get_abi_sizeof(element))
        data = builder.bitcast(room, element.as_pointer())
        populate_array(array, data, shape=[arguments[2]], strides=[width], itemsize=width, meminfo=None)
        return array._getvalue()

    return signature(kind, like, size, types.intp), generate


@intrinsic
def byte_at(typing_context, array, place):
    """array[place] of bytes, as a number; not to be read together with those beside it.

    Just written byte by byte, they can be read so at once; all together only when they have reached the cache."""

    def generate(context, builder, sig, arguments):
        data = context.make_array(array)(context, builder, arguments[0]).data
        byte = builder.load_atomic(builder.gep(data, [arguments[1]]), "monotonic", align=1)
        return builder.zext(byte, ir.IntType(64))

    return signature(types.int64, array, types.intp), generate


@intrinsic
def put_byte(typing_context, array, place, byte):
    """array[place] = byte, on its own: for a few bytes that is faster than the call that numba makes of a loop."""

    def generate(context, builder, sig, arguments):
        data = context.make_array(array)(context, builder, arguments[0]).data
        value = builder.trunc(arguments[2], ir.IntType(8))
        builder.store_atomic(value, builder.gep(data, [arguments[1]]), "monotonic", align=1)
        return context.get_dummy_value()

    return signature(types.void, array, types.intp, types.int64), generate


@intrinsic
def put_word(typing_context, array, place, word):
    """Eight bytes of an array from a place on at once: those of a word, uint64, the lowest first."""

    def generate(context, builder, sig, arguments):
        data = context.make_array(array)(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(64).as_pointer())
        builder.store(arguments[2], address, align=1)
        return context.get_dummy_value()

    return signature(types.void, array, types.intp, types.uint64), generate
