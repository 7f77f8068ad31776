"""A world that extends a built-in one calls that one's functions by their module."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import hebbarium as hb

SLIPPERY = str(Path(__file__).parents[2] / "examples" / "slippery.py")
LIFE = {"lifetimes": 4, "seed": 3, "season_steps": 500, "seasons": 2}


def test_without_slipping_it_is_foraging() -> None:
    """`act` calls `foraging.act`: two functions of one name, of which one is the other's."""
    ours = hb.live("foraging", "foraging:1", **LIFE)
    theirs = hb.live(SLIPPERY, "00+-/0000@0.0375", slip=0.0, **LIFE)
    np.testing.assert_array_equal(ours.counts, theirs.counts)


def test_whoever_always_slips_goes_straight_on() -> None:
    steps = hb.trace(SLIPPERY, "00+-/0000@0.0375", slip=1.0, seed=3, season_steps=300, seasons=1).steps
    assert len(np.unique(steps.action)) > 1
    assert len(np.unique(steps.direction)) == 1
