"""One of our worlds as a Gymnasium environment: an episode is a life.

What both kinds of environments (`world_vector_env.py`) take is checked here: seeds, trials, options, actions and render
modes. A reset that is refused changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import InvalidAction, ResetNeeded

from hebbarium.gym.world_stepping import Worlds
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


def check_seeds(seeds: Sequence[int | None]) -> list[int | None]:
    """None keeps the seed of a world, or draws one."""
    return [None if seed is None else check_seed(seed) for seed in seeds]


def check_trials(trial: Any, rows: int) -> np.ndarray | None:
    """uint64 [row], or None for trial 0 of a seed that is given, else the next. trial: one for all, one for each, or
    None"""
    if trial is None:
        return None
    many = list(trial) if np.ndim(trial) else [trial] * rows
    if len(many) != rows:
        raise BadInput(f"trial has {len(many)} numbers, but must be one, or one for each of {rows} worlds.")
    return np.array([check_seed(one, "trial") for one in many], np.uint64)


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

    def choose(
        self, rows: np.ndarray, seeds: Sequence[int | None], trials: np.ndarray | None, random: np.random.Generator
    ) -> None:
        """The lives that these rows live next; see `check_seeds` and `check_trials`."""
        for row, seed in zip(rows, seeds, strict=True):
            if seed is not None:
                self.seed[row], self._next[row], self._seeded[row] = seed, 0, True
        self.seeds(random)
        if trials is not None:
            self._next[rows] = trials
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


_ONLY = np.zeros(1, np.int64)
"""The only row."""


class WorldEnv(gymnasium.Env[np.ndarray, np.int64]):
    """A life ends with truncation, never with termination.

    `reset(seed=s)` begins trial 0 of seed s, the same world as `live` has; without a seed the next trial begins, and
    `options={"trial": k}` chooses any. info: `season`, which of the life's seasons the step was in, from 0 on;
    `counts`, int64 [count], what was counted in that season so far, in the order of `world.counts`; `fitness`, of that
    season so far; and, after a step, `association`, the id of the one that decided the reinforcement, and, with random
    actions, `action`, the one that was done.
    """

    metadata = METADATA

    def __init__(
        self,
        task: str | World = "foraging",
        render_mode: str | None = None,
        reward: str = "reinforcement",
        random_actions: bool = False,
        **settings: Any,
    ) -> None:
        """task: a world or its name, with any of its settings as further arguments.

        reward: `reinforcement`, -1, 0 or 1, as networks get it, or `fitness`, the change of the season's fitness.
        random_actions: whether the world's random actions, as in `live`, replace some of those that are given."""
        self.world = world_for(task, settings)
        self.render_mode = check_render_mode(render_mode)
        self.observation_space = spaces.MultiBinary(self.world.all_inputs)
        self.action_space = spaces.Discrete(self.world.outputs)
        self.worlds, self.trials = Worlds(self.world, 1, reward, random_actions), Trials(1)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        trials = check_trials(check_options(options, ("trial",)).get("trial"), 1)
        seeds = check_seeds([seed])
        super().reset(seed=seeds[0])
        self.trials.choose(_ONLY, seeds, trials, self.np_random)
        senses = self.worlds.begin(_ONLY, self.trials.seed, self.trials.trial)
        return senses[0].view(np.int8), {"season": 0, "counts": self.worlds.lives.counts[0].copy(), "fitness": 0.0}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        if self.worlds.lives.over[0]:
            raise ResetNeeded("no life is in progress: call reset() first.")
        now = self.worlds.step(check_action(action, self.world.outputs))
        info = {
            "season": int(now.season[0]),
            "association": int(now.association[0]),
            "counts": now.counts[0],
            "fitness": float(now.fitness[0]),
        }
        if self.worlds.random_actions:
            info["action"] = int(now.action[0])
        return now.senses[0].view(np.int8), float(now.reward[0]), False, bool(now.truncated[0]), info

    @property
    def np_random_seed(self) -> int:
        """The seed of the world; drawn now if none was given."""
        return self.trials.seeds(self.np_random)[0]

    def render(self) -> Any:
        return frame_of(self.worlds, 0, self.render_mode)
