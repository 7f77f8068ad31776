"""What an environment answers, checked before anything is computed from it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from hebbarium.kernels.user_errors import blaming
from hebbarium.tools.errors import BadInput, shown


class Step(NamedTuple):
    """What an action brings."""

    observation: Any
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


def reset(env: gymnasium.Env[Any, Any], seed: int | None = None) -> Any:
    """The first observation of an episode."""
    with blaming(called="the environment's reset"):
        answer = env.reset(seed=seed) if seed is not None else env.reset()
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise BadInput(f"the environment's reset gave {shown(answer)}, but must give an observation and info.")
    return answer[0]


def step(env: gymnasium.Env[Any, Any], action: int) -> Step:
    """To be called within `blaming`, which costs too much to be entered for each step here."""
    answer = env.step(action)
    if not isinstance(answer, tuple) or len(answer) != 5:
        five = "observation, reward, terminated, truncated and info"
        raise BadInput(f"the environment's step gave {shown(answer)}, but must give five things: {five}.")
    observation, reward, terminated, truncated, info = answer
    if type(reward) is not float or not math.isfinite(reward):
        reward = _single("reward", reward, "biuf", "rewards must be finite numbers")
    if not isinstance(terminated, bool):
        terminated = _single("terminated", terminated, "biu", "it must be True or False")
    if not isinstance(truncated, bool):
        truncated = _single("truncated", truncated, "biu", "it must be True or False")
    return Step(observation, float(reward), bool(terminated), bool(truncated), info)


def _single(what: str, value: Any, kinds: str, rule: str) -> Any:
    """A number of Python's or numpy's, or an array without a dimension."""
    array = as_array(value)
    if array.dtype.kind not in kinds or array.ndim or not np.isfinite(array):
        raise BadInput(f"the environment's step gave the {what} {shown(value)}, but {rule}.")
    return array.item()


def as_array(value: Any) -> np.ndarray:
    """An array without a dimension where it is none, as for lists of unequal lengths."""
    try:
        return np.asarray(value)
    except ValueError:
        return np.array(None)


def numbers_in(observation: Any) -> np.ndarray | None:
    """float64 [number]: all of them in a row; None where there is anything else, or what is no number (nan)."""
    array = as_array(observation)
    if array.dtype.kind not in "biuf" or np.isnan(array).any():
        return None
    return array.ravel().astype(np.float64, copy=False)
