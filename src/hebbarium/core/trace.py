"""What is written down at every step of a traced life."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Steps(NamedTuple):
    """One row per step of one life, as it was when the agent acted."""

    position: np.ndarray
    """int32 [step, 2]: row and column of the agent before it acts, the wall's corner being 0, 0."""
    direction: np.ndarray
    """int8 [step]: 0 north, 1 east, 2 south, 3 west, before it acts."""
    sensed: np.ndarray
    """uint8 [step, cell]: what each sensed cell holds: 0 empty, 1 blue, 2 green, 3 wall."""
    action: np.ndarray
    """int8 [step]: 0 left, 1 straight, 2 right."""
    random: np.ndarray
    """bool [step]: whether the action was random."""
    reinforcement: np.ndarray
    """int8 [step]: -1, 0 or +1 as the world gave it (a random step changes no weight whatever it says)."""
    association: np.ndarray
    """int8 [step]: id of the association that decided the reinforcement."""


def new_steps(steps: int, cells: int) -> Steps:
    return Steps(
        position=np.zeros((steps, 2), np.int32),
        direction=np.zeros(steps, np.int8),
        sensed=np.zeros((steps, cells), np.uint8),
        action=np.zeros(steps, np.int8),
        random=np.zeros(steps, np.bool_),
        reinforcement=np.zeros(steps, np.int8),
        association=np.zeros(steps, np.int8),
    )
