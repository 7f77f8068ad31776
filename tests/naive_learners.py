"""The slow twin of the learners: values in a dictionary or in lists, in plain Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from hebbarium.worlds.foraging import Foraging
from naive import BRAIN, WORLD, Network, RandomActions, Stream
from naive_foraging import BLUE, GREEN, SENSOR_BITS, World, reinforcement
from naive_life import SlowWorld


class Settings(NamedTuple):
    name: str
    """`tabular` or `linear`."""
    step_size: float
    discount: float
    worth: dict[str, list[float]] | None
    """What each thing counted is worth, by season; None for a learner that is told the signal."""


class SlowForaging:
    def __init__(self, task: Foraging, seed: int, trial: int) -> None:
        self.task, self.world = task, World(task, Stream(seed, trial, WORLD))

    def season(self, name: str) -> None:
        self.name = name
        self.world.collected, self.world.hits = {GREEN: 0, BLUE: 0}, 0

    def sense(self) -> list[int]:
        return [bit for thing in self.world.sense() for bit in SENSOR_BITS[thing]]

    def judge(self, action: int) -> tuple[int, int]:
        return reinforcement(self.name, self.world.sense(), action, self.task.priority)

    def act(self, action: int) -> None:
        self.world.move(action)

    @property
    def counted(self) -> list[int]:
        return [self.world.collected[GREEN], self.world.collected[BLUE], self.world.hits]


class Table:
    def __init__(self, inputs: int, actions: int) -> None:
        self.known: dict[tuple[int, ...], list[float]] = defaultdict(lambda: [0.0] * actions)

    def values(self, senses: list[int]) -> list[float]:
        return list(self.known[tuple(senses)])

    def correct(self, senses: list[int], action: int, error: float) -> None:
        self.known[tuple(senses)][action] += error


class Sums:
    def __init__(self, inputs: int, actions: int) -> None:
        self.weights = [[0.0] * (inputs + 1) for _ in range(actions)]

    def values(self, senses: list[int]) -> list[float]:
        totals = []
        for weights in self.weights:
            total = 0.0
            for weight, bit in zip(weights, [*senses, 1], strict=True):
                total += weight * bit
            totals.append(total)
        return totals

    def correct(self, senses: list[int], action: int, error: float) -> None:
        share = error / (sum(senses) + 1)
        for place, bit in enumerate([*senses, 1]):
            self.weights[action][place] += share * bit


def live(
    world: SlowWorld,
    seasons: Iterable[tuple[str, int]],
    sizes: tuple[int, int],
    random_action: float,
    settings: Settings,
    seed: int,
    trial: int,
) -> list[list[int]]:
    """Counts [season][count]. seasons: kind and steps of each; sizes: inputs and actions."""
    brain = Stream(seed, trial, BRAIN)
    Network(sizes[0], 1, sizes[1], brain)  # never asked, but born
    random_actions = RandomActions(brain, random_action, sizes[1])
    known = {"tabular": Table, "linear": Sums}[settings.name](*sizes)
    last = None
    counts = []
    for name, steps in seasons:
        world.season(name)
        for _ in range(steps):
            senses = world.sense()
            if last is not None:
                before, action, reward = last
                best = max(known.values(senses)) if settings.discount > 0 else 0.0
                error = reward + settings.discount * best - known.values(before)[action]
                known.correct(before, action, settings.step_size * error)
            values = known.values(senses)
            largest = [action for action, value in enumerate(values) if value == max(values)]
            action = random_actions.next()
            if action is None:
                action = largest[brain.below(len(largest))] if len(largest) > 1 else largest[0]
            reward = float(world.judge(action)[0])
            earlier = list(world.counted)
            world.act(action)
            if settings.worth is not None:
                reward = 0.0
                for worth, after, then in zip(settings.worth[name], world.counted, earlier, strict=True):
                    reward += worth * (after - then)
            last = senses, action, reward
        counts.append(list(world.counted))
    return counts
