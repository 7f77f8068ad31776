"""Which versions a run was made with."""

from __future__ import annotations

import contextlib
import functools
import platform
import sqlite3
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from hebbarium import __version__

PACKAGES = ("numpy", "numba", "llvmlite", "cmaes")
"""Those of them that are installed."""


@functools.cache
def _versions() -> tuple[tuple[str, str], ...]:
    return (
        ("hebbarium", __version__),
        *_installed(),
        ("python", platform.python_version()),
        ("sqlite", sqlite3.sqlite_version),
    )


def _installed() -> Iterator[tuple[str, str]]:
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            yield name, version(name)


def versions() -> dict[str, str]:
    """Of everything that could touch a result."""
    return dict(_versions())
