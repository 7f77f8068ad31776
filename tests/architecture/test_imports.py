"""The picture of the rooms in docs/architecture.md is true: imports flow downward only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import hebbarium

PACKAGE = Path(hebbarium.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"
OUTSIDE = {"__init__", "__main__", "__version__", "data"}


def floors() -> dict[str, int]:
    """Each room's floor, the lowest being 0."""
    found = re.search(r"```rooms\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    lines = [line.partition("|")[0].split() for line in found.group(1).strip().splitlines()]
    return {room: height for height, rooms in enumerate(reversed(lines)) for room in rooms}


def room_of(source: Path) -> str:
    parts = source.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else source.stem


def imported(source: Path) -> Iterator[tuple[str, int]]:
    """Rooms that a module imports when it runs, and where; what only a type checker reads does not count."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in for_types or not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        words = node.module.split(".")
        if words[0] == "hebbarium":
            yield from ((word, node.lineno) for word in (words[1:2] or [alias.name for alias in node.names]))


def test_imports_flow_downward() -> None:
    height = floors()
    wrong = [
        f"{source.relative_to(PACKAGE)}:{line} imports {room}"
        for source in PACKAGE.rglob("*.py")
        if room_of(source) not in OUTSIDE
        for room, line in imported(source)
        if room not in OUTSIDE and height[room] > height[room_of(source)]
    ]
    assert not wrong, "\n".join(wrong)


def test_every_room_is_in_the_picture() -> None:
    rooms = {room_of(source) for source in PACKAGE.rglob("*.py")} - OUTSIDE
    assert rooms <= set(floors())
