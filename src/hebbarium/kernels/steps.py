"""What a step of a kernel may not do, seen to whenever one is compiled.

Steps are compiled without numba's memory management. One that returns an array would leave the counts of references
wrong, and memory in use would be freed. numba refuses most of them by itself, but not an array that was passed in, nor
one in a tuple.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import NopythonTypeInference


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


def _holds_array(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return any(map(_holds_array, kind))  # type: ignore[call-overload]
    return isinstance(kind, types.Array)


class StepCompiler(CompilerBase):
    """numba's, with one more look at what it compiles."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_ReturnsNoArray, NopythonTypeInference)
        passes.finalize()
        return [passes]
