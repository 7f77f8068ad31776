"""What kernels are made from, as a hash: machine code on disk is good for exactly that.

A kernel of ours is made from the rooms of the package. One of somebody else's world is made from its file, too, and
from what that imports from beside it or from its own package, near or far.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hebbarium.tools.files import open_regular

ROOMS = ("kernels", "brains", "worlds", "life", "agents", "gym")
"""Where kernels are written."""
_PACKAGE = Path(__file__).parent.parent
_KNOWN: dict[str, str | None] = {}
"""Hashes of modules outside the package, as they were when they were first asked for."""


def package_sources() -> list[Path]:
    return sorted(source for room in ROOMS for source in _PACKAGE.glob(f"{room}/**/*.py"))


def sources_hash(*words: str) -> str:
    """Of all that kernels are made from in the package, and of these words."""
    return hashlib.sha256("/".join(words).encode() + _package_hash()).hexdigest()[:16]


@functools.cache
def _package_hash() -> bytes:
    return _digest((source, source.read_bytes()) for source in package_sources())


def hash_of(functions: Iterable[Callable[..., Any]]) -> str | None:
    """Of the package and of all modules outside it that these functions are from; None where one has no file."""
    modules = {function.__module__ for function in functions}
    outside = {module: module_hash(module) for module in modules if module.partition(".")[0] != "hebbarium"}
    if None in outside.values():
        return None
    return sources_hash(*(f"{module} {known}" for module, known in sorted(outside.items())))


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
        tree = _parsed(content)
    except (SyntaxError, ValueError):
        return  # whoever imports it is told
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (file for alias in node.names for file in _files(root, alias.name))
        elif isinstance(node, ast.ImportFrom):
            base = source.parents[node.level - 1] if node.level else root
            start = node.module or ""
            yield from (file for alias in node.names for file in _files(base, f"{start}.{alias.name}".strip(".")))


def _parsed(content: bytes) -> ast.Module:
    try:
        return ast.parse(content)
    except SystemError:  # Python 3.11, where another thread was parsing, too, as it does to show an error
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
