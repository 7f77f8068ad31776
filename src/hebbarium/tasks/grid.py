"""Words shared by the grid worlds: directions, actions, what a cell holds."""

from __future__ import annotations

NORTH, EAST, SOUTH, WEST = range(4)
"""Turning right adds one."""

LEFT, STRAIGHT, RIGHT = range(3)
"""The outputs in the paper's order: Left and Right turn and then move, Straight just moves."""
ACTIONS = ("left", "straight", "right")

EMPTY, BLUE, GREEN, WALL = 0b00, 0b01, 0b10, 0b11
"""A cell as its two sensor bits."""
THINGS = ("empty", "blue", "green", "wall")

SUMMER, WINTER = range(2)
SEASONS = ("summer", "winter")
