"""What is known about a run: its kind, its configuration, the versions it was started with, and when.

Each session has a copy of most of it, in case one of the two is damaged.
"""

from __future__ import annotations

import contextlib
import functools
import platform
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hebbarium import __version__
from hebbarium.life.arithmetic_version import ARITHMETIC
from hebbarium.store import schema
from hebbarium.store.checksums import Damage, Row, label
from hebbarium.store.stored_json import ABOUT, anything, dump, load
from hebbarium.tools.errors import RunError, option_name

COPIED = ("kind", "configuration", "arithmetic", "created")


def rows(**values: Any) -> list[Row]:
    return [(name, dump(value)) for name, value in values.items()]


def copied(rows: Iterable[Row]) -> str:
    """The copy that is stored with a session."""
    return dump({name: read(name, value) for name, value in rows if name in COPIED})


def read(name: str, text: str) -> Any:
    """A stored value; raises Damage where it cannot be one."""
    try:
        return load(text, ABOUT.get(name, anything))
    except (ValueError, TypeError):
        raise damage(name) from None


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


PACKAGES = ("numpy", "numba", "llvmlite", "cmaes")


@functools.cache
def versions() -> Mapping[str, str]:
    """Of everything that is installed and could affect a result."""
    found = {"hebbarium": __version__}
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return {**found, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}


# Whether the settings given now are those that a run was started with.

_ABSENT = "nothing"
_SHOWN = 4
"""Differences named in a sentence."""
WHEREABOUTS = "task_origin"
"""Where a world's file is. It may be moved between sessions."""
SOURCES = "task_sources"
"""A hash of a world's source, which is of no use in a message."""
_DECISIVE = ("task", "search")
"""If one of these differs, its settings differ as well and are not named."""


def check_same(
    folder: Path,
    kind_there: str,
    there: Mapping[str, Any],
    kind: str,
    here: Mapping[str, Any],
    growing: Collection[str],
) -> bool:
    """Raise RunError with both values if they differ. growing: names of numbers that may be larger now; returns whether
    one is."""
    if kind_there != kind:
        raise RunError(f"{folder} holds a run of `{kind_there}`, not of `{kind}`; choose another folder with --out.")
    differing = list(_differences(there, here))
    refused = [
        (name, old, new)
        for name, old, new in differing
        if not (name in growing and isinstance(old, int) and isinstance(new, int) and new > old)
    ]
    if any(name == SOURCES for name, _, _ in refused):
        raise RunError(
            f"{folder} was started with other code of the world {there.get('task')}, which has been edited since. "
            "Undo the edit, or choose another folder with --out."
        )
    if refused:
        raise RunError(
            f"{folder} was started with other settings: {_sentence(refused)}. "
            "Use the same settings, or choose another folder with --out."
        )
    return bool(differing)


def are_same(there: Mapping[str, Any], here: Mapping[str, Any]) -> bool:
    """Whether nothing differs that affects a result."""
    return not any(_differences(there, here))


def differing_settings(one: Mapping[str, Any], other: Mapping[str, Any], but: Collection[str]) -> str | None:
    """What differs between two runs, in words, except the settings in `but`; None if nothing else does."""
    differing = [pair for pair in _differences(one, other) if pair[0] not in but]
    return _sentence(differing, "in the one", "in the other") if differing else None


def _sentence(differing: Sequence[tuple[str, Any, Any]], there: str = "there", here: str = "here") -> str:
    differing = [pair for pair in differing if pair[0] in _DECISIVE] or differing
    parts = [f"{option_name(name)} is {_shown(old)} {there} and {_shown(new)} {here}" for name, old, new in differing]
    more = [f"and {len(parts) - _SHOWN} more"] if len(parts) > _SHOWN else []
    return "; ".join([*parts[:_SHOWN], *more])


def _differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """(name, value there, value here), settings within settings included."""
    for name in dict.fromkeys(name for name in (*there, *here) if name != WHEREABOUTS):
        old, new = there.get(name, _ABSENT), here.get(name, _ABSENT)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from _differences(old, new)
        elif _plain(old) != _plain(new):
            yield name, old, new


def _plain(value: Any) -> Any:
    """As JSON gives it back."""
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _shown(value: Any) -> str:
    if value is None:
        return "not given"
    return value if isinstance(value, str) else repr(value)
