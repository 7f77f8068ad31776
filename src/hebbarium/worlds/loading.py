"""Worlds of one's own: from a file, from a module by its dotted name, or from an installed package's entry point.

`./pond.py`, `my_package.pond` and `my_package.pond:Pond` name one wherever a task is named; so does the name of an
entry point of the group `hebbarium.worlds`. A file is executed as a module whose name holds a hash of its contents and
of what it imports from beside it: types in compiled code are found again by that name at the next start, and an edited
file is another module.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from hebbarium.errors import BadInput, check_choice
from hebbarium.kernels.sources import digest_of, imported
from hebbarium.worlds.base import World

GROUP = "hebbarium.worlds"
"""Of entry points."""
_CONTENTS: dict[str, dict[str, bytes]] = {}
"""Of each module that was made from a file: that and what it imports from beside it, by path from its folder."""
_RECEIVED: dict[str, str] = {}
"""Where worlds that were sent from elsewhere are found here, by the hash of what they are made from."""
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def is_reference(task: str) -> bool:
    """Whether a task is named as one that is not the package's own."""
    place, _ = _split(task)
    if _is_path(place) or task in entry_points():
        return True
    return "." in task and bool(_DOTTED.fullmatch(place)) and not Path(task).exists()


def load_world(task: str, known: Iterable[str]) -> type[World]:
    """The class that a task's name stands for. known: names of the package's own worlds."""
    place, wanted = _split(task)
    if _is_path(place):
        return _named(_from_file(Path(place)), wanted, known, f"{Path(place).resolve()}{wanted and ':'}{wanted}")
    if task in entry_points():
        return load_world(entry_points()[task], known)
    if not is_reference(task):
        if Path(f"{task}.py").is_file():
            raise BadInput(f"there is no task {task!r}; did you mean the file ./{Path(task)}.py?")
        check_choice("task", task, (*known, *entry_points()))
    return _named(_from_module(place), wanted, known, task)


@functools.cache
def entry_points() -> dict[str, str]:
    """What installed packages offer, `package.module:Class` by name."""
    return {point.name: point.value for point in importlib.metadata.entry_points(group=GROUP)}


def _split(task: str) -> tuple[str, str]:
    """A place, and the class that is wanted there where one is named."""
    place, colon, wanted = task.rpartition(":")
    return (place, wanted) if colon and wanted.isidentifier() else (task, "")


def _is_path(place: str) -> bool:
    return place.endswith(".py")


def _from_file(path: Path) -> ModuleType:
    file = path.resolve()
    try:
        contents = imported(file)
    except OSError as error:
        raise BadInput(f"cannot read the world {shown_path(path)}: {error.strerror or error}.") from None
    stem = re.sub(r"\W", "_", file.stem)
    name = f"hebbarium_world_{stem}_{digest_of(contents)}"
    if name not in sys.modules:
        module = ModuleType(name)
        module.__file__ = str(file)
        sys.modules[name] = module
        try:
            with _beside(file.parent, contents), blaming(contents):
                # The very bytes that were hashed, whatever happens to the file now.
                exec(compile(contents[file], str(file), "exec"), vars(module))
        except BaseException:
            del sys.modules[name]
            raise
        _CONTENTS[name] = {str(source.relative_to(file.parent)): content for source, content in contents.items()}
    return sys.modules[name]


@dataclass(frozen=True)
class Sources:
    """A world's file and what it imports from beside it, as they were when it was loaded, for another machine."""

    hash: str
    task: str
    """The file's name, with the class where one was named."""
    contents: dict[str, bytes]

    @classmethod
    def of(cls, world: World) -> Sources | None:
        """None for a world that was not loaded from a file."""
        contents = _CONTENTS.get(type(world).__module__)
        return None if contents is None else cls(world.about()["task_sources"], Path(world.origin).name, contents)

    def receive(self, folder: Path) -> None:
        """Write them to a folder of their own below this one: `world_of` will find the world there."""
        home = folder / self.hash
        for path, content in self.contents.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_bytes(content)
        _RECEIVED[self.hash] = str(home / self.task)


def received(sources: str) -> str | None:
    """Where a world that was sent here is found, by the hash of what it is made from."""
    return _RECEIVED.get(sources)


@contextlib.contextmanager
def _beside(folder: Path, contents: Iterable[Path]) -> Iterator[None]:
    """While a file is imported, what lies beside it comes first, as for a script; and it is read anew."""
    for file in contents:
        relative = file.relative_to(folder) if file.is_relative_to(folder) else Path()
        words = relative.parent.parts if relative.name == "__init__.py" else relative.with_suffix("").parts
        sys.modules.pop(".".join(words), None)
    wrote, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # bytecode hides edits within the same second
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = wrote


def _from_module(name: str) -> ModuleType:
    """By its dotted name; the folder one is in counts, as for `python -m`."""
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        with blaming():
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise BadInput(f"the world {name} imports {error.name!r}, which is not there.") from None
        raise BadInput(
            f"there is no module {name!r} for a task: no {error.name!r} is installed or lies in this folder. "
            "A file is named with its path, such as ./pond.py."
        ) from None
    finally:
        sys.path.remove(here)


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
    except Exception as error:
        text = " ".join(str(error).split()).rstrip(".")
        raise BadInput(f"{_where(error, files)}: {type(error).__name__}{text and ': '}{text}.") from error


def _where(error: BaseException, files: Iterable[Path] | None) -> str:
    """The last line of theirs on the way to the error."""
    package = str(Path(__file__).parents[1])
    names = None if files is None else {str(file) for file in files}
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [
        frame
        for frame in frames
        if (frame.filename in names if names is not None else not frame.filename.startswith((package, "<frozen")))
    ]
    frame = (theirs or frames)[-1]
    inside = f", in {frame.name}" if frame.name != "<module>" else ""
    return f"{shown_path(frame.filename)}, line {frame.lineno}{inside}"


def shown_path(path: str | Path) -> str:
    """From the folder one is in, where that is shorter."""
    try:
        return min(str(path), os.path.relpath(path), key=len)
    except ValueError:  # another drive
        return str(path)


def _named(module: ModuleType, wanted: str, known: Iterable[str], origin: str) -> type[World]:
    """The module's one world, or the one that is wanted."""
    from hebbarium.worlds.checking import check_class

    place = shown_path(module.__file__ or module.__name__)
    there: dict[str, type[World]] = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, World) and value.__module__ == module.__name__
    }
    if wanted and wanted not in there:
        raise BadInput(f"{place} has no world {wanted!r}{', only ' + ', '.join(there) if there else ''}.")
    if not there:
        raise BadInput(f"{place} has no class that derives from hebbarium.world.World, so there is no world in it.")
    if len(there) > 1 and not wanted:
        first = f"{place}:{next(iter(there))}"
        raise BadInput(f"{place} has several worlds, {', '.join(there)}: name one of them, such as {first}.")
    world = there[wanted] if wanted else next(iter(there.values()))
    check_class(world, known)
    world.origin = origin
    return world
