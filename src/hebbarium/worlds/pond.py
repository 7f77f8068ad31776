"""Pond: flies and worms drift past a fish. In summer flies are good and worms bad, in winter the reverse."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from hebbarium.world import Association, Picture, Thing, World, check_number, compiled, draw_below, draw_unit

LEFT, RIGHT = range(2)  # the actions, and the sides
NOTHING, FLY, WORM = range(3)  # what may drift on either side
SUMMER, WINTER = range(2)  # the kinds of seasons


@dataclass(frozen=True, kw_only=True)
class Pond(World):
    """A fish between two places where food drifts past."""

    name: ClassVar[str] = "pond"
    actions: ClassVar[tuple[str, ...]] = ("left", "right")
    counts: ClassVar[tuple[str, ...]] = ("flies", "worms")  # what is counted in each season
    default_hidden: ClassVar[int] = 10  # hidden neurons, unless asked for otherwise
    perfect_words: ClassVar[str] = "It snaps at what the season wants, and otherwise where it does no harm."
    # What an agent is told about each behaviour: an id, what it senses, what it does, the signal in summer and winter.
    associations: ClassVar[tuple[Association, ...]] = (
        Association(1, "a fly there", "snap", (1, -1)),
        Association(2, "a worm there", "snap", (-1, 1)),
        Association(3, "nothing there", "snap", (0, 0)),
    )
    # What a cell of the picture may hold: its name, colour and character.
    legend: ClassVar = (Thing("water", "", "~"), Thing("fly", "#444444", "f"), Thing("worm", "#c0392b", "w"))

    # Settings: each is an option of the command line, and its docstring the help.
    season_steps: int = 2000
    """Steps in a season."""
    food: float = 0.7
    """Probability that something drifts on a side."""

    def check(self):
        check_number("food", self.food, 0, 1)

    @property
    def inputs(self):
        """How many bits an agent senses: a fly or a worm, on the left or on the right."""
        return 4

    @property
    def input_names(self):
        """For pages and plots; without this, inputs are numbered."""
        return ("fly left", "worm left", "fly right", "worm right")

    def constants(self):
        return Constants(food=self.food)

    def new_state(self, lifetimes):
        return State(drifting=np.zeros((lifetimes, 2), np.int64))

    def fitness(self, counts):
        """counts: int64 [lifetime, season, count] -> float64 [lifetime, season]"""
        sign = np.where(np.array(self.season_kinds) == SUMMER, 100.0, -100.0)
        return sign * (counts[:, :, 0] - counts[:, :, 1]) / self.season_steps

    def picture(self, constants, state, i):
        left, right = state.drifting[i]
        return Picture(cells=np.array([[left, NOTHING, right]], np.uint8), agent=(0, 1))


class Constants(NamedTuple):  # what never changes in a life
    food: float


class State(NamedTuple):  # what changes: each array has one row per life
    drifting: np.ndarray  # int64 [life, side]


# The functions below are compiled. Each is given row i of the state, one life, and the life's own random stream.


@compiled
def begin(constants, state, i, stream):
    for side in range(2):
        there = draw_unit(stream) < constants.food
        state.drifting[i, side] = FLY + draw_below(stream, 2) if there else NOTHING


@compiled
def sense(constants, state, i, senses):
    for side in range(2):
        senses[2 * side] = state.drifting[i, side] == FLY
        senses[2 * side + 1] = state.drifting[i, side] == WORM


@compiled
def judge(constants, state, i, season, action, stream):
    """What the agent will be told, -1, 0 or 1, and the id of the association that says so."""
    thing = state.drifting[i, action]
    if thing == NOTHING:
        return 0, 3
    return 1 if thing == wanted(season) else -1, thing  # the ids 1 and 2 are FLY and WORM


@compiled
def act(constants, state, i, season, action, counts, stream):
    thing = state.drifting[i, action]
    if thing != NOTHING:
        counts[thing - 1] += 1
    begin(constants, state, i, stream)  # other food drifts in


@compiled
def choose(constants, state, i, season, stream):
    """The perfect agent's action. A world without this function has no perfect agent."""
    left, right = state.drifting[i]
    return RIGHT if right == wanted(season) or (left != wanted(season) and right == NOTHING) else LEFT


@compiled
def wanted(season):
    return FLY if season == SUMMER else WORM
