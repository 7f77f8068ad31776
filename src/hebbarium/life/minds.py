"""Which compiled loops a life is lived by: the generic one, joined to its world and its mind, or a faster one.

Here, and nowhere else, it is decided which lives a faster loop covers.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from hebbarium.brains import plain, tallied
from hebbarium.brains.base import Brain
from hebbarium.kernels.compile import Kernel, joined
from hebbarium.life import loop
from hebbarium.life.cue import parts_of
from hebbarium.life.rehearsal import check_world, think_perfectly
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.base import World
from hebbarium.worlds.foraging import Foraging
from hebbarium.worlds.prey_predator import PreyPredator


class Learner(Protocol):
    """A mind that learns without a network, in a loop of its own (`agents/learners.py`)."""

    @property
    def name(self) -> str: ...

    @property
    def advance(self) -> Kernel:
        """Takes the place of the generic loop; what the minds know is in the place of extras."""

    def parts(self) -> Mapping[Any, Any]:
        """What is filled in for its open functions."""

    def room(self, world: World, lifetimes: int) -> Any:
        """What newborn minds know."""

    def frozen(self, room: Any) -> Any:
        """The same knowledge at the birth of minds that learn nothing any more."""


Kind = Literal["network", "perfect"] | Learner
_JOINING = threading.Lock()
"""Threads that need loops at the same time get the same ones."""
WINNERS = {"first": loop.first_winner, "random": loop.random_winner}
ARITHMETICS = {"plain": plain.learn, "tallied": tallied.learn}


@dataclass(frozen=True)
class Loops:
    """The kernels of one kind of life."""

    begin: Kernel
    turn: Kernel | None
    """None for a world that does nothing when a season begins."""
    advances: dict[tuple[bool, bool], Kernel]
    """The generic loop, for lives with and without anything special, and traced or not."""


def loops_of(world: World, brain: Brain, kind: Kind = "network") -> Loops:
    check_world(world)
    kind_of_world: Any = type(world)
    with _JOINING:
        mind = kind if isinstance(kind, str) else type(kind)
        return _loops(kind_of_world, bool(world.cue), brain.ties, brain.arithmetic, mind)


@functools.cache
def _loops(world: Any, cued: bool, ties: str, arithmetic: str, kind: Any) -> Loops:
    """kind: a word, or the class of a learner, whose settings are not compiled"""
    own, learner = world.kernels(), not isinstance(kind, str)
    where = world.name.replace("-", "_") + "_cued" * cued
    name = f"{where}_{ties}_{arithmetic}_{kind.name if learner else kind}".replace("-", "_")
    parts = parts_of(world, cued)
    parts.setdefault(loop.note, loop.note_nothing)
    if kind == "perfect":
        if "choose" not in own:
            raise BadInput(f"there is no perfect agent for {world.name}: its world has no function `choose`.")
        mind = {
            loop.think: loop.think_perfectly if cued else think_perfectly(world),
            loop.told: loop.told_aside,
            loop.learn: loop.learn_nothing,
        }
    elif learner:
        mind = kind.parts()
    else:
        mind = {
            loop.think: loop.think_by_network,
            loop.told: loop.told_aloud,
            loop.learn: ARITHMETICS[arithmetic],
            loop.winner: WINNERS[ties],
        }
    return Loops(
        begin=joined(loop.begin_all, parts, where),
        turn=joined(loop.turn_all, parts, where) if loop.turn in parts else None,
        advances={
            (special, traced): joined(
                kind.advance if learner else loop.advance,
                parts | mind,
                f"{name}{'_special' * (special and not learner)}{'_traced' * traced}",
            )
            for special in (False, True)
            for traced in (False, True)
        },
    )


def is_special(brain: Brain, blamed: bool) -> bool:
    """Whether such lives differ from the paper's in how they learn. blamed: by blame or eligibility"""
    return blamed or brain.is_special


def acceleration(world: World, brain: Brain, special: bool, only_output: bool = False) -> Kernel | None:
    """A faster loop for such lives of networks, where there is one. One for special lives takes their Extras, too.

    only_output: whether all hidden layers are frozen, and some output layer learns from reward."""
    if world.cue:
        return None
    kind = (type(world), brain.ties, brain.arithmetic)
    if special:
        if kind != (Foraging, "first", "plain"):
            return None
        from hebbarium.life.foraging_special import advance_foraging_specially

        return advance_foraging_specially
    if kind == (Foraging, "first", "plain") and only_output:
        from hebbarium.life.foraging_frozen import advance_foraging_frozen

        return advance_foraging_frozen
    if kind == (Foraging, "first", "plain"):
        from hebbarium.life.foraging import advance_foraging

        return advance_foraging
    if kind == (PreyPredator, "random", "tallied"):
        from hebbarium.life.prey_predator import advance_prey_predator

        return advance_prey_predator
    return None
