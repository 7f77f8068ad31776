"""How kernels are compiled, and how one loop is joined to many worlds.

Functions are *marked* where they are written (`inlined`, `called`, `creating`, `compiled`) and compiled when a
kernel that calls them first runs: importing a world costs no numba, and its functions stay plain Python that can
be read, stepped through and tested as such. A `kernel` is what Python calls; its machine code is kept on disk
(`cache.py`).

A kernel may call *open* functions, which say what is needed and do nothing. `joined` makes a kernel of its own
for each set of implementations: the one loop of a life is compiled for every world and brain by filling in theirs.
"""

from __future__ import annotations

import dis
import functools
import gc
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from hebbarium.kernels.source_hash import hash_of
from hebbarium.kernels.user_errors import is_outside, reworded_of_compiled
from hebbarium.tools.errors import BadInput

Function = Callable[..., Any]
Parts = Mapping[Function, Function]
"""What is filled in for each open function."""

_THREADS = os.environ.get("NUMBA_NUM_THREADS", "1")
if not _THREADS.isdecimal() or int(_THREADS) < 1:  # numba would not let itself be imported
    raise BadInput(f"NUMBA_NUM_THREADS is {_THREADS!r}, but must be a whole number of at least 1; unset it.")
_LINKING = threading.Lock()
"""Threads that need a kernel at the same time share one, and it is compiled once."""

INLINED, CALLED, CREATING, COMPILED, OPEN = "inlined", "called", "creating", "compiled", "open"
RAISING, THEIRS = "raising", "theirs"
_OPTIONS: dict[str, dict[str, Any]] = {
    INLINED: {"forceinline": True, "_nrt": False},
    CALLED: {"forceinline": False, "_nrt": False},
    CREATING: {"_nrt": True},
    COMPILED: {"_nrt": True},
    RAISING: {"forceinline": False, "_nrt": True},
}


def _mark(how: str) -> Callable[[Function], Any]:
    def mark(function: Function) -> Any:
        function.how_compiled = how  # type: ignore[attr-defined]
        return function

    return mark


inlined = _mark(INLINED)
"""A step of a kernel: compiled into its callers.

Counting references to arrays costs more than most steps do, and nothing a step touches can go away while its
kernel runs: so steps are compiled without numba's memory management. Hence a step must not create arrays, return
them, or call what does: the counts would no longer add up, and memory in use would be freed. One that does is refused
when it is compiled (`steps.py`)."""
called = _mark(CALLED)
"""A step that is taken rarely: compiled on its own, so that the loop around it keeps the registers."""
creating = _mark(CREATING)
"""A part of a kernel, outside its loops, that creates or returns arrays."""
compiled = _mark(COMPILED)
"""A function of a user's world: compiled with memory management, so that it may do what it likes."""
opened = _mark(OPEN)
"""A function that is filled in elsewhere."""
theirs = _mark(THEIRS)
"""The same for a function of a user's world: it, and all that it calls, is compiled with checks of every index."""
raising = _mark(RAISING)
"""A function that only raises: what an exception says about numbers needs memory management."""


class Kernel:
    """What Python calls: a compiled loop, kept on disk from one start to the next."""

    def __init__(self, function: Function, parts: Parts | None = None, name: str = "") -> None:
        """name: of this kernel among those made of the same function with other parts."""
        functools.update_wrapper(self, function)
        self.function, self.parts, self.name = function, dict(parts or {}), name or function.__name__
        self._dispatcher: Any = None
        self._kept = False

    @property
    def dispatcher(self) -> Any:
        """numba's."""
        with _LINKING:
            if self._dispatcher is None:
                from hebbarium.kernels.cache import keep

                linked = _linked(self.function, _Linker(self.parts), self.name)
                self._dispatcher = keep(_compile()(linked), linked, self.sources)
            return self._dispatcher

    @functools.cached_property
    def sources(self) -> str | None:
        """A hash of all that the kernel is made from; None where that is unknown, as in a notebook."""
        return hash_of((self.function, *self.parts.values()))

    def __call__(self, *arguments: Any) -> Any:
        dispatcher = self.dispatcher
        # Compiling makes many objects that stay. To look through them for garbage would only take time.
        pause = not dispatcher.overloads and gc.isenabled()
        if pause:
            gc.disable()
        try:
            return dispatcher(*arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # compiled code may raise SystemExit, too
            sentence = reworded_of_compiled(error, self.parts.values())
            if sentence is None:
                raise
            raise sentence from error
        finally:
            if pause:
                gc.enable()

    @property
    def is_kept(self) -> bool:
        """Whether it has been compiled before, and kept on disk."""
        if not self._kept:  # what is kept stays, so the disk is asked only until then
            from hebbarium.kernels.cache import is_kept

            self._kept = is_kept(self.function.__module__, self.name, self.sources)
        return self._kept


def kernel(function: Function) -> Kernel:
    return Kernel(function)


def joined(loop: Kernel, parts: Parts, name: str) -> Kernel:
    """The kernel with its open functions filled in."""
    return Kernel(loop.function, parts, f"{loop.function.__name__}_{name}")


def with_values(function: Function, **values: Any) -> Function:
    """The marked function with other values for some names of its module, which are constants once it is compiled."""
    copy = FunctionType(function.__code__, function.__globals__ | values, function.__name__)
    copy.__dict__.update(function.__dict__)
    return copy


def machine_code(function: Function) -> Any:
    """A marked function as numba has it, for tests and other people's kernels; Python, too, may call it."""
    return _Linker({}).compiled(function)


@functools.cache
def _compile() -> Any:
    import numba

    from hebbarium.kernels.numba_compilers import KernelCompiler

    # Without the global lock, in strict IEEE double precision: no fastmath, no contraction; not to be called from C.
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, "pipeline_class": KernelCompiler}
    return functools.partial(numba.njit, **options)


