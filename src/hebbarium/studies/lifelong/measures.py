"""Every measure of one subject's long lives, with its interval."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.studies.lifelong import ageing, recovery, retention
from hebbarium.studies.lifelong.observers import FADING
from hebbarium.studies.lifelong.rates import Lived, Unlearned
from hebbarium.studies.lifelong.resampling import Value, means, shares
from hebbarium.studies.lifelong.subjects import Subject
from hebbarium.tools import statistics

NOTHING_LEARNED, NEVER = "nothing learned", "level never reached"
"""Why there are no steps of recovery."""
NOT_POSITIVE = "nothing to compare with"
"""Why there is no ratio: what it is taken to cannot be distinguished from zero."""


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
    """What became of one subject."""

    subject: Subject
    lived: Lived
    unlearned: Unlearned

    @property
    def kinds(self) -> Sequence[int]:
        """Of the seasons, by place."""
        return self.subject.world.season_kinds

    @functools.cached_property
    def _weights(self) -> np.ndarray:
        return shares(len(self.lived.fitness), int(self.subject.jobs.seed[0]) % 2**32)

    @functools.cached_property
    def _fitness(self) -> np.ndarray:
        """float64 [1 + resample, season]"""
        return means(self._weights, self.lived.fitness)

    def _learning(self, rates: np.ndarray, kind: int) -> tuple[np.ndarray, np.ndarray]:
        """Late rate in the first of some seasons of a kind, [1 + resample], and steps of recovery in each of them,
        [1 + resample, season]. rates: [life, season of the kind, window]"""
        first, widths = recovery.first_seasons(self.kinds)[kind], self.unlearned.widths
        rates = means(self._weights, rates)
        late = recovery.late_rate(rates[:, 0], widths)
        random = means(self._weights, self.unlearned.random_rate(first))
        return late, recovery.recovery_steps(rates, widths, random[:, None], late[:, None])

    @functools.cached_property
    def learned(self) -> dict[int, bool]:
        """By kind of season, whether anything was learned in the first of it."""
        return {
            kind: self.unlearned.learned(self.lived.seasons.rates[:, season], season)
            for kind, season in recovery.first_seasons(self.kinds).items()
        }

    @functools.cached_property
    def _steps(self) -> np.ndarray:
        """float64 [1 + resample, season]: steps of recovery, inf where it is never reached, nan where nothing was
        learned."""
        steps = np.full(self._fitness.shape, np.nan)
        for kind, learned in self.learned.items():
            of_kind = np.equal(self.kinds, kind)
            if learned:
                steps[:, of_kind] = self._learning(self.lived.seasons.rates[:, of_kind], kind)[1]
        return steps

    @property
    def recovery(self) -> list[Recovery]:
        world = self.subject.world
        return [
            Recovery(
                name,
                world.kinds[kind],
                Value.resampled(self._steps[:, season], NEVER if self.learned[kind] else NOTHING_LEARNED),
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
                saved = recovery.savings(self._steps[:, seasons[0]], self._steps[:, seasons[1]])
                found[name] = Value.resampled(saved, NEVER if self.learned[kind] else NOTHING_LEARNED)
        return found

    @property
    def performance_recovery(self) -> dict[str, float | None]:
        return {name: recovery.performance_recovery(self._steps[0, seasons]) for name, _, seasons in self._by_kind()}

    @property
    def sample_efficiency(self) -> dict[str, Value]:
        found = {}
        for name, kind, seasons in self._by_kind():
            if not self.learned[kind]:
                found[name] = Value(None, why=NOTHING_LEARNED)
                continue
            late, steps = self._learning(self.lived.seasons.rates[:, seasons], kind)
            alone_late, alone_steps = self._learning(self.lived.alone[kind].rates, kind)
            value = recovery.sample_efficiency(late, steps[:, 0], alone_late, alone_steps[:, 0])
            found[name] = Value.resampled(value, NEVER)
        return found

    @property
    def relative_performance(self) -> dict[str, Value]:
        """By kind, beside a life of that season alone."""
        alone = {kind: means(self._weights, one.fitness) for kind, one in self.lived.alone.items()}
        return {
            name: Value.resampled(ageing.relative_performance(self._fitness[:, seasons], alone[kind]), NOT_POSITIVE)
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
        measures = (retention.backward_transfer, retention.forward_transfer, retention.performance_maintenance)
        tests, orders = self.lived.tests, self.lived.kinds.tolist()
        if all(order == orders[0] for order in orders):
            return {measure.__name__: Value.of_lives(measure(tests, orders[0])) for measure in measures}
        return {
            measure.__name__: Value.of_lives(
                np.concatenate([measure(tests[[life]], order) for life, order in enumerate(orders)])
            )
            for measure in measures
        }

    @property
    def ageing(self) -> list[dict[str, Any]]:
        """Fitness season by season."""
        return [
            {"season": name, "fitness": statistics.mean(values), "sem": statistics.sem(values)}
            for name, values in zip(self.subject.world.season_names, self.lived.fitness.T, strict=True)
        ]

    @property
    def young(self) -> Value:
        return Value.of_lives(ageing.young(self.lived.fitness)) or Value(None)

    @property
    def late(self) -> Value:
        return Value.of_lives(ageing.late(self.lived.fitness)) or Value(None)

    @property
    def late_over_young(self) -> Value:
        return Value.resampled(ageing.late_over_young(self._fitness), NOT_POSITIVE)

    @property
    def half_life(self) -> Value:
        """In seasons."""
        return Value.resampled(ageing.half_life(self._fitness, self.kinds))

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
