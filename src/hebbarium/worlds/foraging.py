"""Foraging: collect green and avoid blue in summer, the reverse in winter, and mind the wall."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from hebbarium.kernels.compile import inlined
from hebbarium.kernels.random import draw_below, draw_unit
from hebbarium.tools.errors import check_choice, check_integer
from hebbarium.worlds.base import Association
from hebbarium.worlds.grid import (
    BLUE,
    DIRECTION,
    EMPTY,
    GREEN,
    LEFT,
    POSITION,
    RIGHT,
    SENSED,
    STRAIGHT,
    SUMMER,
    WALL,
    WINTER,
    GridWorld,
)
from hebbarium.worlds.picture import Picture

STATES, SENSES = 64, 6
PRIORITIES = ("entered", "items")
LEAVE_WALL = 0.5
"""The perfect agent's chance at each step beside the wall to turn away from it."""
LARGEST_SIDE = 16000
_ROW_SHIFT = 42
_GREEN_COUNT, _BLUE_COUNT, WALLS_COUNT = range(3)


@dataclass(frozen=True, kw_only=True)
class Foraging(GridWorld):
    """The paper's first world: 50 green and 50 blue items on a walled grid."""

    name: ClassVar[str] = "foraging"
    counts: ClassVar[tuple[str, ...]] = ("green", "blue", "walls")
    counted: ClassVar[tuple[str, ...]] = ("green items collected", "blue items collected", "wall hits")
    meanings: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "green": ("wanted", "unwanted"),
        "blue": ("unwanted", "wanted"),
    }
    default_hidden: ClassVar[int] = 20
    survey_etas: ClassVar[tuple[float, ...]] = (
        0.0013, 0.002, 0.0032, 0.005, 0.008, 0.0125, 0.02, 0.032, 0.05, 0.08, 0.125, 0.2, 0.32, 0.5,
    )  # fmt: skip
    groups: ClassVar[tuple[str, ...]] = (
        "open-straight", "open-turn", "wall-turn", "wall-hit", "beside-wall", "missed", "wrong", "taken", "neutral",
    )  # fmt: skip
    group_words: ClassVar[Mapping[str, str]] = {
        "open-straight": "going straight on in the open",
        "open-turn": "turning in the open",
        "wall-turn": "turning away from a wall",
        "wall-hit": "bumping into a wall",
        "beside-wall": "staying beside or in front of a wall",
        "missed": "leaving a wanted item in view",
        "wrong": "taking an unwanted item",
        "taken": "taking a wanted item",
        "neutral": "leaving an unwanted item alone",
    }
    perfect_words: ClassVar[str] = (
        "It takes a wanted item in front of it, on its left or on its right, in that order; otherwise it goes straight "
        "on, and at each step beside a wall it turns away with probability 1/2; in front of a wall or an unwanted item "
        "it turns to a free side."
    )
    # The paper's table, row by row.
    associations: ClassVar[tuple[Association, ...]] = (
        Association(1, "nothing", "Straight", (1, 1)),
        Association(2, "nothing", "Left or Right", (-1, -1)),
        Association(3, "W straight", "Left or Right", (1, 1)),
        Association(4, "W straight", "Straight", (-1, -1)),
        Association(5, "W on left", "Right", (1, 1)),
        Association(6, "W on left", "Left or Straight", (-1, -1)),
        Association(7, "W on right", "Left", (1, 1)),
        Association(8, "W on right", "Right or Straight", (-1, -1)),
        Association(9, "G straight", "Straight", (1, -1)),
        Association(10, "G straight", "Left or Right", (-1, 0)),
        Association(11, "G on left", "Left", (1, -1)),
        Association(12, "G on left", "Straight or Right", (-1, 0)),
        Association(13, "G on right", "Right", (1, -1)),
        Association(14, "G on right", "Straight or Left", (-1, 0)),
        Association(15, "B straight", "Straight", (-1, 1)),
        Association(16, "B straight", "Left or Right", (0, -1)),
        Association(17, "B on left", "Left", (-1, 1)),
        Association(18, "B on left", "Straight or Right", (0, -1)),
        Association(19, "B on right", "Right", (-1, 1)),
        Association(20, "B on right", "Straight or Left", (0, -1)),
    )

    green: int = 50
    """Green items."""
    blue: int = 50
    """Blue items."""
    priority: Literal["entered", "items"] = "entered"
    """Which association decides when several apply: 'entered', the cell moved into first, then items, then
    walls; 'items', the paper taken literally, so that a bump while avoiding an item is not punished."""

    def check(self) -> None:
        check_integer("green", self.green, 0)
        check_integer("blue", self.blue, 0)
        check_choice("priority", self.priority, PRIORITIES)
        self.check_room(self.green + self.blue, "items")

    @property
    def view(self) -> tuple[tuple[int, int], ...]:
        return (0, -1), (1, 0), (0, 1)

    @property
    def input_names(self) -> tuple[str, ...]:
        return tuple(f"{place} {bit}" for place in ("left", "front", "right") for bit in SENSED)

    def constants(self) -> Constants:
        signals, ids = reinforcement(self.priority)
        side = self.full_side
        return Constants(
            side=side,
            free=self.free_side,
            row_factor=row_factor(side),
            green=int(self.green),
            blue=int(self.blue),
            turn_at_wall=bool(self.turn_at_wall),
            ahead=np.array([-side, 1, side, -1]),
            reinforcement=signals,
            association=ids,
        )

    def new_state(self, lifetimes: int) -> State:
        """Nothing but the wall."""
        walls, lines = _walls(self.full_side)
        return State(
            cells=np.repeat(walls.reshape(1, -1), lifetimes, axis=0),
            lines=np.repeat(np.array([[lines, lines]]), lifetimes, axis=0),
            agent=np.zeros((lifetimes, 2), np.int64),
            seen=np.zeros(lifetimes, np.int64),
        )

    def picture(self, constants: Constants, state: State, i: int) -> Picture:
        position, direction = state.agent[i]
        side = constants.side
        return self.draw(state.cells[i].reshape(side, side).copy(), *divmod(int(position), side), int(direction))

    def group_table(self) -> np.ndarray:
        table = np.zeros((len(self.kinds), len(self.associations) + 1, self.outputs), np.int8)
        for row in self.associations:
            for kind, signal in enumerate(row.signals):
                for action in range(self.outputs):
                    table[kind, row.id, action] = self.groups.index(_group(row, signal, action))
        return table

    def fitness(self, counts: np.ndarray) -> np.ndarray:
        """Correct minus incorrect items of each season."""
        sign = np.where(np.array(self.season_kinds) == SUMMER, 1.0, -1.0)
        scores: np.ndarray = sign * (counts[:, :, 0] - counts[:, :, 1])
        return scores


