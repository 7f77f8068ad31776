"""What every test shares: Hypothesis's settings, compiled kernels, and a real browser for the pages we make."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A compiled kernel's first call takes seconds, and a busy machine any time at all: examples have no deadline.
settings.register_profile("hebbarium", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("hebbarium")

collect_ignore = ["changes"]  # scripts for changed copies of the package (architecture/test_changes.py)
if sys.platform == "win32":  # these test what only Unix has
    collect_ignore += [
        "cli/test_limits.py",
        "cli/test_terminals.py",
        "kernels/test_compile.py",
        "store/test_processes.py",
        "store/test_store.py",
        "store/test_damage.py",
    ]

MANY = 1000
"""So many tests need all of these kernels."""
KERNELS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("prey-predator", {}),
    ("foraging", {}),
    ("prey-predator", {"kind": "perfect"}),
    ("foraging", {"blamed": True}),
)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Processes that share many tests first compile a part of the kernels each, and find the others on disk.

    Left to themselves, all would compile the same ones at the same time."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None or len(session.items) < MANY:
        return
    from hebbarium.life import batch
    from hebbarium.worlds.registry import make_world

    workers = int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for task, how in KERNELS[int(worker.removeprefix("gw")) :: workers]:
        batch.prepare(make_world(task), **how)


SLOW = (
    *("agents", "attack", "docs", "executors", "golden", "gym", "life", "paper", "watch"),
    *("cli/test_limits.py", "cli/test_nonsense.py", "cli/test_processes.py", "cli/test_terminals.py"),
    *("kernels/test_compile.py", "search/test_racing_memory.py", "store/test_processes.py", "store/test_waiting.py"),
    *("studies/atlas", "studies/evolve", "studies/lifelong", "studies/transfer", "worlds/test_every_verb.py"),
    *("worlds/test_extended.py", "worlds/test_late.py", "worlds/test_loading.py", "worlds/test_wrong_exits.py"),
)
"""Folders and files of tests that take long."""
CLUSTER = ("executors/test_cluster_command.py", "executors/test_local_cluster.py", "executors/test_remote_cluster.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks of the tests, for `-m`."""
    here = Path(__file__).parent
    for item in items:
        place = item.path.relative_to(here).as_posix() if item.path.is_relative_to(here) else ""
        if place.startswith(SLOW):
            item.add_marker("slow")
        if place.startswith(CLUSTER):
            item.add_marker("cluster")
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
PATIENCE = 120_000
"""Milliseconds for a page to open or an element to appear: on a busy machine it may take any time."""


class Browser:
    """Opens pages that are waited for patiently."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def new_page(self, **options: Any) -> Any:
        page = self._opened.new_page(**options)
        page.set_default_timeout(PATIENCE)
        return page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, driven by Playwright. Without one the tests that need it are skipped, but never in CI."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None and not os.environ.get("CI"):
        pytest.skip("no Chromium here: install it to test the pages (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=FLAGS, timeout=PATIENCE)
        yield Browser(opened)
        opened.close()
