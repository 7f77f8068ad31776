"""What every test shares."""

from __future__ import annotations

from hypothesis import settings

# A compiled kernel's first call takes seconds, and a busy machine any time at all: examples have no deadline.
settings.register_profile("hebbarium", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("hebbarium")
