"""Which compiled loops a life is lived by: the generic one, joined to its world and its mind, or a faster one.

Here, and nowhere else, it is decided which lives a faster loop covers.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from hebbarium.brains import general, plain, tallied
from hebbarium.brains.base import Brain
from hebbarium.brains.scalings import MARK, scaling_of
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
Way = Literal["seldom", "readout", "often"]
"""How a life learns: from punishment only, if at all; from reward, too, but with its hidden layer as born; or from
reward with both layers."""
_JOINING = threading.Lock()
"""Threads that need loops at the same time get the same ones."""
WINNERS = {"first": loop.first_winner, "random": loop.random_winner}
ARITHMETICS = {"plain": plain.learn, "tallied": tallied.learn}
ACTIVATIONS = {"step": general.step, "sign": general.sign, "tanh": general.tanh}


@dataclass(frozen=True)
class Loops:
    """The kernels of one kind of life."""

    begin: Kernel
    turn: Kernel | None
    """None for a world that does nothing when a season begins."""
    advances: dict[tuple[bool, bool], Kernel]
    """The generic loop, for lives with and without anything special, and traced or not."""


def loops_of(world: World, brain: Brain, kind: Kind = "network", general: bool = False) -> Loops:
    """general: whether the network is the general one"""
    check_world(world)
    kind_of_world: Any = type(world)
    own = (brain.activation, brain.scaling) if general else (brain.arithmetic,)
    with _JOINING:
        mind = kind if isinstance(kind, str) else type(kind)
        return _loops(kind_of_world, bool(world.cue), brain.ties, own, mind)


def network_parts(ties: str, own: tuple[str, ...]) -> dict[Any, Any]:
    """How a network thinks and learns. own: its arithmetic, or the activation and scaling of a general one"""
    if len(own) == 1:
        return {
            loop.think: loop.think_by_network,
            loop.respond: loop.feel,
            loop.take: loop.take_plainly,
            loop.learn: ARITHMETICS[own[0]],
            loop.winner: WINNERS[ties],
        }
    activation, scaling = own
    return {
        loop.think: general.think,
        loop.respond: general.feel,
        loop.take: general.take,
        general.winner: WINNERS[ties],
        general.fire: ACTIVATIONS[activation],
        general.change: general.change_graded if activation == "tanh" else plain.change,
        general.scale: scaling_of(scaling),
        general.adjust: general.adjust_to_unit_length
        if scaling == "unit" and activation in ("step", "sign")
        else general.adjust_apart,
    }


def name_of(ties: str, own: tuple[str, ...]) -> str:
    """Of kernels made of such parts; what a user's scaling is made from is part of their hash."""
    return "_".join((ties, *("own" if MARK in word else word for word in own)))


@functools.cache
def _loops(world: Any, cued: bool, ties: str, brain: tuple[str, ...], kind: Any) -> Loops:
    """kind: a word, or the class of a learner, whose settings are not compiled"""
    own, learner = world.kernels(), not isinstance(kind, str)
    where = world.name.replace("-", "_") + "_cued" * cued
    name = f"{where}_{name_of(ties, brain)}_{kind.name if learner else kind}".replace("-", "_")
    parts = parts_of(world, cued) | {loop.respond: loop.feel, loop.take: loop.take_plainly}
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
        mind = {loop.told: loop.told_aloud, **network_parts(ties, brain)}
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
    return blamed or brain.is_special or brain.is_general


def ways_of(plastic: np.ndarray) -> dict[Way, np.ndarray]:
    """Which lives learn in which way: int64 [life] each. plastic: bool [lifetime, layer, half]"""
    rewarded, hidden = np.asarray(plastic[:, :, 1:].any(axis=(1, 2))), np.asarray(plastic[:, 0].any(axis=1))
    ways: dict[Way, np.ndarray] = {"seldom": ~rewarded, "readout": rewarded & ~hidden, "often": rewarded & hidden}
    return {way: np.flatnonzero(lives) for way, lives in ways.items() if lives.any()}


def accelerations(world: World, brain: Brain, special: bool) -> dict[Way, Kernel]:
    """Faster loops for lives of networks, by the way they learn. One for special lives takes their Extras, too."""
    if world.lived_by != World.lived_by or world.cue:
        return {}
    kind_of_world: Any = type(world)
    kind = (kind_of_world, brain.ties, brain.arithmetic)
    if special:
        if kind != (Foraging, "first", "plain"):
            return {}
        from hebbarium.life.fast.foraging_with_blame import advance_foraging_specially as one

        # Rules that learn from reward gain little by it (docs/benchmarks.md), but must not slow down those beside them.
        return {"seldom": one, "readout": one, "often": one}
    if kind == (PreyPredator, "random", "tallied"):
        from hebbarium.life.fast.prey_predator import advance_prey_predator

        return {"seldom": advance_prey_predator, "readout": advance_prey_predator, "often": advance_prey_predator}
    if brain.arithmetic != "plain":
        return {}
    from hebbarium.brains.fast.plain_in_blocks import MOST_INPUTS  # here, because it needs the compiler

    sizes = (world.inputs, world.outputs)
    usual = sizes if sizes == _default_sizes(kind_of_world) else None
    faster = _faster(kind_of_world, brain.ties, world.inputs <= MOST_INPUTS, usual)
    if kind == (Foraging, "first", "plain"):
        from hebbarium.life.fast.foraging_frozen_in_lanes import advance_foraging_frozen
        from hebbarium.life.fast.foraging_remembering import advance_foraging_alone, advance_foraging_alone_unseeing

        unseeing = world.random_where == "nothing-sensed"
        alone = advance_foraging_alone_unseeing if unseeing else advance_foraging_alone
        return {**faster, "seldom": alone, "readout": advance_foraging_frozen}
    return faster


def may_move(world: World, faster: dict[Way, Kernel]) -> bool:
    """Whether lives that learn from punishment only are better lived like the others while they are punished often."""
    return "often" in faster and faster["often"] is not faster["seldom"] and not isinstance(world, Foraging)


@functools.cache
def _default_sizes(world: Any) -> tuple[int, int]:
    """Inputs and outputs with default settings."""
    usual = world()
    return usual.inputs, usual.outputs


@functools.cache
def _faster(world: Any, ties: str, few_inputs: bool, sizes: tuple[int, int] | None) -> dict[Way, Kernel]:
    """Those for any world. sizes: inputs and outputs, where a kernel of their own is worth it"""
    from hebbarium.life.fast import any_world_in_lanes as lanes
    from hebbarium.life.fast.any_world_remembering import advance_remembering, sense_unchecked, sense_word
    from hebbarium.life.fast.sizes import ANY_SIZES, known_sizes

    parts = {sense_word: sense_unchecked, loop.coast: loop.coast_nowhere, **parts_of(world, False)}
    parts |= ANY_SIZES if sizes is None else known_sizes(sizes[0] + 1, sizes[1])
    name = "_".join((world.name.replace("-", "_"), *map(str, sizes or ())))
    found: dict[Way, Kernel] = {}
    if ties == "first":
        needed = (lanes.sense_lane, lanes.sees, lanes.set_senses)
        given = (lanes.sense_many, lanes.sees_many, lanes.set_many_senses)
        if few_inputs:
            given = (lanes.sense_few, lanes.sees_few, lanes.set_few_senses)
        together = joined(lanes.advance_together, {**parts, **dict(zip(needed, given, strict=True))}, name)
        found = {"seldom": together, "readout": together, "often": together}
    if few_inputs:
        found["seldom"] = joined(advance_remembering, {**parts, loop.winner: WINNERS[ties]}, f"{name}_{ties}")
    return found
