"""Eight doubles as one value, so that a kernel says `a * b + c` and the machine does eight at once.

numba leaves it to luck whether a loop over arrays is vectorised. Here a Vector is a value of its own,
kept in registers, with + - * /, comparisons, `square_root` and `choose`. Each lane is computed exactly
as a scalar would be (IEEE double precision, nothing fused or reordered), so results do not depend on
which vector instructions a processor has.

The same for whole numbers without sign: Words are eight of 64 bits, Shorts thirty-two of 16 bits, four for each word.
They have + - & ^ >> and comparisons, words * | <<, too. Such a vector is loaded from an array of uint64 or uint16, or
filled with one. Results wrap around.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import lower_builtin, models, register_model

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
words = _VectorType("Words", ir.VectorType(ir.IntType(64), WIDTH), mask)
_BY_ELEMENT = {types.float64: vector, types.uint16: shorts, types.uint64: words}


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
def shared_bits(typing_context, array, index, byte):
    """How many bits each of the eight bytes from `index` on of an array has in common with a byte, as doubles."""
    kind = ir.VectorType(ir.IntType(8), WIDTH)

    def generate(context, builder, sig, arguments):
        address = _address(context, builder, array, arguments[0], arguments[1], kind)
        shared = builder.and_(builder.load(address, align=1), _repeated(builder, arguments[2], kind))
        count = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), f"llvm.ctpop.v{WIDTH}i8")
        return builder.uitofp(builder.call(count, [shared]), _DOUBLES)

    return signature(vector, array, types.int64, types.uint8), generate


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
    """The same number in each lane: thirty-two for a uint16, eight for a uint64, else eight doubles."""
    result = _BY_ELEMENT.get(number, vector)

    def generate(context, builder, sig, arguments):
        return _repeated(builder, arguments[0], result.kind)

    return signature(result, types.float64 if result is vector else number), generate


@intrinsic
def spread(typing_context, array, index):
    """The number at `index` of a flat, contiguous array, in each lane."""
    result = _BY_ELEMENT[array.dtype]

    def generate(context, builder, sig, arguments):
        data = context.make_array(sig.args[0])(context, builder, arguments[0]).data
        return _repeated(builder, builder.load(builder.gep(data, [arguments[1]])), result.kind)

    return signature(result, array, types.int64), generate


def _shuffled(builder, both_vectors, lanes):
    """Some lanes of two vectors, those of the second counted on from the first's."""
    return builder.shuffle_vector(*both_vectors, ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes))


def _pick(start):
    @intrinsic
    def pick(typing_context, one, other):
        def generate(context, builder, sig, arguments):
            return _shuffled(builder, arguments, list(range(start, 2 * WIDTH, 2)))

        return signature(words, words, words), generate

    return pick


evens, odds = _pick(0), _pick(1)
"""Every second of sixteen words, from the first or the second on."""


