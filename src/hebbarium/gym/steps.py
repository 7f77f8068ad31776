"""Worlds whose actions come from outside: one call begins or steps as many as there are.

The same functions of the world, asked in the same order and with the same random numbers, as in the loop of a life.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from hebbarium.kernels.compile import Kernel, inlined, joined, kernel
from hebbarium.kernels.random import WORLD, open_stream
from hebbarium.life.loop import act, begin, judge, sense, turn, turn_nothing
from hebbarium.life.rehearsal import check_world, constants_of, parts_of, state_of
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.base import World


class Calendar(NamedTuple):
    """How long a life is."""

    kinds: np.ndarray
    """int64 [season]"""
    season_steps: int


class Standing(NamedTuple):
    """What changes, beside the worlds' own state: one row per life."""

    streams: np.ndarray
    """uint64 [life, 2]"""
    season: np.ndarray
    """int64 [life]: the season that the next step is in."""
    within: np.ndarray
    """int64 [life]: how many steps of it are over."""
    counts: np.ndarray
    """int64 [life, count]: of the season that the last step was in."""
    over: np.ndarray
    """bool [life]"""


class Told(NamedTuple):
    """What a step tells: one row per life."""

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
    truncated: np.ndarray
    """bool [life]"""


@kernel
def begin_some(constants, state, lives, plan, rows, seeds, trials, senses):
    """Fresh worlds in some rows. rows: int64 [begun]; seeds, trials: uint64 [begun]; senses: uint8 [begun, input]"""
    for place in range(rows.shape[0]):
        begin_one(constants, state, lives, plan, rows[place], seeds[place], trials[place], senses, place)


@inlined
def begin_one(constants, state, lives, plan, i, seed, trial, senses, place):
    stream = lives.streams[i]
    open_stream(stream, seed, trial, WORLD)
    lives.season[i], lives.within[i], lives.over[i] = 0, 0, False
    lives.counts[i, :] = 0
    begin(constants, state, i, stream)
    turn(constants, state, i, plan.kinds[0], stream)
    sense(constants, state, i, senses[place])


@kernel
def step_all(constants, state, lives, plan, actions, senses, reward, association):
    """A step of every life that is not over. actions: int64 [life]; for the others see `Told`."""
    for i in range(actions.shape[0]):
        if not lives.over[i]:
            reward[i], association[i] = step_one(constants, state, lives, plan, i, actions[i], senses)


@inlined
def step_one(constants, state, lives, plan, i, action, senses):
    stream, counts, kind = lives.streams[i], lives.counts[i], plan.kinds[lives.season[i]]
    if lives.within[i] == 0:
        counts[:] = 0
    signal, association = judge(constants, state, i, kind, action, stream)
    act(constants, state, i, kind, action, counts, stream)
    lives.within[i] += 1
    if lives.within[i] == plan.season_steps:
        pass_season(constants, state, lives, plan, i)
    sense(constants, state, i, senses[i])
    return signal, association


@inlined
def pass_season(constants, state, lives, plan, i):
    """The next season begins, or life is over."""
    lives.season[i] += 1
    lives.within[i] = 0
    if lives.season[i] == plan.kinds.shape[0]:
        lives.over[i] = True
    else:
        turn(constants, state, i, plan.kinds[lives.season[i]], lives.streams[i])


@functools.cache
def kernels_of(world: Any) -> tuple[Kernel, Kernel]:
    """`begin_some` and `step_all` of a class of worlds."""
    parts = parts_of(world)
    parts.setdefault(turn, turn_nothing)
    name = world.name.replace("-", "_")
    return joined(begin_some, parts, name), joined(step_all, parts, name)


def check_steppable(world: World) -> None:
    if world.lived_by != World.lived_by:
        raise BadInput(f"the world {world.name} is made of an environment of Gymnasium's: use that itself.")


class Worlds:
    """Some lives of a world in progress, led from outside."""

    def __init__(self, world: World, lives: int) -> None:
        check_steppable(world)
        check_world(world)
        self.world, self.many = world, lives
        self.constants = constants_of(world)
        self.state, self._blank = state_of(world, lives), state_of(world, 1)
        self._plan = Calendar(np.array(world.season_kinds), world.season_steps)
        self.lives = Standing(
            streams=np.zeros((lives, 2), np.uint64),
            season=np.zeros(lives, np.int64),
            within=np.zeros(lives, np.int64),
            counts=np.zeros((lives, len(world.counts)), np.int64),
            over=np.ones(lives, np.bool_),
        )
        kind: Any = type(world)
        self._begin, self._step = kernels_of(kind)

    def begin(self, rows: np.ndarray, seeds: np.ndarray, trials: np.ndarray) -> np.ndarray:
        """Fresh worlds in these rows; returns what is sensed, uint8 [row, input]. seeds, trials: uint64 [row]"""
        for array, blank in zip(self.state, self._blank, strict=True):
            array[rows] = blank[0]
        senses = np.empty((len(rows), self.world.inputs), np.uint8)
        self._begin(self.constants, self.state, self.lives, self._plan, rows, seeds, trials, senses)
        return senses

    def step(self, actions: np.ndarray) -> Told:
        """One step of every life that is not over; the rows of the others hold nothing. actions: int64 [life]"""
        senses = np.empty((self.many, self.world.inputs), np.uint8)
        reward, association = np.empty(self.many), np.empty(self.many, np.int64)
        season = self.lives.season.copy()
        self._step(self.constants, self.state, self.lives, self._plan, actions, senses, reward, association)
        return Told(senses, reward, association, season, self.lives.counts.copy(), self.lives.over.copy())
