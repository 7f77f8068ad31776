"""Prey-predator: catch the prey that flee and escape the predators that chase; winter swaps their colours' roles."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from hebbarium.errors import BadInput, check_integer, check_number
from hebbarium.tasks.base import Association, Task, check_room
from hebbarium.tasks.grid import BLUE, EMPTY, GREEN, LEFT, RIGHT, STRAIGHT, SUMMER, WALL, WINTER

if TYPE_CHECKING:
    import numpy as np

NEIGHBOURHOODS = (4, 8)
WIDEST, DEEPEST = 41, 21


@dataclass(frozen=True, kw_only=True)
class PreyPredator(Task):
    """The paper's second world: ten green and ten blue objects that move, one colour prey, the other predators."""

    name: ClassVar[str] = "prey-predator"
    counts: ClassVar[tuple[str, ...]] = ("collected", "caught", "walls")
    default_hidden: ClassVar[int] = 50
    std_over: ClassVar[Literal["seasons", "lifetimes"]] = "lifetimes"
    # The paper's table, row by row: the closest thing in view, and what the agent does about it.
    associations: ClassVar[tuple[Association, ...]] = (
        Association(1, "nothing", "Straight", 1, 1),
        Association(2, "nothing", "Right or Left", -1, -1),
        Association(3, "W", "Avoid", 1, 1),
        Association(4, "W", "Move towards", -1, -1),
        Association(5, "G", "Avoid", -1, 1),
        Association(6, "G", "Move towards", 1, -1),
        Association(7, "B", "Avoid", 1, -1),
        Association(8, "B", "Move towards", -1, 1),
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
    neighbourhood: Literal[4, 8] = 4
    """Cells a prey or predator can move to: 4, or 8 with the diagonal ones."""
    stepping_counts: bool = False
    """Whether the agent is also caught when it steps onto a predator itself."""
    alpha: float = 8.0
    """What a collected prey is worth, one time caught being worth -1."""

    def check(self) -> None:
        check_integer("green", self.green, 0)
        check_integer("blue", self.blue, 0)
        check_room(self, self.green + self.blue, "objects")
        self._check_view()
        check_number("notice_distance", self.notice_distance, 0, 10_000)
        check_number("notice_probability", self.notice_probability, 0, 1)
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
    def sensed_cells(self) -> int:
        return self.view_width * self.view_depth - 1

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
    def notice_square(self) -> int:
        """The largest squared distance between two cells that is within the notice distance."""
        distance = float(self.notice_distance)
        square = math.floor(distance**2)
        return square + 1 if math.sqrt(square + 1) <= distance else square  # rounding: 13 ** 0.5 squared is below 13

    def fitness(self, counts: np.ndarray) -> np.ndarray:
        """alpha * collected - caught of each season (paper, equation 6)."""
        scores: np.ndarray = float(self.alpha) * counts[:, :, 0] - counts[:, :, 1]
        return scores

    def life_fitness(self, counts: np.ndarray) -> np.ndarray:
        """Sum over the seasons."""
        scores: np.ndarray = self.fitness(counts).sum(axis=1)
        return scores


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
    import numpy as np

    table, ids = np.zeros((2, 4, 2), np.int8), np.zeros((4, 2), np.int8)
    for row in PreyPredator.associations:
        thing, behaviour = _THINGS[row.sensor], _BEHAVIOURS[row.behaviour]
        ids[thing, behaviour] = row.id
        table[SUMMER, thing, behaviour], table[WINTER, thing, behaviour] = row.summer, row.winter
    table.setflags(write=False)
    ids.setflags(write=False)
    return table, ids
