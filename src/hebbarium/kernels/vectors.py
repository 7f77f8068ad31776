"""Eight doubles as one value, so that a kernel says `a * b + c` and the machine does eight at once.

numba leaves it to luck whether a loop over arrays is vectorised. Here a Vector is a value of its own,
kept in registers, with + - * /, comparisons, `square_root` and `choose`. Each lane is computed exactly
as a scalar would be (IEEE double precision, nothing fused or reordered), so results do not depend on
which vector instructions a processor has.

The same for thirty-two whole numbers of 16 bits without sign, with + - & ^ >> and comparisons: what is loaded from an
array of uint16, or filled with one. Sums and differences wrap around.
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
SHORTS = 32


class _VectorType(types.Type):
    def __init__(self, name: str, kind: ir.VectorType, mask: Any) -> None:
        super().__init__(name=name)
        self.kind, self.mask = kind, mask


class _MaskType(types.Type):
    def __init__(self, name: str, width: int) -> None:
        super().__init__(name=name)
        self.kind, self.width = ir.VectorType(ir.IntType(1), width), width


_DOUBLES = ir.VectorType(ir.DoubleType(), WIDTH)
mask, wide_mask = _MaskType("Mask", WIDTH), _MaskType("WideMask", SHORTS)
vector = _VectorType("Vector", _DOUBLES, mask)
shorts = _VectorType("Shorts", ir.VectorType(ir.IntType(16), SHORTS), wide_mask)
_BY_ELEMENT = {types.float64: vector, types.uint16: shorts}


@register_model(_VectorType)
@register_model(_MaskType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, front_end_type):
        super().__init__(manager, front_end_type, front_end_type.kind)


def _address(context, builder, array_type, array, index, kind):
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), kind.as_pointer())


@intrinsic
def load(typing_context, array, index):
    """The numbers from `index` on of a flat, contiguous array: as many as a vector of them has."""
    result = _BY_ELEMENT[array.dtype]

    def generate(context, builder, sig, arguments):
        address = _address(context, builder, sig.args[0], arguments[0], arguments[1], result.kind)
        return builder.load(address, align=array.dtype.bitwidth // 8)

    return signature(result, array, types.int64), generate


@intrinsic
def store(typing_context, array, index, value):
    """Write a vector from `index` on of a flat, contiguous array."""

    def generate(context, builder, sig, arguments):
        address = _address(context, builder, sig.args[0], arguments[0], arguments[1], value.kind)
        builder.store(arguments[2], address, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return signature(types.void, array, types.int64, value), generate


@intrinsic
def load_some(typing_context, array, index, bits):
    """The numbers from `index` on of a contiguous array of doubles in the lanes of these bits, 0.0 in the others, which
    are not read."""

    def generate(context, builder, sig, arguments):
        address = _address(context, builder, sig.args[0], arguments[0], arguments[1], _DOUBLES)
        lanes = builder.bitcast(builder.trunc(arguments[2], ir.IntType(WIDTH)), mask.kind)
        kind = ir.FunctionType(_DOUBLES, [address.type, ir.IntType(32), mask.kind, _DOUBLES])
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.masked.load.v{WIDTH}f64.p0")
        return builder.call(function, [address, ir.IntType(32)(8), lanes, ir.Constant(_DOUBLES, [0.0] * WIDTH)])

    return signature(vector, array, types.int64, types.int64), generate


@intrinsic
def store_some(typing_context, array, index, value, bits):
    """Write a vector's lanes of these bits from `index` on; nothing in the place of the others."""

    def generate(context, builder, sig, arguments):
        address = _address(context, builder, sig.args[0], arguments[0], arguments[1], _DOUBLES)
        lanes = builder.bitcast(builder.trunc(arguments[3], ir.IntType(WIDTH)), mask.kind)
        kind = ir.FunctionType(ir.VoidType(), [_DOUBLES, address.type, ir.IntType(32), mask.kind])
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.masked.store.v{WIDTH}f64.p0")
        builder.call(function, [arguments[2], address, ir.IntType(32)(8), lanes])
        return context.get_dummy_value()

    return signature(types.void, array, types.int64, vector, types.int64), generate


@intrinsic
def bit_set(typing_context, words, bit):
    """The mask of those of the first eight words of an array, int64, that have this bit set."""
    kind = ir.VectorType(ir.IntType(64), WIDTH)

    def generate(context, builder, sig, arguments):
        address = _address(context, builder, words, arguments[0], ir.Constant(ir.IntType(64), 0), kind)
        asked = _repeated(builder, builder.shl(ir.Constant(ir.IntType(64), 1), arguments[1]), kind)
        found = builder.and_(builder.load(address, align=8), asked)
        return builder.icmp_unsigned("!=", found, ir.Constant(kind, [0] * WIDTH))

    return signature(mask, words, types.int64), generate


