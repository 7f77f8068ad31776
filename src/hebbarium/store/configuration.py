"""Whether the settings given now are those a run was begun with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hebbarium.tools.errors import RunError, option_name

_ABSENT = "nothing"
_SHOWN = 4
"""Differences named in a sentence."""
WHEREABOUTS = "task_origin"
"""Where a world's file lies: it may have been moved."""
SOURCES = "task_sources"
"""A hash of what a world is made from, which tells a person nothing."""
_DECISIVE = ("task", "search")
"""Where one of these differs, so do the settings it brings: they are not worth naming."""


def check_same(
    folder: Path,
    kind_there: str,
    there: Mapping[str, Any],
    kind: str,
    here: Mapping[str, Any],
    growing: Collection[str],
) -> bool:
    """Raise RunError with both values where they differ; True where a growing number is larger now."""
    if kind_there != kind:
        raise RunError(f"{folder} holds a run of `{kind_there}`, not of `{kind}`; choose another folder with --out.")
    differing = list(_differences(there, here))
    refused = [pair for pair in differing if not _grows(*pair, growing)]
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
    """Whether nothing differs that matters to a result."""
    return not any(_differences(there, here))


def differing_settings(one: Mapping[str, Any], other: Mapping[str, Any], but: Collection[str]) -> str | None:
    """What differs between two runs, in words; None where it is only what may differ."""
    differing = [pair for pair in _differences(one, other) if pair[0] not in but]
    return _sentence(differing, "in the one", "in the other") if differing else None


def _sentence(differing: Sequence[tuple[str, Any, Any]], there: str = "there", here: str = "here") -> str:
    decisive = [pair for pair in differing if pair[0] in _DECISIVE]
    differing = decisive or differing
    parts = [f"{option_name(name)} is {_shown(old)} {there} and {_shown(new)} {here}" for name, old, new in differing]
    more = [f"and {len(parts) - _SHOWN} more"] if len(parts) > _SHOWN else []
    return "; ".join([*parts[:_SHOWN], *more])


def _grows(name: str, old: Any, new: Any, growing: Collection[str]) -> bool:
    return name in growing and isinstance(old, int) and isinstance(new, int) and new > old


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
