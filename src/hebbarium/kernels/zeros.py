"""`np.zeros` as kernels have it: numba's own compiles three functions for each kind of number (0.1 s each).

It begins on a cache line, so that no vector straddles two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import signature
from numba.extending import intrinsic as numba_intrinsic
from numba.np.arrayobj import populate_array

intrinsic: Any = numba_intrinsic
_CACHE_LINE = 64


@intrinsic
def zeros(typing_context, shape, dtype=np.float64):
    """shape: a number, or a tuple of them"""
    sizes: Any = shape if isinstance(shape, types.BaseTuple) else (shape,)
    if dtype is np.float64:  # which numba gives as it is where callers say nothing
        dtype = types.Omitted(dtype)
    element = types.float64 if isinstance(dtype, types.Omitted) else dtype.instance_type
    kind = types.Array(element, len(sizes), "C")

    def generate(context, builder, sig, arguments):
        given = cgutils.unpack_tuple(builder, arguments[0]) if isinstance(shape, types.BaseTuple) else arguments[:1]
        lengths = [context.cast(builder, one, size, types.intp) for one, size in zip(given, sizes, strict=True)]
        width = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(element)))
        strides = [width]
        for length in reversed(lengths):
            strides.insert(0, builder.mul(strides[0], length))
        memory = context.nrt.meminfo_alloc_aligned(builder, strides[0], _CACHE_LINE)
        data = context.nrt.meminfo_data(builder, memory)
        cgutils.memset(builder, data, strides[0], 0)
        array = context.make_array(kind)(context, builder)
        address = builder.bitcast(data, context.get_data_type(element).as_pointer())
        populate_array(array, address, shape=lengths, strides=strides[1:], itemsize=width, meminfo=memory)
        return array._getvalue()

    return signature(kind, shape, dtype), generate
