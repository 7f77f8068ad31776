"""Worlds whose actions come from outside: one call begins or steps any number of them.

The same functions of the world, asked in the same order and with the same random numbers, as in the loop of a life.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hebbarium.kernels.compile import Kernel, inlined, joined, kernel
from hebbarium.kernels.random import BRAIN, WORLD, GapTable, draw_below, draw_gap, gap_table, mix, open_stream
from hebbarium.life.cue import constants_of, own_part, parts_of, state_of
from hebbarium.life.loop import act, begin, judge, sense, turn, turn_nothing
from hebbarium.life.rehearsal import check_world
from hebbarium.tools.errors import BadInput, check_choice, check_switch
from hebbarium.worlds.base import World
from hebbarium.worlds.seasons import calendar_of


class Plan(NamedTuple):
    """Which seasons lives have, in the order in which they come, and which of their actions are random."""

    kinds: np.ndarray
    """int64 [life, season]"""
    ends: np.ndarray
    """int64 [life, season]: steps since birth."""
    gaps: GapTable
    choices: np.ndarray
    """int64 [choice]: what a random action is drawn from."""
    only_unseeing: bool
    """Whether actions are random only while nothing is sensed."""


class Standing(NamedTuple):
    """What changes, beside the worlds' own state: one row per life."""

    streams: np.ndarray
    """uint64 [life, 2]"""
    chance: np.ndarray
    """uint64 [life, 2]: the streams that random actions are drawn from."""
    gap: np.ndarray
    """int64 [life]: steps until the next random action."""
    seeing: np.ndarray
    """bool [life]: whether anything is sensed."""
    season: np.ndarray
    """int64 [life]: the season that the next step is in."""
    step: np.ndarray
    """int64 [life]: how many steps are over."""
    begun: np.ndarray
    """bool [life]: whether a season begins with the next step."""
    counts: np.ndarray
    """int64 [life, count]: of the season that the last step was in."""
    fitness: np.ndarray
    """float64 [life]: of that season so far."""
    over: np.ndarray
    """bool [life]"""


class Stepped(NamedTuple):
    """What a step returns: one row per life."""

    senses: np.ndarray
    """uint8 [life, input]"""
    reward: np.ndarray
    """float64 [life]"""
    association: np.ndarray
    """int64 [life]"""
    season: np.ndarray
    """int64 [life]: the season that the step was in."""
    counts: np.ndarray
    """int64 [life, count]"""
    fitness: np.ndarray
    """float64 [life]: of that season so far."""
    action: np.ndarray
    """int64 [life]: what was done, random actions included."""
    truncated: np.ndarray
    """bool [life]"""


@kernel
def begin_some(constants, state, lives, plan, rows, seeds, trials, senses):
    """Fresh worlds in some rows. rows: int64 [begun]; seeds, trials: uint64 [begun]; senses: uint8 [begun, input]"""
    for place in range(rows.shape[0]):
        i, seed, trial = rows[place], seeds[place], trials[place]
        stream = lives.streams[i]
        open_stream(stream, seed, trial, WORLD)
        open_stream(lives.chance[i], mix(seed), trial, BRAIN)  # not the stream that a brain of this seed is born from
        lives.gap[i] = draw_gap(lives.chance[i], plan.gaps)
        lives.season[i], lives.step[i], lives.begun[i], lives.over[i] = 0, 0, True, False
        lives.counts[i, :] = 0
        begin(constants, state, i, stream)
        turn(constants, state, i, plan.kinds[i, 0], stream)
        sense(constants, state, i, senses[place])
        lives.seeing[i] = senses[place].any()


@kernel
def step_all(constants, state, lives, plan, actions, senses, reward, association):
    """A step of every life that is not over. actions: int64 [life], random ones are written there; others: `Stepped`"""
    for i in range(actions.shape[0]):
        if not lives.over[i]:
            if not (plan.only_unseeing and lives.seeing[i]):
                if lives.gap[i] == 0:
                    actions[i] = plan.choices[draw_below(lives.chance[i], plan.choices.shape[0])]
                    lives.gap[i] = draw_gap(lives.chance[i], plan.gaps)
                else:
                    lives.gap[i] -= 1
            reward[i], association[i] = step_one(constants, state, lives, plan, i, actions[i], senses)


@inlined
def step_one(constants, state, lives, plan, i, action, senses):
    stream, counts, kind = lives.streams[i], lives.counts[i], plan.kinds[i, lives.season[i]]
    if lives.begun[i]:
        counts[:] = 0
    lives.begun[i] = False
    signal, association = judge(constants, state, i, kind, action, stream)
    act(constants, state, i, kind, action, counts, stream)
    lives.step[i] += 1
    if lives.step[i] == plan.ends[i, lives.season[i]]:
        lives.season[i] += 1
        lives.begun[i] = True
        if lives.season[i] == plan.kinds.shape[1]:
            lives.over[i] = True
        else:
            turn(constants, state, i, plan.kinds[i, lives.season[i]], stream)
    sense(constants, state, i, senses[i])
    lives.seeing[i] = senses[i].any()
    return signal, association


