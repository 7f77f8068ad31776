"""Whether the settings given now are those that a run was started with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hebbarium.tools.errors import RunError, option_name

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
