"""Foraging: collect green and avoid blue in summer, the reverse in winter, and mind the wall."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from hebbarium.errors import check_choice, check_integer
from hebbarium.tasks.base import Association, Task, check_room
from hebbarium.tasks.grid import BLUE, GREEN, LEFT, RIGHT, STRAIGHT, SUMMER, WALL, WINTER

if TYPE_CHECKING:
    import numpy as np

STATES = 64
PRIORITIES = ("entered", "items")


@dataclass(frozen=True, kw_only=True)
class Foraging(Task):
    """The paper's first world: 50 green and 50 blue items on a walled grid."""

    name: ClassVar[str] = "foraging"
    counts: ClassVar[tuple[str, ...]] = ("green", "blue", "walls")
    default_hidden: ClassVar[int] = 20
    std_over: ClassVar[Literal["seasons", "lifetimes"]] = "seasons"
    # The paper's table, row by row.
    associations: ClassVar[tuple[Association, ...]] = (
        Association(1, "nothing", "Straight", 1, 1),
        Association(2, "nothing", "Left or Right", -1, -1),
        Association(3, "W straight", "Left or Right", 1, 1),
        Association(4, "W straight", "Straight", -1, -1),
        Association(5, "W on left", "Right", 1, 1),
        Association(6, "W on left", "Left or Straight", -1, -1),
        Association(7, "W on right", "Left", 1, 1),
        Association(8, "W on right", "Right or Straight", -1, -1),
        Association(9, "G straight", "Straight", 1, -1),
        Association(10, "G straight", "Left or Right", -1, 0),
        Association(11, "G on left", "Left", 1, -1),
        Association(12, "G on left", "Straight or Right", -1, 0),
        Association(13, "G on right", "Right", 1, -1),
        Association(14, "G on right", "Straight or Left", -1, 0),
        Association(15, "B straight", "Straight", -1, 1),
        Association(16, "B straight", "Left or Right", 0, -1),
        Association(17, "B on left", "Left", -1, 1),
        Association(18, "B on left", "Straight or Right", 0, -1),
        Association(19, "B on right", "Right", -1, 1),
        Association(20, "B on right", "Straight or Left", 0, -1),
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
        check_room(self, self.green + self.blue, "items")

    @property
    def sensed_cells(self) -> int:
        return 3

    def fitness(self, counts: np.ndarray) -> np.ndarray:
        """Correct minus incorrect items of each season."""
        import numpy as np

        sign = np.where(np.array(self.season_kinds) == SUMMER, 1.0, -1.0)
        scores: np.ndarray = sign * (counts[:, :, 0] - counts[:, :, 1])
        return scores

    def life_fitness(self, counts: np.ndarray) -> np.ndarray:
        """Mean over the seasons."""
        scores: np.ndarray = self.fitness(counts).mean(axis=1)
        return scores


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
    import numpy as np

    table = np.zeros((2, STATES, 3), np.int8)
    ids = np.zeros((2, STATES, 3), np.int8)
    for state in range(STATES):
        for action in (LEFT, STRAIGHT, RIGHT):
            rows = [row for row in Foraging.associations if applies(row, state, action)]
            for season in (SUMMER, WINTER):
                ranked = [
                    (_rank(row, action, priority), row.summer if season == SUMMER else row.winter, row.id)
                    for row in rows
                ]
                if ranked:
                    _, table[season, state, action], ids[season, state, action] = min(ranked)
    table.setflags(write=False)
    ids.setflags(write=False)
    return table, ids
