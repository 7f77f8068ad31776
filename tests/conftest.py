"""What every test shares: Hypothesis's settings, compiled kernels, and a real browser for the pages we make."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

# A compiled kernel's first call takes seconds, and a busy machine any time at all: examples have no deadline.
settings.register_profile("hebbarium", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("hebbarium")

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
