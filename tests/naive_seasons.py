"""The slow twin of seasons that come when they come, and of the cue, in plain Python."""

from __future__ import annotations

from naive import WORLD, Stream, mix
from naive_life import SlowWorld

SEASONS, CUE = 0x5EA50, 0xC0E


def calendar(
    names: list[str], steps: int, seed: int, trial: int, *, shuffled: bool, cut: bool
) -> list[tuple[str, int]]:
    """Kind and steps of each season, in the order in which they come. names: the kinds; steps: of the whole life"""
    stream = Stream(mix(seed ^ SEASONS), trial, WORLD)
    names = list(names)
    if shuffled:
        for last in reversed(range(1, len(names))):
            other = int(stream.unit() * (last + 1))
            names[last], names[other] = names[other], names[last]
    changes = [steps // len(names) * number for number in range(1, len(names))]
    if cut:
        changes = []
        for step in range(steps - len(names) + 1, steps):
            drawn = 1 + int(stream.unit() * step)
            changes.append(step if drawn in changes else drawn)
    starts, ends = [0, *sorted(changes)], [*sorted(changes), steps]
    return [(name, end - start) for name, start, end in zip(names, starts, ends, strict=True)]


def in_places(names: list[str], lived: list[tuple[str, list[int]]]) -> list[list[int]]:
    """Counts in the order of the world's names: the first summer that came is the first of the list."""
    by_kind: dict[str, list[list[int]]] = {}
    for name, counts in lived:
        by_kind.setdefault(name, []).append(counts)
    return [by_kind[name].pop(0) for name in names]


class Cued:
    """A slow world with inputs that say which season it is."""

    def __init__(self, world: SlowWorld, kinds: list[str], right: float, seed: int, trial: int) -> None:
        self.world, self.kinds, self.right = world, kinds, right
        self.stream = Stream(mix(Stream(seed, trial, WORLD).state ^ CUE), 0, WORLD)

    @property
    def counted(self) -> list[int]:
        return self.world.counted

    def season(self, name: str) -> None:
        self.world.season(name)
        self.name = name
        self.draw()

    def draw(self) -> None:
        self.said = self.name
        if self.stream.unit() >= self.right:
            others = [kind for kind in self.kinds if kind != self.name]
            self.said = others[self.stream.below(len(others))]

    def sense(self) -> list[int]:
        return [*self.world.sense(), *(int(kind == self.said) for kind in self.kinds)]

    def judge(self, action: int) -> tuple[int, int]:
        return self.world.judge(action)

    def act(self, action: int) -> None:
        self.world.act(action)
        self.draw()
