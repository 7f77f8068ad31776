"""How numba compiles steps of a kernel and functions of a user's world: with some additions to its own way.

Steps are compiled without numba's memory management. One that returns an array would leave the counts of references
wrong, and memory in use would be freed. numba refuses most of them by itself, but not an array that was passed in, nor
one in a tuple.

An index out of bounds in a user's function must be reported with its line. numba gives the line of a `raise`, but not
of errors that it raises itself. And where a user's function is given a single row, -1 is the row before and not the
last one, which it is for numba.

And only kernels are made into machine code: functions that only other compiled functions call are parts of them.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from llvmlite import binding as llvm
from numba import types
from numba._dynfunc import make_function
from numba.core import cgutils, ir
from numba.core.callconv import CPUCallConv
from numba.core.cgutils import normalize_ir_text
from numba.core.codegen import CodeLibrary, JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.cpu import CPUContext
from numba.core.environment import lookup_environment
from numba.core.errors import NumbaError, TypingError
from numba.core.ir_utils import get_definition, guard
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering, NopythonTypeInference
from numba.np import arrayobj
from numba.np.numpy_support import carray, farray

UNCHECKED = (np.take_along_axis, np.lib.stride_tricks.as_strided, carray, farray)
"""Functions that reach any memory, whatever numba is asked to check."""
ELSEWHERE = (np.random.RandomState, random.Random)
"""Whose methods the functions of `numpy.random` and of `random` are."""
SINGLE_ROWS: set[type] = set()
"""Records of arrays with one row, whose index is not counted from the end."""


@register_pass(mutates_CFG=False, analysis_only=True)
class _ReturnsNoArray(AnalysisPass):
    _name = "a_step_returns_no_array"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        if _holds_array(state.return_type):
            raise TypeError(
                f"{state.func_id.func_name} is a step of a kernel, but returns an array: mark it `creating`."
            )
        return False


class _Part(JITCodeLibrary):
    """The code of a function that only other compiled functions call: kept as it was written until a kernel needs it.

    numba optimises each function by itself, links all it calls into it, and makes machine code of it that can be called
    from Python; then it does so again in whatever calls it. Here only kernels are made so."""

    def __init__(self, codegen: Any, name: str) -> None:
        CodeLibrary.__init__(self, codegen, name)
        self.modules: list[Any] = []
        self.called: list[Any] = []
        self._shared_module = None
        self._reload_init: set[Any] = set()  # numba 0.63 has it in the class that is passed over above

    def add_ir_module(self, module: Any) -> None:
        for function in module.functions:
            if not function.is_declaration and function.linkage in ("", "external"):
                function.linkage = "linkonce_odr"  # as for everything that is linked into several others
        parsed = llvm.parse_assembly(normalize_ir_text(str(module)))
        passes, builder = self._codegen._function_pass_manager()
        for function in parsed.functions:
            if not function.is_declaration:
                passes.run(function, builder)
        self.modules.append(parsed)

    def add_linking_library(self, library: Any) -> None:
        library._ensure_finalized()
        self.called.append(library)

    def finalize(self) -> None:
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """With all that it calls, near or far. Callers first: what nobody has asked for yet is not linked."""
        if self._shared_module is None:
            seen: dict[Any, None] = {}
            _collect(self, seen)
            first, *others = (module for library in seen for module in _modules_of(library))
            self._shared_module = first.clone()
            for module in others:
                self._shared_module.link_in(module, preserve=True)
        return self._shared_module


def _collect(library: Any, seen: dict[Any, None]) -> None:
    if library not in seen:
        seen[library] = None
        for other in library.called if isinstance(library, _Part) else ():
            _collect(other, seen)


def _modules_of(library: Any) -> list[Any]:
    return library.modules if isinstance(library, _Part) else [library._get_module_for_linking()]


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    _name = "native_lowering_of_parts"

    def run_pass(self, state: Any) -> bool:
        if not state.flags.no_cpython_wrapper:
            super().run_pass(state)
            for variable in state.library._final_module.global_variables:
                environment = lookup_environment(variable.name)  # of a part, which numba has not heard of
                if environment is not None:
                    state.library.codegen.set_env(variable.name, environment)
            return True
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        made, library = state.cr, state.library
        # numba knows functions by something that Python could call. This one must not be: it has no address.
        known = make_function(made.fndesc.lookup_module(), state.func_id.func_name, "", 0, made.env, (library,))
        state.targetctx.insert_user_function(known, made.fndesc, [library])
        state.cr = made._replace(cfunc=known)
        return True


def _holds_array(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return any(map(_holds_array, kind))  # type: ignore[call-overload]
    return isinstance(kind, types.Array)


@register_pass(mutates_CFG=False, analysis_only=True)
class _CountsIfNeeded(AnalysisPass):
    """References are counted only in functions that make or return arrays: what is passed in stays while they run.

    Counting took 60 % of the time of the world that `hebbarium new-world` writes."""

    _name = "references_are_counted_if_needed"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        if not state.flags.nrt:
            return False
        models = state.targetctx.data_model_manager

        def is_counted(kind: Any) -> bool:
            return bool(models[kind].contains_nrt_meminfo())

        def makes_nothing(value: Any) -> bool:
            """Whether it is a part of what is there. An index that is an array itself makes a copy."""
            indices = [used.name for used in value.list_vars()[1:]]
            return value.op in _PARTS and not any(is_counted(state.typemap[name]) for name in indices)

        statements = [statement for block in state.func_ir.blocks.values() for statement in block.body]
        made = [
            state.typemap[statement.target.name]
            for statement in statements
            if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Expr)
            if not makes_nothing(statement.value)
        ]
        raises = any(isinstance(statement, ir.DynamicRaise | ir.DynamicTryRaise) for statement in statements)
        state.targetctx.enable_nrt = raises or any(map(is_counted, [state.return_type, *made]))
        return False


_PARTS = (
    "getattr", "getitem", "static_getitem", "typed_getitem", "cast", "getiter", "iternext", "pair_first", "pair_second",
    "exhaust_iter",
)  # fmt: skip


class _TellingCallConv(CPUCallConv):
    """numba's way to raise, which adds the line that is being compiled where numba itself gives none."""

    def return_user_exc(
        self, builder: Any, exc: Any, exc_args: Any = None, loc: Any = None, func_name: Any = None
    ) -> None:
        lower = self.context.hebbarium_lower
        if loc is None and builder.function is lower.function:
            loc, func_name = lower.loc, lower.func_ir.func_id.func_name
        super().return_user_exc(builder, exc, exc_args, loc, func_name)


