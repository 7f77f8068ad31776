"""What the grid worlds share: directions, actions, what a cell holds, the wall around, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from hebbarium.tools.errors import BadInput, check_choice, check_integer, shown
from hebbarium.worlds.base import World
from hebbarium.worlds.picture import Picture, Thing

NORTH, EAST, SOUTH, WEST = range(4)
"""Turning right adds one."""

LEFT, STRAIGHT, RIGHT = range(3)
"""The outputs in the paper's order: Left and Right turn and then move, Straight just moves."""

EMPTY, BLUE, GREEN, WALL = 0b00, 0b01, 0b10, 0b11
"""A cell as its two sensor bits."""
SENSED = ("green or wall", "blue or wall")
"""What makes each of a cell's two inputs active."""

SUMMER, WINTER = range(2)
POSITION, DIRECTION = range(2)
"""Of an agent, in the state of a world."""


class Notes(NamedTuple):
    """What a trace keeps of a grid world: one row per step, as it was when the agent acted."""

    position: np.ndarray
    """int32 [step, 2]: row and column of the agent before it acts, the wall's corner being 0, 0."""
    direction: np.ndarray
    """int8 [step]: 0 north, 1 east, 2 south, 3 west, before it acts."""
    sensed: np.ndarray
    """uint8 [step, cell]: what each sensed cell holds: 0 empty, 1 blue, 2 green, 3 wall."""


@dataclass(frozen=True, kw_only=True)
class GridWorld(World):
    """A square of cells with a wall around, in which an agent turns and moves."""

    actions: ClassVar[tuple[str, ...]] = ("left", "straight", "right")
    legend: ClassVar[tuple[Thing, ...]] = (
        Thing("empty", "", "."),
        Thing("blue", "#2a5fc4", "b"),
        Thing("green", "#1b8a3c", "g"),
        Thing("wall", "#777777", "#"),
    )

    grid_size: int = 100
    """Cells along each side of the world."""
    wall: Literal["inside", "outside"] = "inside"
    """Whether the ring of wall lies inside the grid's cells (98 x 98 are free) or around them."""
    turn_at_wall: bool = True
    """Whether an agent that bumps into the wall still turns."""

    def __post_init__(self) -> None:
        check_integer("grid_size", self.grid_size, 4, 4096)
        check_choice("wall", self.wall, ("inside", "outside"))
        super().__post_init__()

    @property
    def turns(self) -> tuple[int, ...]:
        return LEFT, RIGHT

    @property
    def view(self) -> tuple[tuple[int, int], ...]:
        """The sensed cells as (cells ahead, cells to the right), in the order of the inputs."""
        raise NotImplementedError

    @property
    def sensed_cells(self) -> int:
        return len(self.view)

    @property
    def inputs(self) -> int:
        """Each cell gives two."""
        return 2 * self.sensed_cells

    @property
    def free_side(self) -> int:
        """Free cells along each side."""
        return self.grid_size - 2 if self.wall == "inside" else self.grid_size

    @property
    def full_side(self) -> int:
        """Cells along each side, the wall included."""
        return self.free_side + 2

    def new_notes(self, steps: int) -> Notes:
        cells = self.sensed_cells
        return Notes(np.zeros((steps, 2), np.int32), np.zeros(steps, np.int8), np.zeros((steps, cells), np.uint8))

    def draw(self, cells: np.ndarray, row: int, column: int, direction: int) -> Picture:
        """A picture of the whole world and what the agent sees. cells: uint8 [row, column]"""
        side = len(cells)
        return Picture(
            cells=cells,
            agent=(row, column),
            direction=direction,
            view=tuple(
                place for place in seen_from(self.view, row, column, direction) if 0 <= min(place) <= max(place) < side
            ),
        )

    def check_room(self, things: int, what: str) -> None:
        """There must be an empty cell left beside the agent and everything placed."""
        free = self.free_side**2
        if things > free - 2:
            raise BadInput(
                f"{shown(things)} {what} do not fit in {self.free_side} x {self.free_side} free cells beside the "
                f"agent; the most that fit are {free - 2}."
            )


def seen_from(view: Any, row: int, column: int, direction: int) -> list[tuple[int, int]]:
    """Rows and columns of the sensed cells of an agent."""
    forth = ((-1, 0), (0, 1), (1, 0), (0, -1))
    down, along = forth[direction]
    down_right, along_right = forth[(direction + 1) % 4]
    return [(row + a * down + r * down_right, column + a * along + r * along_right) for a, r in view]
