"""The number of the arithmetic that a life follows: its streams, its order of draws, its sums."""

from __future__ import annotations

ARITHMETIC = 1
"""Raised only when a golden digest changes. A run remembers it, and an unfinished one is resumed only by the same:
half of it would otherwise be lived by other lives. Version 0.1 was arithmetic 1."""