_SHARED: dict[tuple[Function, bool], Any] = {}
"""Dispatchers of functions that call nothing open, with checks of indices or without: the same for all kernels."""


class _Linker:
    """Turns marked functions into numba's, with open ones filled in."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.own: dict[tuple[Function, bool], Any] = {}

    def dispatcher(self, function: Function, checked: bool) -> Any:
        """checked: whether a user's function calls it."""
        checked = checked or function.how_compiled == THEIRS  # type: ignore[attr-defined]
        function = self.parts.get(function, function)
        home = self.own if self.is_open(function) else _SHARED
        if (function, checked) not in home:
            from hebbarium.kernels.numba_compilers import without_literals

            # Only compiled code calls it, so it needs no way in for Python, which takes a quarter of the time or more.
            one = self.compiled(function, checked, no_cpython_wrapper=True)
            home[function, checked] = one if checked else without_literals(one)
        return home[function, checked]

    def compiled(self, function: Function, checked: bool = False, **more: Any) -> Any:
        """more: options of numba's, beside those of its mark."""
        how = function.how_compiled  # type: ignore[attr-defined]
        if how in (OPEN, THEIRS):
            raise TypeError(f"{function.__name__} is open: nothing was given for it")
        checked = checked or is_outside(function.__module__)
        # Said outright, also what is not so: numba would otherwise do as the function that calls it does.
        options = {**_OPTIONS[how], "boundscheck": checked, **more}
        if how in (INLINED, CALLED):
            self._check_calls(function)
        if how in (INLINED, CALLED) or function in self.parts.values():
            from hebbarium.kernels.numba_compilers import StepCompiler

            options["pipeline_class"] = StepCompiler
        elif checked:
            from hebbarium.kernels.numba_compilers import TellingCompiler

            options["pipeline_class"] = TellingCompiler
        return _compile()(**options)(_linked(function, self, function.__name__, checked))

    def _check_calls(self, step: Function) -> None:
        """A step may call a user's function where one is filled in: such a step is compiled to return no array."""
        for other in _calls(step):
            given = self.parts.get(other, other)
            if given.how_compiled == CREATING or (given.how_compiled == COMPILED and given is other):  # type: ignore[attr-defined]
                raise TypeError(f"{step.__name__} is a step of a kernel, but calls {other.__name__}, which is not one.")

    def is_open(self, function: Function) -> bool:
        """Whether anything it calls, near or far, is filled in."""
        return _opens(function) or any(self.is_open(other) for other in _calls(function))


def _opens(function: Function) -> bool:
    return function.how_compiled in (OPEN, THEIRS)  # type: ignore[attr-defined]


def _is_marked(value: object) -> bool:
    return isinstance(value, FunctionType) and hasattr(value, "how_compiled")


def _to_compile(value: Any, checked: bool) -> Any:
    """What a name stands for; numba's own function, which would check nothing, is compiled like others."""
    return compiled(value.py_func) if checked and hasattr(value, "py_func") else value


def _names(function: Function) -> tuple[set[str], dict[str, set[str]]]:
    """The global names that a function uses as they are, and, of each module among them, the attributes it asks for.

    `co_names` does not tell them apart: a world's `act` may call another module's, as `foraging.act`."""
    bare: set[str] = set()
    asked: dict[str, set[str]] = {}
    last = None
    for instruction in dis.get_instructions(function.__code__):
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and last is not None:
            asked.setdefault(last, set()).add(instruction.argval)
        last = None
        if instruction.opname == "LOAD_GLOBAL":
            name: str = instruction.argval
            bare.add(name)
            last = name if isinstance(function.__globals__.get(name), ModuleType) else None
    return bare, asked


def _calls(function: Function) -> Iterator[Function]:
    bare, asked = _names(function)
    scope = function.__globals__
    found = [scope.get(name) for name in sorted(bare)]
    found += [vars(scope[module]).get(name) for module in sorted(asked) for name in sorted(asked[module])]
    yield from filter(_is_marked, found)


def _linked(function: Function, linker: _Linker, name: str, checked: bool = False) -> FunctionType:
    """The same function in a scope in which every marked function is compiled. checked: see `_Linker.dispatcher`"""
    bare, asked = _names(function)
    scope = dict(function.__globals__)
    for word in sorted(bare):
        value = _to_compile(scope.get(word), checked)
        if _is_marked(value):
            scope[word] = linker.dispatcher(value, checked)
        elif isinstance(value, ModuleType):
            scope[word] = _linked_module(value, asked.get(word, set()), linker, checked)
    code: Any = function.__code__
    copy = FunctionType(code, scope, name, function.__defaults__)
    copy.__qualname__, copy.__module__ = name, function.__module__
    return copy


def _linked_module(module: ModuleType, names: set[str], linker: _Linker, checked: bool) -> ModuleType:
    """A module of ours is called through its name; numpy has our `zeros`; any other is left alone."""
    if module is np and not checked and "zeros" in names:
        from hebbarium.kernels.zeros import zeros

        return _with(module, {"zeros": zeros})
    found = {name: _to_compile(vars(module).get(name), checked) for name in sorted(names)}
    marked = {name: function for name, function in found.items() if _is_marked(function)}
    if not marked:
        return module
    return _with(module, {name: linker.dispatcher(function, checked) for name, function in marked.items()})


def _with(module: ModuleType, others: dict[str, Any]) -> ModuleType:
    copy = ModuleType(module.__name__)
    copy.__dict__.update(vars(module) | others)
    return copy
