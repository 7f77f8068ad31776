"""Functions of somebody's own, in a module that every process can import."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np


def pole() -> gymnasium.Env[Any, Any]:
    return gymnasium.make("CartPole-v1", max_episode_steps=50)


def signs(observation: np.ndarray) -> np.ndarray:
    return observation > 0


def lean(step: Any) -> int:
    before, after = (abs(seen[2] + 0.4 * seen[3]) for seen in (step.observation, step.following))
    return int(before > after) - int(before < after)


def wrong_bits(observation: np.ndarray) -> np.ndarray:
    return observation


def wrong_signal(step: Any) -> float:
    return 0.5


class Told(gymnasium.Env[Any, Any]):
    """Shows a bit and rewards whoever repeats it; an episode has ten steps."""

    observation_space = gymnasium.spaces.Discrete(2, start=3)
    action_space = gymnasium.spaces.Discrete(2, start=5)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.left, self.bit = 10, int(self.np_random.integers(2))
        return 3 + self.bit, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        reward = 0.25 if action == 5 + self.bit else -0.25
        self.left, self.bit = self.left - 1, int(self.np_random.integers(2))
        return 3 + self.bit, reward, False, self.left == 0, {}


class Boundless(Told):
    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 3, float("inf"), False, False, {}


class Shades(Told):
    """Numbers between 0 and 1, which only look like bits at first."""

    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,), np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return np.array([0, 1], np.float32), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return np.array([0.25, 1], np.float32), *super().step(action)[1:]


class Astray(Told):
    """Shows what is not in its space."""

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 5, *super().step(action)[1:]


class Failing(Told):
    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        raise ZeroDivisionError("by nothing")


class Numbers(Told):
    """Whole numbers of which there are too many to have a bit each."""

    observation_space = gymnasium.spaces.Box(-(2**63), 2**63 - 1, (1,), np.int64)


class Choices(Told):
    action_space = gymnasium.spaces.Discrete(10**9)


def nothing() -> int:
    return 3


def absent() -> Any:
    raise gymnasium.error.DependencyNotInstalled("Box2D is not installed")


def growing(observation: int) -> list[int]:
    return [0] * observation


def failing(observation: int) -> list[int]:
    raise KeyError("no bits")


def no_bits(observation: int) -> list[int]:
    return []


def several_signals(step: Any) -> np.ndarray:
    return np.array([1, 1])
