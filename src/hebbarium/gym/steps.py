"""Worlds whose actions come from outside: one call begins or steps as many as there are.

The same functions of the world, asked in the same order and with the same random numbers, as in the loop of a life.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from hebbarium.kernels.compile import Kernel, inlined, joined, kernel
from hebbarium.kernels.random import WORLD, open_stream
from hebbarium.life.cue import constants_of, own_part, parts_of, state_of
from hebbarium.life.loop import act, begin, judge, sense, turn, turn_nothing
from hebbarium.life.rehearsal import check_world
from hebbarium.tools.errors import BadInput
from hebbarium.worlds.base import World
from hebbarium.worlds.seasons import calendar_of


class Plan(NamedTuple):
    """Which seasons lives have, in the order in which they come."""

    kinds: np.ndarray
    """int64 [life, season]"""
    ends: np.ndarray
    """int64 [life, season]: steps since birth."""


class Standing(NamedTuple):
    """What changes, beside the worlds' own state: one row per life."""

    streams: np.ndarray
    """uint64 [life, 2]"""
    season: np.ndarray
    """int64 [life]: the season that the next step is in."""
    step: np.ndarray
    """int64 [life]: how many steps are over."""
    begun: np.ndarray
    """bool [life]: whether a season begins with the next step."""
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
    lives.season[i], lives.step[i], lives.begun[i], lives.over[i] = 0, 0, True, False
    lives.counts[i, :] = 0
    begin(constants, state, i, stream)
    turn(constants, state, i, plan.kinds[i, 0], stream)
    sense(constants, state, i, senses[place])


@kernel
def step_all(constants, state, lives, plan, actions, senses, reward, association):
    """A step of every life that is not over. actions: int64 [life]; for the others see `Told`."""
    for i in range(actions.shape[0]):
        if not lives.over[i]:
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
        pass_season(constants, state, lives, plan, i)
    sense(constants, state, i, senses[i])
    return signal, association


@inlined
def pass_season(constants, state, lives, plan, i):
    """The next season begins, or life is over."""
    lives.season[i] += 1
    lives.begun[i] = True
    if lives.season[i] == plan.kinds.shape[1]:
        lives.over[i] = True
    else:
        turn(constants, state, i, plan.kinds[i, lives.season[i]], lives.streams[i])


@functools.cache
def kernels_of(world: Any, cued: bool) -> tuple[Kernel, Kernel]:
    """`begin_some` and `step_all` of a class of worlds."""
    parts = parts_of(world, cued)
    parts.setdefault(turn, turn_nothing)
    name = world.name.replace("-", "_") + "_cued" * cued
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
        self.state, self._blank = state_of(world, lives), own_part(world, state_of(world, 1))
        self._plan = Plan(*np.zeros((2, lives, world.seasons), np.int64))
        self.lives = Standing(
            streams=np.zeros((lives, 2), np.uint64),
            season=np.zeros(lives, np.int64),
            step=np.zeros(lives, np.int64),
            begun=np.ones(lives, np.bool_),
            counts=np.zeros((lives, len(world.counts)), np.int64),
            over=np.ones(lives, np.bool_),
        )
        kind: Any = type(world)
        self._begin, self._step = kernels_of(kind, bool(world.cue))

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

    def step(self, actions: np.ndarray) -> Told:
        """One step of every life that is not over; the rows of the others hold nothing. actions: int64 [life]"""
        senses = np.empty((self.many, self.world.all_inputs), np.uint8)
        reward, association = np.empty(self.many), np.empty(self.many, np.int64)
        season = self.lives.season.copy()
        self._step(self.constants, self.state, self.lives, self._plan, actions, senses, reward, association)
        return Told(senses, reward, association, season, self.lives.counts.copy(), self.lives.over.copy())
