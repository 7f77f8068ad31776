"""A life that is watched: it goes on, season after season, for as long as somebody looks.

The kernels are those of every other verb, so it is the very life that `live` lives as that trial of that seed, until
somebody changes its rule or its season.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hebbarium.life.batch import Batch, TraceRoom
from hebbarium.rules.rule import AnyRule
from hebbarium.studies.etas import rule_to_live_by
from hebbarium.tools.errors import BadInput, check_integer
from hebbarium.watch.chronicle import Chronicle
from hebbarium.watch.wishes import Wish
from hebbarium.worlds.base import World

LOOK = 60
"""So many of the latest steps are written down, for the trail."""
MOST_CELLS = 262_144


@dataclass(frozen=True)
class Moment:
    """What happened in one step."""

    senses: np.ndarray
    """uint8 [input]"""
    active: np.ndarray
    """bool [hidden neuron]: as they were when the agent acted."""
    sums: np.ndarray
    """float64 [output]"""
    action: int
    random: bool
    reinforcement: int
    association: int


class Session:
    def __init__(self, wish: Wish, worlds: Mapping[str, World]) -> None:
        self.wish = wish
        self.experiment = wish.experiment(worlds)
        self.world, self.rule = self.experiment.world, self.experiment.rule
        self.world.check_same_seasons("watch")
        self._cycle = [self.world.kinds.index(kind) for kind in self.world.schedule.split(",")]
        self.born_anew()

    def born_anew(self) -> None:
        """The same newborn brain in the same world."""
        self.batch = Batch(self.world, self.experiment.brain, self.experiment.jobs(self.wish.trial))
        _check_visible(self.batch)
        self.lived = 0
        self.earlier = np.zeros((self.lives, len(self.world.counts)), np.int64)
        """[lifetime, count]: of the seasons before this one."""
        self.chronicle = Chronicle()
        self.moment: Moment | None = None
        self.trail: deque[tuple[int, int]] = deque(maxlen=LOOK)
        self.stop = self.wish.stop
        self.touched = False
        """Whether somebody took a hand in it, so that the address alone no longer tells how it came about."""
        self._place = 0
        self._begin_season(self._cycle[0])

    @property
    def lives(self) -> int:
        return self.wish.brains

    @property
    def counts(self) -> np.ndarray:
        """int64 [lifetime, count]: of this season so far."""
        counts: np.ndarray = self.batch.counts[0]
        return counts

    @property
    def within(self) -> int:
        """Steps lived of this season."""
        return self.batch.step

    @property
    def over(self) -> bool:
        """Whether it has lived as many seasons as were asked for."""
        return 0 < self.stop <= self.chronicle.seasons

    def carry_on(self) -> None:
        """Live on beyond the end that was asked for."""
        if self.over:
            self.stop = 0
            self._next_season()

    def fitness(self) -> np.ndarray:
        """float64 [lifetime]: of this season so far."""
        return _one_season(self.world, self.kind).fitness(self.counts[:, None, :])[:, 0]

    def set_rule(self, text: object) -> AnyRule:
        """From now on live by this one."""
        if not isinstance(text, str):
            raise BadInput("rule must be text, such as 00+-/0000@0.04.")
        self.rule = rule_to_live_by(self.world.name, text).rule
        layers = self.rule.layers
        entries = np.array([layer.entries for layer in layers], np.int8)
        eta = np.array([layer.eta for layer in layers])
        self.batch.set_rules(np.tile(entries, (self.lives, 1, 1)), np.tile(eta, (self.lives, 1)))
        self.touched = self.touched or self.lived > 0  # at birth it is as if it had been asked for
        return self.rule

    def set_season(self, kind: object) -> None:
        """End the present season now; one of this kind begins, and those after it follow as scheduled."""
        kind = check_integer("season", kind, 0, len(self.world.kinds) - 1)
        self._end_season()
        self.stop = 0 if self.over else self.stop
        if kind in self._cycle:
            self._place = self._cycle.index(kind)
        self._begin_season(kind)
        self.touched = True

    def advance(self, steps: int) -> None:
        """Live on, until the end that was asked for."""
        ahead = steps if self.lives > 1 else max(0, steps - LOOK)
        self._advance(ahead)
        if steps > ahead:
            self._trace(steps - ahead - 1)
            self._think()

    def _advance(self, steps: int) -> None:
        while steps > 0 and not self.over:
            part = min(steps, self.world.season_steps - self.within)
            self.batch.advance(part)
            self.lived += part
            steps -= part
            if self.within == self.world.season_steps:
                self._end_season()
                if not self.over:
                    self._next_season()

    def _trace(self, steps: int) -> TraceRoom | None:
        """Some steps written down; for the trail, where the world notes positions. Returns the last season's."""
        last = None
        while steps > 0 and not self.over:
            part = min(steps, self.world.season_steps - self.within)
            last = self.batch.trace = TraceRoom(self.world, self.within, part)
            self._advance(part)
            self.batch.trace = None
            self.trail.extend(_positions(last))
            steps -= part
        return last

    def _think(self) -> None:
        """One step, and what went on in the brain. The weights are those before it learned."""
        hidden, output = self.batch.brains.hidden[0].copy(), self.batch.brains.output[0].copy()
        trace = self._trace(1)
        if trace is None:
            return
        steps = trace.steps
        active = _activate(hidden, steps.senses[0]) > 0.0
        self.moment = Moment(
            senses=steps.senses[0],
            active=active,
            sums=_activate(output, active),
            action=int(steps.action[0]),
            random=bool(steps.random[0]),
            reinforcement=int(steps.reinforcement[0]),
            association=int(steps.association[0]),
        )

    def _begin_season(self, kind: int) -> None:
        """The batch lives one first season after another: so there is no last one, and each may begin at any time."""
        self.kind = kind
        self.earlier += self.counts
        self.batch.step = 0
        self.batch.season_kinds = (kind,) * self.world.seasons
        self.batch.counts[:] = 0

    def _end_season(self) -> None:
        if self.within > 0 and not self.over:
            self.chronicle.add(self.kind, self.fitness())

    def _next_season(self) -> None:
        self._place = (self._place + 1) % len(self._cycle)
        self._begin_season(self._cycle[self._place])


@functools.lru_cache(maxsize=32)
def _one_season(world: World, kind: int) -> World:
    return world.one_season(kind)


def _activate(weights: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Each neuron's sum, in the kernels' own order, so that it is the same number. weights: [pre, post], bias last."""
    sums: np.ndarray = np.zeros(weights.shape[1])
    for pre in (*np.flatnonzero(before), -1):
        sums += weights[pre]
    return sums


def _positions(trace: TraceRoom) -> list[tuple[int, int]]:
    position = getattr(trace.notes, "position", None)
    return [] if position is None else [(int(row), int(column)) for row, column in position]


def _check_visible(batch: Batch) -> None:
    rows, columns = batch.picture().cells.shape
    if rows * columns > MOST_CELLS:
        raise BadInput(f"a world of {rows} x {columns} cells is too large to watch; at most {MOST_CELLS:,} cells are.")
