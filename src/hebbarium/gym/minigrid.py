"""What the view of a MiniGrid world shows: the goal, and how far it is. The agent is in the middle of the last row."""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbarium.tools.errors import BadInput, shown

WALL, GOAL = 2, 8
"""MiniGrid's numbers of what a cell may hold."""
TURNS = (0, 1)
"""The actions left and right."""
BITS = 5


def bits_of(observation: Any) -> np.ndarray:
    """bool [BITS]: is there a wall in front; is the goal in view, is it ahead, to the left, to the right?"""
    cells, (right, ahead) = _cells(observation), goal_of(observation) or (0, 0)
    wall = cells[cells.shape[0] // 2, -2] == WALL
    return np.array([wall, (right, ahead) != (0, 0), ahead > 0, right < 0, right > 0])


def goal_of(observation: Any) -> tuple[int, int] | None:
    """Cells to the right of the agent, and ahead of it; None where no goal is in view."""
    cells = _cells(observation)
    found = np.argwhere(cells == GOAL)
    if not len(found):
        return None
    column, row = found[0]
    return int(column) - cells.shape[0] // 2, cells.shape[1] - 1 - int(row)


def moves_left(observation: Any) -> int | None:
    """Steps and turns to the goal, where that is in view."""
    goal = goal_of(observation)
    return None if goal is None else abs(goal[0]) + goal[1] + (goal[0] != 0)


def _cells(observation: Any) -> np.ndarray:
    """[column, row]: what each cell in view holds."""
    image: Any = observation.get("image") if isinstance(observation, dict) else None
    if getattr(image, "ndim", 0) != 3 or image.shape[1] < 2 or 0 in image.shape:
        raise BadInput(f"distances and goals need the view of a MiniGrid world, but there is {shown(observation)}.")
    cells: np.ndarray = image[:, :, 0]
    return cells