@intrinsic
def same_bits(typing_context, array, index, other):
    """Whether the eight numbers from `index` on and those from `other` on are the same, bit for bit."""

    def generate(context, builder, sig, arguments):
        words = ir.IntType(64 * WIDTH)
        both = [_address(context, builder, sig.args[0], arguments[0], at, words) for at in arguments[1:]]
        return builder.icmp_unsigned("==", builder.load(both[0], align=8), builder.load(both[1], align=8))

    return signature(types.boolean, array, types.int64, types.int64), generate


def _repeated(builder, number, kind):
    start = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(start, ir.Constant(kind, ir.Undefined), zeros)


@intrinsic
def fill(typing_context, number):
    """The same number in each lane: thirty-two for a uint16, else eight doubles."""
    result = _BY_ELEMENT.get(number, vector)

    def generate(context, builder, sig, arguments):
        return _repeated(builder, arguments[0], result.kind)

    return signature(result, types.uint16 if result is shorts else types.float64), generate


@intrinsic
def spread(typing_context, array, index):
    """The number at `index` of a flat, contiguous array, in each lane."""
    result = _BY_ELEMENT[array.dtype]

    def generate(context, builder, sig, arguments):
        data = context.make_array(sig.args[0])(context, builder, arguments[0]).data
        return _repeated(builder, builder.load(builder.gep(data, [arguments[1]])), result.kind)

    return signature(result, array, types.int64), generate


@intrinsic
def pairs_of(typing_context, word):
    """The thirty-two pairs of bits of a word as numbers from 0 to 3, the lowest first."""

    def generate(context, builder, sig, arguments):
        quarters = builder.bitcast(arguments[0], ir.VectorType(ir.IntType(16), 4))
        places = ir.Constant(ir.VectorType(ir.IntType(32), SHORTS), [lane // 8 for lane in range(SHORTS)])
        spread_out = builder.shuffle_vector(quarters, ir.Constant(quarters.type, ir.Undefined), places)
        shifts = ir.Constant(shorts.kind, [2 * (lane % 8) for lane in range(SHORTS)])
        return builder.and_(builder.lshr(spread_out, shifts), ir.Constant(shorts.kind, [3] * SHORTS))

    return signature(shorts, types.uint64), generate


@intrinsic
def choose(typing_context, condition, yes, no):
    """In each lane `yes` where the mask is set, else `no`."""

    def generate(context, builder, sig, arguments):
        return builder.select(*arguments)

    return signature(yes, condition, yes, no), generate


@intrinsic
def smallest(typing_context, one, other):
    """The smaller number in each lane of shorts."""

    def generate(context, builder, sig, arguments):
        kind = ir.FunctionType(shorts.kind, [shorts.kind] * 2)
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.umin.v{SHORTS}i16")
        return builder.call(function, arguments)

    return signature(shorts, shorts, shorts), generate


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
        return builder.zext(builder.bitcast(arguments[0], ir.IntType(condition.width)), ir.IntType(64))

    return signature(types.int64, condition), generate


def _mask_of(result):
    @intrinsic
    def make(typing_context, bits):
        def generate(context, builder, sig, arguments):
            return builder.bitcast(builder.trunc(arguments[0], ir.IntType(result.width)), result.kind)

        return signature(result, types.int64), generate

    return make


mask_of = _mask_of(mask)
"""The mask whose lanes are the lowest eight bits of a whole number."""
wide_mask_of = _mask_of(wide_mask)
"""The same of its lowest thirty-two bits."""


def _of_masks(name):
    @intrinsic
    def apply(typing_context, one, other):
        def generate(context, builder, sig, arguments):
            return getattr(builder, name)(*arguments)

        return signature(one, one, one), generate

    return apply


both = _of_masks("and_")
"""Set in each lane where both masks are."""


def _binary(name):
    @intrinsic
    def apply(typing_context, left, right):
        def generate(context, builder, sig, arguments):
            return getattr(builder, name)(*arguments)

        return signature(left, left, left), generate

    return apply


def _comparison(symbol):
    @intrinsic
    def apply(typing_context, left, right):
        def generate(context, builder, sig, arguments):
            compare = builder.fcmp_ordered if left == vector else builder.icmp_unsigned
            return compare(symbol, *arguments)

        return signature(left.mask, left, left), generate

    return apply


def _define(symbol, functions):
    """functions: what the operator does, by kind of vector"""

    @overload(symbol)
    def operation(left, right):
        if left in functions and left == right:
            function = functions[left]
            return lambda left, right: function(left, right)
        return None


for _symbol, _of_doubles, _of_shorts in (
    (operator.add, "fadd", "add"),
    (operator.sub, "fsub", "sub"),
    (operator.mul, "fmul", None),
    (operator.truediv, "fdiv", None),
    (operator.and_, None, "and_"),
    (operator.xor, None, "xor"),
    (operator.rshift, None, "lshr"),
):
    _names = {vector: _of_doubles, shorts: _of_shorts}
    _define(_symbol, {kind: _binary(name) for kind, name in _names.items() if name is not None})
_define(operator.gt, dict.fromkeys((vector, shorts), _comparison(">")))
_define(operator.eq, dict.fromkeys((vector, shorts), _comparison("==")))
