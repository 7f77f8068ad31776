"""What goes wrong in somebody's code becomes one sentence that names file and line.

Compiled code tells the line of a `raise`, too: numba adds it to the traceback. Nothing here knows worlds, so that
kernels can use it, which are where compiled code is called.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from hebbarium.kernels.sources import imported
from hebbarium.tools.errors import BadInput, HebbariumError

_PACKAGE = str(Path(__file__).parents[1])
OURS = (HebbariumError, MemoryError)
"""Said clearly already, or nobody's fault."""


@contextlib.contextmanager
def blaming(files: Iterable[Path] | None = None) -> Iterator[None]:
    """Whatever goes wrong in somebody's code becomes one sentence with file and line.

    files: where to look for the line; without them anywhere outside this package."""
    try:
        yield
    except BadInput:
        raise
    except ModuleNotFoundError as error:
        if files is None:
            raise
        raise BadInput(f"{_where(error, files)}: there is no module {error.name!r}.") from error
    except SyntaxError as error:
        place = f"{shown_path(error.filename or '?')}, line {error.lineno}"
        raise BadInput(f"{place}: {error.msg}.") from error
    except SystemExit as error:  # or the command would end as if all were well
        raise BadInput(f"{_where(error, files)}: this ends the whole program (SystemExit).") from error
    except Exception as error:
        raise told(error, files) from error


def told(error: BaseException, files: Iterable[Path] | None) -> BadInput:
    """What to raise instead of an error in somebody's code."""
    return BadInput(f"{_where(error, files)}: {_words(error)}.")


def told_by_compiled(error: BaseException, functions: Iterable[Callable[..., Any]]) -> BadInput | None:
    """What to raise instead of an error that came out of compiled code; None where these functions are all ours, or it
    is numba that complains: it has not been compiled, then."""
    theirs = [function for function in functions if is_outside(function.__module__)]
    frames = traceback.extract_tb(error.__traceback__)
    if not theirs or isinstance(error, OURS) or any(_is_numbas(frame.filename) for frame in frames):
        return None
    module = theirs[0].__module__
    files = files_of(module)
    if any(frame.filename in set(map(str, files)) for frame in frames):
        return told(error, files)
    names = " or ".join(function.__name__ for function in theirs)
    place = shown_path(getattr(sys.modules.get(module), "__file__", None) or module)
    return BadInput(f"{place}, in what {names} calls: {_words(error)}.")


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


def _where(error: BaseException, files: Iterable[Path] | None) -> str:
    """The last line of theirs on the way to the error."""
    names = None if files is None else {str(file) for file in files}
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [
        frame
        for frame in frames
        if (frame.filename in names if names is not None else not frame.filename.startswith((_PACKAGE, "<frozen")))
    ]
    frame = (theirs or frames)[-1]
    inside = f", in {frame.name}" if frame.name != "<module>" else ""
    return f"{shown_path(frame.filename)}, line {frame.lineno}{inside}"


def _words(error: BaseException) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}{text and ': '}{text}"


def _is_numbas(filename: str) -> bool:
    import numba

    return filename.startswith(str(Path(numba.__file__).parent))
