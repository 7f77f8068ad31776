"""What every test shares: Hypothesis's settings, and a real browser for the pages we make."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from hypothesis import settings

# A compiled kernel's first call takes seconds, and a busy machine any time at all: examples have no deadline.
settings.register_profile("hebbarium", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("hebbarium")

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Chromium, driven by Playwright. Without one the tests that need it are skipped, but never in CI."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None and not os.environ.get("CI"):
        pytest.skip("no Chromium here: install it to test the pages (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()
