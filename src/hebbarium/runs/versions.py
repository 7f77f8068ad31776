"""Which versions a run was made with, and whether it may go on with those at hand."""

from __future__ import annotations

import contextlib
import functools
import platform
import sqlite3
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hebbarium import __version__
from hebbarium.errors import RunError

PACKAGES = ("numpy", "numba", "llvmlite", "cmaes")
"""Those of them that are installed."""
KERNELS = "kernels"
"""Under this name stands the hash of the kernels' sources: they may change while the version stays the same."""


@functools.cache
def _versions() -> tuple[tuple[str, str], ...]:
    from hebbarium.core.compile import sources_hash  # numba, which nobody needs who only reads

    return (
        ("hebbarium", __version__),
        (KERNELS, sources_hash()),
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


def check_version(folder: Path, begun_with: Mapping[str, str]) -> None:
    """Refuse to go on with a run of another version or other kernels: half of it would be lived by other code."""
    there, here = begun_with.get("hebbarium", "unknown"), versions()["hebbarium"]
    if there != here:
        raise RunError(
            f"{folder} was begun with Hebbarium {there} and this is {here}, whose lifetimes may differ; "
            f"go on with version {there}, or choose another folder with --out."
        )
    # Runs begun before the hash was stored have none, and go on.
    kernels, ours = begun_with.get(KERNELS), versions()[KERNELS]
    if kernels is not None and kernels != ours:
        raise RunError(
            f"{folder} was begun with other kernels of Hebbarium {here} ({kernels} there, {ours} here): the sources in "
            "core/ or tasks/ were edited since, and lifetimes may differ; go on with the sources of then, or choose "
            "another folder with --out. What is stored can still be read."
        )