class _TellingContext(CPUContext):
    @property
    def call_conv(self) -> Any:
        return _TellingCallConv(self)


class _TellingLower(Lower):
    def init(self) -> None:
        super().init()
        self.context.__class__ = _TellingContext  # a copy of numba's, made for this function alone
        self.context.hebbarium_lower = self

    def delvar(self, name: Any) -> None:
        if self.context.enable_nrt:  # otherwise nothing is counted, and there is nothing to clear
            super().delvar(name)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        self._check_row(value, index)
        return super().lower_getitem(resty, expr, value, index, signature)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        self._check_row(target_var, index_var)
        return super().lower_setitem(target_var, index_var, value_var, signature)

    def lower_call(self, resty: Any, expr: Any) -> Any:
        function: Any = getattr(self.typeof(expr.func.name), "typing_key", None)
        if self.context.enable_boundscheck and any(function is one for one in UNCHECKED):
            raise TypeError(f"{function.__name__} is not allowed, because numba does not check its indices")
        if self.context.enable_boundscheck and isinstance(getattr(function, "__self__", None), ELSEWHERE):
            why = "because no seed decides them (a world takes its own from `stream`)"
            raise TypeError(f"random numbers of {function.__name__} are not allowed, {why}")
        return super().lower_call(resty, expr)

    def _check_row(self, array: Any, index: Any) -> None:
        origin = guard(get_definition, self.func_ir, array)
        if not self.context.enable_boundscheck or getattr(origin, "op", "") != "getattr":
            return
        if origin.attr == "flat" and isinstance(self.typeof(array.name), types.NumpyFlatType):
            raise TypeError("an index of `flat` is not allowed, because numba does not check it")
        if getattr(self.typeof(origin.value.name), "instance_class", None) not in SINGLE_ROWS:
            return
        kind, row = self.typeof(index.name), self.loadvar(index.name)
        if isinstance(kind, types.BaseTuple):
            kind, row = kind[0], self.builder.extract_value(row, 0)  # type: ignore[index]
        if getattr(kind, "signed", False):
            with self.builder.if_then(self.builder.icmp_signed("<", row, row.type(0)), likely=False):
                self.context.call_conv.return_user_exc(self.builder, IndexError, ("index is out of bounds",))


