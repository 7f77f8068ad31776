"""Association: each stimulus must be answered by the right action, and every season has its own answers.

Arbitrary associations of patterns with responses, learned by trial and error and learned anew after a reversal, are how
associative and reversal learning are studied (Harlow 1949, "The formation of learning sets"; Barto, Sutton and Brouwer
1981, "Associative search network"). Stimuli, bits, actions and seasons can be as many as one likes, so this is the
world in which one sees whether a rule scales.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from hebbarium.kernels.compile import inlined
from hebbarium.kernels.random import draw_below, draw_unit, mix
from hebbarium.tools.errors import BadInput, check_integer, check_number
from hebbarium.worlds.base import Association, World
from hebbarium.worlds.picture import Picture, Thing

MOST_BITS, MOST_ACTIONS, MOST_STIMULI = 64, 16, 4096
TRIES = 64
"""Draws for a stimulus that is not taken; after that the next free one is taken, counting up."""
CORRECT, WRONG = range(2)


@dataclass(frozen=True, kw_only=True)
class AssociationWorld(World):
    """Answer each stimulus of some bits with the right one of some actions; the answers change each season."""

    name: ClassVar[str] = "association"
    counts: ClassVar[tuple[str, ...]] = ("correct", "wrong")
    counted: ClassVar[tuple[str, ...]] = ("correct answers", "wrong answers")
    kinds: ClassVar[tuple[str, ...]] = ("season",)
    default_hidden: ClassVar[int] = 20
    survey_etas: ClassVar[tuple[float, ...]] = (0.002, 0.005, 0.0125, 0.03, 0.08, 0.2)
    perfect_words: ClassVar[str] = "It knows this season's answer to every stimulus."
    groups: ClassVar[tuple[str, ...]] = ("correct", "wrong")
    associations: ClassVar[tuple[Association, ...]] = (
        Association(1, "a stimulus", "Right answer", (1,)),
        Association(2, "a stimulus", "Wrong answer", (-1,)),
    )
    legend: ClassVar[tuple[Thing, ...]] = (
        Thing("nothing", "", " "),
        Thing("bit off", "#e0e0e0", "."),
        Thing("bit on", "#333333", "#"),
        Thing("action", "#cfe3d4", "o"),
        Thing("right answer", "#2e9e4f", "A"),
    )

    season_steps: int = 2000
    """Steps in a season, each with one stimulus."""
    schedule: str = "season"
    """The order of seasons: there is only one kind here."""
    bits: int = 6
    """Bits of a stimulus, which are the network's inputs."""
    answers: int = 3
    """Actions to answer with, which are the network's outputs."""
    stimuli: int = 8
    """Different stimuli in a life."""
    density: float = 0.5
    """Probability that a bit of a stimulus is on."""
    overlap: float = 0.0
    """Probability that a stimulus keeps its answer when a season begins; otherwise it gets any of the answers."""

    def check(self) -> None:
        check_integer("bits", self.bits, 2, MOST_BITS)
        check_integer("answers", self.answers, 2, MOST_ACTIONS)
        check_integer("stimuli", self.stimuli, 1, MOST_STIMULI)
        check_number("density", self.density, 0, 1)
        check_number("overlap", self.overlap, 0, 1)
        if self.stimuli > 2**self.bits:
            raise BadInput(
                f"stimuli is {self.stimuli}, but {self.bits} bits make only {2**self.bits}; "
                f"the nearest is {2**self.bits}."
            )

    @property
    def actions(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(str(number) for number in range(1, self.answers + 1))

    @property
    def inputs(self) -> int:
        return self.bits

    def constants(self) -> Constants:
        return Constants(
            bits=self.bits,
            answers=self.answers,
            density=self.density,
            overlap=self.overlap,
            last=np.uint64(2**self.bits - 1),
        )

    def new_state(self, lifetimes: int) -> State:
        slots = 2 ** (2 * self.stimuli - 1).bit_length()  # at most half of them are taken
        return State(
            stimuli=np.zeros((lifetimes, self.stimuli), np.uint64),
            answers=np.zeros((lifetimes, self.stimuli), np.int64),
            shown=np.zeros(lifetimes, np.int64),
            slots=np.zeros((lifetimes, slots), np.int16),
            onward=np.zeros((lifetimes, self.stimuli), np.uint64),
        )

    def picture(self, constants: Constants, state: State, i: int) -> Picture:
        """The stimulus in rows of up to eight bits; below it the actions, the right one marked."""
        shown = int(state.shown[i])
        width = max(min(self.bits, 8), self.answers)
        cells = np.zeros((math.ceil(self.bits / 8) + 2, width), np.uint8)
        for bit in range(self.bits):
            cells[bit // 8, bit % 8] = 1 + (int(state.stimuli[i, shown]) >> bit & 1)
        cells[-1, : self.answers] = 3
        cells[-1, state.answers[i, shown]] = 4
        return Picture(cells, caption=f"stimulus {shown + 1} of {self.stimuli}")

    def group_table(self) -> np.ndarray:
        return np.tile(np.array([[[0], [CORRECT], [WRONG]]], np.int8), (1, 1, self.outputs))

    def fitness(self, counts: np.ndarray) -> np.ndarray:
        """100 for right answers only, 0 for chance: (accuracy - chance) / (1 - chance), written as a sum over steps."""
        scores: np.ndarray = counts[:, :, CORRECT] - counts[:, :, WRONG] / (self.answers - 1)
        return 100.0 * scores / self.season_steps


class Constants(NamedTuple):
    """What never changes in a life."""

    bits: int
    answers: int
    density: float
    overlap: float
    last: np.uint64
    """The largest stimulus, all bits on."""


class State(NamedTuple):
    """What changes: one row per lifetime."""

    stimuli: np.ndarray
    """uint64 [lifetime, stimulus]: its bits, the first in the lowest place."""
    answers: np.ndarray
    """int64 [lifetime, stimulus]: the right action, this season."""
    shown: np.ndarray
    """int64 [lifetime]: the stimulus that is there now."""
    slots: np.ndarray
    """int16 [lifetime, slot]: a hash table of the stimuli, for finding one: its number and 1, or 0 for a free slot."""
    onward: np.ndarray
    """uint64 [lifetime, stimulus]: where to look for the next one that is not taken, counting up from this one."""


@inlined
def begin(constants, state, i, stream):
    """All stimuli, any answers, and the first stimulus to be shown."""
    state.slots[i, :] = 0
    for number in range(state.stimuli.shape[1]):
        keep(constants, state, i, number, new_stimulus(constants, state, i, stream))
        state.answers[i, number] = draw_below(stream, constants.answers)
    show(state, i, stream)


@inlined
def turn(constants, state, i, season, stream):
    """Another mapping."""
    for number in range(state.answers.shape[1]):
        if draw_unit(stream) >= constants.overlap:
            state.answers[i, number] = draw_below(stream, constants.answers)


@inlined
def sense(constants, state, i, senses):
    stimulus = state.stimuli[i, state.shown[i]]
    for bit in range(constants.bits):
        senses[bit] = stimulus >> np.uint64(bit) & np.uint64(1)


@inlined
def judge(constants, state, i, season, action, stream):
    return (1, 1) if action == choose(constants, state, i, season, stream) else (-1, 2)


@inlined
def act(constants, state, i, season, action, counts, stream):
    """The answer counts, and another stimulus is shown."""
    counts[CORRECT if action == choose(constants, state, i, season, stream) else WRONG] += 1
    show(state, i, stream)


@inlined
def choose(constants, state, i, season, stream):
    return state.answers[i, state.shown[i]]


@inlined
def show(state, i, stream):
    """Any stimulus, each as likely."""
    state.shown[i] = draw_below(stream, state.stimuli.shape[1])


@inlined
def new_stimulus(constants, state, i, stream):
    """One that is not taken."""
    stimulus = np.uint64(0)
    for _ in range(TRIES):
        stimulus = draw_stimulus(constants, stream)
        if state.slots[i, slot_of(state, i, stimulus)] == 0:
            return stimulus
    return next_free(state, i, stimulus)


@inlined
def draw_stimulus(constants, stream):
    stimulus = np.uint64(0)
    for bit in range(constants.bits):
        if draw_unit(stream) < constants.density:
            stimulus |= np.uint64(1) << np.uint64(bit)
    return stimulus


@inlined
def keep(constants, state, i, number, stimulus):
    """The stimulus of this number, from now on."""
    state.stimuli[i, number] = stimulus
    state.slots[i, slot_of(state, i, stimulus)] = number + 1
    state.onward[i, number] = stimulus + np.uint64(1) & constants.last


@inlined
def slot_of(state, i, stimulus):
    """Where the stimulus is in the table, or the free slot where it would be."""
    last = state.slots.shape[1] - 1
    slot = np.int64(mix(stimulus) & np.uint64(last))
    while state.slots[i, slot] != 0 and state.stimuli[i, state.slots[i, slot] - 1] != stimulus:
        slot = slot + 1 & last
    return slot


@inlined
def next_free(state, i, stimulus):
    """The next one that is not taken, counting up. Steps over long runs are remembered: each look halves the way."""
    number = state.slots[i, slot_of(state, i, stimulus)]
    while number != 0:
        stimulus = state.onward[i, number - 1]
        following = state.slots[i, slot_of(state, i, stimulus)]
        if following != 0:
            state.onward[i, number - 1] = state.onward[i, following - 1]
        number = following
    return stimulus
