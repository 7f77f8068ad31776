"""What is known about a run: its kind, its configuration, the versions it was started with, and when.

Each session has a copy of most of it, in case one of the two is damaged.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hebbarium.life.arithmetic_version import ARITHMETIC
from hebbarium.store import schema
from hebbarium.store.checksums import Damage, Row, label
from hebbarium.store.json_text import dump, load
from hebbarium.store.validation import ABOUT, anything
from hebbarium.tools.errors import RunError

COPIED = ("kind", "configuration", "arithmetic", "created")


def rows(**values: Any) -> list[Row]:
    return [(name, dump(value)) for name, value in values.items()]


def copied(rows: Iterable[Row]) -> str:
    """The copy that is stored with a session."""
    return dump({name: read(name, value) for name, value in rows if name in COPIED})


def read(name: str, text: str) -> Any:
    """A stored value; raises Damage where it cannot be one."""
    try:
        value = load(text)
    except (ValueError, TypeError):
        raise damage(name) from None
    if not ABOUT.get(name, anything)(value):
        raise damage(name)
    return value


def damage(name: str) -> Damage:
    """A value is missing or not what we would write."""
    return Damage(label(schema.ABOUT, (name,)))


def check_arithmetic(folder: Path, there: int, version: str) -> None:
    """Refuse to resume a run with another arithmetic: its later lives would not match the earlier ones."""
    if there != ARITHMETIC:
        raise RunError(
            f"{folder} was started by Hebbarium {version} with arithmetic {there}, but this version has arithmetic "
            f"{ARITHMETIC}, which gives other results; to resume it, use a version with arithmetic {there}, or choose "
            "another folder with --out. What is stored can still be read."
        )
