"""Users' worlds: from a file, from a module by its dotted name, or from an installed package's entry point.

`./pond.py`, `my_package.pond`, `my_package.pond:Pond` and the name of an entry point of the group `hebbarium.worlds`
can be given as a task. A file is executed as a module whose name holds a hash of its contents and of what it imports
from its own folder: types in compiled code are found again by that name at the next start, and an edited file is
another module.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import os
import re
import site
import sys
import sysconfig
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from hebbarium.kernels.source_hash import digest_of, imported
from hebbarium.kernels.user_errors import blaming, shown_path
from hebbarium.tools.errors import BadInput, RunError, check_choice
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

GROUP = "hebbarium.worlds"
"""Of entry points."""
_CONTENTS: dict[str, dict[str, bytes]] = {}
"""Of each module that was made from a file: the file and what it imports from its folder, by relative path."""
_RECEIVED: dict[str, str] = {}
"""Where worlds that were sent by another process are found here, by the hash of their sources."""
_LOADING = threading.RLock()
"""One world is loaded at a time, because loading changes `sys.path` and `sys.modules`."""
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def is_reference(task: str) -> bool:
    """Whether a task is named like a user's world."""
    place, _ = split(task)
    if place.endswith(".py") or task in entry_points():
        return True
    return "." in task and bool(_DOTTED.fullmatch(place)) and not Path(task).exists()


def load_world(task: str, known: Iterable[str]) -> type[World]:
    """The class that a task's name stands for. known: names of the package's own worlds."""
    with _LOADING:
        place, wanted = split(task)
        if place.endswith(".py"):
            file = Path(place)
            return _named(module_of_file(file), wanted, known, f"{file.resolve()}{wanted and ':'}{wanted}")
        if task in entry_points():
            # Always a module, even one with the name of the entry point; runs store the module's name if it is one.
            offered = entry_points()[task]
            place, wanted = split(offered)
            return _named(_from_module(place), wanted, known, offered if is_reference(offered) else task)
        if not is_reference(task):
            if Path(f"{task}.py").is_file():
                raise BadInput(f"there is no task {task!r}; did you mean the file ./{Path(task)}.py?")
            check_choice("task", task, (*known, *entry_points()))
        return _named(_from_module(place), wanted, known, task)


@functools.cache
def entry_points() -> dict[str, str]:
    """What installed packages offer, `package.module:Class` by name."""
    return {
        point.name: f"{point.module}:{point.attr}" if point.attr else point.module
        for point in importlib.metadata.entry_points(group=GROUP)
    }


def split(task: str) -> tuple[str, str]:
    """A file or module, and the name of the class if one is given."""
    place, colon, wanted = task.rpartition(":")
    return (place, wanted) if colon and wanted.isidentifier() else (task, "")


def module_of_file(path: Path, what: str = "world") -> ModuleType:
    """A user's file as a module. what: it is called in messages"""
    try:
        file = path.resolve()
        contents = imported(file)
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself, before Python 3.13
        reason = getattr(error, "strerror", None) or "it is a link that leads to itself"
        raise BadInput(f"cannot read the {what} {shown_path(path)}: {reason}.") from None
    if b"\0" in contents[file]:  # Python would not say where
        raise BadInput(f"cannot read the {what} {shown_path(path)}: it has null bytes, so it is no text.")
    stem = re.sub(r"\W", "_", file.stem)
    name = f"hebbarium_{what}_{stem}_{digest_of(contents)}"
    with _LOADING:
        if name in sys.modules:
            return sys.modules[name]
        module = ModuleType(name)
        module.__file__ = str(file)
        sys.modules[name] = module
        try:
            with _beside(file, contents), blaming(contents):
                # The bytes that were hashed, even if the file is edited meanwhile.
                exec(compile(contents[file], str(file), "exec"), vars(module))
        except BaseException:
            del sys.modules[name]
            raise
        _CONTENTS[name] = {str(source.relative_to(file.parent)): content for source, content in contents.items()}
    return sys.modules[name]


@dataclass(frozen=True)
class Sources:
    """A world's file and what it imports from its folder, as they were when it was loaded, for another machine."""

    hash: str
    task: str
    """The file's name, with that of the class if one was given."""
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
def _beside(world: Path, contents: Iterable[Path]) -> Iterator[None]:
    """While a file is imported, modules of its folder come first, as for a script, and are read again."""
    folder = world.parent
    for file in contents:
        relative = file.relative_to(folder) if file.is_relative_to(folder) else Path()
        words = relative.parent.parts if relative.name == "__init__.py" else relative.with_suffix("").parts
        if file != world and not _is_installed(".".join(words)):
            sys.modules.pop(".".join(words), None)
    wrote, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # bytecode hides edits within the same second
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = wrote


def _is_installed(module: str) -> bool:
    """Whether this is a module of Python or an installed package, which other code is using."""
    loaded = sys.modules.get(module)
    if loaded is None or module.partition(".")[0] in ("hebbarium", "__main__"):
        return True
    file = getattr(loaded, "__file__", None)
    return file is None or any(Path(file).is_relative_to(folder) for folder in _installed())


@functools.cache
def _installed() -> tuple[str, ...]:
    """Where Python and packages are installed."""
    paths = sysconfig.get_paths()
    return (*(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")), site.getusersitepackages())


def _from_module(name: str) -> ModuleType:
    """By its dotted name; the current folder counts, as for `python -m`."""
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


def load_as(about: Mapping[str, Any], place: str, settings: Mapping[str, Any]) -> World:
    """A user's world from its file, module or entry point, as `World.about` describes it.

    If there is other code now, it is refused before any of it is executed."""
    try:
        if _sources_at(place) not in (None, about["task_sources"]):
            raise edited(about, place)
        made = make_world(place, **settings)
    except BadInput as error:
        raise RunError(f"the world {about['task']} cannot be loaded from {place}: {error}") from None
    check_same_world(made, about)
    return made


def check_same_world(world: World, about: Mapping[str, Any]) -> None:
    """Refuse another world than `World.about` describes, or one whose sources differ."""
    now = world.about()
    if now["task"] != about["task"]:
        raise RunError(f"the run was made in the world {about['task']}, not in {world.name}.")
    sources = {name for name in (*now, *about) if name.endswith("_sources")}
    if any(now.get(name) != about.get(name) for name in sources):
        raise edited(about, world.origin or world.name)


def edited(about: Mapping[str, Any], place: str) -> RunError:
    return RunError(f"the world {about['task']} in {place} has been edited since the run began.")


def _sources_at(task: str) -> str | None:
    """The hash of a world's sources (`kernels.source_hash`), without executing them; None if only an import can
    find them."""
    place, _ = split(entry_points().get(task, task))
    file, module = (Path(place).resolve(), "") if place.endswith(".py") else (_module_file(place), place)
    try:
        return None if file is None else digest_of(imported(file, module))
    except OSError:
        return None  # loading it will say why


def _module_file(name: str) -> Path | None:
    """Where a module is, found as Python finds it, but without importing the packages on the way."""
    places: list[str] | None = [os.getcwd(), *sys.path]
    spec, words = None, name.split(".")
    for last in range(1, len(words) + 1):
        spec = None if places is None else PathFinder.find_spec(".".join(words[:last]), places)
        places = None if spec is None else spec.submodule_search_locations
    return None if spec is None or not spec.has_location or spec.origin is None else Path(spec.origin)