@contextlib.contextmanager
def _checked_at_once() -> Iterator[None]:
    """Meanwhile numba checks an index with one comparison if it is within bounds, and looks only otherwise whether it
    counts from the end. Its own way, an addition and two comparisons for each, took a sixth of a grid world's time.

    numba compiles one function at a time, so nobody else meets what is put in its place."""
    usual_index, usual_check = arrayobj.fix_integer_index, cgutils.do_boundscheck
    checked: set[Any] = set()

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if not (kind.signed and context.enable_boundscheck):
            return usual_index(context, builder, kind, index, size)
        index = context.cast(builder, index, kind, types.intp)
        before = builder.block
        with builder.if_then(builder.icmp_unsigned(">=", index, size), likely=False):
            from_the_end = builder.add(index, size)
            usual_check(context, builder, from_the_end, size)
            after = builder.block
        fixed = builder.phi(index.type)
        fixed.add_incoming(index, before)
        fixed.add_incoming(from_the_end, after)
        checked.add(fixed)
        return fixed

    def do_boundscheck(context: Any, builder: Any, index: Any, size: Any, axis: Any = None) -> None:
        if index not in checked:
            usual_check(context, builder, index, size, axis)

    arrayobj.fix_integer_index, cgutils.do_boundscheck = fix_integer_index, do_boundscheck
    try:
        yield
    finally:
        arrayobj.fix_integer_index, cgutils.do_boundscheck = usual_index, usual_check


@register_pass(mutates_CFG=True, analysis_only=False)
class _TellingLowering(_Lowering):
    _name = "native_lowering_that_tells_lines"

    @property
    def lowering_class(self) -> Any:
        return _TellingLower

    def run_pass(self, state: Any) -> bool:
        with _checked_at_once():
            try:
                return bool(super().run_pass(state))
            except NumbaError:
                if state.targetctx.enable_nrt or not state.flags.nrt:
                    raise
            # Something in it makes an array after all, as copying a slice onto another does.
            state.library, state.targetctx.enable_nrt = None, True
            return bool(super().run_pass(state))


def without_literals(dispatcher: Any) -> Any:
    """Compiled once for numbers that callers give as constants: where it is inlined LLVM knows them, anyway.

    Where their values decide about types, it is compiled for each of them."""
    template = dispatcher.get_call_template

    def get_call_template(arguments: Any, named: Any) -> Any:
        try:
            return template(tuple(map(types.unliteral, arguments)), named)
        except TypingError:
            return template(arguments, named)

    dispatcher.get_call_template = get_call_template
    return dispatcher


class KernelCompiler(CompilerBase):
    """numba's, which makes machine code of kernels only."""

    lowering: Any = _Lowering

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(self.lowering if kind is NativeLowering else kind, what) for kind, what in passes.passes]
        passes.finalize()
        return [passes]


class TellingCompiler(KernelCompiler):
    """The same with a line for every error: for functions of users' worlds."""

    lowering = _TellingLowering

    def define_pipelines(self) -> list[Any]:
        [passes] = super().define_pipelines()
        passes.add_pass_after(_CountsIfNeeded, NopythonTypeInference)
        passes.finalize()
        return [passes]


class StepCompiler(TellingCompiler):
    """The same for what a step is or calls, with one more look at it."""

    def define_pipelines(self) -> list[Any]:
        [passes] = super().define_pipelines()
        passes.add_pass_after(_ReturnsNoArray, NopythonTypeInference)
        passes.finalize()
        return [passes]
