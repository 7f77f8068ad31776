"""What goes wrong in a user's code becomes one sentence that names file and line.

Compiled code tells the line of a `raise`, too: numba adds it to the traceback. Nothing here knows worlds, so that
kernels can use it, which are where compiled code is called.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from hebbarium.kernels.source_hash import imported
from hebbarium.tools.errors import BadInput, HebbariumError

_PACKAGE = str(Path(__file__).parents[1])
OURS = (HebbariumError, MemoryError)
"""Already a clear sentence, or not the fault of the user's code."""
_NOISE = re.compile(
    r"(- )?(Failed in|During:|File |There are|In def|Overload|No implementation|Match|>>>|\^|from |def )"
)
"""Lines of numba's that tell a user nothing."""


class BrokenContract(Exception):
    """Raised by compiled code where a user's function did what it must not: the function's name, and numbers."""


@contextlib.contextmanager
def blaming(files: Iterable[Path] | None = None, called: str = "") -> Iterator[None]:
    """Whatever goes wrong in a user's code becomes one sentence with file and line.

    files: where to look for the line; without them anywhere outside this package. called: what is named instead where
    no line is theirs, as when a function takes other arguments."""
    try:
        yield
    except BadInput:
        raise
    except ModuleNotFoundError as error:
        if files is None:
            raise
        raise BadInput(f"{_where(error, files, called)}: there is no module {error.name!r}.") from error
    except SyntaxError as error:
        place = f"{shown_path(error.filename or '?')}, line {error.lineno}"
        raise BadInput(f"{place}: {error.msg}.") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, too: the command would end as if all were well
        raise reworded(error, files, called) from error


def reworded(error: BaseException, files: Iterable[Path] | None, called: str = "") -> BadInput:
    """What to raise instead of an error in a user's code."""
    return BadInput(f"{_where(error, files, called)}: {_words(error)}.")


def reworded_of_compiled(error: BaseException, functions: Iterable[Callable[..., Any]]) -> BadInput | None:
    """What to raise instead of an error that came out of compiled code; None where these functions are all ours, or it
    is numba that complains: it has not been compiled, then."""
    functions = list(functions)
    if isinstance(error, BrokenContract):
        sentence: BadInput = next(function.told for function in functions if hasattr(function, "told"))(*error.args)
        return sentence
    theirs = [function for function in functions if is_outside(function.__module__)]
    frames = traceback.extract_tb(error.__traceback__)
    if not theirs or isinstance(error, HebbariumError) or any(frame.name == "_compile_for_args" for frame in frames):
        return None
    module = theirs[0].__module__
    files = {file.name: file for file in files_of(module)}
    for frame in reversed(frames):
        # By its name alone: machine code from the cache knows the folder in which it was compiled first.
        if Path(frame.filename).name in files:
            place = shown_path(files[Path(frame.filename).name])
            return BadInput(f"{place}, line {frame.lineno}, in {frame.name}: {_words(error)}.")
    # Raised by a function of a library that theirs has called: compiled code does not know from where.
    names = " or ".join(function.__name__ for function in theirs)
    place = shown_path(getattr(sys.modules.get(module), "__file__", None) or module)
    line = min(function.__code__.co_firstlineno for function in theirs)
    return BadInput(f"{place}, line {line} or below, in what {names} calls: {_words(error)}.")


def not_compiled(error: Exception, module: str, where: str) -> BadInput:
    """What to raise where a user's module cannot be compiled. numba says much; what helps is the line of theirs that
    it stopped at (`where`, if it names none), and the first reason."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    file = Path(str(sys.modules[module].__file__))
    lines = re.findall(rf'{re.escape(file.name)}(?:", line | \()(\d+)', text)
    where = f"{shown_path(file)}, line {lines[-1]}" if lines else where
    unmarked = re.search(r"Untyped global name '(\w+)'.*<class 'function'>", text)
    if unmarked:
        return BadInput(f"{where}: {unmarked[1]} is called by compiled code, but is not marked with @compiled itself.")
    if "readonly array" in text:
        return BadInput(f"{where}: the constants cannot be written to, because all lives share them.")
    reasons = [line.strip() for line in text.splitlines() if line.strip() and not _NOISE.match(line.strip())]
    return BadInput(
        f"{where}: this cannot be compiled: {(reasons or [type(error).__name__])[0].partition('. ')[0].rstrip('.')}."
    )


def is_outside(module: str) -> bool:
    """Whether a module is none of the package's."""
    return module.partition(".")[0] != "hebbarium"


def files_of(module: str) -> list[Path]:
    """A module's file and what that imports from beside it, for saying where something went wrong."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return [] if file is None or not Path(file).is_file() else list(imported(Path(file), module))


def shown_path(path: str | Path) -> str:
    """From the folder one is in, where that is shorter."""
    try:
        return min(str(path), os.path.relpath(path), key=len)
    except ValueError:  # another drive
        return str(path)


def _where(error: BaseException, files: Iterable[Path] | None, called: str) -> str:
    """The last line of theirs on the way to the error."""
    names = None if files is None else {str(file) for file in files}
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [
        frame
        for frame in frames
        if (frame.filename in names if names is not None else not frame.filename.startswith((_PACKAGE, "<frozen")))
    ]
    if called and not theirs:
        return called
    frame = (theirs or frames)[-1]
    inside = f", in {frame.name}" if frame.name != "<module>" else ""
    return f"{shown_path(frame.filename)}, line {frame.lineno}{inside}"


def _words(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "this ends the whole program (SystemExit)"
    text = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}{text and ': '}{text}"
