"""Which versions a run was made with."""

from __future__ import annotations

import contextlib
import functools
import platform
import sqlite3
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from hebbarium import __version__

PACKAGES = ("numpy", "numba", "llvmlite", "cmaes")


@functools.cache
def versions() -> Mapping[str, str]:
    """Of everything that is installed and could affect a result."""
    found = {"hebbarium": __version__}
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return {**found, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
