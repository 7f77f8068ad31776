"""All that the file of a world of one's own needs, under names that stay (docs/worlds.md walks through such a file).

- `World`, `Association`: what a world is; `Picture`, `Thing`: what a person sees of it;
- `compiled`: marks a function that is compiled when agents live, and plain Python otherwise;
- `draw_below`, `draw_unit`, `draw_normal`: random numbers, from the stream that the world's functions are given;
- `check_integer`, `check_number`, `check_choice`, `BadInput`: to refuse settings that make no sense.
"""

from __future__ import annotations

from hebbarium.kernels.compile import compiled
from hebbarium.kernels.normal import draw_normal
from hebbarium.kernels.random import draw_below, draw_unit
from hebbarium.tools.errors import BadInput, check_choice, check_integer, check_number
from hebbarium.worlds.base import Association, World
from hebbarium.worlds.picture import Picture, Thing

__all__ = [
    "Association",
    "BadInput",
    "Picture",
    "Thing",
    "World",
    "check_choice",
    "check_integer",
    "check_number",
    "compiled",
    "draw_below",
    "draw_normal",
    "draw_unit",
]