@functools.cache
def kernels_of(world: Any, cued: bool) -> tuple[Kernel, Kernel]:
    """`begin_some` and `step_all` of a class of worlds."""
    parts = parts_of(world, cued)
    parts.setdefault(turn, turn_nothing)
    name = world.name.replace("-", "_") + "_cued" * cued
    return joined(begin_some, parts, name), joined(step_all, parts, name)


REWARDS = ("reinforcement", "fitness")
"""What a step may be rewarded for."""


def check_steppable(world: World) -> None:
    if world.lived_by != World.lived_by:
        raise BadInput(f"the world {world.label} is made of an environment of Gymnasium's: use that itself.")


class Worlds:
    """Some lives of a world in progress, led from outside."""

    def __init__(self, world: World, lives: int, reward: str = "reinforcement", random_actions: bool = False) -> None:
        """reward: one of REWARDS; random_actions: whether the world's own replace some of those that are given."""
        check_steppable(world)
        check_world(world)
        check_choice("reward", reward, REWARDS)
        check_switch("random_actions", random_actions)
        self.world, self.many, self.reward, self.random_actions = world, lives, reward, random_actions
        self.constants = constants_of(world)
        self.state, self._blank = state_of(world, lives), own_part(world, state_of(world, 1))
        self._plan = Plan(
            np.zeros((lives, world.seasons), np.int64),
            np.zeros((lives, world.seasons), np.int64),
            gap_table(world.random_action if random_actions else 0.0),
            np.array(world.turns if world.random_kind == "turn" else range(world.outputs)),
            world.random_where == "nothing-sensed",
        )
        self._of_kind = {kind: world.one_season(kind) for kind in sorted(set(world.season_kinds))}
        self.lives = Standing(
            streams=np.zeros((lives, 2), np.uint64),
            chance=np.zeros((lives, 2), np.uint64),
            gap=np.zeros(lives, np.int64),
            seeing=np.zeros(lives, np.bool_),
            season=np.zeros(lives, np.int64),
            step=np.zeros(lives, np.int64),
            begun=np.ones(lives, np.bool_),
            counts=np.zeros((lives, len(world.counts)), np.int64),
            fitness=np.zeros(lives),
            over=np.ones(lives, np.bool_),
        )
        kind: Any = type(world)
        self._begin, self._step = kernels_of(kind, bool(world.cue))

    def __reduce__(self) -> Any:
        """Pickles the lives in progress; kernels and constants are made again from the world."""
        return Worlds, (self.world, self.many, self.reward, self.random_actions), list(self._arrays())

    def __setstate__(self, arrays: list[np.ndarray]) -> None:
        for ours, theirs in zip(self._arrays(), arrays, strict=True):
            ours[...] = theirs

    def _arrays(self) -> Iterator[np.ndarray]:
        """All that changes in lives."""
        waiting: list[Any] = [self._plan.kinds, self._plan.ends, *self.lives, *self.state]
        while waiting:
            first = waiting.pop(0)
            if isinstance(first, tuple):
                waiting[:0] = first
            else:
                yield first

    def begin(self, rows: np.ndarray, seeds: np.ndarray, trials: np.ndarray) -> np.ndarray:
        """Fresh worlds in these rows; returns what is sensed, uint8 [row, input]. seeds, trials: uint64 [row]"""
        for array, blank in zip(own_part(self.world, self.state), self._blank, strict=True):
            array[rows] = blank[0]
        kinds = np.array(self.world.season_kinds)
        for row, seed, trial in zip(rows, seeds, trials, strict=True):
            own = calendar_of(self.world, int(seed), int(trial))
            self._plan.kinds[row], self._plan.ends[row] = kinds[list(own.places)], own.ends
        senses = np.empty((len(rows), self.world.all_inputs), np.uint8)
        self._begin(self.constants, self.state, self.lives, self._plan, rows, seeds, trials, senses)
        return senses

    def step(self, actions: np.ndarray) -> Stepped:
        """One step of every life that is not over; the rows of the others hold nothing. actions: int64 [life]"""
        senses = np.empty((self.many, self.world.all_inputs), np.uint8)
        reward, association = np.empty(self.many), np.empty(self.many, np.int64)
        season, actions = self.lives.season.copy(), actions.copy() if self.random_actions else actions
        before = np.where(self.lives.begun, 0.0, self.lives.fitness)
        self._step(self.constants, self.state, self.lives, self._plan, actions, senses, reward, association)
        over, counts = self.lives.over.copy(), self.lives.counts.copy()
        place = np.minimum(season, self.world.seasons - 1)  # lives that are over have no season
        kinds = self._plan.kinds[np.arange(self.many), place]
        fitness = np.zeros(self.many)
        with np.errstate(all="ignore"):
            for kind, world in self._of_kind.items():
                rows = kinds == kind
                if rows.any():
                    fitness[rows] = world.fitness(counts[rows, None])[:, 0]
        fitness[~np.isfinite(fitness)] = 0.0  # a mean over nothing yet
        self.lives.fitness[:] = fitness
        if self.reward == "fitness":
            reward = fitness - before
        return Stepped(senses, reward, association, season, counts, fitness, actions, over)
