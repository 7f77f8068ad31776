"""Eight doubles as one value, so that a kernel says `a * b + c` and the machine does eight at once.

numba leaves it to luck whether a loop over arrays is vectorised. Here a Vector is a value of its own,
kept in registers, with + - * /, comparisons, `square_root` and `choose`. Each lane is computed exactly
as a scalar would be (IEEE double precision, nothing fused or reordered), so results do not depend on
which vector instructions a processor has.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import signature
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import models, overload, register_model

intrinsic: Any = numba_intrinsic
"""numba's types show the typing context as an argument that callers never give."""

WIDTH = 8

_DOUBLES = ir.VectorType(ir.DoubleType(), WIDTH)
_BITS = ir.VectorType(ir.IntType(1), WIDTH)


class _VectorType(types.Type):
    def __init__(self):
        super().__init__(name="Vector")


class _MaskType(types.Type):
    def __init__(self):
        super().__init__(name="Mask")


vector, mask = _VectorType(), _MaskType()


@register_model(_VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, front_end_type):
        super().__init__(manager, front_end_type, _DOUBLES)


@register_model(_MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager, front_end_type):
        super().__init__(manager, front_end_type, _BITS)


def _address(context, builder, array_type, array, index):
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _DOUBLES.as_pointer())


@intrinsic
def load(typing_context, array, index):
    """The eight numbers from `index` on of a flat, contiguous float64 array."""

    def generate(context, builder, sig, arguments):
        return builder.load(_address(context, builder, sig.args[0], arguments[0], arguments[1]), align=8)

    return signature(vector, array, types.int64), generate


@intrinsic
def store(typing_context, array, index, value):
    """Write eight numbers from `index` on of a flat, contiguous float64 array."""

    def generate(context, builder, sig, arguments):
        builder.store(arguments[2], _address(context, builder, sig.args[0], arguments[0], arguments[1]), align=8)
        return context.get_dummy_value()

    return signature(types.void, array, types.int64, vector), generate


@intrinsic
def same_bits(typing_context, array, index, other):
    """Whether the eight numbers from `index` on and those from `other` on are the same, bit for bit."""

    def generate(context, builder, sig, arguments):
        words = ir.IntType(64 * WIDTH)
        both = [
            builder.bitcast(_address(context, builder, sig.args[0], arguments[0], at), words.as_pointer())
            for at in arguments[1:]
        ]
        return builder.icmp_unsigned("==", builder.load(both[0], align=8), builder.load(both[1], align=8))

    return signature(types.boolean, array, types.int64, types.int64), generate


def _eight_times(builder, number):
    start = builder.insert_element(ir.Constant(_DOUBLES, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(start, ir.Constant(_DOUBLES, ir.Undefined), zeros)


@intrinsic
def fill(typing_context, number):
    """Eight times the same number."""

    def generate(context, builder, sig, arguments):
        return _eight_times(builder, arguments[0])

    return signature(vector, types.float64), generate


@intrinsic
def spread(typing_context, array, index):
    """Eight times the number at `index` of a flat, contiguous float64 array."""

    def generate(context, builder, sig, arguments):
        data = context.make_array(sig.args[0])(context, builder, arguments[0]).data
        return _eight_times(builder, builder.load(builder.gep(data, [arguments[1]])))

    return signature(vector, array, types.int64), generate


@intrinsic
def choose(typing_context, condition, yes, no):
    """In each lane `yes` where the mask is set, else `no`."""

    def generate(context, builder, sig, arguments):
        return builder.select(*arguments)

    return signature(vector, mask, vector, vector), generate


def _unary(name):
    """One of LLVM's functions of one number."""

    @intrinsic
    def apply(typing_context, value):
        def generate(context, builder, sig, arguments):
            kind = ir.FunctionType(_DOUBLES, [_DOUBLES])
            function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{WIDTH}f64")
            return builder.call(function, arguments)

        return signature(vector, vector), generate

    return apply


square_root = _unary("sqrt")
magnitude = _unary("fabs")


@intrinsic
def bits_of(typing_context, condition):
    """The mask as a whole number, lane 0 in the lowest bit."""

    def generate(context, builder, sig, arguments):
        return builder.zext(builder.bitcast(arguments[0], ir.IntType(WIDTH)), ir.IntType(64))

    return signature(types.int64, mask), generate


@intrinsic
def mask_of(typing_context, bits):
    """The mask whose lanes are the lowest eight bits of a whole number."""

    def generate(context, builder, sig, arguments):
        return builder.bitcast(builder.trunc(arguments[0], ir.IntType(WIDTH)), _BITS)

    return signature(mask, types.int64), generate


@intrinsic
def both(typing_context, one, other):
    """Set in each lane where both masks are."""

    def generate(context, builder, sig, arguments):
        return builder.and_(*arguments)

    return signature(mask, mask, mask), generate


def _binary(name):
    @intrinsic
    def apply(typing_context, left, right):
        def generate(context, builder, sig, arguments):
            return getattr(builder, name)(*arguments)

        return signature(vector, vector, vector), generate

    return apply


@intrinsic
def _greater(typing_context, left, right):
    def generate(context, builder, sig, arguments):
        return builder.fcmp_ordered(">", *arguments)

    return signature(mask, vector, vector), generate


def _define(symbol, function):
    @overload(symbol)
    def operation(left, right):
        if left is vector and right is vector:
            return lambda left, right: function(left, right)
        return None


for _symbol, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _define(_symbol, _binary(_name))
_define(operator.gt, _greater)
