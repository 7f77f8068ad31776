"""Many of our worlds as one Gymnasium vector environment: one compiled call steps them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hebbarium.gym.world_env import (
    METADATA,
    Trials,
    WrongType,
    check_actions,
    check_options,
    check_render_mode,
    check_seeds,
    check_trials,
    frame_of,
    world_for,
)
from hebbarium.gym.world_stepping import Stepped, Worlds
from hebbarium.tools.errors import BadInput, check_choice, check_integer, check_seed, shown, whole_number
from hebbarium.worlds.base import World

MODES = {mode.value: mode for mode in AutoresetMode}


class WorldVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Behaves like `num_envs` `WorldEnv` in Gymnasium's `SyncVectorEnv`, in each of its autoreset modes.

    `reset(seed=s)` gives the worlds the seeds s, s + 1, ...; a list gives each its own. `options={"trial": k}` may hold
    one trial for all or one for each: with `seed=[s] * n` and the trials 0 to n - 1 these are the lives of `live`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        task: str | World = "foraging",
        render_mode: str | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        reward: str = "reinforcement",
        random_actions: bool = False,
        **settings: Any,
    ) -> None:
        """task: a world or its name, with any of its settings as further arguments; the others as of `WorldEnv`."""
        self.world = world_for(task, settings)
        self.num_envs = check_integer("num_envs", num_envs, 1)
        self.render_mode = check_render_mode(render_mode)
        if not isinstance(autoreset_mode, AutoresetMode):
            check_choice("autoreset_mode", autoreset_mode, tuple(MODES))
            autoreset_mode = MODES[autoreset_mode]
        self.autoreset_mode = autoreset_mode
        self.metadata = {**METADATA, "autoreset_mode": autoreset_mode}
        self.single_observation_space = spaces.MultiBinary(self.world.all_inputs)
        self.single_action_space = spaces.Discrete(self.world.outputs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.worlds = Worlds(self.world, self.num_envs, reward, random_actions)
        self.trials = Trials(self.num_envs)
        self._senses = np.zeros((self.num_envs, self.world.all_inputs), np.uint8)
        self._begun = np.zeros(self.num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """options: `trial`, and `reset_mask`, bool [world], to reset some worlds only."""
        given = check_options(options)
        seeds = self._seeds(seed)
        mask = self._mask(given.get("reset_mask"))
        rows = np.flatnonzero(mask)
        chosen, trials = check_seeds([seeds[int(row)] for row in rows]), check_trials(given.get("trial"), len(rows))
        super().reset(seed=whole_number(seed))
        self.trials.choose(rows, chosen, trials, self.np_random)
        self._senses[rows] = self._begin(rows)
        self._begun[rows] = True
        infos: dict[str, Any] = {
            "season": np.zeros(self.num_envs, np.int64),
            "counts": np.zeros_like(self.worlds.lives.counts),
            "fitness": np.zeros(self.num_envs),
        }
        return self._senses.view(np.int8).copy(), infos | {f"_{name}": mask.copy() for name in infos}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        chosen = check_actions(actions, self.num_envs, self.world.outputs)
        resting = np.flatnonzero(self.worlds.lives.over)
        if resting.size and (self.autoreset_mode != AutoresetMode.NEXT_STEP or not self._begun.all()):
            raise ResetNeeded(
                f"no life is in progress in {resting.size} of {self.num_envs} worlds: call reset() first."
            )
        now = self.worlds.step(chosen)
        acted = np.ones(self.num_envs, np.bool_)
        final: dict[str, Any] = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and now.truncated.any():
            resting = np.flatnonzero(now.truncated)
            final = self._final(now, resting)
        elif resting.size:
            now.reward[resting], now.truncated[resting] = 0.0, False
        if resting.size:
            self.trials.next(resting)
            now.senses[resting] = self._begin(resting)
            acted[resting] = False
        self._senses[:] = now.senses
        everywhere = np.ones(self.num_envs, np.bool_)
        infos = self._infos(now, everywhere, acted) | final
        return now.senses.view(np.int8), now.reward, np.zeros_like(acted), now.truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        if self.render_mode is None:
            return None
        return tuple(frame_of(self.worlds, i, self.render_mode) for i in range(self.num_envs))

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each world, as in Gymnasium's own vectors; drawn now if none was given."""
        return tuple(self.trials.seeds(self.np_random))

    def _begin(self, rows: np.ndarray) -> np.ndarray:
        return self.worlds.begin(rows, self.trials.seed[rows], self.trials.trial[rows])

    def _seeds(self, seed: int | Sequence[int | None] | None) -> Sequence[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if whole_number(seed) is not None or not isinstance(seed, (Sequence, np.ndarray)):
            first = check_seed(seed)
            return [first + place for place in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise BadInput(f"seed has {len(seed)} numbers, but must be one, or one for each of {self.num_envs} worlds.")
        return seed

    def _mask(self, given: Any) -> np.ndarray:
        if given is None:
            return np.ones(self.num_envs, np.bool_)
        mask = np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise (BadInput if mask.dtype == np.bool_ else WrongType)(
                f"reset-mask is {shown(given)}, but must be {self.num_envs} of True and False, one True at least."
            )
        return mask

    def _final(self, now: Stepped, rows: np.ndarray) -> dict[str, Any]:
        """The last step of lives that are over, in Gymnasium's form."""
        mask = np.zeros(self.num_envs, np.bool_)
        mask[rows] = True
        observations = np.full(self.num_envs, None, dtype=object)
        for row in rows:
            observations[row] = now.senses[row].view(np.int8).copy()
        last = self._infos(now, mask, mask)
        return {"final_obs": observations, "_final_obs": mask.copy(), "final_info": last, "_final_info": mask}

    def _infos(self, now: Stepped, living: np.ndarray, acted: np.ndarray) -> dict[str, Any]:
        """With Gymnasium's masks of the worlds that have each; what no world has is left out.

        living, acted: bool [world], the worlds to report, and those that took this step"""
        words: dict[str, tuple[np.ndarray, np.ndarray]] = {
            "season": (now.season, living),
            "association": (now.association, acted),
            "counts": (now.counts, living),
            "fitness": (now.fitness, living),
        }
        if self.worlds.random_actions:
            words["action"] = now.action, acted
        infos: dict[str, Any] = {}
        for name, (values, mask) in words.items():
            if mask.any():
                values = values.copy()
                values[~(mask & acted)] = 0
                infos |= {name: values, f"_{name}": mask.copy()}
        return infos
