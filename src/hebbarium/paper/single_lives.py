"""Single lives looked at closely: where an agent goes, what it does, what its world looks like."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hebbarium.executors.base import Executor
from hebbarium.life.batch import Batch, TraceRoom
from hebbarium.life.observers import Observer, Room
from hebbarium.paper.works import Arrays, OfRule, PaperWork
from hebbarium.worlds.base import World
from hebbarium.worlds.grid import BLUE, GREEN, STRAIGHT

REWARDED, PUNISHED, STRAIGHT_ON, DIAGONAL = range(4)
"""What a trace is summed up as: shares of a life's steps."""


@dataclass(frozen=True, kw_only=True)
class Behaviours(OfRule):
    """Shares of the steps of a life that are rewarded, punished, straight on after straight on, and diagonal.

    A step is diagonal when it turns one way right after a turn the other way. shares: [life, 4]; learnt: [life, 2], the
    shares of steps that are punished and rewarded and not random, so that a rule may change weights.
    """

    kind = "Behaviours"
    seconds = 0.2

    def pieces(self) -> Sequence[PaperWork]:
        return self.parts(10)

    def do(self, executor: Executor | int | None) -> Arrays:
        return self.lived(executor, Shares()).seen[0]


class _Traced(Observer):
    """Traces one life between its two moments, and then sums it up."""

    alone = True

    def see(self, batch: Batch, room: Room) -> None:
        if batch.trace is None:
            start, end = self.moments(batch.world)
            batch.trace = TraceRoom(batch.world, start, end - start)
        else:
            self.sum_up(batch, batch.trace, room)

    @abstractmethod
    def sum_up(self, batch: Batch, trace: TraceRoom, room: Room) -> None: ...


@dataclass(frozen=True)
class Shares(_Traced):
    """What a life did, see `Behaviours`."""

    def moments(self, world: World) -> Sequence[int]:
        return 0, world.steps

    def sum_up(self, batch: Batch, trace: TraceRoom, room: Room) -> None:
        steps = trace.steps
        before, now = steps.action[:-1], steps.action[1:]
        straight = (before == STRAIGHT) & (now == STRAIGHT)
        diagonal = (before != STRAIGHT) & (now != STRAIGHT) & (before != now)
        signals = (steps.reinforcement == 1, steps.reinforcement == -1)
        room["shares"] = np.array([[np.mean(one) for one in (*signals, straight, diagonal)]])
        room["learnt"] = np.array([[np.mean((steps.reinforcement == sign) & ~steps.random) for sign in (-1, 1)]])


@dataclass(frozen=True, kw_only=True)
class Roaming(OfRule):
    """Where a life goes in its last steps. cells: [life], different cells it stood on; beside_walls: [life], the share
    of steps beside a wall; counts: [life, season, count]."""

    kind = "Roaming"
    seconds = 0.004
    tail: int

    def do(self, executor: Executor | int | None) -> Arrays:
        outcome = self.lived(executor, _Ground(self.tail))
        return {**outcome.seen[0], "counts": outcome.counts}


@dataclass(frozen=True)
class _Ground(_Traced):
    """Where a life went in its last steps."""

    tail: int

    def moments(self, world: World) -> Sequence[int]:
        return world.steps - self.tail, world.steps

    def sum_up(self, batch: Batch, trace: TraceRoom, room: Room) -> None:
        places, last = trace.notes.position, len(batch.picture().cells) - 2
        room["cells"] = np.array([len(np.unique(places, axis=0))])
        room["beside_walls"] = np.array([((places == 1) | (places == last)).any(axis=1).mean()])


@dataclass(frozen=True, kw_only=True)
class Snapshot(OfRule):
    """A world with its agent after some steps. things: [1, thing, 3], row, column and what it is;
    path: [1, step, 2], where the agent came from; direction: [1]."""

    kind = "Snapshot"
    seconds = 0.1
    steps: int
    tail: int
    lifetimes: int = 1

    def do(self, executor: Executor | int | None) -> Arrays:
        return self.lived(executor, _Portrait(self.steps, self.tail)).seen[0]


@dataclass(frozen=True)
class _Portrait(_Traced):
    steps: int
    tail: int

    def moments(self, world: World) -> Sequence[int]:
        return self.steps - self.tail, self.steps

    def sum_up(self, batch: Batch, trace: TraceRoom, room: Room) -> None:
        picture = batch.picture()
        rows, columns = np.nonzero((picture.cells == GREEN) | (picture.cells == BLUE))  # the wall's corner is 0, 0
        things = np.stack([rows, columns, picture.cells[rows, columns]], axis=1)
        room["things"] = things[None].astype(np.int64)
        room["path"] = trace.notes.position[None]
        room["direction"] = np.array([picture.direction])
        batch.trace = None  # tracing is slow, and the rest of the life is not looked at
