"""Options of a command as they are typed."""

from __future__ import annotations

from typing import Any

from hebbarium.rules.graded import weights_text
from hebbarium.tools.errors import option_name


def option(name: str, value: Any) -> str:
    """
    >>> option("season_steps", 40), option("blame", {"missed": 0.5}), option("turn_at_wall", False)
    ('--season-steps 40', '--blame missed=0.5', '--no-turn-at-wall')
    """
    if isinstance(value, bool):
        return f"--{'' if value else 'no-'}{option_name(name)}"
    return f"--{option_name(name)} {weights_text(value) if isinstance(value, dict) else value}"
