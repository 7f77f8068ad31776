"""Functions by name, `module:function`, so that they can be written down and found again by another process."""

from __future__ import annotations

import contextlib
import importlib
import itertools
from collections.abc import Callable
from typing import Any

from hebbarium.kernels.user_errors import blaming
from hebbarium.tools.errors import BadInput

HERE = "here:"
"""Begins the name of a function that only this process has."""
_HERE: dict[str, Callable[..., Any]] = {}
_NAMES: dict[int, str] = {}
"""By identity; the functions are kept alive, so that no identity is reused."""
_NUMBERS = itertools.count(1)


def is_function(text: str) -> bool:
    """Whether it names a function: a module, a colon, and a Python name."""
    module, colon, name = text.partition(":")
    return text.startswith(HERE) or bool(colon and name.isidentifier() and module)


def name_of(function: Callable[..., Any]) -> str:
    """`module:function`; for one that cannot be found under such a name, one that holds in this process only."""
    name = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', '')}"
    if is_function(name) and not name.startswith("__main__:"):
        with contextlib.suppress(BadInput):
            if _found(name) is function:
                return name
    if id(function) not in _NAMES:
        own = f"{HERE}{getattr(function, '__name__', type(function).__name__)}-{next(_NUMBERS)}"
        _NAMES[id(function)], _HERE[own] = own, function
    return _NAMES[id(function)]


def load_function(what: str, name: str) -> Callable[..., Any]:
    """what: the setting that it is for. Its errors are reported with file and line."""
    function = _HERE.get(name) or _found(name)
    if not callable(function):
        module, _, word = name.partition(":")
        raise BadInput(f"{what} is {name!r}, but no function {word} can be imported from a module {module}.")

    def called(*arguments: Any) -> Any:
        with blaming(called=f"{what} {name}"):
            return function(*arguments)

    return called


def _found(name: str) -> Any:
    """None if there is nothing; raises BadInput for an error in the module."""
    module, _, word = name.partition(":")
    try:
        with blaming():
            return getattr(importlib.import_module(module), word, None)
    except ModuleNotFoundError as error:
        if error.name is None or f"{module}.".startswith(f"{error.name}."):
            return None
        raise BadInput(f"the module {module} imports {error.name!r}, which is not there.") from None
