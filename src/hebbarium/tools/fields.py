"""Options from frozen dataclasses: an option is a field with a type, a default and a docstring.

The command line's options and help, the settings on a page and the commands that a report shows are made from these.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import itertools
import re
import sys
import typing
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hebbarium.tools.errors import option_name, shown_setting

MISSING = dataclasses.MISSING


@dataclass(frozen=True)
class Option:
    """One field of a description."""

    name: str
    kind: Any
    """Its type."""
    default: Any
    """MISSING if there is none."""
    words: str
    """Its docstring, on one line."""

    @property
    def choices(self) -> tuple[str, ...]:
        """What it may be, where that is a list of words."""
        return tuple(map(str, typing.get_args(self.kind))) if typing.get_origin(self.kind) is typing.Literal else ()


def options_of(described: type, *names: str) -> dict[str, Option]:
    """The fields of a dataclass by name; only some of them where names are given. A field's metadata may hold its
    `choices`, where the type checker does not know them, or the `kind` it is for users, where code knows others."""
    hints, words = typing.get_type_hints(described, include_extras=True), docstrings(described)
    found = {}
    for field in dataclasses.fields(described):
        choices = field.metadata.get("choices")
        kind = typing.Literal[tuple(choices)] if choices else field.metadata.get("kind", hints[field.name])
        found[field.name] = Option(field.name, kind, field.default, words.get(field.name, ""))
    return {name: found[name] for name in names} if names else found


@functools.cache
def docstrings(described: type) -> dict[str, str]:
    """The docstring of each field, from the source of a class and of its bases, each on one line."""
    words: dict[str, str] = {}
    for kind in filter(dataclasses.is_dataclass, reversed(described.__mro__)):
        module = sys.modules.get(kind.__module__)
        try:
            source = Path(getattr(module, "__file__", None) or "").read_text(encoding="utf-8")
            # Only the class is parsed: a whole module takes twenty times as long, and help waits for it.
            block = re.search(rf"^class {kind.__name__}\b.*?(?=^[^\s)]|\Z)", source, re.DOTALL | re.MULTILINE)
            tree = ast.parse(block[0] if block else "")
        except (OSError, SyntaxError, ValueError):
            continue
        body = next((node.body for node in tree.body if isinstance(node, ast.ClassDef)), [])
        for field, below in itertools.pairwise(body):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                value = getattr(below, "value", None) if isinstance(below, ast.Expr) else None
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    words[field.target.id] = " ".join(value.value.split())
    return words


def take(settings: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Take some settings out of a dict, as far as they are in it.

    >>> settings = {"hidden": 5, "season_steps": 40}
    >>> take(settings, ("hidden", "trace")), settings
    ({'hidden': 5}, {'season_steps': 40})
    """
    return {name: settings.pop(name) for name in names if name in settings}


def as_typed(name: str, value: Any) -> str:
    """An option as it is typed.

    >>> as_typed("season_steps", 40), as_typed("blame", {"missed": 0.5}), as_typed("turn_at_wall", False)
    ('--season-steps 40', '--blame missed=0.5', '--no-turn-at-wall')
    """
    if isinstance(value, bool):
        return f"--{'' if value else 'no-'}{option_name(name)}"
    return f"--{option_name(name)} {shown_setting(value)}"
