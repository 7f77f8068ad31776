"""Lives in Gymnasium's environments: compiled brains, stepped from Python; otherwise like any batch of lives."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from hebbarium.brains.base import Brain, bear
from hebbarium.gym.env_answers import reset, step
from hebbarium.gym.env_as_world import EPISODES, PARTS, REWARD, STEPS, Interface
from hebbarium.gym.judges import Transition
from hebbarium.kernels.random import WORLD, open_stream
from hebbarium.kernels.user_errors import blaming
from hebbarium.life.batch import Batch, brains_of, extras_of
from hebbarium.life.dispatch import Kind, Way
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.life.loop import write_step
from hebbarium.life.stepwise import ByHand, kernels_of
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.base import World
from hebbarium.worlds.picture import Picture

MOST_REWARD = 2**53 / PARTS
"""Of a season: counts are whole numbers that a float holds exactly."""


class OneLife:
    """An environment, episode after episode."""

    def __init__(self, interface: Interface, seed: int) -> None:
        self._interface = interface
        self.env, self._judge = interface.make(), interface.judges()
        self._observation = reset(self.env, seed)
        self.turn()

    def turn(self) -> None:
        """A season begins: counting starts again, also for an episode that continues."""
        self._reward, self._uncounted = 0.0, True

    def bits(self) -> np.ndarray:
        return self._interface.encoder.encode(self._observation)

    def step(self, action: int, counts: np.ndarray) -> int:
        """What the action brings: -1, 0 or 1. counts: int64 [count], added to"""
        following, reward, terminated, truncated, info = step(self.env, action + self._interface.first_action)
        self._reward += reward
        if not abs(self._reward) < MOST_REWARD:
            raise BadInput(
                f"the rewards of a season add up to {self._reward:g}, but must stay below {MOST_REWARD:g}, so that "
                "thousandths are counted exactly."
            )
        signal = self._judge(Transition(self._observation, action, reward, following, terminated, truncated, info))
        counts[REWARD] = round(PARTS * self._reward)
        counts[EPISODES] += self._uncounted
        counts[STEPS] += 1
        self._uncounted = terminated or truncated
        if self._uncounted:
            following = reset(self.env)
        self._observation = following
        return signal


class GymBatch(Batch):
    """Some lives in environments of their own."""

    def _begin(self) -> None:
        if not isinstance(self.kind, str):
            raise BadInput(f"the {self.kind.name} agent needs a compiled world, but {self.world.label} is not one.")
        if self.kind != "network":
            raise BadInput(
                f"there is no {self.kind} agent for {self.world.label}, because the best action is not known there."
            )
        interface = self.world.interface  # type: ignore[attr-defined]
        with blaming(called="the environment"):
            self.lives = [OneLife(interface, seed) for seed in env_seeds(self.jobs.seed, self.jobs.trial)]
        self._by_hand = ByHand(self.brain, self.brains, self.extras)
        self.signals = np.zeros((len(self.jobs), 3), np.int64)
        if not self.lives:
            self._compile()

    def _compile(self) -> None:
        """Compile what a life needs, by one step of one brain."""
        one = Jobs.of([FROZEN], [0], [0], self.brain.layers)
        if self.jobs.blame is not None:
            one = one.with_blame(np.ones(len(self.world.judgements)), None)
        brains = brains_of(self.world, self.brain, 1, self.general)
        extras = extras_of(self.world, self.brain, one, self.general)
        bear(brains, one.seed, one.trial)
        by_hand = ByHand(self.brain, brains, extras)
        by_hand.act(0, np.zeros(self.world.inputs, np.uint8))
        by_hand.reinforce(0, 0)

    def _advance(self, season: int, within: int, steps: int) -> None:
        rows = None if self.trace is None else self.trace.rows(self.step, steps)[0]
        assert self.signals is not None
        with blaming(called="the environment"):
            for i, life in enumerate(self.lives):
                if within == 0:
                    life.turn()
                for t in range(steps):
                    bits = life.bits()
                    action = self._by_hand.act(i, bits)
                    signal = life.step(action, self.counts[season, i])
                    association = signal + 2
                    self.signals[i, signal + 1] += 1
                    if rows is not None:
                        write_step(rows, t, bits, action, self._by_hand.random, signal, association)
                    self._by_hand.reinforce(i, signal, 0, association)
            if self.step + steps == self.world.steps:
                for life in self.lives:
                    life.env.close()

    def _first_slice(self) -> int:
        """How long a step takes is not known."""
        return 1

    def picture(self, i: int = 0) -> Picture:
        raise BadInput(f"the world {self.world.label} has no picture of ours: its environment draws itself.")

    @classmethod
    def is_compiled(
        cls, world: World, brain: Brain, kind: Kind, special: bool, ways: Collection[Way], general: bool = False
    ) -> bool:
        return all(kernel.is_kept for kernel in kernels_of(brain, general))


def env_seeds(seeds: np.ndarray, trials: np.ndarray) -> list[int]:
    """For each life the seed of its environment, below 2^31 as some need it: from the stream that is the world's."""
    stream, found = np.zeros(2, np.uint64), []
    with np.errstate(over="ignore"):
        for seed, trial in zip(seeds, trials, strict=True):
            open_stream(stream, seed, trial, WORLD)
            found.append(int(stream[0]) >> 33)
    return found
