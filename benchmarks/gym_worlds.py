"""How many steps a second our worlds take as Gymnasium environments: as one vector, and in Gymnasium's own.

    .venv/bin/python benchmarks/gym_worlds.py

One thread, which is kept on one core; the processor's time; in turn, and the best of many short rounds counts, because
what disturbs a measurement only makes it slower. Actions are drawn beforehand.
"""

from __future__ import annotations

import argparse
import os
import time

import gymnasium
import numpy as np

import hebbarium.gym  # noqa: F401 - registers the worlds

ROUNDS = 12
STEPS, SYNC_STEPS = 500, 2
"""In a round."""
SHORT = 25
"""Steps that are timed at once."""


def rate(envs: gymnasium.vector.VectorEnv, actions: np.ndarray) -> float:
    """Steps of worlds a second, where the machine was least disturbed. actions: int64 [step, world]"""
    rates = []
    for first in range(0, len(actions), SHORT):
        some = actions[first : first + SHORT]
        start = time.thread_time()
        for chosen in some:
            envs.step(chosen)
        rates.append(some.size / (time.thread_time() - start))
    return float(max(rates))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--id", default="hebbarium/Foraging-v0")
    parser.add_argument("--worlds", type=int, default=4096)
    asked = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    ours = gymnasium.make_vec(asked.id, num_envs=asked.worlds)
    sync = gymnasium.make_vec(asked.id, num_envs=asked.worlds, vectorization_mode="sync")
    bare = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make(asked.id).unwrapped] * asked.worlds)
    space = ours.single_action_space
    assert isinstance(space, gymnasium.spaces.Discrete)
    outputs = int(space.n)
    actions = np.random.default_rng(1).integers(0, outputs, (STEPS, asked.worlds))
    best: dict[str, float] = {}
    contest = {"vector": (ours, STEPS), "SyncVectorEnv": (sync, SYNC_STEPS), "SyncVectorEnv, bare": (bare, SYNC_STEPS)}
    for envs, _ in contest.values():
        envs.reset(seed=1)
        rate(envs, actions[:1])
    for _ in range(ROUNDS):
        for name, (envs, steps) in contest.items():
            best[name] = max(best.get(name, 0.0), rate(envs, actions[:steps]))
    print(f"{asked.id}, {asked.worlds} worlds, one thread; load {os.getloadavg()[0]:.1f}")
    print(f"  {'vector':20} {best['vector'] / 1e6:8.3f} million steps a second")
    for name, found in list(best.items())[1:]:
        print(f"  {name:20} {found / 1e6:8.3f} million steps a second, 1/{best['vector'] / found:.0f} of the vector's")


if __name__ == "__main__":
    main()