@functools.lru_cache(maxsize=4)
def _walls(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Cells and bit board of an empty world: uint8 [row, column], uint64 [row and spare ones, word]"""
    walls = np.pad(np.zeros((side - 2, side - 2), np.uint8), 1, constant_values=WALL)
    taken = np.pad(walls != EMPTY, ((1, 1), (0, -side % 64)))
    return walls, np.packbits(taken, axis=1, bitorder="little").view("<u8").astype(np.uint64)


class Constants(NamedTuple):
    """What never changes in a life."""

    side: int
    """Cells along each side, the wall included."""
    free: int
    """Free cells along each side."""
    row_factor: np.uint64
    """See `row_of`."""
    green: int
    blue: int
    turn_at_wall: bool
    ahead: np.ndarray
    """int64 [direction]: what one cell ahead adds to a position."""
    reinforcement: np.ndarray
    """int8 [season, state, action]"""
    association: np.ndarray
    """int8 [season, state, action]"""


class State(NamedTuple):
    """What changes: one row per lifetime."""

    cells: np.ndarray
    """uint8 [lifetime, position]: what each cell holds, position = row * side + column."""
    lines: np.ndarray
    """uint64 [lifetime, axis, line, word]: bit k is set where cell k of the line is not empty. Lines of axis 0 are
    columns, those of axis 1 rows; line 0 is a spare one, and so is the last, so that fast lives may read a few bytes
    beyond the walls. Nothing here asks them (`life/fast/foraging_remembering.py` does)."""
    agent: np.ndarray
    """int64 [lifetime, 2]: position and direction."""
    seen: np.ndarray
    """int64 [lifetime]: the sensory state 0..63 when it was last sensed."""


@inlined
def begin(constants, state, i, stream):
    """The agent on a random free cell in a random direction, then the green and the blue items."""
    position = random_cell(constants, stream)
    state.agent[i, POSITION] = position
    state.agent[i, DIRECTION] = draw_below(stream, 4)
    for item in range(constants.green + constants.blue):
        place_item(constants, state, i, position, GREEN if item < constants.green else BLUE, stream)


@inlined
def sense(constants, state, i, senses):
    """The left, front and right cell, two bits each."""
    seen = look(constants, state, i)
    state.seen[i] = seen
    for bit in range(SENSES):
        senses[bit] = seen >> (SENSES - 1 - bit) & 1


@inlined
def judge(constants, state, i, season, action, stream):
    seen = np.uint64(state.seen[i])
    return np.int64(constants.reinforcement[season, seen, action]), np.int64(
        constants.association[season, seen, action]
    )


@inlined
def act(constants, state, i, season, action, counts, stream):
    """Turn and move; bump into the wall or collect what is there, which reappears elsewhere."""
    agent = state.agent[i]
    position, direction = agent[POSITION], agent[DIRECTION]
    agent[POSITION], agent[DIRECTION] = move(constants, state, i, position, direction, action, counts, stream)


@inlined
def choose(constants, state, i, season, stream):
    """A wanted item first; else straight on, except that a wall beside is left now and then; else any free side."""
    seen = state.seen[i]
    left, front, right = seen >> 4 & 3, seen >> 2 & 3, seen & 3
    wanted = GREEN if season == SUMMER else BLUE
    if front == wanted:
        return STRAIGHT
    if left == wanted:
        return LEFT
    if right == wanted:
        return RIGHT
    if front == EMPTY:
        if left == WALL and right == EMPTY and draw_unit(stream) < LEAVE_WALL:
            return RIGHT
        if right == WALL and left == EMPTY and draw_unit(stream) < LEAVE_WALL:
            return LEFT
        return STRAIGHT
    return _free_side(stream, left, right)


@inlined
def note(constants, state, i, notes, t):
    position = state.agent[i, POSITION]
    notes.position[t, 0], notes.position[t, 1] = position // constants.side, position % constants.side
    notes.direction[t] = state.agent[i, DIRECTION]
    seen = look(constants, state, i)
    for cell in range(3):
        notes.sensed[t, cell] = seen >> (4 - 2 * cell) & 3


@inlined
def look(constants, state, i):
    """The sensory state 0..63 of where the agent is."""
    return see(constants, state, i, state.agent[i, POSITION], state.agent[i, DIRECTION])


@inlined
def see(constants, state, i, position, direction):
    """The sensory state 0..63: left, front and right cell, two bits each."""
    left = cell_at(state, i, position + constants.ahead[(direction + 3) & 3])
    front = cell_at(state, i, position + constants.ahead[direction & 3])
    right = cell_at(state, i, position + constants.ahead[(direction + 1) & 3])
    return left << 4 | front << 2 | right


@inlined
def move(constants, state, i, position, direction, action, counts, stream):
    """What an action does. Returns the new position and direction."""
    turned = (direction + action + 3) & 3
    target = position + constants.ahead[turned]
    thing = cell_at(state, i, target)
    if thing == WALL:
        counts[WALLS_COUNT] += 1
        return position, (turned if constants.turn_at_wall else direction)
    if thing != EMPTY:
        collect(constants, state, i, target, thing, counts, stream)
    return target, turned


@inlined
def collect(constants, state, i, position, item, counts, stream):
    """Count the item that lies there; it reappears elsewhere."""
    counts[_GREEN_COUNT if item == GREEN else _BLUE_COUNT] += 1
    _put(constants, state, i, position, EMPTY)
    place_item(constants, state, i, position, item, stream)


@inlined
def cell_at(state, i, position):
    """What lies there. An unsigned index spares the question whether it counts from the end."""
    return np.int64(state.cells[i, np.uint64(position)])


@inlined
def random_cell(constants, stream):
    """The position of a random cell inside the wall, empty or not."""
    cell = draw_below(stream, constants.free * constants.free)
    # Unsigned, because Python's signed division is much slower.
    row = np.int64(np.uint64(cell) // np.uint64(constants.free))
    return (row + 1) * constants.side + cell - row * constants.free + 1


@inlined
def place_item(constants, state, i, position, item, stream):
    """On a random empty cell that is not the agent's position."""
    while True:
        cell = random_cell(constants, stream)
        if cell_at(state, i, cell) == EMPTY and cell != position:
            _put(constants, state, i, cell, item)
            return


@inlined
def _put(constants, state, i, cell, thing):
    """Write a thing, or EMPTY, on the cells and on both bit boards."""
    row = row_of(constants, cell)
    column = cell - row * constants.side
    state.cells[i, cell] = thing
    _mark(state, i, 0, column, row, thing != EMPTY)
    _mark(state, i, 1, row, column, thing != EMPTY)


@inlined
def _mark(state, i, axis, line, place, taken):
    bit = np.uint64(1) << np.uint64(place & 63)
    word = state.lines[i, axis, line + 1, place >> 6]
    state.lines[i, axis, line + 1, place >> 6] = word | bit if taken else word & ~bit


def row_factor(side: int) -> np.uint64:
    if side > LARGEST_SIDE:
        raise ValueError(f"rows of {side} cells are too long to be told apart; at most {LARGEST_SIDE} are possible")
    return np.uint64(2**_ROW_SHIFT // side + 1)


@inlined
def row_of(constants, position):
    """position // side, by multiplication: this is asked at every turn. Exact up to a side of LARGEST_SIDE."""
    return np.int64((np.uint64(position) * constants.row_factor) >> np.uint64(_ROW_SHIFT))


@inlined
def _free_side(stream, left, right):
    """The empty side, a random one of two; where neither is empty, rather an unwanted item than the wall."""
    if left == EMPTY and right == EMPTY:
        return LEFT if draw_below(stream, 2) == 0 else RIGHT
    if left == EMPTY:
        return LEFT
    if right == EMPTY:
        return RIGHT
    return RIGHT if left == WALL else LEFT


_PLACES = {"on left": LEFT, "straight": STRAIGHT, "on right": RIGHT}
_THINGS = {"W": WALL, "G": GREEN, "B": BLUE}
_BEHAVIOURS = {"Left": LEFT, "Straight": STRAIGHT, "Right": RIGHT}


def sensed(state: int) -> tuple[int, int, int]:
    """What the left, front and right cells hold in a sensory state 0..63."""
    return state >> 4 & 3, state >> 2 & 3, state & 3


def applies(row: Association, state: int, action: int) -> bool:
    if action not in [_BEHAVIOURS[word] for word in row.behaviour.split(" or ")]:
        return False
    if row.sensor == "nothing":
        return state == 0
    thing, _, place = row.sensor.partition(" ")
    return sensed(state)[_PLACES[place]] == _THINGS[thing]


def _rank(row: Association, action: int, priority: str) -> int:
    """Which of several rows decides: the lowest rank."""
    if row.sensor == "nothing":
        return 4
    thing, _, place = row.sensor.partition(" ")
    entered = _PLACES[place] == action
    if thing == "W":
        return 1 if entered and priority == "entered" else 3
    return 1 if entered else 2


@functools.cache
def reinforcement(priority: str) -> tuple[np.ndarray, np.ndarray]:
    """The reinforcement and the id of the association that decides it.

    Both int8 [season, state, action], 2 x 64 x 3. Among rows of equal rank punishment wins, so that a
    wanted item left behind counts more than an unwanted one avoided; the id is the lowest that agrees.
    """
    table = np.zeros((2, STATES, 3), np.int8)
    ids = np.zeros((2, STATES, 3), np.int8)
    for state in range(STATES):
        for action in (LEFT, STRAIGHT, RIGHT):
            rows = [row for row in Foraging.associations if applies(row, state, action)]
            for season in (SUMMER, WINTER):
                ranked = [(_rank(row, action, priority), row.signals[season], row.id) for row in rows]
                if ranked:
                    _, table[season, state, action], ids[season, state, action] = min(ranked)
    table.setflags(write=False)
    ids.setflags(write=False)
    return table, ids


def _group(row: Association, signal: int, action: int) -> str:
    """Which group a judgement belongs to."""
    if row.sensor == "nothing":
        return "open-straight" if action == STRAIGHT else "open-turn"
    thing, _, place = row.sensor.partition(" ")
    entered = _PLACES[place] == action
    if thing == "W":
        return "wall-turn" if signal > 0 else "wall-hit" if entered else "beside-wall"
    if signal == 0:
        return "neutral"
    return "taken" if signal > 0 else "wrong" if entered else "missed"
