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
