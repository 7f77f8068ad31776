"""One of our worlds as a Gymnasium environment: an episode is a life."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from hebbarium.gym.resets import (
    METADATA,
    Trials,
    Wanted,
    check_action,
    check_options,
    check_render_mode,
    frame_of,
    world_for,
)
from hebbarium.gym.world_kernels import Worlds
from hebbarium.worlds.base import World

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
        wanted = Wanted.of([seed], check_options(options, ("trial",)).get("trial"))
        super().reset(seed=wanted.seeds[0])
        self.trials.choose(_ONLY, wanted, self.np_random)
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
