"""Which versions a run was made with, and whether it may go on with those at hand."""

from __future__ import annotations

import functools
import platform
import sqlite3
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from hebbarium import __version__
from hebbarium.errors import RunError


@functools.cache
def _versions() -> tuple[tuple[str, str], ...]:
    packages = [(name, version(name)) for name in ("numpy", "numba", "llvmlite")]
    return (
        ("hebbarium", __version__),
        *packages,
        ("python", platform.python_version()),
        ("sqlite", sqlite3.sqlite_version),
    )


def versions() -> dict[str, str]:
    """Of everything that could touch a result."""
    return dict(_versions())


def check_version(folder: Path, begun_with: Mapping[str, str]) -> None:
    """Refuse to go on with a run of another version: half of it would be lived by other code."""
    there, here = begun_with.get("hebbarium", "unknown"), versions()["hebbarium"]
    if there != here:
        raise RunError(
            f"{folder} was begun with Hebbarium {there} and this is {here}, whose lifetimes may differ; "
            f"go on with version {there}, or choose another folder."
        )
