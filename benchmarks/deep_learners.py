"""PPO and DQN of Stable-Baselines3 on foraging, learning while they live, as the plastic agents do.

    python -m venv deep && deep/bin/pip install torch==2.13.0 stable-baselines3 . gymnasium
    deep/bin/python benchmarks/deep_learners.py --lives 10 --runs 4 --out deep.json

A run is one learner that lives one life after another in `hebbarium/Foraging-v0` and keeps what it learned; each life
has four seasons of 5,000 steps in a fresh world. What is reported is the fitness of the first life, the tenth and the
hundredth, as far as --lives goes: what was collected while learning, exploration included. Reward is the reinforcement
signal, or only the items: 1 for a wanted one, -1 for an unwanted one. Networks have two layers of 64, as usual there.
Not a dependency of the package; versions are printed.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import stable_baselines3
import torch

import hebbarium.gym  # noqa: F401  registers the worlds
from hebbarium.tools.statistics import estimate_mean

MARKS = (1, 10, 100)
"""Lives that are reported."""
SIGN = np.array([1, -1, 0])
"""What green and blue items are worth in summer."""


class Diary(gymnasium.Wrapper):
    """Writes down the fitness of each life; rewards items only, where asked for."""

    def __init__(self, env: gymnasium.Env, items: bool) -> None:
        super().__init__(env)
        self.items, self.lives, self.counts = items, [], np.zeros((4, 3), np.int64)

    def reset(self, **options: Any) -> Any:
        self.counts[:] = 0
        return self.env.reset(**options)

    def step(self, action: Any) -> Any:
        bits, reward, terminated, truncated, info = self.env.step(action)
        season = info["season"]
        gained = (info["counts"] - self.counts[season]) @ SIGN * (1 - 2 * (season % 2))
        self.counts[season] = info["counts"]
        if truncated:
            self.lives.append((self.counts @ SIGN * [1, -1, 1, -1]).tolist())
        return bits, float(gained) if self.items else reward, terminated, truncated, info


def live(name: str, reward: str, settings: dict[str, Any], lives: int, seed: int) -> list[list[int]]:
    """Fitness [life][season]."""
    diary = Diary(gymnasium.make("hebbarium/Foraging-v0"), reward == "items")
    diary.reset(seed=seed)
    model = getattr(stable_baselines3, name)("MlpPolicy", diary, seed=seed, device="cpu", **settings)
    model.learn(lives * 20_000)
    return diary.lives


LEARNERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("PPO", {}),
    ("PPO", {"gamma": 0.0, "n_steps": 256, "learning_rate": 1e-3}),
    ("DQN", {}),
    ("DQN", {"gamma": 0.0, "learning_rate": 1e-3, "buffer_size": 1000, "exploration_final_eps": 0.02}),
)
"""As they come, and with what helps here: no discount, faster learning, a memory shorter than a season."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lives", type=int, default=10)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--out", type=Path, help="results as JSON")
    parser.add_argument("--only", nargs="+", default=["PPO", "DQN"])
    parser.add_argument("--rewards", nargs="+", default=["signal", "items"])
    options = parser.parse_args()
    torch.set_num_threads(1)
    packages = ("stable-baselines3", "torch", "gymnasium", "numpy", "hebbarium")
    print(", ".join(f"{package} {importlib.metadata.version(package)}" for package in packages), flush=True)
    marks = [mark for mark in MARKS if mark <= options.lives]
    print("| learner | settings | reward |" + "".join(f" life {mark} |" for mark in marks) + " seasons of the last |")
    print("|---|---|---|" + "---|" * len(marks) + "---|", flush=True)
    found = []
    for reward in options.rewards:
        for name, settings in LEARNERS:
            if name not in options.only:
                continue
            start = time.time()
            runs = [live(name, reward, settings, options.lives, options.seed + run) for run in range(options.runs)]
            fitness = np.array([run[: options.lives] for run in runs], float)
            found.append({"learner": name, "settings": settings, "reward": reward, "fitness": fitness.tolist()})
            cells = [estimate_mean(fitness[:, mark - 1].mean(axis=1)) for mark in marks]
            text = "".join(f" {cell.value:.1f} ({cell.low:.1f} to {cell.high:.1f}) |" for cell in cells)
            last = " ".join(f"{season:.1f}" for season in fitness[:, marks[-1] - 1].mean(axis=0))
            print(f"| {name} | {settings or 'as they come'} | {reward} |{text} {last} |", flush=True)
            print(f"<!-- {time.time() - start:.0f} s -->", flush=True)
            if options.out:
                options.out.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
