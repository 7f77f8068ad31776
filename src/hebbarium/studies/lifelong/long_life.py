"""One subject's long lives: the arrays of what was lived, as rates, and every measure of them with its interval."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.life.jobs import Jobs
from hebbarium.store.kept_arrays import Arrays
from hebbarium.studies.engine import Work
from hebbarium.studies.lifelong import measures, works
from hebbarium.studies.lifelong.measures import Value, means, shares
from hebbarium.studies.lifelong.observers import FADING
from hebbarium.studies.lifelong.works import WINDOW, Subject
from hebbarium.tools import statistics
from hebbarium.tools.statistics import estimate_mean
from hebbarium.worlds.base import World
from hebbarium.worlds.seasons import as_usual, in_places, orders_and_lengths

# The arrays of one subject's lives, as fitness and rates; and what cannot have been learned, to compare with.

PER_STEPS = 5000
"""What tempo's fitness is given for."""


@dataclass(frozen=True)
class Seasons:
    """What was collected in the seasons of some lives, each in its place in the world's `season_names`."""

    fitness: np.ndarray
    """float64 [life, season]"""
    comparable: np.ndarray
    """The same, as if each season had its usual length; where all have, no different."""
    rates: np.ndarray
    """float64 [life, season, window]: fitness per step; nan in windows that a season was too short for"""
    order: np.ndarray
    """int64 [life, season]: places, in the order in which each life's seasons came"""

    @classmethod
    def of(cls, world: World, jobs: Jobs, counts: np.ndarray, **changes: Any) -> Seasons:
        """Fitness and rates of each season, from counts.

        counts: [life, season, window, count]; changes: settings of the world that differed"""
        world = dataclasses.replace(world, seasons=counts.shape[1], **changes)
        widths = measures.window_widths(world.season_steps, WINDOW)
        order, lengths = orders_and_lengths(world, jobs.seed, jobs.trial)
        windows = np.stack([world.fitness(counts[:, :, window]) for window in range(counts.shape[2])], axis=2)
        reached = lengths[..., None] >= np.cumsum(widths)
        fitness, rates = windows.sum(axis=2), np.where(reached, windows[..., : len(widths)] / widths, np.nan)
        return cls(fitness, as_usual(world, fitness, lengths), rates, order)


@dataclass(frozen=True)
class Lived:
    """What was counted and measured in one subject's long lives."""

    seasons: Seasons
    kinds: np.ndarray
    """int64 [life, season]: of the seasons as they came"""
    punished: np.ndarray
    """int64 [life, season]: punished choices"""
    fading: np.ndarray
    """float64 [life, moment, measure]: at birth and after each season that came; see `observers.FADING`"""
    tests: np.ndarray
    """float64 [life, moment, kind]: fitness of the frozen network"""
    alone: Mapping[int, Seasons]
    """By kind, a life of that season alone"""
    tempo: Mapping[int, np.ndarray]
    """By the length of a season, float64 [life]: fitness per 5,000 steps"""

    @classmethod
    def of(cls, subject: Subject, fetch: Callable[[Work], Arrays]) -> Lived:
        """Get one subject's long lives, as arrays."""
        world, jobs, life = subject.world, subject.jobs, fetch(works.work_of("life", subject))
        seasons, tempo = Seasons.of(world, jobs, life["counts"]), {}
        alone = {
            kind: Seasons.of(world, jobs, fetch(work)["counts"], schedule=world.kinds[kind])
            for kind, work in works.alone(subject).items()
        }
        for length, work in works.tempo(subject).items():
            counts = fetch(work)["counts"]
            same = dataclasses.replace(world, season_steps=length, seasons=counts.shape[1])
            tempo[length] = same.fitness(counts).sum(axis=1) * PER_STEPS / same.steps
        punished = in_places(seasons.order, np.diff(life["punished"], axis=1, prepend=0))
        kinds = np.array(world.season_kinds)[seasons.order]
        return cls(seasons, kinds, punished, life["fading"], life["tests"], alone, tempo)

    @property
    def fitness(self) -> np.ndarray:
        """float64 [life, season]"""
        return self.seasons.fitness


@dataclass(frozen=True)
class Unlearned:
    """Lives in which nothing is learned, up to the first season of each kind: float64 [life, season, window], rates,
    nan in windows that a season was too short for."""

    random: np.ndarray
    """Of the random agent."""
    newborn: np.ndarray
    """Of the newborn networks, frozen."""
    widths: np.ndarray
    """int64 [window]: steps"""

    @classmethod
    def of(cls, world: World, jobs: Jobs, random: Arrays, newborn: Arrays) -> Unlearned:
        of_random, of_newborn = (Seasons.of(world, jobs, arrays["counts"]).rates for arrays in (random, newborn))
        return cls(of_random, of_newborn, measures.window_widths(world.season_steps, WINDOW))

    def random_rate(self, season: int) -> np.ndarray:
        """float64 [life]: the random agent's mean rate in a season."""
        return measures.mean_rate(self.random[:, season], self.widths)

    def learned(self, rates: np.ndarray, season: int) -> bool | None:
        """Whether late rates differ from those without learning. rates: float64 [life, window], of that season.

        The same trials are compared, so lives without learning differ from these in nothing. None where the season
        was long enough in fewer than two lives."""
        late = measures.late_rate(rates, self.widths)
        others = (measures.late_rate(other[:, season], self.widths) for other in (self.random, self.newborn))
        known = [difference[~np.isnan(difference)] for difference in (late - other for other in others)]
        return all(estimate_mean(some).low > 0 for some in known) if min(map(len, known)) > 1 else None


