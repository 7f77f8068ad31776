"""Prey-predator: catch the prey that flee and escape the predators that chase; winter swaps their colours' roles."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from hebbarium.kernels.compile import inlined
from hebbarium.kernels.random import draw_below
from hebbarium.tools.errors import BadInput, check_integer, check_number
from hebbarium.worlds import prey_predator_objects as objects
from hebbarium.worlds.base import ADDED, Association
from hebbarium.worlds.grid import (
    BLUE,
    DIRECTION,
    EMPTY,
    GREEN,
    LEFT,
    POSITION,
    RIGHT,
    STRAIGHT,
    SUMMER,
    WALL,
    WINTER,
    GridWorld,
)
from hebbarium.worlds.picture import Picture
from hebbarium.worlds.prey_predator_objects import Board, Rules

NEIGHBOURHOODS = (4, 8)
WIDEST, DEEPEST = 41, 21
COLLECTED, CAUGHT, WALLS = range(3)
DANGER_SQUARE = 2
"""Squared distance up to which a predator is too near for the perfect agent."""
_WORST = 1 << 20


@dataclass(frozen=True, kw_only=True)
class PreyPredator(GridWorld):
    """The paper's second world: ten green and ten blue objects that move, one colour prey, the other predators."""

    name: ClassVar[str] = "prey-predator"
    counts: ClassVar[tuple[str, ...]] = ("collected", "caught", "walls")
    counted: ClassVar[tuple[str, ...]] = ("prey collected", "times caught", "wall hits")
    meanings: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "green": ("prey", "predators"),
        "blue": ("predators", "prey"),
    }
    default_hidden: ClassVar[int] = 50
    # Exact ties happen here, and a fixed order of the outputs would bias what the agent does.
    ties: ClassVar[Literal["first", "random"]] = "random"
    arithmetic: ClassVar[Literal["plain", "tallied"]] = "tallied"
    survey_etas: ClassVar[tuple[float, ...]] = (
        0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.07,
        0.1, 0.12, 0.15, 0.18, 0.21, 0.25, 0.3, 0.36, 0.43, 0.52, 0.62, 0.75, 0.9,
    )  # fmt: skip
    perfect_words: ClassVar[str] = (
        "It sees what a network would see, avoids cells next to a predator if it can, and otherwise moves towards the "
        "nearest prey, or straight on."
    )
    std_over: ClassVar[Literal["seasons", "lifetimes"]] = "lifetimes"
    # The paper's table, row by row: the closest thing in view, and what the agent does about it.
    associations: ClassVar[tuple[Association, ...]] = (
        Association(1, "nothing", "Straight", (1, 1)),
        Association(2, "nothing", "Right or Left", (-1, -1)),
        Association(3, "W", "Avoid", (1, 1)),
        Association(4, "W", "Move towards", (-1, -1)),
        Association(5, "G", "Avoid", (-1, 1)),
        Association(6, "G", "Move towards", (1, -1)),
        Association(7, "B", "Avoid", (1, -1)),
        Association(8, "B", "Move towards", (-1, 1)),
    )

    season_steps: int = 4000
    """Steps in a season."""
    seasons: int = 2
    """Seasons in a life."""
    green: int = 10
    """Green objects: prey in summer, predators in winter."""
    blue: int = 10
    """Blue objects: predators in summer, prey in winter."""
    view_width: int = 9
    """Cells across the field of view, an odd number: as many on the left as on the right."""
    view_depth: int = 5
    """Rows in the field of view, the agent's own row included."""
    notice_distance: float = 3.0
    """Distance from the agent within which prey may flee and predators may chase."""
    notice_probability: float = 0.4
    """Probability that a prey or predator within that distance flees or chases instead of moving at random."""
    move_probability: float = dataclasses.field(default=1.0, metadata=ADDED)
    """Probability that prey and predators move in a step; in the other steps they all stand still."""
    neighbourhood: Literal[4, 8] = 4
    """Cells a prey or predator can move to: 4, or 8 with the diagonal ones."""
    stepping_counts: bool = False
    """Whether the agent is also caught when it steps onto a predator itself."""
    alpha: float = 8.0
    """What a collected prey is worth, one time caught being worth -1."""

    def check(self) -> None:
        check_integer("green", self.green, 0)
        check_integer("blue", self.blue, 0)
        self.check_room(self.green + self.blue, "objects")
        self._check_view()
        check_number("notice_distance", self.notice_distance, 0, 10_000)
        check_number("notice_probability", self.notice_probability, 0, 1)
        check_number("move_probability", self.move_probability, 0, 1)
        check_number("alpha", self.alpha, 0, 1_000_000)
        check_integer("neighbourhood", self.neighbourhood, 4, 8)
        if self.neighbourhood not in NEIGHBOURHOODS:
            nearest = 4 if self.neighbourhood < 6 else 8
            raise BadInput(f"neighbourhood is {self.neighbourhood}, but must be 4 or 8; the nearest is {nearest}.")

    def _check_view(self) -> None:
        check_integer("view_width", self.view_width, 1, WIDEST)
        check_integer("view_depth", self.view_depth, 1, DEEPEST)
        if self.view_width % 2 == 0:
            raise BadInput(
                f"view-width is {self.view_width}, but must be odd, as many cells on the left as on the right; "
                f"the nearest is {self.view_width + 1}."
            )
        if self.view_width * self.view_depth == 1:
            raise BadInput("view-depth is 1, but must be at least 2 where view-width is 1, or nothing is seen.")

    @property
    def reach(self) -> int:
        """How far the agent sees along a row or a column, at least one cell."""
        return max(self.view_width // 2, self.view_depth - 1)

    @property
    def view(self) -> tuple[tuple[int, int], ...]:
        """The sensed cells as (cells ahead, cells to the right): the farthest row first, each from left to right."""
        side = self.view_width // 2
        return tuple(
            (ahead, right)
            for ahead in range(self.view_depth - 1, -1, -1)
            for right in range(-side, side + 1)
            if (ahead, right) != (0, 0)
        )

    @property
    def sensed_cells(self) -> int:
        return self.view_width * self.view_depth - 1

    @property
    def notice_square(self) -> int:
        """The largest squared distance between two cells that is within the notice distance."""
        distance = float(self.notice_distance)
        square = math.floor(distance**2)
        return square + 1 if math.sqrt(square + 1) <= distance else square  # rounding: 13 ** 0.5 squared is below 13

    @property
    def input_names(self) -> tuple[str, ...]:
        places = [f"{ahead} ahead, {abs(right)} {'left' if right < 0 else 'right'}" for ahead, right in self.view]
        return tuple(f"{place}: {bit}" for place in places for bit in ("green or wall", "blue or wall"))

    def constants(self) -> Constants:
        signals, ids = reinforcement()
        rules = _rules(self)
        row = 1 << rules.shift
        ahead = np.array([-row, 1, row, -1])
        forth, aside = np.array(self.view).T
        return Constants(
            rules=rules,
            turn_at_wall=bool(self.turn_at_wall),
            stepping_counts=bool(self.stepping_counts),
            ahead=ahead,
            seen=forth * ahead[:, None] + aside * np.roll(ahead, -1)[:, None],
            seen_from=np.array(self.view),
            seen_square=forth**2 + aside**2,
            window=_window(self.view_depth, self.view_width),
            nears=np.array([[nears(cell, action) for action in MOVES] for cell in self.view], np.int8),
            reinforcement=signals,
            association=ids,
        )

    def new_state(self, lifetimes: int) -> State:
        rules = _rules(self)
        cells = (rules.free + 2 * rules.border) << rules.shift
        return State(
            cells=np.zeros((lifetimes, cells), np.uint8),
            objects=np.zeros((lifetimes, rules.objects), np.int32),
            shared=np.zeros((lifetimes, 1), np.int64),
            agent=np.zeros((lifetimes, 2), np.int64),
            sensed=np.zeros((lifetimes, self.sensed_cells), np.uint8),
            found=np.zeros((lifetimes, self.sensed_cells), np.int64),
            things=np.zeros(lifetimes, np.int64),
        )

    def picture(self, constants: Constants, state: State, i: int) -> Picture:
        rules = constants.rules
        inside = slice(rules.border - 1, rules.border + rules.free + 1)
        cells = state.cells[i].reshape(-1, 1 << rules.shift)[inside, inside].copy()
        row, column = place_of(rules, int(state.agent[i, POSITION]))
        return self.draw(cells, row, column, int(state.agent[i, DIRECTION]))

    def fitness(self, counts: np.ndarray) -> np.ndarray:
        """alpha * collected - caught of each season (paper, equation 6)."""
        scores: np.ndarray = float(self.alpha) * counts[:, :, 0] - counts[:, :, 1]
        return scores

    def life_fitness(self, counts: np.ndarray) -> np.ndarray:
        """Sum over the seasons."""
        scores: np.ndarray = self.fitness(counts).sum(axis=1)
        return scores


class Constants(NamedTuple):
    """What never changes in a life."""

    rules: Rules
    turn_at_wall: bool
    stepping_counts: bool
    ahead: np.ndarray
    """int64 [direction]: what one cell ahead adds to a position."""
    seen: np.ndarray
    """int64 [direction, sensed cell]: what each sensed cell's position is from the agent's."""
    seen_from: np.ndarray
    """int64 [sensed cell, 2]: cells ahead and to the right."""
    seen_square: np.ndarray
    """int64 [sensed cell]: its squared distance."""
    window: np.ndarray
    """int64 [direction, 4]: the view's first row and column from the agent's, and how many it has of each."""
    nears: np.ndarray
    """int8 [sensed cell, action]: 1 where the action aims at a cell nearer to it."""
    reinforcement: np.ndarray
    """int8 [season, closest thing, behaviour]"""
    association: np.ndarray
    """int8 [closest thing, behaviour]"""


class State(NamedTuple):
    """What changes: one row per lifetime."""

    cells: np.ndarray
    """uint8 [lifetime, position]: what each cell holds; see `prey_predator_objects.py`."""
    objects: np.ndarray
    """int32 [lifetime, object]: positions, the green ones first."""
    shared: np.ndarray
    """int64 [lifetime, 1]: objects that stand where another stands too."""
    agent: np.ndarray
    """int64 [lifetime, 2]: position and direction."""
    sensed: np.ndarray
    """uint8 [lifetime, sensed cell]: what it holds."""
    found: np.ndarray
    """int64 [lifetime, sensed cell]: those that are not empty, as many as `things` says."""
    things: np.ndarray
    """int64 [lifetime]"""


def _rules(task: PreyPredator) -> Rules:
    row_cells = task.free_side + 2 * task.reach
    row = 1 << (row_cells - 1).bit_length()
    straight, diagonal = [-row, 1, row, -1], [1 - row, 1 + row, row - 1, -row - 1]
    return Rules(
        free=task.free_side,
        border=task.reach,
        shift=row.bit_length() - 1,
        green=int(task.green),
        objects=int(task.green) + int(task.blue),
        notice_square=task.notice_square,
        notice_probability=float(task.notice_probability),
        move_probability=float(task.move_probability),
        close=max(math.isqrt(task.notice_square), 1),
        close_square=max(task.notice_square, 2),
        around=np.array(straight if task.neighbourhood == 4 else straight + diagonal),
        choice_bits=2 if task.neighbourhood == 4 else 3,
    )


def _window(depth: int, width: int) -> np.ndarray:
    side = width // 2
    north, east = (1 - depth, -side, depth, width), (-side, 0, width, depth)
    south, west = (0, -side, depth, width), (-side, 1 - depth, width, depth)
    return np.array([north, east, south, west])


@inlined
def begin(constants, state, i, stream):
    """The wall, the agent on a random free cell in a random direction, then the green and the blue objects."""
    board, agent = Board(state.cells[i], state.objects[i], state.shared[i], stream), state.agent[i]
    rules = constants.rules
    objects.furnish(rules, board)
    agent[POSITION] = objects.random_cell(rules, stream)
    agent[DIRECTION] = draw_below(stream, 4)
    for number in range(rules.objects):
        objects.place(rules, board, number, objects.empty_cell(rules, board, agent[POSITION]))


@inlined
def sense(constants, state, i, senses):
    """Two bits for each cell in view."""
    things = look(constants, state.cells[i], state.agent[i], state.sensed[i], state.found[i])
    state.things[i] = things
    senses[:] = 0
    for place in range(things):
        cell = state.found[i, place]
        senses[2 * cell], senses[2 * cell + 1] = state.sensed[i, cell] >> 1, state.sensed[i, cell] & 1


@inlined
def judge(constants, state, i, season, action, stream):
    thing, behaviour = behave(constants, state.sensed[i], state.found[i], state.things[i], action, stream)
    return np.int64(constants.reinforcement[season, thing, behaviour]), np.int64(
        constants.association[thing, behaviour]
    )


@inlined
def act(constants, state, i, season, action, counts, stream):
    """The agent moves, then the objects."""
    board, agent = Board(state.cells[i], state.objects[i], state.shared[i], stream), state.agent[i]
    move(constants, board, agent, season, action, counts)
    counts[CAUGHT] += objects.move_all(constants.rules, board, agent[POSITION], season)


@inlined
def choose(constants, state, i, season, stream):
    """The action of least harm; among equals straight on, then left."""
    sensed = state.sensed[i]
    best, least = STRAIGHT, _harm(constants, sensed, season, STRAIGHT)
    for action in (LEFT, RIGHT):
        harm = _harm(constants, sensed, season, action)
        if harm < least:
            best, least = action, harm
    return best


@inlined
def note(constants, state, i, notes, t):
    notes.position[t, 0], notes.position[t, 1] = place_of(constants.rules, state.agent[i, POSITION])
    notes.direction[t] = state.agent[i, DIRECTION]
    for cell in range(state.sensed.shape[1]):
        notes.sensed[t, cell] = state.sensed[i, cell]


@inlined
def place_of(rules, position):
    """Row and column, the wall's corner being 0, 0."""
    return (position >> rules.shift) - rules.border + 1, (position & ((1 << rules.shift) - 1)) - rules.border + 1


@inlined
def window_of(constants, position, direction):
    """What is in view, as a rectangle: its first row and column, and how many it has of each."""
    rules, window = constants.rules, constants.window
    top = (position >> rules.shift) + window[direction, 0]
    left = (position & ((1 << rules.shift) - 1)) + window[direction, 1]
    return top, left, window[direction, 2], window[direction, 3]


@inlined
def look(constants, cells, agent, sensed, found):
    """Look at every cell in view; returns how many are not empty.

    sensed: uint8 [sensed cell], what it holds. found: int64 [sensed cell], those that are not empty.
    """
    seen, position, direction = constants.seen, agent[POSITION], agent[DIRECTION]
    things = 0
    for cell in range(sensed.shape[0]):
        thing = cells[np.uint64(position + seen[direction, cell])]
        sensed[cell] = thing
        found[things] = cell  # and over it again if the cell is empty: no branch that cannot be predicted
        things += thing != EMPTY
    return things


@inlined
def behave(constants, sensed, found, things, action, stream):
    """The closest thing in view, and how an action behaves towards it: indices of the reinforcement table."""
    if things == 0:
        return EMPTY, np.int64(action != STRAIGHT)
    cell = closest(constants, sensed, found, things, stream)
    return np.int64(sensed[cell]), np.int64(constants.nears[cell, action])


@inlined
def closest(constants, sensed, found, things, stream):
    """The sensed cell of the closest thing, of one at least; ties at random, but objects before the wall."""
    best, ties, nearest = 0, 0, 0
    for place in range(things):
        near = rank(constants, sensed, found[place])
        if ties == 0 or near < best:
            best, ties, nearest = near, 1, found[place]
        elif near == best:
            ties += 1
    if ties < 2:
        return nearest
    chosen = draw_below(stream, ties)
    for place in range(things):
        if rank(constants, sensed, found[place]) == best:
            if chosen == 0:
                return found[place]
            chosen -= 1
    return nearest


@inlined
def rank(constants, sensed, cell):
    """The lower, the closer; an object before the wall."""
    return 2 * constants.seen_square[cell] + (sensed[cell] == WALL)


@inlined
def move(constants, board, agent, season, action, counts):
    """Turn and move; bump into the wall, or collect the prey that is there, which reappears elsewhere."""
    direction = (agent[DIRECTION] + action + 3) & 3
    target = agent[POSITION] + constants.ahead[direction]
    thing = board.cells[target]
    if thing == WALL:
        counts[WALLS] += 1
        if constants.turn_at_wall:
            agent[DIRECTION] = direction
        return
    agent[POSITION], agent[DIRECTION] = target, direction
    if thing != EMPTY:
        _meet(constants, board, season, target, counts)


@inlined
def _meet(constants, board, season, cell, counts):
    """What happens to the objects on the cell the agent has entered."""
    rules = constants.rules
    for number in range(rules.objects):
        if board.objects[number] == cell:
            if objects.is_prey(rules, number, season):
                counts[COLLECTED] += 1
                objects.replace(rules, board, number, objects.empty_cell(rules, board, cell))
            elif constants.stepping_counts:
                counts[CAUGHT] += 1


@inlined
def _harm(constants, sensed, season, action):
    """How bad the cell is that an action leads to: a wall, near a predator, far from the nearest prey in view."""
    prey = GREEN if season == SUMMER else BLUE
    forth, aside = 1 if action == STRAIGHT else 0, action - 1
    nearest, danger, wall = 1000, 0, 0
    for cell in range(sensed.shape[0]):
        if sensed[cell] == EMPTY:
            continue
        ahead, right = constants.seen_from[cell, 0] - forth, constants.seen_from[cell, 1] - aside
        square = ahead * ahead + right * right
        if sensed[cell] == WALL:
            wall += square == 0
        elif sensed[cell] == prey:
            nearest = min(nearest, square)
        elif square <= DANGER_SQUARE:
            danger += DANGER_SQUARE + 1 - square
    return _WORST * wall + _WORST // 100 * danger + nearest


MOVES = {LEFT: (0, -1), STRAIGHT: (1, 0), RIGHT: (0, 1)}
"""Where each action leads to, as (cells ahead, cells to the right)."""
_THINGS = {"nothing": EMPTY, "W": WALL, "G": GREEN, "B": BLUE}
_BEHAVIOURS = {"Straight": 0, "Right or Left": 1, "Avoid": 0, "Move towards": 1}


def nears(cell: tuple[int, int], action: int) -> bool:
    """Whether an action, bump or not, aims at a cell nearer to `cell`, which is given as in `PreyPredator.view`."""
    (ahead, right), (forth, aside) = cell, MOVES[action]
    return (ahead - forth) ** 2 + (right - aside) ** 2 < ahead**2 + right**2


@functools.cache
def reinforcement() -> tuple[np.ndarray, np.ndarray]:
    """The reinforcement and the id of its association.

    int8 [season, closest thing, behaviour] and int8 [closest thing, behaviour]. Behaviour 0 is to go
    straight on with nothing in view, else to avoid; 1 is to turn, or to move towards.
    """
    table, ids = np.zeros((2, 4, 2), np.int8), np.zeros((4, 2), np.int8)
    for row in PreyPredator.associations:
        thing, behaviour = _THINGS[row.sensor], _BEHAVIOURS[row.behaviour]
        ids[thing, behaviour] = row.id
        table[SUMMER, thing, behaviour], table[WINTER, thing, behaviour] = row.signals
    table.setflags(write=False)
    ids.setflags(write=False)
    return table, ids
