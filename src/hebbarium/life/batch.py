"""Some lifetimes in progress: born together, advanced together by one thread.

A lifetime is fixed to the last bit by its world, its brain, its rule and eta, and (seed, trial): not by threads,
batches or what else is lived beside it.
"""

from __future__ import annotations

import dataclasses
import importlib
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from hebbarium.brains.base import (
    Brain,
    Brains,
    Extras,
    bear,
    bear_specially,
    new_brains,
    new_extras,
    weights_of,
    write_rules,
)
from hebbarium.brains.network_files import Networks, distinct_in_each, kinds_of
from hebbarium.brains.scalings import check_grown
from hebbarium.brains.tallied import RECOUNT
from hebbarium.kernels.compile import Kernel
from hebbarium.kernels.random import gap_table
from hebbarium.life.cue import constants_of, own_part, state_of
from hebbarium.life.dispatch import Kind, Way, accelerations, is_special, loops_of, may_move, ways_of
from hebbarium.life.jobs import Jobs
from hebbarium.life.loop import Steps
from hebbarium.life.observers import Observer
from hebbarium.rules.rule import AnyRule
from hebbarium.worlds.base import World
from hebbarium.worlds.picture import Picture
from hebbarium.worlds.seasons import calendar_of

SLICE_SECONDS = 0.2
"""How long a kernel may run before it looks up, so that Ctrl-C is never far."""
_SECONDS_PER_WEIGHT, _SECONDS_PER_WEIGHT_IF_FASTER = 2e-9, 4e-10
"""What a step takes at most, for each life: on the generic loop, and on a faster one."""
_LOOK = 400
"""Steps from the beginning of a season to the first look at which lives learn often, and from each look to the next;
four times as many after a look that changed nothing."""
_OFTEN = 0.25
"""From this share of punished choices on, a life whose rule has only a half for punishment learns often: then eight
lives together are faster than one that remembers its actions (association gains 1.7 x, the pond with 24 % would lose).
"""
_ENOUGH = 8
"""As many as fit together: fewer would take as long."""
_WORTH = 150_000_000
"""So many steps of such lives are lived one by one in a process before the loop for eight is compiled, unless it has
been before: that takes 3 s of processor time, as much as it spares in so many (23 ns a step, association)."""
_lived_alone: Counter[Kernel] = Counter()
"""Steps of such lives until now, by the loop that would have been faster."""

np.empty(1 << 21)
"""Memory that a batch has left is then kept for the next one: once glibc has been asked for as much as this and got it
back, it no longer returns less to the system, which would clear every page again (12 us for a life of 200 neurons)."""


