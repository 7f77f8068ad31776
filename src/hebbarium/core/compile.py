"""How kernels are compiled and where the compiled code is kept.

numba's own cache has three traps: it does not notice an edit in a called function of another file, a
truncated file in it raises instead of recompiling, and it fails where no folder is writable. Here the
folder's name holds a hash of all kernel sources, a file that cannot be read counts as absent, and
without a writable folder kernels are simply compiled anew.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core import config as numba_config
from numba.core.caching import FunctionCache

_compile: Any = functools.partial(numba.njit, nogil=True, error_model="numpy")
"""Without the global lock, in strict IEEE double precision: no fastmath, no contraction."""

STEPS: list[Any] = []
CREATORS: list[Any] = []
"""Every function made by `inlined` or `called`, and by `creating`, so that a test can see that they keep apart."""

CACHE_VARIABLE = "HEBBARIUM_CACHE_DIR"


class _TolerantCache(FunctionCache):
    """numba's cache of one function, except that no fault of the disk ever reaches the user."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a truncated or foreign pickle raises nearly anything
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:
            # An unreadable index blocks every later save: start it anew, and give up if that fails too.
            try:
                self.flush()
                super().save_overload(sig, data)
            except Exception:
                return


@functools.cache
def cache_folder() -> Path | None:
    """The folder for compiled code, or None where none can be written."""
    base = os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("hebbarium", appauthor=False)
    folder = Path(base) / f"kernels-{sources_hash(numba.__version__)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    return folder


def sources_hash(compiler: str = "") -> str:
    """Of all that kernels are made from, the constants of the tasks too; with the compiler's version where given."""
    digest = hashlib.sha256(compiler.encode())
    package = Path(__file__).parent.parent
    for source in sorted([*package.glob("core/*.py"), *package.glob("tasks/*.py")]):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def kernel(function: Callable[..., Any]) -> Any:
    """What Python calls: a compiled loop, kept on disk from one start to the next."""
    compiled = _compile(function)
    folder = cache_folder()
    if folder is not None:
        config: Any = numba_config
        kept, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            compiled._cache = _TolerantCache(function)
        finally:
            config.CACHE_DIR = kept
    return compiled


def is_kept(kernel: Any) -> bool:
    """Whether a kernel has been compiled before, and kept on disk."""
    folder, module = cache_folder(), kernel.__module__.rpartition(".")[2]
    return folder is not None and any(folder.rglob(f"{module}.{kernel.__name__}-*.nbi"))


def inlined(function: Callable[..., Any]) -> Any:
    """A step of a kernel: compiled into its callers, never kept on its own.

    Counting references to arrays costs more than most steps do, and nothing a step touches can go away
    while its kernel runs: so steps are compiled without numba's memory management. Hence a step must
    not create arrays, return them, or call what does: the counts would no longer add up, and memory in
    use would be freed.
    """
    step = _compile(forceinline=True, _nrt=False)(function)
    STEPS.append(step)
    return step


def called(function: Callable[..., Any]) -> Any:
    """A step that is taken rarely: compiled on its own, so that the loop around it keeps the registers."""
    step = _compile(_nrt=False)(function)
    STEPS.append(step)
    return step


def creating(function: Callable[..., Any]) -> Any:
    """A part of a kernel, outside its loops, that creates or returns arrays."""
    part = _compile(function)
    CREATORS.append(part)
    return part
