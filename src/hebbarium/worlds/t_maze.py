"""The T-maze: walk to the turning point, and turn to the side where the high reward is, until it is on the other.

The reward-swapping maze of the literature on neuromodulation and plastic networks: Blynel and Floreano 2003, "Exploring
the T-maze: evolving learning-like robot behaviors using CTRNNs"; Soltoggio, Bullinaria, Mattiussi, Dürr and Floreano
2008, "Evolutionary advantages of neuromodulated plasticity in dynamic, reward-based scenarios", whose single and double
maze this follows, on a coarser scale. The high reward's place changes with the season, without any sign.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from hebbarium.kernels.compile import inlined
from hebbarium.tools.errors import check_choice, check_integer
from hebbarium.worlds.base import Association, World
from hebbarium.worlds.grid import EAST, LEFT, NORTH, RIGHT, SOUTH, STRAIGHT, WEST
from hebbarium.worlds.picture import Picture, Thing

LONGEST = 100
HIGH, LOW, BUMPS = range(3)
"""What is counted."""
HOME, CORRIDOR, TURN, ARM, SECOND = range(5)
"""What an agent senses: where it is."""
TO_HIGH, TO_LOW, WALK, BUMP, IGNORED = range(1, 6)
"""The associations."""
VOID, PATH, HIGH_THING, LOW_THING = range(4)
"""What a cell of the picture holds."""


@dataclass(frozen=True, kw_only=True)
class TMaze(World):
    """A maze shaped like a T with a high and a low reward at its ends, which swap places each season."""

    name: ClassVar[str] = "t-maze"
    actions: ClassVar[tuple[str, ...]] = ("left", "straight", "right")
    counts: ClassVar[tuple[str, ...]] = ("high", "low", "bumps")
    counted: ClassVar[tuple[str, ...]] = ("high rewards", "low rewards", "bumps into a wall")
    kinds: ClassVar[tuple[str, ...]] = ("left", "right")
    default_hidden: ClassVar[int] = 20
    survey_etas: ClassVar[tuple[float, ...]] = (0.005, 0.0125, 0.03, 0.08, 0.2, 0.5)
    perfect_words: ClassVar[str] = "It walks straight on to each turning point and knows where to turn there."
    groups: ClassVar[tuple[str, ...]] = ("high", "low", "walk", "bump")
    associations: ClassVar[tuple[Association, ...]] = (
        Association(TO_HIGH, "the last step", "To the high reward", (1, 1)),
        Association(TO_LOW, "the last step", "To a low reward", (-1, -1)),
        Association(WALK, "a free way", "Walk on", (0, 0)),
        Association(BUMP, "a wall", "Bump", (-1, -1)),
        Association(IGNORED, "a wall, where bumps are ignored", "Bump", (0, 0)),
    )
    legend: ClassVar[tuple[Thing, ...]] = (
        Thing("nothing", "", " "),
        Thing("path", "#dddddd", "."),
        Thing("high reward", "#2e9e4f", "H"),
        Thing("low reward", "#c9a227", "l"),
    )

    season_steps: int = 2000
    """Steps in a season."""
    schedule: str = "left,right"
    """Where the high reward is, season by season: 'left,right' swaps it each time. In the double maze left means left
    and then right, and right means right and then left."""
    corridor: int = 2
    """Cells of the corridor from home to the turning point."""
    arm: int = 1
    """Steps from a turning point to what follows it. With 1 the turn itself is rewarded; with 2 the reward comes one
    step later, when the agent has walked on straight."""
    maze: Literal["single", "double"] = "single"
    """One turning point and two ends, or two turning points on the way to four ends."""
    bumps: Literal["punished", "ignored"] = "punished"
    """Whether walking into a wall is punished. Where it is not, an agent that always bumps never gets a signal and
    has nothing to learn from, except after random actions."""

    def check(self) -> None:
        check_integer("corridor", self.corridor, 1, LONGEST)
        check_integer("arm", self.arm, 1, LONGEST)
        check_choice("maze", self.maze, ("single", "double"))
        check_choice("bumps", self.bumps, ("punished", "ignored"))

    @property
    def inputs(self) -> int:
        return len(self.input_names)

    @property
    def input_names(self) -> tuple[str, ...]:
        places = ("home", "corridor", "turning point", "arm", "second turning point")
        return places if self.maze == "double" else places[:-1]

    @property
    def turns(self) -> tuple[int, ...]:
        return LEFT, RIGHT

    @property
    def turning_points(self) -> int:
        return 2 if self.maze == "double" else 1

    @property
    def trip(self) -> int:
        """Steps of the shortest way from home to an end."""
        return self.corridor + self.turning_points * self.arm

    def constants(self) -> Constants:
        return Constants(
            corridor=self.corridor,
            arm=self.arm,
            turning_points=self.turning_points,
            trip=self.trip,
            punished=self.bumps == "punished",
            turning=np.array(
                [step >= self.corridor and (step - self.corridor) % self.arm == 0 for step in range(self.trip)]
            ),
        )

    def new_state(self, lifetimes: int) -> State:
        return State(
            walked=np.zeros(lifetimes, np.int64), way=np.zeros(lifetimes, np.int64), goal=np.full(lifetimes, -1)
        )

    def picture(self, constants: Constants, state: State, i: int) -> Picture:
        """The maze from above, home at the foot."""
        walked, way, goal = (int(array[i]) for array in state)
        ways = _ways(self)
        cells = _ground(self).copy()
        for end, places in enumerate(ways):
            cells[places[-1][:2]] = HIGH_THING if end == goal else LOW_THING
        end = way << (self.turning_points - turns_taken(constants, walked))
        row, column, direction = ways[end][walked]
        return Picture(cells, agent=(row, column), direction=direction)

    def group_table(self) -> np.ndarray:
        groups = np.array([[[0], [0], [1], [2], [3], [3]]], np.int8)
        return np.tile(groups, (len(self.kinds), 1, self.outputs))

    def fitness(self, counts: np.ndarray) -> np.ndarray:
        """100 for a high reward on every trip, 0 for random turns."""
        low_ends = 2**self.turning_points - 1
        scores: np.ndarray = counts[:, :, HIGH] - counts[:, :, LOW] / low_ends
        return 100.0 * scores / (self.season_steps / self.trip)


@functools.lru_cache(maxsize=16)
def _ways(world: TMaze) -> list[list[tuple[int, int, int]]]:
    """For each end the way to it: row, column and direction at home and after each step."""
    return [_way(world, end) for end in range(2**world.turning_points)]


def _way(world: TMaze, end: int) -> list[tuple[int, int, int]]:
    constants = world.constants()
    row, column, direction = world.arm * (world.turning_points - 1) + world.corridor, world.arm, NORTH
    places = [(row, column, direction)]
    for step in range(world.trip):
        if is_turning_point(constants, step):
            bit = end >> (world.turning_points - 1 - (step - world.corridor) // world.arm) & 1
            direction = (direction + (1 if bit else 3)) % 4
        row += {NORTH: -1, SOUTH: 1}.get(direction, 0)
        column += {WEST: -1, EAST: 1}.get(direction, 0)
        places.append((row, column, direction))
    return places


@functools.lru_cache(maxsize=16)
def _ground(world: TMaze) -> np.ndarray:
    """uint8 [row, column]: the maze without its ends."""
    middle = world.arm * (world.turning_points - 1)
    cells = np.full((middle + max(middle, world.corridor) + 1, 2 * world.arm + 1), VOID, np.uint8)
    for places in _ways(world):
        for row, column, _ in places[:-1]:
            cells[row, column] = PATH
    return cells


class Constants(NamedTuple):
    """What never changes in a life."""

    corridor: int
    arm: int
    turning_points: int
    trip: int
    """Steps of the shortest way from home to an end."""
    punished: bool
    """Whether bumps are."""
    turning: np.ndarray
    """bool [steps since home]: where the turning points are. Asked five times a step: to divide takes longer."""


class State(NamedTuple):
    """What changes: one row per lifetime."""

    walked: np.ndarray
    """int64 [lifetime]: steps since home, bumps not counted."""
    way: np.ndarray
    """int64 [lifetime]: the turns of this trip as bits, right being 1, the last in the lowest place."""
    goal: np.ndarray
    """int64 [lifetime]: the way to the high reward, this season."""


@inlined
def begin(constants, state, i, stream):
    state.walked[i] = state.way[i] = 0


@inlined
def turn(constants, state, i, season, stream):
    """The high reward is elsewhere. Ways are bits: 0 left and 1 right, or 01 left, right and 10 right, left."""
    state.goal[i] = season + constants.turning_points - 1


@inlined
def sense(constants, state, i, senses):
    walked = state.walked[i]
    if is_turning_point(constants, walked):
        place = TURN if walked == constants.corridor else SECOND
    else:
        place = HOME if walked == 0 else CORRIDOR if walked < constants.corridor else ARM
    for input_ in range(senses.shape[0]):
        senses[input_] = input_ == place


@inlined
def judge(constants, state, i, season, action, stream):
    if not may_go(constants, state.walked[i], action):
        return (-1, BUMP) if constants.punished else (0, IGNORED)
    if state.walked[i] + 1 < constants.trip:
        return 0, WALK
    return (1, TO_HIGH) if way_after(constants, state, i, action) == state.goal[i] else (-1, TO_LOW)


@inlined
def act(constants, state, i, season, action, counts, stream):
    """Walk on, or bump; at an end the reward is taken, and the next trip begins at home."""
    if not may_go(constants, state.walked[i], action):
        counts[BUMPS] += 1
        return
    state.way[i] = way_after(constants, state, i, action)
    state.walked[i] += 1
    if state.walked[i] == constants.trip:
        counts[HIGH if state.way[i] == state.goal[i] else LOW] += 1
        state.walked[i] = state.way[i] = 0


@inlined
def choose(constants, state, i, season, stream):
    walked = state.walked[i]
    if not is_turning_point(constants, walked):
        return STRAIGHT
    to_come = constants.turning_points - turns_taken(constants, walked) - 1
    return RIGHT if state.goal[i] >> to_come & 1 else LEFT


@inlined
def is_turning_point(constants, walked):
    return constants.turning[walked]


@inlined
def turns_taken(constants, walked):
    """Turning points that lie behind."""
    return (max(walked - constants.corridor, 0) + constants.arm - 1) // constants.arm


@inlined
def may_go(constants, walked, action):
    """At a turning point to the sides only, elsewhere only straight on."""
    return (action != STRAIGHT) == is_turning_point(constants, walked)


@inlined
def way_after(constants, state, i, action):
    if is_turning_point(constants, state.walked[i]):
        return 2 * state.way[i] + (action == RIGHT)
    return state.way[i]
