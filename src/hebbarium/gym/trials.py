"""Which life comes next, and how a life's world is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hebbarium.errors import BadInput, check_choice, check_seed, shown
from hebbarium.gym.steps import Worlds
from hebbarium.worlds.picture import pixels_of, text_of

RENDER_MODES = ("rgb_array", "ansi")
METADATA: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 10}
OPTIONS = ("trial", "reset_mask")


class Trials:
    """Seed and trial of each row: trial 0 of a seed that is given, then one after the other."""

    def __init__(self, rows: int) -> None:
        self.seed = np.zeros(rows, np.uint64)
        self.trial = np.zeros(rows, np.uint64)
        self._seeded = np.zeros(rows, np.bool_)

    def choose(self, rows: np.ndarray, seeds: Sequence[int | None], trial: Any, random: np.random.Generator) -> None:
        """The lives that these rows live next. seeds: for each row; None goes on with the one it has, or any."""
        known = self._seeded[rows]
        self.trial[rows] = np.where(known, self.trial[rows] + np.uint64(1), np.uint64(0))
        for row, seed, has_one in zip(rows, seeds, known, strict=True):
            if seed is not None:
                self.seed[row], self.trial[row] = check_seed(seed), 0
            elif not has_one:
                self.seed[row] = random.integers(2**63)
        if trial is not None:
            self.trial[rows] = _checked_trials(trial, len(rows))
        self._seeded[rows] = True

    def next(self, rows: np.ndarray) -> None:
        self.trial[rows] += np.uint64(1)


def _checked_trials(trial: Any, rows: int) -> np.ndarray:
    """One for all rows, or one for each."""
    many = list(trial) if np.ndim(trial) else [trial] * rows
    if len(many) != rows:
        raise BadInput(f"trial has {len(many)} numbers, but must be one, or one for each of {rows} worlds.")
    return np.array([check_seed(one, "trial") for one in many], np.uint64)


def check_options(options: dict[str, Any] | None, known: Sequence[str] = OPTIONS) -> dict[str, Any]:
    """Those of a reset."""
    for name in options or {}:
        check_choice("option", name, tuple(known))
    return dict(options or {})


def check_render_mode(mode: str | None) -> str | None:
    if mode is not None:
        check_choice("render_mode", mode, RENDER_MODES)
    return mode


def check_action(actions: np.ndarray, outputs: int) -> np.ndarray:
    """int64 [life]"""
    if actions.dtype.kind not in "iu" or (actions.size and not 0 <= actions.min() <= actions.max() < outputs):
        raise BadInput(f"actions are {shown(actions)}, but each must be a whole number from 0 to {outputs - 1}.")
    return actions.astype(np.int64, copy=False)


def frame_of(worlds: Worlds, i: int, mode: str | None) -> Any:
    """What a person would see of one life."""
    if mode is None:
        return None
    picture = worlds.world.picture(worlds.constants, worlds.state, i)
    legend = tuple(worlds.world.legend)
    return text_of(picture, legend) if mode == "ansi" else pixels_of(picture, legend)