# Every measure of one subject's long lives, with its interval.

NOTHING_LEARNED, NEVER, TOO_SHORT = "nothing learned", "level never reached", "too few seasons of that length"
"""Why there are no steps of recovery; the last where random lengths leave fewer than two lives whose first season of a
kind reached its last fifth."""
NOT_POSITIVE = "nothing to compare with"
"""Why there is no ratio: what it is taken to cannot be distinguished from zero."""
NEVER_HALF = "never"
"""Why fitness has no season in which it fell to half."""


@dataclass(frozen=True)
class Recovery:
    """How one season was learned."""

    season: str
    kind: str
    steps: Value
    punished: Value

    def summary(self) -> dict[str, Any]:
        steps = {**self.steps.summary("steps"), "why": self.steps.why}
        return {"season": self.season, "kind": self.kind, **steps, "punished": self.punished.summary("mean")}


@dataclass(frozen=True)
class LongLife:
    """Every measure of one subject's long lives."""

    subject: Subject
    lived: Lived
    unlearned: Unlearned

    @property
    def kinds(self) -> Sequence[int]:
        """The kind of each season, by its place."""
        return self.subject.world.season_kinds

    @functools.cached_property
    def _weights(self) -> np.ndarray:
        return shares(len(self.lived.fitness), int(self.subject.jobs.seed[0]) % 2**32)

    @functools.cached_property
    def _fitness(self) -> np.ndarray:
        """float64 [1 + resample, season]"""
        return means(self._weights, self.lived.seasons.comparable)

    def _learning(self, rates: np.ndarray, kind: int) -> tuple[np.ndarray, np.ndarray]:
        """Late rate in the first of some seasons of a kind, [1 + resample], and steps of recovery in each of them,
        [1 + resample, season]. rates: [life, season of the kind, window]"""
        first, widths = measures.first_seasons(self.kinds)[kind], self.unlearned.widths
        rates = means(self._weights, rates)
        late = measures.late_rate(rates[:, 0], widths)
        random = means(self._weights, self.unlearned.random_rate(first))
        return late, measures.recovery_steps(rates, widths, random[:, None], late[:, None])

    @functools.cached_property
    def _learnings(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """By kind of season in which anything was learned, `_learning` of all of that kind."""
        rates = self.lived.seasons.rates
        return {
            kind: self._learning(rates[:, seasons], kind) for _, kind, seasons in self._by_kind() if self.learned[kind]
        }

    @functools.cached_property
    def learned(self) -> dict[int, bool | None]:
        """By kind of season, whether anything was learned in the first of it; None where too few were long enough."""
        return {
            kind: self.unlearned.learned(self.lived.seasons.rates[:, season], season)
            for kind, season in measures.first_seasons(self.kinds).items()
        }

    def _why(self, kind: int) -> str:
        """Why steps of recovery are missing in seasons of a kind."""
        return {True: NEVER, False: NOTHING_LEARNED, None: TOO_SHORT}[self.learned[kind]]

    @functools.cached_property
    def _steps(self) -> np.ndarray:
        """float64 [1 + resample, season]: steps of recovery, inf where it is never reached, nan where nothing was
        learned."""
        steps = np.full(self._fitness.shape, np.nan)
        for kind, (_, of_kind) in self._learnings.items():
            steps[:, np.equal(self.kinds, kind)] = of_kind
        return steps

    @functools.cached_property
    def recovery(self) -> list[Recovery]:
        world = self.subject.world
        return [
            Recovery(
                name,
                world.kinds[kind],
                Value.resampled(self._steps[:, season], self._why(kind)),
                Value.of_lives(self.lived.punished[:, season]) or Value(None),
            )
            for season, (name, kind) in enumerate(zip(world.season_names, self.kinds, strict=True))
        ]

    def _by_kind(self) -> list[tuple[str, int, np.ndarray]]:
        """Each kind: its name, its place, and which seasons are of it."""
        return [
            (self.subject.world.kinds[kind], kind, np.flatnonzero(np.equal(self.kinds, kind))) for kind in self.learned
        ]

    @property
    def savings(self) -> dict[str, Value]:
        """By kind that comes twice, the part of its first learning that the second is spared."""
        found = {}
        for name, kind, seasons in self._by_kind():
            if len(seasons) > 1:
                saved = measures.savings(self._steps[:, seasons[0]], self._steps[:, seasons[1]])
                found[name] = Value.resampled(saved, self._why(kind))
        return found

    @property
    def performance_recovery(self) -> dict[str, float | None]:
        return {name: measures.performance_recovery(self._steps[0, seasons]) for name, _, seasons in self._by_kind()}

    @property
    def sample_efficiency(self) -> dict[str, Value]:
        """By kind of season, what is learned and how fast, beside a life of that season alone."""
        found = {}
        for name, kind, _ in self._by_kind():
            if not self.learned[kind]:
                found[name] = Value(None, why=self._why(kind))
                continue
            late, steps = self._learnings[kind]
            alone_late, alone_steps = self._learning(self.lived.alone[kind].rates, kind)
            value = measures.sample_efficiency(late, steps[:, 0], alone_late, alone_steps[:, 0])
            found[name] = Value.resampled(value, NEVER)
        return found

    @property
    def relative_performance(self) -> dict[str, Value]:
        """By kind of season, fitness beside a life of that season alone."""
        alone = {kind: means(self._weights, one.comparable) for kind, one in self.lived.alone.items()}
        return {
            name: Value.resampled(measures.relative_performance(self._fitness[:, seasons], alone[kind]), NOT_POSITIVE)
            for name, kind, seasons in self._by_kind()
        }

    @property
    def forgetting(self) -> np.ndarray:
        """float64 [moment, kind]: mean fitness of the frozen network in each kind of season, at birth and after each
        season."""
        means: np.ndarray = self.lived.tests.mean(axis=0)
        return means

    @property
    def transfer(self) -> dict[str, Value | None]:
        kinds = (measures.backward_transfer, measures.forward_transfer, measures.performance_maintenance)
        tests, orders = self.lived.tests, self.lived.kinds.tolist()
        if all(order == orders[0] for order in orders):
            return {measure.__name__: Value.of_lives(measure(tests, orders[0])) for measure in kinds}
        return {
            measure.__name__: Value.of_lives(
                np.concatenate([measure(tests[[life]], order) for life, order in enumerate(orders)])
            )
            for measure in kinds
        }

    @property
    def ageing(self) -> list[dict[str, Any]]:
        """Fitness season by season, as if each had its usual length."""
        return [
            {"season": name, "fitness": statistics.mean(values), "sem": statistics.sem(values)}
            for name, values in zip(self.subject.world.season_names, self.lived.seasons.comparable.T, strict=True)
        ]

    @property
    def young(self) -> Value:
        return Value.of_lives(measures.young(self.lived.seasons.comparable)) or Value(None)

    @property
    def late(self) -> Value:
        return Value.of_lives(measures.late(self.lived.seasons.comparable)) or Value(None)

    @property
    def late_over_young(self) -> Value:
        return Value.resampled(measures.late_over_young(self._fitness), NOT_POSITIVE)

    @property
    def half_life(self) -> Value:
        """The season in which fitness had fallen to half."""
        found = measures.half_life(self._fitness, self.kinds)
        return Value.resampled(found, NOT_POSITIVE if np.isnan(found[0]) else NEVER_HALF)

    @property
    def fading(self) -> dict[str, list[float]]:
        """Means over lives, at birth and after each season."""
        return dict(zip(FADING, self.lived.fading.mean(axis=0).T.tolist(), strict=True))

    @property
    def tempo(self) -> list[dict[str, Any]]:
        """Fitness per 5,000 steps by the length of a season."""
        return [
            {"season_steps": length, "fitness": statistics.mean(values), "sem": statistics.sem(values)}
            for length, values in self.lived.tempo.items()
        ]

    def summary(self) -> dict[str, Any]:
        """Every measure of one subject's long lives, for JSON."""
        chosen, ratio, half = self.subject.chosen, self.late_over_young, self.half_life
        return {
            "name": self.subject.name,
            "rule": None if chosen is None else chosen.rule.notation,
            "eta": None if chosen is None else chosen.rule.eta,
            "eta_source": None if chosen is None else chosen.source,
            "recovery": [season.summary() for season in self.recovery],
            "performance_recovery": self.performance_recovery,
            "savings": _by_name(self.savings),
            "sample_efficiency": _by_name(self.sample_efficiency),
            "forgetting": self.forgetting[1:].tolist(),
            "forgetting_at_birth": self.forgetting[0].tolist(),
            **{name: None if value is None else value.summary("mean") for name, value in self.transfer.items()},
            "relative_performance": _by_name(self.relative_performance),
            "ageing": self.ageing,
            "young": self.young.summary("mean"),
            "late": self.late.summary("mean"),
            "late_over_young": ratio.value,
            "late_over_young_interval": [ratio.low, ratio.high],
            "half_life": half.value if half.value is None else int(half.value),
            "half_life_interval": [half.low, half.high],
            "fading": self.fading,
            "tempo": self.tempo,
        }


def _by_name(values: dict[str, Value]) -> dict[str, Any]:
    return {name: {**value.summary(), "why": value.why} for name, value in values.items()}
