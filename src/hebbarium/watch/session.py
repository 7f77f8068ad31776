"""A life that is watched: it goes on, season after season, for as long as a page is open.

The kernels are those of every other verb, so it is the very life that `live` lives as that trial of that seed, until
the user changes its rule or its season.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hebbarium.agents.hill_climbing import HillClimbing
from hebbarium.agents.registry import make_agent
from hebbarium.brains import general
from hebbarium.brains.base import weights_of
from hebbarium.brains.network_files import Networks
from hebbarium.life.batch import Batch, TraceRoom
from hebbarium.life.jobs import Jobs
from hebbarium.life.loop import Steps
from hebbarium.rules.rule import AnyRule
from hebbarium.rules.shape import ENTRIES, PER_SIGNAL, REINFORCEMENTS, STATES, WIDE
from hebbarium.studies.choosing_eta import rule_to_live_by
from hebbarium.studies.live import digest_of
from hebbarium.tools.errors import BadInput, check_integer, shown
from hebbarium.watch.requests import MOST_CHANGES, Wish
from hebbarium.worlds.base import World
from hebbarium.worlds.picture import Picture
from hebbarium.worlds.seasons import Calendar, calendar_of

# The fitness of every season of lives of any length, kept in a few bars.

ROOM = 64
KEPT = 1000
MIXED = -1
"""The kind of a bar that is the mean of several seasons."""


class Chronicle:
    """One bar for each season; when there is no more room, every two neighbours become one."""

    def __init__(self) -> None:
        self.size = 1
        """Seasons in a bar."""
        self.seasons = 0
        self.kinds: list[int] = []
        self.bars: list[np.ndarray] = []
        """Each float64 [lifetime]: the mean fitness of its seasons."""
        self.counts: list[np.ndarray] = []
        """Each int64 [lifetime, count]: of the first KEPT seasons."""
        self._waiting: list[np.ndarray] = []

    def add(self, kind: int, fitness: np.ndarray, counts: np.ndarray) -> None:
        """fitness: float64 [lifetime], counts: int64 [lifetime, count]"""
        self.seasons += 1
        if len(self.counts) < KEPT:
            self.counts.append(counts.copy())
        self._waiting.append(fitness)
        if len(self._waiting) < self.size:
            return
        self.bars.append(np.mean(self._waiting, axis=0))
        self.kinds.append(kind if self.size == 1 else MIXED)
        self._waiting = []
        if len(self.bars) == ROOM:
            self.bars = [(left + right) / 2 for left, right in zip(self.bars[::2], self.bars[1::2], strict=True)]
            self.kinds = [MIXED] * len(self.bars)
            self.size *= 2


LOOK = 60
"""So many of the latest steps are written down, for the trail."""
CHUNK = 4096
"""Steps that are written down at a time."""
COUNTED = 64
"""Steps asked for at once, at most, for which the general network is asked after each step what it changed."""
MOST_CELLS = 262_144


@dataclass(frozen=True)
class Moment:
    """What happened in one step."""

    senses: np.ndarray
    """uint8 [input]"""
    active: list[np.ndarray]
    """bool [hidden neuron] of each hidden layer: as they were when the agent acted."""
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
        self.world = self.experiment.world
        self._cycle = self._seasons()
        for _, what in wish.changes():
            if what not in self.world.kinds:
                rule_to_live_by(self.world, what)
        self._climbed: list[tuple[int, Networks]] = []
        """For each season its kind and the network that was found for it."""
        if wish.agent:
            climber, hidden = make_agent(wish.agent), self.experiment.brain.hidden
            assert isinstance(climber, HillClimbing)
            climbs = climber.climb(
                self.world, wish.brains, seed=wish.seed, first_trial=wish.trial, hidden=hidden, executor=1
            )
            self._climbed = list(zip(self.world.season_kinds, climbs.networks, strict=True))
        self.born_anew(wish.changes())

    def _seasons(self) -> list[tuple[int, int]]:
        """Kind and steps of the seasons that come again and again."""
        world = self.world
        if not world.own_seasons:
            return [(world.kinds.index(kind), world.season_steps) for kind in world.schedule.split(",")]
        if self.lives > 1:
            raise BadInput(
                f"brains is {self.lives}, but lives with random seasons are watched one at a time; choose 1."
            )
        spans = calendar_of(world, self.wish.seed, self.wish.trial).spans()
        return [(world.season_kinds[place], end - start) for place, start, end in spans]

    def born_anew(self, script: Sequence[tuple[int, str]] = ()) -> None:
        """The same newborn brain in the same world. script: changes to make again, as a link has them."""
        self.rule = self.experiment.rule
        self.batch = Batch(self.world, self.experiment.brain, self.experiment.jobs(self.wish.trial))
        rows, columns = self.batch.picture().cells.shape
        if rows * columns > MOST_CELLS:
            size = f"a world of {rows} x {columns} cells is too large to watch"
            raise BadInput(f"{size}; at most {MOST_CELLS:,} cells are.")
        self.lived = 0
        self.earlier = np.zeros((self.lives, len(self.world.counts)), np.int64)
        """[lifetime, count]: of the seasons before this one."""
        self.chronicle = Chronicle()
        self.moment: Moment | None = None
        self.trail: deque[tuple[int, int]] = deque(maxlen=LOOK)
        self.stop = self.wish.stop
        self.acted = self._nothing_changed()
        """[layer, entry]: synapses that each entry has changed since birth, or since the rule was last changed; None
        where that is not counted."""
        self.changes: list[tuple[int, str]] = []
        """Steps at which its rule or season was changed from outside, and to what."""
        self._script = list(script)
        self._scene: Picture | None = None
        self._place, self._to_come = 0, itertools.cycle(self._climbed)
        self._begin_season(*self._cycle[0])

    def _nothing_changed(self) -> np.ndarray | None:
        """For `acted`. Under tanh every synapse changes, and with a trace by what earlier steps left, too."""
        brain = self.experiment.brain
        if brain.activation == "tanh" or brain.trace:
            return None
        return np.zeros((len(self.layers), WIDE if self.batch.general else ENTRIES), np.int64)

    @property
    def layers(self) -> list[np.ndarray]:
        """float64 [pre, post] of each layer of the first brain, the bias last: views, not copies."""
        return [layer[0] for layer in weights_of(self.batch.brains)]

    @property
    def touched(self) -> bool:
        return bool(self.changes)

    @property
    def then(self) -> str | None:
        """The changes, made or still to be made, as an address has them; None where there are too many."""
        changes = [*self.changes, *self._script]
        return None if len(changes) > MOST_CHANGES else ";".join(f"{step}:{what}" for step, what in changes)

    @property
    def digest(self) -> str | None:
        """Of all seasons that are over, as `live` prints it for so many; None where it lives another life."""
        seasons = self.chronicle.counts
        if (
            self.world.own_seasons
            or self.touched
            or self._climbed
            or not seasons
            or self.wish.trial
            or len(seasons) < self.chronicle.seasons
        ):
            return None
        return digest_of(np.stack(seasons, axis=1))

    def picture(self, i: int = 0) -> Picture:
        """What is there now; but where there is no agent to be seen, what the last step was about."""
        return self._scene or self.batch.picture(i)

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
        return self.world.one_season(self.kind).fitness(self.counts[:, None, :])[:, 0]

    def set_rule(self, text: object) -> AnyRule:
        """From now on live by this one."""
        if not isinstance(text, str):
            raise BadInput("rule must be text, such as 00+-/0000@0.04.")
        rule = rule_to_live_by(self.world, text).rule
        if rule.is_wide and not self.batch.general:
            raise BadInput(f"rule {shown(rule.notation)} has entries for neutral steps, so a life must begin with it.")
        jobs = Jobs.of_rule(rule, self.lives, self.wish.seed, layers=self.experiment.brain.layers)
        self.batch.set_rules(jobs.entries, jobs.eta)
        self.rule = rule
        self.acted = self._nothing_changed()
        if self.changes and self.changes[-1][0] == self.lived and self.changes[-1][1] not in self.world.kinds:
            self.changes.pop()  # it was never lived by
        if self.lived > 0 or self.changes:  # at birth it is as if it had been asked for
            self.changes.append((self.lived, self.rule.text))
        return self.rule

    def set_season(self, kind: object) -> None:
        """End the present season now; one of this kind begins, and those after it follow as scheduled."""
        kind = check_integer("season", kind, 0, len(self.world.kinds) - 1)
        self._end_season()
        self.stop = 0 if self.over else self.stop
        kinds = [one for one, _ in self._cycle]
        self._place = kinds.index(kind) if kind in kinds else self._place
        self._begin_season(kind, self._cycle[self._place][1])
        self.changes.append((self.lived, self.world.kinds[kind]))

    def advance(self, steps: int) -> None:
        """Live on, until the end that was asked for."""
        ahead = steps if self.lives > 1 else steps - 1
        self._advance(ahead)
        if steps > ahead:
            self._think()

    def _make_changes(self) -> None:
        """Those that were made at this step before."""
        while self._script and self._script[0][0] == self.lived:
            _, what = self._script.pop(0)
            if what in self.world.kinds:
                self.set_season(self.world.kinds.index(what))
            else:
                self.set_rule(what)

    def _advance(self, steps: int) -> TraceRoom | None:
        """Of a single life the steps are written down, for the trail and for what its rule did. Returns the last."""
        last = None
        if self.batch.general and steps > COUNTED:
            self.acted = None
        chunk = 1 if self.batch.general and self.acted is not None else CHUNK
        self._make_changes()
        while steps > 0 and not self.over:
            # Until the season ends or something is to be changed.
            changed = self._script[0][0] - self.lived if self._script else steps
            part = min(steps, self._steps - self.within, changed)
            if self.lives == 1:
                part = min(part, chunk)
                last = self.batch.trace = TraceRoom(self.world, self.within, part)
            self.batch.advance(part)
            self.batch.trace = None
            if last is not None:
                position = getattr(last.notes, "position", ())
                self.trail.extend((int(row), int(column)) for row, column in position[-LOOK:])
                self._count(last.steps)
            self.lived += part
            steps -= part
            if self.within == self._steps:
                self._end_season()
                if not self.over:
                    self._next_season()
            self._make_changes()
        return last

    def _count(self, steps: Steps) -> None:
        """How many synapses each entry changed in these steps."""
        if self.acted is None:
            return
        if self.batch.general:
            return self._count_last(steps)
        extras, learned = self.batch.extras, ~steps.random & (steps.reinforcement != 0)
        if extras is not None:
            judgements = extras.judgements[self.kind, steps.association, steps.action]
            learned &= extras.blame[0, judgements] != 0
        firing = [steps.senses.sum(axis=1, dtype=np.int64), steps.fired.astype(np.int64), np.ones(len(learned), int)]
        for k, layer in enumerate(self.layers):
            rows = layer.shape[0] if extras is None else int(extras.changed[k])
            active, fired = firing[k] + (rows == layer.shape[0]), firing[k + 1]  # the bias, where it changes, is active
            pairs = [n * m for n in (rows - active, active) for m in (layer.shape[1] - fired, fired)]
            for half, signal in enumerate((-1, 1)):
                heard = learned & (steps.reinforcement == signal)
                for pair, changed in enumerate(pairs):
                    if self.rule.layers[k].entries[4 * half + pair]:
                        self.acted[k, 4 * half + pair] += changed[heard].sum()

    def _count_last(self, steps: Steps) -> None:
        """The same of the last step, from what the general network still holds of it."""
        net, extras = self.batch.brains.net, self.batch.extras
        assert extras is not None  # general networks always have some
        judgement = extras.judgements[self.kind, steps.association[-1], steps.action[-1]]
        assert self.acted is not None
        if steps.random[-1] or extras.blame[0, judgement] == 0:
            return
        first = PER_SIGNAL * REINFORCEMENTS.index(int(steps.reinforcement[-1]))
        for k, rule in enumerate(self.rule.for_layers(len(self.layers))):
            start, above = net.hears[k], net.hears[k + 1]
            pre = net.heard[0, start : start + extras.changed[k]] > 0
            post = net.heard[0, above : above + net.post[k]] > 0
            for entry, (before, after) in enumerate(STATES, first):
                if rule.padded[entry]:
                    self.acted[k, entry] += (pre == before).sum() * (post == after).sum()

    def _think(self) -> None:
        """One step, and what went on in the brain. The weights are those before it learned."""
        brains, layers = self.batch.brains, [layer.copy() for layer in self.layers]
        scene = self.batch.picture()
        trace = self._advance(1)
        if trace is None:
            return
        steps, sums, active = trace.steps, np.zeros(0), [trace.steps.senses[0]]
        if brains.net is None:
            for layer in layers:
                sums = _activate(layer, active[-1])
                active.append(sums > 0.0)
        else:
            active = [layer > 0.0 for layer in general.activities(brains.net, 0)]
            sums = general.last_sums(brains.net, 0, layers[-1])
        self._scene = scene if scene.agent is None else None
        self.moment = Moment(
            senses=steps.senses[0],
            active=active[1:-1],
            sums=sums,
            action=int(steps.action[0]),
            random=bool(steps.random[0]),
            reinforcement=int(steps.reinforcement[0]),
            association=int(steps.association[0]),
        )

    def _begin_season(self, kind: int, steps: int) -> None:
        """The batch lives one first season after another: so there is no last one, and each may begin at any time."""
        self.kind, self._steps = kind, steps
        self.earlier += self.counts
        self.batch.step = 0
        if self.world.own_seasons:
            self.batch.calendar = Calendar((0,), (steps,))
        self.batch.season_kinds = (kind,) * self.world.seasons
        self.batch.counts[:] = 0
        if self.rule == self.experiment.rule and any(kind == one for one, _ in self._climbed):
            self.batch.set_networks(next(found for one, found in self._to_come if one == kind))

    def _end_season(self) -> None:
        if self.within > 0 and not self.over:
            self.chronicle.add(self.kind, self.fitness(), self.counts)

    def _next_season(self) -> None:
        self._place = (self._place + 1) % len(self._cycle)
        self._begin_season(*self._cycle[self._place])


def _activate(weights: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Each neuron's sum, in the kernels' own order, so that it is the same number. weights: [pre, post], bias last."""
    sums: np.ndarray = np.zeros(weights.shape[1])
    for pre in (*np.flatnonzero(before), -1):
        sums += weights[pre]
    return sums
