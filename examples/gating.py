"""Gating against forgetting: the cue decides which half of the hidden neurons may fire.

Hidden neurons keep their initial weights; the output layer learns by 000-/0000: after punishment, synapses from active
neurons to the output that acted get weaker, and its weights are scaled to unit length. A cue says which season it is.
As two inputs among others it leaves most hidden neurons as they are, and what was learned in summer is overwritten in
winter. As a gate it lets one half of the neurons fire in summer and the other in winter: what summer taught then rests
during winter, and is there when summer returns.

    python examples/gating.py

Many lives side by side, in one vector of worlds; numpy does the networks.
"""

import sys

import numpy as np

from hebbarium.gym import WorldVectorEnv

HIDDEN, ETA, RANDOM, START = 100, 0.02, 0.02, 500
"""START: steps at the beginning of a season that show what is still known."""


def unit(weights: np.ndarray) -> np.ndarray:
    return weights / np.linalg.norm(weights, axis=-1, keepdims=True)


def live(gated: bool, lives: int, seasons: int, season_steps: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Fitness in each season, and in its first steps. Both: [life, season]"""
    worlds = WorldVectorEnv(lives, cue=1.0, seasons=seasons, season_steps=season_steps)
    random, row = np.random.default_rng(seed), np.arange(lives)
    senses, _ = worlds.reset(seed=[seed] * lives, options={"trial": row})
    hidden = unit(random.uniform(-1, 1, (lives, HIDDEN, senses.shape[1] + 1)))
    output = unit(random.uniform(-1, 1, (lives, 3, HIDDEN + 1)))
    fitness, start, ones = np.zeros((lives, seasons)), np.zeros((lives, seasons)), np.ones((lives, 1))
    for step in range(seasons * season_steps):
        active = np.hstack([np.einsum("lhi,li->lh", hidden, np.hstack([senses, ones])) > 0, ones])
        if gated:
            active[:, :-1] *= np.arange(HIDDEN) % 2 == senses[:, -1:]
        chosen = np.einsum("loh,lh->lo", output, active).argmax(axis=1)
        at_random = random.random(lives) < RANDOM
        action = np.where(at_random, random.integers(3, size=lives), chosen)
        senses, signal, _, _, told = worlds.step(action)
        fitness[row, told["season"]] = told["fitness"]
        if step % season_steps == START - 1:
            start[:, step // season_steps] = told["fitness"]
        learns = ~at_random & (signal < 0)
        output[row[learns], action[learns]] = unit(output[row[learns], action[learns]] - ETA * active[learns])
    return fitness, start


def main(lives: int = 16, seasons: int = 4, season_steps: int = 5000, seed: int = 21) -> None:
    for gated in (False, True):
        fitness, start = live(gated, lives, seasons, season_steps, seed)
        error = 1.96 * fitness.mean(axis=1).std(ddof=1) / lives**0.5
        print(
            "the cue gates:" if gated else "the cue is an input:", f"fitness {fitness.mean():.1f} ± {error:.1f} (95 %)"
        )
        print("  by season:", *(f"{season:.0f}" for season in fitness.mean(axis=0)))
        print(f"  in the first {START} steps of each:", *(f"{season:.1f}" for season in start.mean(axis=0)))
        again = start[:, 2:].mean(axis=1)  # each kind has been met before
        print(f"  the same from the third on: {again.mean():.1f} ± {1.96 * again.std(ddof=1) / lives**0.5:.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
