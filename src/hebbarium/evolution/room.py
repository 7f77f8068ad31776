"""Whether what an evolution asks for will fit in memory and in the store, told before anything is lived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbarium.errors import BadInput, shown
from hebbarium.executors.threads import total_memory
from hebbarium.rule import RULES
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from hebbarium.evolution.evolution import Evolution

LONGEST_ROW = 900_000_000
"""Bytes of one evaluation in the store; SQLite takes up to a thousand million."""


def check_room(evolution: Evolution) -> None:
    """Refuse lifetimes of an evaluation that could be lived, but not kept."""
    most, found = most_lifetimes(evolution.task), evolution.runs * min(evolution.top, RULES)
    _check("lifetimes", getattr(evolution.settings, "lifetimes", 0), most)
    _check("rescore", evolution.rescore, min(most, most_held(evolution.task) // found))


def most_lifetimes(task: World) -> int:
    """How many one evaluation may have: array, Python's numbers, lists and text stand side by side for a moment, and
    the text once more for its checksum."""
    text = longest_text(task)
    life = 50 * task.seasons * len(task.counts) + 72 * task.seasons + 5 * text + 200
    return min(_memory() // life, LONGEST_ROW // text)


def most_held(task: World) -> int:
    """How many all evaluations of rules found may have, which are held until the table is made."""
    return _memory() // (8 * task.seasons * len(task.counts) + 50)


def longest_text(task: World) -> int:
    """Bytes that one lifetime adds to a row, at most: its score, and no more of anything than a season has steps."""
    return 28 + task.seasons * (3 + len(task.counts) * (len(str(task.season_steps)) + 1))


def _memory() -> int:
    """Half of it; where nobody can tell, only the store sets limits."""
    return (total_memory() or 2**62) // 2


def _check(name: str, lifetimes: int, most: int) -> None:
    if lifetimes > most:
        raise BadInput(f"{name} is {shown(lifetimes)}, which would not fit in memory; the nearest that fits is {most}.")
