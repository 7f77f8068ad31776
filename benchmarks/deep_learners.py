"""PPO and DQN of Stable-Baselines3 on foraging, learning while they live, as the plastic agents do.

    python -m venv deep && deep/bin/pip install torch==2.13.0 stable-baselines3==2.9.2 '.[gym]'
    deep/bin/python benchmarks/deep_learners.py --out deep.json

A run is one learner that lives one life after another in `hebbarium/Foraging-v0` and keeps what it learned; each life
has four seasons of 5,000 steps in a fresh world. Fitness is what is collected while learning, exploration included: in
the first life (--runs), in the tenth (--long), and when a hundred lives' worth of steps are over. Those hundred are
lived in eight worlds side by side, all in the same season, so that the learner has eight times as many steps in each
season; reported is the mean of the last life in each of the eight. Reward is the reinforcement signal, or only the
items: 1 for a wanted one, -1 for an unwanted one. Networks have two layers of 64, the library's usual.

Settings are the best of a small grid, each tried in one first life of another seed (--tuning), and the library's own.
--out holds what is finished, which is not run again. Not a dependency of the package.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import itertools
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import stable_baselines3
import torch
from stable_baselines3.common.vec_env import VecEnv

from hebbarium.gym import WorldVectorEnv
from hebbarium.tools.statistics import estimate_mean

LIFE = 20_000
"""Steps."""
REWARDS = {"signal": "reinforcement", "items": "fitness"}
"""As our environments name them."""
WORLDS = 8
GRID: dict[str, list[dict[str, Any]]] = {
    "PPO": [
        {"gamma": gamma, "learning_rate": rate, "ent_coef": entropy, "n_steps": 128}
        for gamma, rate, entropy in itertools.product((0.0, 0.5, 0.9), (1e-3, 3e-3), (0.0, 0.05))
    ],
    "DQN": [
        {"gamma": gamma, "learning_rate": rate, "buffer_size": size, "target_update_interval": 250}
        | {"exploration_initial_eps": 0.02, "exploration_final_eps": 0.02}
        for gamma, rate, size in itertools.product((0.0, 0.5, 0.9), (1e-3, 3e-3), (500, 2000))
    ],
}
"""What might help where rewards flip: near rewards, fast learning, an entropy bonus, a memory shorter than a season."""


def side_by_side(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """As many updates in a season as with one world, each from so many times as many steps."""
    if name == "PPO":
        return settings | {"batch_size": 64 * WORLDS}
    grown = {name: settings[name] * WORLDS for name in ("buffer_size", "target_update_interval")}
    return settings | grown | {"batch_size": 32 * WORLDS}


class Lives(VecEnv):
    """Our vector of worlds as Stable-Baselines3 wants one; writes down the fitness of each season of each life."""

    def __init__(self, worlds: int, reward: str, seed: int) -> None:
        self.worlds = WorldVectorEnv(worlds, autoreset_mode="SameStep", reward=REWARDS[reward])
        super().__init__(worlds, self.worlds.single_observation_space, self.worlds.single_action_space)
        self.first, self.now, self.lives = seed, np.zeros((worlds, 4)), []

    def reset(self) -> np.ndarray:
        return self.worlds.reset(seed=self.first)[0]

    def step_async(self, actions: np.ndarray) -> None:
        self.actions = actions

    def step_wait(self) -> Any:
        bits, reward, _, over, told = self.worlds.step(self.actions)
        infos: list[dict[str, Any]] = [{} for _ in over]
        if over.any():  # all lives end in the same step
            infos = [{"terminal_observation": last, "TimeLimit.truncated": True} for last in told["final_obs"]]
            told = told["final_info"]
        self.now[np.arange(self.num_envs), told["season"]] = told["fitness"]
        if over.any():
            self.lives += self.now.tolist()
        return bits, reward.astype(np.float32), over, infos

    def close(self) -> None:
        self.worlds.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.worlds, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        raise NotImplementedError

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


class Kept:
    """Runs by what decides them, in a file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.runs: dict[str, dict[str, Any]] = json.loads(file.read_text()) if file.exists() else {}

    def run(self, name: str, reward: str, settings: dict[str, Any], lives: int, worlds: int, seed: int) -> np.ndarray:
        """Fitness [life, season], as lives ended."""
        key, longer = (json.dumps([name, reward, settings, many, worlds, seed]) for many in (lives, 10))
        if lives == 1 and longer in self.runs:
            return np.array(self.runs[longer]["fitness"])  # its beginning is the same
        if key not in self.runs:
            start = time.process_time()
            env = Lives(worlds, reward, seed)
            model = getattr(stable_baselines3, name)("MlpPolicy", env, seed=seed, device="cpu", **settings)
            # Steps are whole rollouts of all worlds; the last life must be over.
            model.learn(-(-lives // worlds) * worlds * LIFE)
            self.runs[key] = {"fitness": env.lives, "seconds": time.process_time() - start}
            part = self.file.with_suffix(".part")
            part.write_text(json.dumps(self.runs, indent=0))
            part.replace(self.file)
        return np.array(self.runs[key]["fitness"])


def row(name: str, reward: str, settings: dict[str, Any], cells: list[list[np.ndarray]]) -> str:
    """cells: [run][season] each."""

    def text(runs: list[np.ndarray]) -> str:
        means = np.mean(runs, axis=1)
        if len(means) == 1:
            return f"{means[0]:z.1f}"
        mean = estimate_mean(means)
        return f"{mean.value:z.1f} ({mean.low:z.1f} to {mean.high:z.1f})"

    last = " ".join(f"{season:z.1f}" for season in np.mean(cells[-1], axis=0))
    shown = ", ".join(f"{key} {value:g}" for key, value in settings.items()) or "the library's"
    return f"| {name} | {reward} | {shown} | {' | '.join(map(text, cells))} | {last} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--long", type=int, default=1, help="how many of them live ten lives; the others live one")
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--tuning", type=int, default=4000, help="the seed of the lives that settings are chosen by")
    parser.add_argument("--out", type=Path, default=Path("deep.json"), help="results as JSON")
    options = parser.parse_args()
    torch.set_num_threads(1)
    packages = ("stable-baselines3", "torch", "gymnasium", "numpy")
    print(", ".join(f"{package} {importlib.metadata.version(package)}" for package in packages), flush=True)
    kept, seeds = Kept(options.out), range(options.seed, options.seed + options.runs)
    best = {}
    for name, reward in itertools.product(GRID, REWARDS):
        tried = [kept.run(name, reward, one, 1, 1, options.tuning).mean() for one in GRID[name]]
        best[name, reward] = GRID[name][int(np.argmax(tried))]
    print("| learner | reward | settings | first life | tenth life | after a hundred | seasons of the last |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for pair, settings in best.items():
        runs = [kept.run(*pair, settings, 10 if seed < options.seed + options.long else 1, 1, seed) for seed in seeds]
        many = kept.run(*pair, side_by_side(pair[0], settings), 100, WORLDS, options.seed)[-WORLDS:]
        tenth = [lives[9] for lives in runs if len(lives) > 9]
        print(row(*pair, settings, [[lives[0] for lives in runs], tenth, [many.mean(axis=0)]]), flush=True)
    for pair in best:
        print(row(*pair, {}, [[kept.run(*pair, {}, 1, 1, seed)[0] for seed in seeds]]), flush=True)
    print(f"{sum(run['seconds'] for run in kept.runs.values()) / 60:.0f} minutes of processor time")


if __name__ == "__main__":
    main()
