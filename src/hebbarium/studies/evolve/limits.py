"""Whether what an evolution asks for will fit in memory and in the store, checked before anything is lived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbarium.executors.threads import total_memory
from hebbarium.rules.rule import RULES
from hebbarium.tools.errors import LARGEST, BadInput, shown
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS

if TYPE_CHECKING:
    from hebbarium.studies.evolve.study import Evolution

LONGEST_ROW = 900_000_000
"""Bytes of one evaluation in the store; SQLite takes up to a thousand million."""


def check_room(evolution: Evolution) -> None:
    """Refuse lifetimes of an evaluation that could be lived, but not kept, and more runs than can remember what they
    tried, all at once."""
    most, found = most_lifetimes(evolution.world), evolution.runs * min(evolution.top, RULES)
    _check("lifetimes", getattr(evolution.settings, "lifetimes", 0), most)
    _check("rescore", evolution.rescore, min(most, most_held(evolution.world) // found))
    memory_bytes = getattr(evolution.settings, "memory_bytes", None)
    if memory_bytes is not None:
        most = max(1, _memory() // memory_bytes(evolution.space))
        if evolution.runs > most:
            raise BadInput(
                f"runs is {evolution.runs}, but the tries of so many {evolution.search} searches would not fit in "
                f"memory; the nearest that fits is {most}."
            )


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
    """Bytes that one lifetime adds to a row, at most: its score, and every count of every season.

    Our own worlds count no more of anything than a season has steps; others may count whatever fits in 64 bits."""
    longest = task.season_steps if type(task) in WORLDS.values() else -LARGEST
    return 28 + task.seasons * (3 + len(task.counts) * (len(str(longest)) + 1))


def _memory() -> int:
    """Half of it; where that is unknown, only the store sets limits."""
    return (total_memory() or 2**62) // 2


def _check(name: str, lifetimes: int, most: int) -> None:
    if lifetimes > most:
        raise BadInput(f"{name} is {shown(lifetimes)}, which would not fit in memory; the nearest that fits is {most}.")
