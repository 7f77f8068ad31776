"""The slow association world: stimuli are lists of bits, and a dictionary holds this season's answers."""

from __future__ import annotations

from hebbarium.worlds.association import AssociationWorld
from naive import WORLD, Stream
from naive_life import Life, live

Stimulus = tuple[int, ...]


class SlowAssociation:
    def __init__(self, task: AssociationWorld, stream: Stream) -> None:
        self.task, self.stream = task, stream
        self.stimuli: list[Stimulus] = []
        self.answers: dict[Stimulus, int] = {}
        for _ in range(task.stimuli):
            stimulus = self.new_stimulus()
            self.stimuli.append(stimulus)
            self.answers[stimulus] = stream.below(task.answers)
        self.shown = stream.below(task.stimuli)
        self.counted = [0, 0]

    def new_stimulus(self) -> Stimulus:
        """Sixty-four tries; then the next one that is free, as one counts with the first bit running fastest."""
        for _ in range(64):
            stimulus = tuple(int(self.stream.unit() < self.task.density) for _ in range(self.task.bits))
            if stimulus not in self.answers:
                return stimulus
        while stimulus in self.answers:
            stimulus = following(stimulus)
        return stimulus

    def season(self, name: str) -> None:
        assert name == "season"
        for stimulus in self.stimuli:
            if self.stream.unit() >= self.task.overlap:
                self.answers[stimulus] = self.stream.below(self.task.answers)
        self.counted = [0, 0]

    def sense(self) -> list[int]:
        return list(self.stimuli[self.shown])

    def right(self, action: int) -> bool:
        return action == self.answers[self.stimuli[self.shown]]

    def judge(self, action: int) -> tuple[int, int]:
        return (1, 1) if self.right(action) else (-1, 2)

    def act(self, action: int) -> None:
        self.counted[0 if self.right(action) else 1] += 1
        self.shown = self.stream.below(self.task.stimuli)


def following(stimulus: Stimulus) -> Stimulus:
    """1 added, the first bit being the ones; after all ones come all zeros."""
    bits = list(stimulus)
    for place, bit in enumerate(bits):
        bits[place] = 1 - bit
        if bit == 0:
            break
    return tuple(bits)


def live_association(
    task: AssociationWorld, hidden: int, rule: tuple[tuple[int, ...], float], seed: int, trial: int
) -> Life:
    world = SlowAssociation(task, Stream(seed, trial, WORLD))
    sizes, seasons = (task.bits, hidden, task.answers), ["season"] * task.seasons
    return live(world, seasons, task.season_steps, sizes, task.random_action, rule, seed, trial)
