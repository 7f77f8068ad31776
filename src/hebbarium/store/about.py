"""What is known about a run: its kind, its configuration, what it was begun with and when.

Each session carries a copy of the most of it, so that damage to one place leaves the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hebbarium.life.arithmetic import ARITHMETIC
from hebbarium.store import schema
from hebbarium.store.sealed import Damage, Row, label
from hebbarium.store.shapes import ABOUT, anything
from hebbarium.store.text import dump, load
from hebbarium.tools.errors import RunError

COPIED = ("kind", "configuration", "arithmetic", "created")


def rows(**values: Any) -> list[Row]:
    return [(name, dump(value)) for name, value in values.items()]


def copied(rows: Iterable[Row]) -> str:
    """What goes with a session."""
    return dump({name: read(name, value) for name, value in rows if name in COPIED})


def read(name: str, text: str) -> Any:
    """A stored value; raises Damage where it cannot be one."""
    try:
        value = load(text)
    except (ValueError, TypeError):
        raise Damage(_label(name)) from None
    if not ABOUT.get(name, anything)(value):
        raise Damage(_label(name))
    return value


def missing(name: str) -> Damage:
    """Where it should be, there is nothing."""
    return Damage(_label(name))


def _label(name: str) -> str:
    return label(schema.ABOUT, (name,))


def check_arithmetic(folder: Path, there: int, version: str) -> None:
    """Refuse to go on with a run whose lives follow another arithmetic: half of it would be other lives."""
    if there != ARITHMETIC:
        raise RunError(
            f"{folder} was started by Hebbarium {version} with arithmetic {there}, but this version has arithmetic "
            f"{ARITHMETIC}, which gives other results; to resume it, use a version with arithmetic {there}, or choose "
            "another folder with --out. What is stored can still be read."
        )
