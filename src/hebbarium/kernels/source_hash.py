"""What kernels are made from, as a hash: machine code on disk is good for exactly that.

A kernel of ours is made from the modules that its functions are written in and from what these import at their top,
near or far: an edit elsewhere leaves its machine code as good as it was, and so does moving the package. One of a
user's world is made from the whole package, from its own file, and from what that imports from beside it or from its
own package.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hebbarium.tools.files import open_regular

ROOMS = ("kernels", "brains", "worlds", "life", "agents", "gym")
"""Where kernels are written."""
_PACKAGE = Path(__file__).parent.parent
_PARSING = threading.Lock()
_COMPILERS = ("hebbarium.kernels.numba_compilers", "hebbarium.kernels.zeros")
"""What `compile.py` imports only when it compiles."""
_KNOWN: dict[str, str | None] = {}
"""Hashes of modules outside the package, as they were when they were first asked for."""


_IMPORT = re.compile(r"^(?:from (hebbarium[.\w]*) import (\([^)]*\)|.+)|import (hebbarium[.\w]*))", re.M)
"""At the top of a module: what is imported within functions is no global of theirs. By a pattern, because parsing the
sources at every start would take longer than loading a kernel."""


@functools.cache
def package_hash(rooms: tuple[str, ...] = ROOMS) -> str:
    """Of all that kernels are made from in the package; of the whole package for the room "."."""
    sources = sorted(source for room in rooms for source in _PACKAGE.glob(f"{room}/**/*.py"))
    return digest_of({source: source.read_bytes() for source in sources})


def hash_of(functions: Iterable[Callable[..., Any]]) -> str | None:
    """Of all that these functions are made from; None where one has no file."""
    modules = sorted({function.__module__ for function in functions})
    outside = {module: module_hash(module) for module in modules if module.partition(".")[0] != "hebbarium"}
    if None in outside.values():
        return None
    if outside:
        words = [package_hash(), *(f"{module} {known}" for module, known in outside.items())]
        return hashlib.sha256("/".join(words).encode()).hexdigest()[:16]
    found: dict[Path, bytes] = {}
    waiting = [file for module in (*modules, *_COMPILERS) for file in _files(_PACKAGE.parent, module)]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found[file], imports = _read(file)
            waiting.extend(imports)
    return digest_of({file.relative_to(_PACKAGE): content for file, content in sorted(found.items())})


@functools.cache
def _read(file: Path) -> tuple[bytes, tuple[Path, ...]]:
    """A module of the package, and those of its own that it imports at its top."""
    content = file.read_bytes()
    names: list[str] = []
    for start, imported_names, module in _IMPORT.findall(content.decode()):
        words = re.findall(r"\w+", re.sub(r"\bas \w+", "", imported_names))
        names += [module] if module else [start, *(f"{start}.{word}" for word in words)]
    return content, tuple(file for name in names for file in _files(_PACKAGE.parent, name))


def module_hash(module: str) -> str | None:
    """Of a module's file and of what it imports, as they were when this was first asked for; None without a file.

    To be asked while the module is being imported: what is edited later is not what was imported.
    """
    if module not in _KNOWN:
        file = getattr(sys.modules.get(module), "__file__", None)
        _KNOWN[module] = digest_of(imported(Path(file), module)) if file and Path(file).is_file() else None
    return _KNOWN[module]


def digest_of(contents: Mapping[Path, bytes]) -> str:
    return _digest(contents.items()).hex()[:16]


def imported(file: Path, module: str = "") -> dict[Path, bytes]:
    """The contents of a file and of all that it imports, near or far, from beside it or from its own package.

    module: its dotted name, where it is part of a package. Raises OSError for what is no regular file."""
    root = file.resolve().parents[module.count(".")]
    found: dict[Path, bytes] = {}
    waiting = [file.resolve()]
    while waiting:
        source = waiting.pop()
        if source not in found:
            with open_regular(source) as opened:
                found[source] = opened.read()
            waiting.extend(_imports(source, found[source], root))
    return dict(sorted(found.items()))


def _imports(source: Path, content: bytes, root: Path) -> Iterator[Path]:
    try:
        tree = parsed(content)
    except (SyntaxError, ValueError):
        return  # the import itself will fail, with an error of its own
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (file for alias in node.names for file in _files(root, alias.name))
        elif isinstance(node, ast.ImportFrom):
            base = source.parents[node.level - 1] if node.level else root
            start = node.module or ""
            yield from (file for alias in node.names for file in _files(base, f"{start}.{alias.name}".strip(".")))


def parsed(content: bytes) -> ast.Module:
    """One thread at a time: Python 3.11 fails where another is parsing, too."""
    with _PARSING:
        try:
            return ast.parse(content)
        except SystemError:  # another was, as it does to show an error
            return ast.parse(content)


def _files(folder: Path, name: str) -> Iterator[Path]:
    """The files of a dotted name, those of the packages on the way to it included."""
    for word in name.split("."):
        yield from (file for file in (folder / f"{word}.py", folder / word / "__init__.py") if file.is_file())
        folder = folder / word


def _digest(files: Iterable[tuple[Path, bytes]]) -> bytes:
    digest = hashlib.sha256()
    for file, content in files:
        digest.update(f"{file.name} {len(content)} ".encode() + content)
    return digest.digest()