class Batch:
    signals: np.ndarray | None = None
    """int64 [lifetime, (punished, neutral, rewarded)]: how many steps were judged so, where they are counted."""

    def __init__(
        self,
        world: World,
        brain: Brain,
        jobs: Jobs,
        networks: Networks | None = None,
        kind: Kind = "network",
        *,
        fast: bool = True,
        general: bool = False,
    ) -> None:
        """networks: lives begin with these weights instead of newborn ones (their random streams are the same).

        fast: whether faster loops are used for the lives that they cover; the results are the same.
        general: whether they live by the general network even where they need not; the results are the same."""
        self.world, self.brain, self.jobs, self.kind, self.fast = world, brain, jobs, kind, fast
        self.general = kind == "network" and (general or brain.is_general or jobs.is_wide)
        self.counts = np.zeros((world.seasons, len(jobs), len(world.counts)), np.int64)
        self.step = 0
        self.trace: TraceRoom | None = None
        self.season_kinds = world.season_kinds
        if world.own_seasons and len(jobs) > 1:
            raise ValueError("lives with seasons of their own are lived one by one")
        self.calendar = (
            calendar_of(world, int(jobs.seed[0]), int(jobs.trial[0])) if world.own_seasons and len(jobs) else None
        )
        self.brains = brains_of(world, brain, len(jobs), self.general)
        if jobs.trace is not None:
            self.brains.net.decay[:] = jobs.trace
        self.extras = (
            extras_of(world, brain, jobs, self.general) if isinstance(kind, str) else kind.room(world, len(jobs))
        )
        self.set_rules(jobs.entries, jobs.eta)
        self._be_born(networks)

    def _be_born(self, networks: Networks | None) -> None:
        self._begin()
        bear(self.brains, self.jobs.seed, self.jobs.trial)
        bear_specially(self.brain, self.brains)
        if networks is not None:
            self.set_networks(networks)

    def be_born_again(self, trials: np.ndarray, networks: Networks) -> None:
        """What a new batch of lives under the same rules, with these trials, would be; for those who live thousands of
        short ones, as this is several times as quick. Only for lives with nothing special, nor seasons of their own.
        trials: uint64 [lifetime]"""
        assert self.extras is None
        assert self.calendar is None
        self.jobs = dataclasses.replace(self.jobs, trial=trials)
        self.counts = np.zeros_like(self.counts)  # new ones: those of before may still be looked at
        self.step, self.trace = 0, None
        for carried in (self.brains.tally, self.brains.changes, self.brains.punished):
            carried[:] = 0
        self._be_born(networks)

    @staticmethod
    def of(world: World, *arguments: Any, **options: Any) -> Batch:
        """A batch of the kind that lives in this world."""
        return _class_of(world)(world, *arguments, **options)

    def _begin(self) -> None:
        """Fresh worlds."""
        # First, because a user's world is checked for it.
        self.loops = loops_of(self.world, self.brain, self.kind, self.general)
        self.constants = constants_of(self.world)
        self.state = state_of(self.world, len(self.jobs))
        self.streams = np.zeros((len(self.jobs), 2), np.uint64)
        self.loops.begin(self.constants, self.state, self.streams, self.jobs.seed, self.jobs.trial)

    @classmethod
    def is_compiled(
        cls, world: World, brain: Brain, kind: Kind, special: bool, ways: Collection[Way], general: bool = False
    ) -> bool:
        """Whether all that such lives need has been compiled before."""
        general = general and kind == "network"
        faster = accelerations(world, brain, special) if kind == "network" and not general else {}
        if not ways or not set(ways) <= set(faster):
            return loops_of(world, brain, kind, general).advances[special, False].is_kept
        return all(faster[way].is_kept for way in ways)

    def set_rules(self, entries: np.ndarray, eta: np.ndarray) -> None:
        """From now on live by these rules. entries: [lifetime, layer, entry], eta: float64 [lifetime, layer]."""
        write_rules(self.brains, entries, eta)
        ways = ways_of(self.brains.plastic)
        faster: dict[Way, Kernel] = {}
        if self.fast and self.kind == "network" and not self.general:
            faster = accelerations(self.world, self.brain, self.extras is not None)
        loops = dict.fromkeys(faster[way] for way in ways) if set(ways) <= set(faster) else {}
        self.accelerations = [
            (one, np.sort(np.concatenate([lives for way, lives in ways.items() if faster[way] is one])))
            for one in loops
        ]
        several = bool(loops) and len(ways.get("seldom", ())) >= _ENOUGH
        self.movable = several and may_move(self.world, faster)
        self.moves = self.movable and (faster["often"].is_kept or _lived_alone[faster["often"]] >= _WORTH)
        self.ways, self.faster, self.look = ways, faster, _LOOK

    def set_networks(self, networks: Networks) -> None:
        """From now on live with these weights. What is carried along of the old ones is counted anew."""
        for weights, given in zip(weights_of(self.brains), networks.layers, strict=True):
            weights[:] = given.swapaxes(1, 2) + 0.0  # -0.0 becomes 0.0, which faster loops rely on
        self.brains.changes[:] = -(-self.brains.changes // RECOUNT) * RECOUNT

    def advance(self, steps: int) -> None:
        """Live on; seasons change as they come, and life ends with the last one."""
        while steps > 0 and self.step < self.world.steps:
            season, within, left = self.season_at(self.step)
            self.look = self.look if within else _LOOK
            part = min(steps, left, self.look if self.moves else steps)
            self._advance(season, within, part)
            self.step += part
            steps -= part
            check_grown(self.brain.scaling, weights_of(self.brains), self.step)

    @property
    def season_ends(self) -> Sequence[int]:
        """Steps since birth."""
        if self.calendar is not None:
            return self.calendar.ends
        return range(self.world.season_steps, self.world.steps + 1, self.world.season_steps)

    def season_at(self, step: int) -> tuple[int, int, int]:
        """The place of the season, how many of its steps are over, and how many are left."""
        if self.calendar is not None:
            return self.calendar.at(step)
        season, within = divmod(step, self.world.season_steps)
        return season, within, self.world.season_steps - within

    def _advance(self, season: int, within: int, steps: int) -> None:
        """Some steps of one season."""
        kind = self.season_kinds[season]
        if within == 0 and self.loops.turn is not None:
            self.loops.turn(self.constants, self.state, self.streams, kind)
        lives = (self.constants, self.state, self.streams, self.brains, kind, steps, self.counts[season])
        if self.accelerations and self.trace is None:
            before = self.brains.punished.copy() if self.movable else None
            for advance, some in self.accelerations:
                advance(*lives, some, *([] if self.extras is None else [self.extras]))
            if before is not None:
                self._move_those_who_learn_often(self.brains.punished - before, steps)
            return
        rows, notes = (None, None) if self.trace is None else self.trace.rows(self.step, steps)
        advance = self.loops.advances[self.extras is not None, self.trace is not None]
        advance(*lives, self.extras, rows, notes)

    def _move_those_who_learn_often(self, punished: np.ndarray, steps: int) -> None:
        """Lives with a half for punishment only are lived by the loop that suits them. punished: how often they were"""
        often = np.zeros(len(self.jobs), np.bool_)
        often[self.ways["seldom"]] = punished[self.ways["seldom"]] > _OFTEN * steps
        often &= self.brains.plastic[:, 0, 0]  # where only outputs learn, remembering is faster
        often &= often.sum() >= _ENOUGH
        if not self.moves:
            _lived_alone[self.faster["often"]] += steps * int(often.sum())
            return
        ways = {way: lives[~often[lives]] for way, lives in self.ways.items()}
        ways["often"] = np.sort(np.concatenate([ways.get("often", np.zeros(0, np.int64)), np.flatnonzero(often)]))
        before = self.accelerations
        self.accelerations = [(self.faster[way], lives) for way, lives in ways.items() if len(lives)]
        same = [len(lives) for _, lives in before] == [len(lives) for _, lives in self.accelerations]
        self.look = 4 * self.look if same else _LOOK

    def live(self, stop: threading.Event | None = None, observers: Sequence[Observer] = ()) -> list[dict[str, Any]]:
        """To the end of life, or until `stop` is set. Returns what each observer saw, by name: [lifetime, ...]"""
        rooms: list[dict[str, np.ndarray]] = [{} for _ in observers]
        due = _due(observers, self)
        slice_steps = self._first_slice()
        for moment in sorted({*due, self.world.steps}):
            while self.step < moment:
                if stop is not None and stop.is_set():
                    return rooms
                before, start = self.step, time.perf_counter()
                self.advance(min(slice_steps, moment - self.step))
                pace = (time.perf_counter() - start) / (self.step - before)
                slice_steps = min(8 * slice_steps, max(1, int(SLICE_SECONDS / max(pace, 1e-9))))
            for number in due.get(moment, ()):
                observers[number].see(self, rooms[number])
        return rooms

    def _first_slice(self) -> int:
        """Short enough on any machine, and at most a season: its rest would be a part of its own, which takes time."""
        weights = sum(layer.size for layer in weights_of(self.brains))
        pace = (_SECONDS_PER_WEIGHT_IF_FASTER if self.accelerations else _SECONDS_PER_WEIGHT) * weights
        return max(1, min(int(SLICE_SECONDS / pace), self.season_at(min(self.step, self.world.steps - 1))[2]))

    @property
    def season(self) -> int:
        """Which of the life's seasons the last step was in; the first, at birth."""
        return self.season_at(max(self.step - 1, 0))[0]

    def networks(self) -> Networks:
        """A copy of the networks as they are now."""
        return Networks(self.world.name, *(layer.swapaxes(1, 2).copy() for layer in weights_of(self.brains)))

    def distinct_hidden(self) -> np.ndarray:
        """int64 [lifetime]: over all hidden layers"""
        return sum(map(distinct_in_each, weights_of(self.brains)[:-1]), np.zeros(len(self.jobs), np.int64))

    def kinds_of_hidden(self) -> np.ndarray:
        """int64 [lifetime]: the same to six digits"""
        layers = (layer.swapaxes(1, 2) for layer in weights_of(self.brains)[:-1])
        return sum(map(kinds_of, layers), np.zeros(len(self.jobs), np.int64))

    def picture(self, i: int = 0) -> Picture:
        """What a person would see of a life's world now."""
        constants, state = (own_part(self.world, record) for record in (self.constants, self.state))
        return self.world.picture(constants, state, i)


class TraceRoom:
    """Room for every step of one life."""

    def __init__(self, world: World, first: int, steps: int) -> None:
        """Of so many steps, from the first one on."""
        self.first = first
        self.steps = Steps(
            senses=np.zeros((steps, world.all_inputs), np.uint8),
            action=np.zeros(steps, np.int8),
            random=np.zeros(steps, np.bool_),
            reinforcement=np.zeros(steps, np.int8),
            association=np.zeros(steps, np.int8),
            fired=np.zeros(steps, np.int32),
        )
        self.notes = world.new_notes(steps)

    def rows(self, step: int, steps: int) -> tuple[Steps, Any]:
        """Those from a step of life on."""
        some = slice(step - self.first, step - self.first + steps)
        notes = None if self.notes is None else type(self.notes)(*(column[some] for column in self.notes))
        return Steps(*(column[some] for column in self.steps)), notes

    def columns(self) -> dict[str, np.ndarray]:
        """All that mean something at every step, by name, the world's own among them."""
        columns = self.steps._asdict() | ({} if self.notes is None else self.notes._asdict())
        del columns["fired"]
        return columns


def _due(observers: Sequence[Observer], batch: Batch) -> dict[int, list[int]]:
    """For each moment the observers that want to look then, in their order."""
    due: dict[int, list[int]] = {}
    for number, observer in enumerate(observers):
        for moment in observer.due(batch):
            due.setdefault(moment, []).append(number)
    return due


def _class_of(world: World) -> type[Batch]:
    module, _, name = world.lived_by.partition(":")
    kind: type[Batch] = getattr(importlib.import_module(module), name)
    return kind


def brains_of(world: World, brain: Brain, lifetimes: int, general: bool = False) -> Brains:
    choices = np.array(world.turns if world.random_kind == "turn" else range(world.outputs), np.int64)
    only_unseeing = world.random_where == "nothing-sensed"
    gaps = gap_table(world.random_action)
    return new_brains(lifetimes, brain, world.all_inputs, world.outputs, gaps, choices, only_unseeing, general)


def extras_of(world: World, brain: Brain, jobs: Jobs, general: bool = False) -> Extras | None:
    """None for lives that are like the paper's."""
    if not (general or is_special(brain, jobs.blame is not None or jobs.eligibility is not None)):
        return None
    if brain.arithmetic != "plain":
        raise ValueError("blame, eligibility, neutral entries and the like need the plain arithmetic")
    usual = np.ones((len(jobs), len(world.judgements)))
    blame = usual if jobs.blame is None else jobs.blame
    eligibility = 0.0 * usual if jobs.eligibility is None else jobs.eligibility
    return new_extras(
        brain, world.all_inputs, world.outputs, world.judgement_table(), blame, eligibility, jobs.seed, jobs.trial
    )


def _sorts(brain: Brain, rules: Iterable[AnyRule]) -> dict[bool, set[Way]]:
    """How lives by these rules learn, by whether they need the general network, where it does not matter; without any
    rules, as lives by rules that both layers share."""
    rules = list(rules)
    if brain.is_general:
        return {True: set()}
    if not rules:
        return {False: {"seldom", "often"}}
    narrow = [rule for rule in rules if not rule.is_wide]
    sorts: dict[bool, set[Way]] = {True: set()} if len(narrow) < len(rules) else {}
    if narrow:
        entries = [[layer.entries for layer in rule.for_layers(brain.layers)] for rule in narrow]
        sorts[False] = set(ways_of(np.asarray(np.array(entries).reshape(-1, 2, 2, 4).any(axis=3))))
    return sorts


def prepare(
    world: World,
    brain: Brain | None = None,
    kind: Kind = "network",
    *,
    blamed: bool = False,
    rules: Iterable[AnyRule] = (),
) -> None:
    """Compile, or load from the cache, what such lives need; later calls cost nothing.

    blamed: whether they have blame or eligibility. rules: those they live by, so that what they do not need is not
    compiled. Without any, rules that both layers share."""
    brain = Brain.of(world) if brain is None else brain
    sorts = _sorts(brain, rules)
    brain = dataclasses.replace(brain, hidden=tuple(1 for _ in brain.sizes) or 0)
    none = Jobs.of([], [], [], brain.layers)
    if blamed:
        none = none.with_blame(np.ones(len(world.judgements)), None)
    for general, ways in sorts.items():
        batch = Batch.of(world, brain, none, kind=kind, general=general)
        faster = accelerations(world, brain, batch.extras is not None) if kind == "network" else {}
        if ways and ways <= set(faster):
            batch.accelerations = [(faster[way], np.zeros(0, np.int64)) for way in sorted(ways)]
        batch.advance(1)


def is_compiled(
    world: World,
    brain: Brain | None = None,
    kind: Kind = "network",
    *,
    blamed: bool = False,
    rules: Iterable[AnyRule] = (),
) -> bool:
    """Whether `prepare` will find everything compiled already."""
    brain = Brain.of(world) if brain is None else brain
    return all(
        _class_of(world).is_compiled(world, brain, kind, is_special(brain, blamed) or general, ways, general)
        for general, ways in _sorts(brain, rules).items()
    )
