"""The slow twin: a life in any slow world that senses bits, judges and acts; networks as in `naive.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from naive import BRAIN, Network, RandomActions, Stream, first_largest


class SlowWorld(Protocol):
    counted: list[int]
    """Since the season began."""

    def season(self, name: str) -> None:
        """One begins."""

    def sense(self) -> list[int]: ...

    def judge(self, action: int) -> tuple[int, int]: ...

    def act(self, action: int) -> None: ...


class Step(NamedTuple):
    senses: list[int]
    action: int
    random: bool
    reinforcement: int
    association: int


class Life(NamedTuple):
    counts: list[list[int]]
    """[season][count]"""
    steps: list[Step]
    hidden: list[list[float]]
    """[post][pre], the bias last."""
    output: list[list[float]]
    """[post][pre], the bias last."""


def live(
    world: SlowWorld,
    seasons: list[str] | list[tuple[str, int]],
    season_steps: int | None,
    sizes: tuple[int, int, int],
    random_action: float,
    rule: tuple[tuple[int, ...], float],
    seed: int,
    trial: int,
    born: Callable[..., Network] = Network,
    largest: Callable[[list[float], Stream], int] = lambda sums, stream: first_largest(sums),
) -> Life:
    """seasons: by name, or, without season_steps, each with its own. sizes: inputs, hidden neurons and outputs. rule:
    entries and eta. born, largest: the kind of network, and which of its outputs acts."""
    brain = Stream(seed, trial, BRAIN)
    network = born(*sizes, brain)
    random_actions = RandomActions(brain, random_action, sizes[2])
    counts, steps = [], []
    for season in seasons:
        name, length = season if isinstance(season, tuple) else (season, season_steps)
        world.season(name)
        for _ in range(length):
            senses = world.sense()
            network.activate(senses)
            action = random_actions.next()
            is_random = action is not None
            if action is None:
                action = largest(network.outputs, brain)
            m, association = world.judge(action)
            steps.append(Step(senses, action, is_random, m, association))
            world.act(action)
            if not is_random:
                network.change(action, *rule, m)
        counts.append(list(world.counted))
    return Life(counts, steps, network.hidden, network.output)
