"""Resets of our environments: which life comes next; what options, actions and render modes there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.error import InvalidAction

from hebbarium.gym.world_kernels import Worlds
from hebbarium.life.cue import own_part
from hebbarium.tools.errors import BadInput, check_choice, check_seed, shown
from hebbarium.worlds.base import UnknownSetting, World
from hebbarium.worlds.picture import pixels_of, text_of
from hebbarium.worlds.registry import make_world

RENDER_MODES = ("rgb_array", "ansi")
METADATA: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 10}
OPTIONS = ("trial", "reset_mask")


class WrongType(BadInput, TypeError):
    """What Gymnasium's own environments refuse with a TypeError."""


class WrongAction(BadInput, InvalidAction):
    """What is no action of the world."""


def world_for(task: str | World, settings: dict[str, Any]) -> World:
    """A world with settings; an unknown one is refused with the words that libraries look for."""
    try:
        return make_world(task, **settings)
    except UnknownSetting as error:
        raise UnknownSetting(f"got an unexpected keyword argument {error.setting!r}: {error}", error.setting) from None


@dataclass(frozen=True)
class Wanted:
    """Which lives a reset asks for, a row each; checked, because a reset that is refused must change nothing."""

    seeds: Sequence[int | None]
    """None keeps the seed of the row, or draws one."""
    trials: np.ndarray | None
    """uint64 [row]; None for trial 0 of a seed that is given, else the next."""

    @classmethod
    def of(cls, seeds: Sequence[int | None], trial: Any) -> Wanted:
        """trial: one for all rows, one for each, or None"""
        checked = [None if seed is None else check_seed(seed) for seed in seeds]
        if trial is None:
            return cls(checked, None)
        many, rows = list(trial) if np.ndim(trial) else [trial] * len(checked), len(checked)
        if len(many) != rows:
            raise BadInput(f"trial has {len(many)} numbers, but must be one, or one for each of {rows} worlds.")
        return cls(checked, np.array([check_seed(one, "trial") for one in many], np.uint64))


class Trials:
    """Seed and trial of each row: trial 0 of a seed that is given, then one after the other."""

    def __init__(self, rows: int) -> None:
        self.seed = np.zeros(rows, np.uint64)
        self.trial = np.zeros(rows, np.uint64)
        self._next = np.zeros(rows, np.uint64)
        self._seeded = np.zeros(rows, np.bool_)

    def seeds(self, random: np.random.Generator) -> list[int]:
        """Of all rows; drawn if none was given."""
        for row in np.flatnonzero(~self._seeded):
            self.seed[row] = random.integers(2**63)
        self._seeded[:] = True
        return list(map(int, self.seed))

    def choose(self, rows: np.ndarray, wanted: Wanted, random: np.random.Generator) -> None:
        """The lives that these rows live next."""
        for row, seed in zip(rows, wanted.seeds, strict=True):
            if seed is not None:
                self.seed[row], self._next[row], self._seeded[row] = seed, 0, True
        self.seeds(random)
        if wanted.trials is not None:
            self._next[rows] = wanted.trials
        self.next(rows)

    def next(self, rows: np.ndarray) -> None:
        self.trial[rows] = self._next[rows]
        self._next[rows] += np.uint64(1)


def check_options(options: dict[str, Any] | None, known: Sequence[str] = OPTIONS) -> dict[str, Any]:
    """Those of a reset."""
    for name in options or {}:
        check_choice("option", name, tuple(known))
    return dict(options or {})


def check_render_mode(mode: str | None) -> str | None:
    if mode is not None:
        check_choice("render_mode", mode, RENDER_MODES)
    return mode


def check_actions(given: Any, lives: int, outputs: int) -> np.ndarray:
    """int64 [life]. given: an action for each"""
    actions = _as_array(given, outputs)
    if actions.shape != (lives,):
        raise (WrongAction if actions.ndim else WrongType)(
            f"actions have the shape {actions.shape}, but must have {(lives,)}."
        )
    return _checked_actions(actions, outputs)


def check_action(given: Any, outputs: int) -> np.ndarray:
    """int64 [1]. given: an action, which many a library puts into an array"""
    action = _as_array(given, outputs)
    if action.size != 1:
        raise WrongAction(f"action is {shown(given)}, but must be one whole number from 0 to {outputs - 1}.")
    return _checked_actions(action.reshape(1), outputs)


def _as_array(given: Any, outputs: int) -> np.ndarray:
    try:
        return np.asarray(given)
    except ValueError:  # rows of different lengths
        raise WrongAction(f"actions are {shown(given)}, but must be whole numbers from 0 to {outputs - 1}.") from None


def _checked_actions(actions: np.ndarray, outputs: int) -> np.ndarray:
    """int64 [life]"""
    if actions.dtype.kind not in "iu" or (actions.size and not 0 <= actions.min() <= actions.max() < outputs):
        raise WrongAction(f"actions are {shown(actions)}, but each must be a whole number from 0 to {outputs - 1}.")
    return actions.astype(np.int64, copy=False)


def frame_of(worlds: Worlds, i: int, mode: str | None) -> Any:
    """What a person would see of one life."""
    if mode is None:
        return None
    constants, state = (own_part(worlds.world, record) for record in (worlds.constants, worlds.state))
    picture = worlds.world.picture(constants, state, i)
    legend = tuple(worlds.world.legend)
    return text_of(picture, legend) if mode == "ansi" else pixels_of(picture, legend)
