"""A tiny world that is not the package's: press when the lamp is lit by day, and when it is dark by night."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from hebbarium.world import Association, Picture, Thing, World, compiled, draw_below


@dataclass(frozen=True, kw_only=True)
class Lamp(World):
    """One lamp, one button."""

    name: ClassVar[str] = "lamp"
    actions: ClassVar[tuple[str, ...]] = ("leave", "press")
    counts: ClassVar[tuple[str, ...]] = ("right", "wrong", "broken")
    kinds: ClassVar[tuple[str, ...]] = ("day", "night")
    default_hidden: ClassVar[int] = 4
    associations: ClassVar[tuple[Association, ...]] = (
        Association(1, "lamp", "right", (1, 1)),
        Association(2, "lamp", "wrong", (-1, -1)),
    )
    legend: ClassVar[tuple[Thing, ...]] = (Thing("dark", "#222222", "."), Thing("lit", "#ffd34d", "*"))

    schedule: str = "day,night"
    """The order of seasons."""
    season_steps: int = 150
    """Steps in a season."""
    blinking: int = 3
    """The lamp is switched to a random state every so many steps."""

    @property
    def inputs(self):
        return 2

    @property
    def input_names(self):
        return "lit", "dark"

    def constants(self):
        return Constants(self.blinking)

    def new_state(self, lifetimes):
        return State(np.zeros(lifetimes, np.int8), np.zeros(lifetimes, np.int64))

    def new_notes(self, steps):
        return Notes(np.zeros(steps, np.int8))

    def fitness(self, counts):
        return 100 * (counts[:, :, 0] - counts[:, :, 1]) / self.season_steps

    def picture(self, constants, state, i):
        return Picture(state.lit[i].reshape(1, 1).astype(np.uint8), caption=f"step {state.step[i]}")


class Constants(NamedTuple):
    blinking: int


class State(NamedTuple):
    lit: np.ndarray
    step: np.ndarray


class Notes(NamedTuple):
    lit: np.ndarray


@compiled
def begin(constants, state, i, stream):
    state.lit[i] = draw_below(stream, 2)


@compiled
def turn(constants, state, i, season, stream):
    state.step[i] = 0


@compiled
def sense(constants, state, i, senses):
    shown = np.array([1, 0], np.uint8) if state.lit[i] else np.array([0, 1], np.uint8)  # it may create arrays
    senses[:] = shown


@compiled
def judge(constants, state, i, season, action, stream):
    return (1, 1) if action == choose(constants, state, i, season, stream) else (-1, 2)


@compiled
def act(constants, state, i, season, action, counts, stream):
    counts[0 if action == choose(constants, state, i, season, stream) else 1] += 1
    state.step[i] += 1
    if state.step[i] % constants.blinking == 0:
        state.lit[i] = draw_below(stream, 2)


@compiled
def choose(constants, state, i, season, stream):
    pressed = np.array([state.lit[i] == season, state.lit[i] != season])  # here, too, it may
    return np.argmax(pressed)


@compiled
def note(constants, state, i, notes, t):
    notes.lit[t] = state.lit[i]
