"""Whether what an evolution asks for will fit in memory and in the store, checked before anything is lived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbarium.executors.memory import check_fits, room
from hebbarium.rules.rule import RULES
from hebbarium.tools.errors import LARGEST, BadInput
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS

if TYPE_CHECKING:
    from hebbarium.studies.evolve.study import Evolution

LONGEST_ROW = 900_000_000
"""Bytes of one evaluation in the store; SQLite takes up to a thousand million."""


def check_room(evolution: Evolution) -> None:
    """Refuse lifetimes of an evaluation that could be lived, but not kept, and more runs than can remember what they
    tried, all at once."""
    world, text = evolution.world, longest_text(evolution.world)
    memory = room()
    # Of one evaluation array, Python's numbers, lists and text stand side by side for a moment, and the text once more
    # for its checksum. All evaluations of rules that were found are held until the table is made.
    life = 50 * world.seasons * len(world.counts) + 72 * world.seasons + 5 * text + 200
    most = min(memory // life, LONGEST_ROW // text)
    held = memory // (8 * world.seasons * len(world.counts) + 50)
    rescored = min(most, held // (evolution.runs * min(evolution.top, RULES)))
    asked = {"lifetimes": (getattr(evolution.settings, "lifetimes", 0), most), "rescore": (evolution.rescore, rescored)}
    for name, (lifetimes, fitting) in asked.items():
        check_fits(name, lifetimes, fitting)
    memory_bytes = getattr(evolution.settings, "memory_bytes", None)
    if memory_bytes is not None:
        most = max(1, memory // memory_bytes(evolution.space))
        if evolution.runs > most:
            raise BadInput(
                f"runs is {evolution.runs}, but the tries of so many {evolution.search} searches would not fit in "
                f"memory; the nearest that fits is {most}."
            )


def longest_text(task: World) -> int:
    """Bytes that one lifetime adds to a row, at most: its score, and every count of every season.

    Our own worlds count no more of anything than a season has steps; others may count whatever fits in 64 bits."""
    longest = task.season_steps if type(task) in WORLDS.values() else -LARGEST
    return 28 + task.seasons * (3 + len(task.counts) * (len(str(longest)) + 1))