def _alternate(start):
    @intrinsic
    def alternate(typing_context, one, other):
        def generate(context, builder, sig, arguments):
            places = range(start, start + WIDTH // 2)
            return _shuffled(builder, arguments, [lane for place in places for lane in (place, place + WIDTH)])

        return signature(words, words, words), generate

    return alternate


first_pairs, last_pairs = _alternate(0), _alternate(WIDTH // 2)
"""What `evens` and `odds` took apart: the first and the last four words of both, in turn."""


@intrinsic
def gather(typing_context, array, places):
    """The numbers of a flat, contiguous array at eight places. places: an array, of which the first eight count"""
    result = words if array.dtype in (types.uint64, types.int64) else _BY_ELEMENT[array.dtype]

    def generate(context, builder, sig, arguments):
        data, at = (
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(sig.args, arguments, strict=True)
        )
        gathered = ir.Constant(result.kind, ir.Undefined)
        for lane in range(WIDTH):
            number = ir.Constant(ir.IntType(32), lane)
            place = builder.load(builder.gep(at, [number]))
            gathered = builder.insert_element(gathered, builder.load(builder.gep(data, [place])), number)
        return gathered

    return signature(result, array, places), generate


@intrinsic
def load_column(typing_context, array, lane):
    """Of an array of uint16 [WIDTH, WIDTH, 4], flat: the four numbers of a lane in each row."""

    def generate(context, builder, sig, arguments):
        address = _address(context, builder, sig.args[0], arguments[0], ir.Constant(ir.IntType(64), 0), ir.IntType(64))
        column = ir.Constant(words.kind, ir.Undefined)
        for row in range(WIDTH):
            place = builder.add(arguments[1], ir.Constant(ir.IntType(64), row * WIDTH))
            one = builder.load(builder.gep(address, [place]), align=8)
            column = builder.insert_element(column, one, ir.Constant(ir.IntType(32), row))
        return builder.bitcast(column, shorts.kind)

    return signature(shorts, array, types.int64), generate


@intrinsic
def store_column(typing_context, array, lane, value):
    """Write what `load_column` reads."""

    def generate(context, builder, sig, arguments):
        address = _address(context, builder, sig.args[0], arguments[0], ir.Constant(ir.IntType(64), 0), ir.IntType(64))
        column = builder.bitcast(arguments[2], words.kind)
        for row in range(WIDTH):
            place = builder.add(arguments[1], ir.Constant(ir.IntType(64), row * WIDTH))
            one = builder.extract_element(column, ir.Constant(ir.IntType(32), row))
            builder.store(one, builder.gep(address, [place]), align=8)
        return context.get_dummy_value()

    return signature(types.void, array, types.int64, shorts), generate


@intrinsic
def lowest_pairs(typing_context, value):
    """The lowest four pairs of bits of each word, as four numbers from 0 to 3."""

    def generate(context, builder, sig, arguments):
        parts = builder.bitcast(arguments[0], shorts.kind)
        repeated = _shuffled(builder, (parts, parts), [lane // 4 * 4 for lane in range(SHORTS)])
        shifts = ir.Constant(shorts.kind, [2 * (lane % 4) for lane in range(SHORTS)])
        return builder.and_(builder.lshr(repeated, shifts), ir.Constant(shorts.kind, [3] * SHORTS))

    return signature(shorts, words), generate


@intrinsic
def four_each(typing_context, value):
    """The lowest 16 bits of each word, four times."""

    def generate(context, builder, sig, arguments):
        parts = builder.bitcast(arguments[0], shorts.kind)
        return _shuffled(builder, (parts, parts), [lane // 4 * 4 for lane in range(SHORTS)])

    return signature(shorts, words), generate


def _turned(by):
    @intrinsic
    def turn(typing_context, value):
        def generate(context, builder, sig, arguments):
            lanes = [lane // 4 * 4 + (lane + by) % 4 for lane in range(SHORTS)]
            return _shuffled(builder, (arguments[0], arguments[0]), lanes)

        return signature(shorts, shorts), generate

    return turn


turned_once, turned_twice, turned_thrice = _turned(1), _turned(2), _turned(3)
"""Each four shorts, turned by so many places."""


@intrinsic
def any_of_four(typing_context, condition):
    """Set where a wide mask is set in any of four lanes, as a whole number, lane 0 in the lowest bit."""

    def generate(context, builder, sig, arguments):
        spread_out = builder.bitcast(builder.sext(arguments[0], shorts.kind), words.kind)
        some = builder.icmp_unsigned("!=", spread_out, ir.Constant(words.kind, [0] * WIDTH))
        return builder.zext(builder.bitcast(some, ir.IntType(WIDTH)), ir.IntType(64))

    return signature(types.int64, wide_mask), generate


@intrinsic
def choose_fours(typing_context, condition, yes, no):
    """In each four lanes of shorts `yes` where the mask is set, else `no`."""

    def generate(context, builder, sig, arguments):
        both_words = [builder.bitcast(value, words.kind) for value in arguments[1:]]
        return builder.bitcast(builder.select(arguments[0], *both_words), shorts.kind)

    return signature(shorts, mask, shorts, shorts), generate


@intrinsic
def choose(typing_context, condition, yes, no):
    """In each lane `yes` where the mask is set, else `no`."""

    def generate(context, builder, sig, arguments):
        return builder.select(*arguments)

    return signature(yes, condition, yes, no), generate


class _Rows:
    """Vectors of a flat array, [row, width]."""

    def __init__(self, builder, data, width):
        self.builder, self.data, self.width = builder, data, width

    def addresses(self, row, column, count):
        """Of so many vectors side by side. Steps that the compiler knows spare it a register for each."""
        builder = self.builder
        first = builder.gep(self.data, [builder.add(builder.mul(row, self.width), column)])
        first = builder.bitcast(first, _DOUBLES.as_pointer())
        return [builder.gep(first, [ir.IntType(64)(number)]) for number in range(count)]

    def read(self, row, column, count):
        return [self.builder.load(at, align=8) for at in self.addresses(row, column, count)]


def _side_by_side(context, builder, width, body):
    """Call `body` for all columns, with the first and how many vectors: as many as fit in registers for four rows, then
    one by one. There are 32 registers of a vector's size, or else 16 of half its size."""
    done = width.type(0)
    for count in (7, 1) if "+avx512f" in context.codegen().magic_tuple()[2] else (1,):
        step = width.type(count * WIDTH)
        whole = builder.sub(width, builder.srem(builder.sub(width, done), step))
        with cgutils.for_range_slice(builder, done, whole, step) as (column, _):
            body(column, count)
        done = whole


def _variables(builder, values):
    """What a loop changes: LLVM keeps it in registers."""
    kept = [cgutils.alloca_once(builder, _DOUBLES) for _ in values]
    for one, value in zip(kept, values, strict=True):
        builder.store(value, one)
    return kept


def _data(context, builder, sig, arguments):
    """Where arrays begin, and the other arguments as they are."""
    return [
        context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
        for kind, value in zip(sig.args, arguments, strict=True)
    ]


TOGETHER = 4


@intrinsic
def change_rows(typing_context, weights, rows, count, made, width, added, factors, end):
    """Rows of weights undergo changes one after the other, w -> (w + added) * factor, up to number `end`.

    All arrays but `made` are flat, [row, width]; the first `count` of `rows` say which rows of weights, and are read up
    to a multiple of TOGETHER. Change n is row n of `added` and of `factors`; `made` says of each row of weights how
    many come before its first. Of those TOGETHER, the ones that lack most come first.

    A weight has to wait for each of its changes: many vectors side by side keep the processor busy meanwhile, and share
    what is loaded."""

    def generate(context, builder, sig, arguments):
        weights, rows, count, made, width, added, factors, end = _data(context, builder, sig, arguments)
        weights, added, factors = (_Rows(builder, array, width) for array in (weights, added, factors))
        nothing, one = width.type(0), width.type(1)

        def change_four(place, column, vectors):
            places = [builder.add(place, place.type(k)) for k in range(TOGETHER)]
            chosen = [builder.load(builder.gep(rows, [at])) for at in places]
            starts = [*(builder.load(builder.gep(made, [row])) for row in chosen), end]
            kept = [_variables(builder, weights.read(row, column, vectors)) for row in chosen]
            for some in range(1, TOGETHER + 1):
                with cgutils.for_range_slice(builder, starts[some - 1], starts[some], one) as (number, _):
                    adding, factor = (it.read(number, column, vectors) for it in (added, factors))
                    for values in kept[:some]:
                        for value, more, times in zip(values, adding, factor, strict=True):
                            builder.store(builder.fmul(builder.fadd(builder.load(value), more), times), value)
            for row, values in zip(chosen, kept, strict=True):
                for value, at in zip(values, weights.addresses(row, column, vectors), strict=True):
                    builder.store(builder.load(value), at, align=8)

        def change(column, vectors):
            with cgutils.for_range_slice(builder, nothing, count, width.type(TOGETHER)) as (place, _):
                change_four(place, column, vectors)

        _side_by_side(context, builder, width, change)
        return context.get_dummy_value()

    whole = types.int64
    return signature(types.void, weights, rows, whole, made, whole, added, factors, whole), generate


def _summing(changing):
    @intrinsic
    def apply(typing_context, weights, rows, count, width, added, factors, number, sums):
        def generate(context, builder, sig, arguments):
            weights, rows, count, width, added, factors, number, sums = _data(context, builder, sig, arguments)
            weights, added, factors, sums = (_Rows(builder, it, width) for it in (weights, added, factors, sums))
            first = width.type(0)

            def add_up(column, vectors):
                adding = added.read(first, column, vectors) if changing else []
                factor = factors.read(number, column, vectors) if changing else []
                totals = _variables(builder, [ir.Constant(_DOUBLES, [0.0] * WIDTH) for _ in range(vectors)])
                with cgutils.for_range(builder, count) as loop:
                    row = builder.load(builder.gep(rows, [loop.index]))
                    at, values = weights.addresses(row, column, vectors), weights.read(row, column, vectors)
                    for place, total in enumerate(totals):
                        value = values[place]
                        if changing:
                            value = builder.fmul(builder.fadd(value, adding[place]), factor[place])
                            builder.store(value, at[place], align=8)
                        builder.store(builder.fadd(builder.load(total), value), total)
                for total, place in zip(totals, sums.addresses(first, column, vectors), strict=True):
                    builder.store(builder.load(total), place, align=8)

            _side_by_side(context, builder, width, add_up)
            return context.get_dummy_value()

        whole = types.int64
        return signature(types.void, weights, rows, whole, whole, added, factors, whole, sums), generate

    return apply


sum_rows, change_and_sum_rows = _summing(False), _summing(True)
"""The sums of some rows of weights, the first `count` of `rows`, in this order; or the same while they undergo one
change, w -> (w + added) * factor, with row `number` of `factors`. Arrays are flat, [row, width]; `added` and `sums` are
one row."""


def _extreme(name):
    @intrinsic
    def apply(typing_context, one, other):
        def generate(context, builder, sig, arguments):
            kind, bits = one.kind, 64 if one == words else 16
            function = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(kind, [kind] * 2), f"llvm.{name}.v{kind.count}i{bits}"
            )
            return builder.call(function, arguments)

        return signature(one, one, one), generate

    return apply


smallest, largest = _extreme("umin"), _extreme("umax")
"""The smaller and the larger number in each lane of words or shorts."""


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


def _fused(negated):
    @intrinsic
    def apply(typing_context, one, other, third):
        def generate(context, builder, sig, arguments):
            kind = ir.FunctionType(_DOUBLES, [_DOUBLES] * 3)
            function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{WIDTH}f64")
            first = builder.fneg(arguments[0]) if negated else arguments[0]
            return builder.call(function, [first, *arguments[1:]])

        return signature(vector, vector, vector, vector), generate

    return apply


fused, remainder = _fused(False), _fused(True)
"""one * other + third and third - one * other, rounded once."""


@intrinsic
def estimates(typing_context):
    """Whether the processor has `rough_inverse_root`, and is faster with it. AMD's divide several times as fast."""

    def generate(context, builder, sig, arguments):
        return context.get_constant(types.boolean, _estimates(context))

    return signature(types.boolean), generate


def _estimates(context):
    _, name, features = context.codegen().magic_tuple()
    return "+avx512f" in features and not name.startswith("znver")


@intrinsic
def rough_inverse_root(typing_context, value):
    """1 / square root, wrong by less than 2^-14 of it; where there are no estimates, the value."""

    def generate(context, builder, sig, arguments):
        if not _estimates(context):
            return arguments[0]
        kind = ir.FunctionType(_DOUBLES, [_DOUBLES, _DOUBLES, ir.IntType(WIDTH)])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.avx512.rsqrt14.pd.512")
        return builder.call(function, [arguments[0], ir.Constant(_DOUBLES, [0.0] * WIDTH), ir.IntType(WIDTH)(255)])

    return signature(vector, vector), generate


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


def _define(symbol, kind, result, generate):
    """What an operator does with two vectors of a kind. generate: makes the instruction, with a builder and both

    Not by numba's `overload`, which compiles a function for each."""

    class _Operator(ConcreteTemplate):
        cases = [signature(result, kind, kind)]  # noqa: RUF012

    infer_global(symbol)(_Operator)
    lower_builtin(symbol, kind, kind)(lambda context, builder, sig, arguments: generate(builder, *arguments))


for _symbol, _of_doubles, _of_words, _of_shorts in (
    (operator.add, "fadd", "add", "add"),
    (operator.sub, "fsub", "sub", "sub"),
    (operator.mul, "fmul", "mul", None),
    (operator.truediv, "fdiv", None, None),
    (operator.and_, None, "and_", "and_"),
    (operator.or_, None, "or_", None),
    (operator.xor, None, "xor", "xor"),
    (operator.lshift, None, "shl", None),
    (operator.rshift, None, "lshr", "lshr"),
):
    for _kind, _name in ((vector, _of_doubles), (words, _of_words), (shorts, _of_shorts)):
        if _name is not None:
            _define(_symbol, _kind, _kind, getattr(ir.IRBuilder, _name))
for _symbol, _sign in ((operator.gt, ">"), (operator.eq, "==")):
    for _kind in (vector, words, shorts):
        _compare = ir.IRBuilder.fcmp_ordered if _kind == vector else ir.IRBuilder.icmp_unsigned
        _define(_symbol, _kind, _kind.mask, lambda builder, *both, do=_compare, sign=_sign: do(builder, sign, *both))
