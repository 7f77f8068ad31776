"""Meadow: foraging, simplified, as a user would write it in one file. `own_worlds.py` measures how fast it is lived in.

hebbarium live benchmarks/meadow.py --rule foraging:1
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from hebbarium.world import Association, Picture, Thing, World, check_integer, compiled, draw_below

EMPTY, WALL, GREEN, BLUE = range(4)
LEFT, STRAIGHT, RIGHT = range(3)
SUMMER, WINTER = range(2)
WALLS = 2  # the place of its count
TAKEN, WRONG, BUMP, MISSED, OPEN_STRAIGHT, OPEN_TURN, OTHER = range(1, 8)


@dataclass(frozen=True, kw_only=True)
class Meadow(World):
    """Green and blue items on a walled grid."""

    name: ClassVar[str] = "meadow"
    actions: ClassVar[tuple[str, ...]] = ("left", "straight", "right")
    counts: ClassVar[tuple[str, ...]] = ("green", "blue", "walls")
    default_hidden: ClassVar[int] = 20
    associations: ClassVar[tuple[Association, ...]] = (
        Association(TAKEN, "a wanted item", "Take it", (1, 1)),
        Association(WRONG, "an unwanted item", "Take it", (-1, -1)),
        Association(BUMP, "a wall", "Bump", (-1, -1)),
        Association(MISSED, "a wanted item", "Leave it", (-1, -1)),
        Association(OPEN_STRAIGHT, "nothing", "Straight", (1, 1)),
        Association(OPEN_TURN, "nothing", "Left or Right", (-1, -1)),
        Association(OTHER, "a wall or an unwanted item", "Avoid it", (0, 0)),
    )
    legend: ClassVar = (
        Thing("grass", "", "."),
        Thing("wall", "#777777", "#"),
        Thing("green", "#2e9e4f", "g"),
        Thing("blue", "#3366cc", "b"),
    )

    side: int = 100
    """Cells from wall to wall."""
    items: int = 50
    """Items of each colour."""

    def check(self):
        check_integer("side", self.side, 2, 1000)
        check_integer("items", self.items, 0, self.side**2 // 4)

    @property
    def inputs(self):
        return 6

    def constants(self):
        width = self.side + 2
        return Constants(self.side, self.items, np.array([-width, 1, width, -1]))

    def new_state(self, lifetimes):
        cells = np.full((lifetimes, self.side + 2, self.side + 2), WALL, np.uint8)
        cells[:, 1:-1, 1:-1] = EMPTY
        return State(cells.reshape(lifetimes, -1), np.zeros(lifetimes, np.int64), np.zeros(lifetimes, np.int64))

    def fitness(self, counts):
        sign = np.where(np.array(self.season_kinds) == SUMMER, 1.0, -1.0)
        return sign * (counts[:, :, 0] - counts[:, :, 1]) - counts[:, :, WALLS]

    def picture(self, constants, state, i):
        cells = state.cells[i].reshape(self.side + 2, -1).copy()
        return Picture(cells, agent=divmod(int(state.place[i]), self.side + 2), direction=int(state.direction[i]))


class Constants(NamedTuple):
    side: int
    items: int
    ahead: np.ndarray  # [direction]: what a step to the north, east, south, west adds to the place


class State(NamedTuple):
    cells: np.ndarray  # uint8 [life, cell]: row by row, walls included
    place: np.ndarray  # int64 [life]: the agent's cell
    direction: np.ndarray  # int64 [life]


@compiled
def begin(constants, state, i, stream):
    state.place[i] = (1 + constants.side // 2) * (constants.side + 3)
    state.direction[i] = draw_below(stream, 4)
    for _ in range(constants.items):
        put(constants, state, i, GREEN, stream)
        put(constants, state, i, BLUE, stream)


@compiled
def put(constants, state, i, item, stream):
    while True:
        row, column = 1 + draw_below(stream, constants.side), 1 + draw_below(stream, constants.side)
        place = row * (constants.side + 2) + column
        if state.cells[i, place] == EMPTY and place != state.place[i]:
            state.cells[i, place] = item
            return


@compiled
def thing_at(constants, state, i, action):
    """What lies where an action leads."""
    return state.cells[i, state.place[i] + constants.ahead[(state.direction[i] + action + 3) % 4]]


@compiled
def sense(constants, state, i, senses):
    for action in range(3):
        thing = thing_at(constants, state, i, action)
        senses[2 * action] = thing >> 1 & 1
        senses[2 * action + 1] = thing & 1


@compiled
def judge(constants, state, i, season, action, stream):
    wanted = GREEN if season == SUMMER else BLUE
    thing = thing_at(constants, state, i, action)
    if thing == wanted:
        return 1, TAKEN
    if thing == WALL:
        return -1, BUMP
    if thing != EMPTY:
        return -1, WRONG
    nothing = True
    for other in range(3):
        seen = thing_at(constants, state, i, other)
        if seen == wanted:
            return -1, MISSED
        nothing = nothing and seen == EMPTY
    if not nothing:
        return 0, OTHER
    return (1, OPEN_STRAIGHT) if action == STRAIGHT else (-1, OPEN_TURN)


@compiled
def act(constants, state, i, season, action, counts, stream):
    thing = thing_at(constants, state, i, action)
    direction = (state.direction[i] + action + 3) % 4
    state.direction[i] = direction
    if thing == WALL:
        counts[WALLS] += 1
        return
    state.place[i] += constants.ahead[direction]
    if thing != EMPTY:
        counts[thing - GREEN] += 1
        state.cells[i, state.place[i]] = EMPTY
        put(constants, state, i, thing, stream)


@compiled
def coast(constants, state, i, season, action, most, counts):
    """Straight on as long as nothing lies ahead, and to the left and right the same as now."""
    if action != STRAIGHT:
        return 0
    cells, place, direction = state.cells[i], state.place[i], state.direction[i]
    step, aside, taken = constants.ahead[direction], constants.ahead[(direction + 1) % 4], 0
    left, right = cells[place - aside], cells[place + aside]
    while (
        taken < most and cells[place + step] == EMPTY and cells[place - aside] == left and cells[place + aside] == right
    ):
        place += step
        taken += 1
    state.place[i] = place
    return taken
