"""Timing whole lives of several competitors in turn."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from hebbarium.rules.rule import Rule
from hebbarium.worlds.base import World


class Living(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def live(self) -> Callable[[Rule, int, int], np.ndarray]: ...
    @property
    def block(self) -> int: ...


@dataclass
class Measurement:
    """One competitor under one rule."""

    competitor: str
    rule: str
    block: int
    rates: list[float] = field(default_factory=list)
    """Steps a second of each repeat."""
    fitness: list[np.ndarray] = field(default_factory=list)
    """float64 [lifetime] of each repeat."""

    @property
    def rate(self) -> float:
        """The best of the repeats: what disturbs a measurement only ever makes it slower."""
        return max(self.rates)

    @property
    def mean(self) -> float:
        return float(np.concatenate(self.fitness).mean())

    @property
    def sem(self) -> float:
        fitness = np.concatenate(self.fitness)
        return float(fitness.std(ddof=1) / math.sqrt(len(fitness))) if len(fitness) > 1 else math.nan

    def record(self) -> dict[str, Any]:
        return {
            "competitor": self.competitor,
            "rule": self.rule,
            "block": self.block,
            "steps_per_second": self.rate,
            "repeats": self.rates,
            "lifetimes": sum(len(part) for part in self.fitness),
            "fitness": {"mean": self.mean, "sem": self.sem},
        }


def time_lives(
    competitor: Living,
    task: World,
    rule: Rule,
    lifetimes: int,
    seeds: Sequence[int],
    clock: Callable[[], float] = time.process_time,
) -> tuple[float, np.ndarray]:
    """Steps a second under the last of the seeds, and those lives' fitness; earlier seeds only warm up."""
    for seed in seeds:
        start = clock()
        counts = competitor.live(rule, lifetimes, seed)
        seconds = clock() - start
    return lifetimes * task.steps / seconds, task.life_fitness(counts)


def measure(
    competitors: Sequence[Living],
    task: World,
    rule: Rule,
    seconds: float,
    repeats: int,
    clock: Callable[[], float] = time.process_time,
) -> list[Measurement]:
    """Each competitor in turn, then each again: whatever slows the machine down for a while slows all.

    seconds: about how long one competitor lives in one repeat. The clock is that of the processor, so
    that other programs on this core count for nothing.
    """
    results = [Measurement(one.name, str(rule), one.block) for one in competitors]
    lifetimes = [_lifetimes(one, task, rule, seconds, clock) for one in competitors]
    for repeat in range(repeats):
        for one, number, result in zip(competitors, lifetimes, results, strict=True):
            rate, fitness = time_lives(one, task, rule, number, [repeat + 2], clock)
            result.rates.append(rate)
            result.fitness.append(fitness)
    return results


def _lifetimes(one: Living, task: World, rule: Rule, seconds: float, clock: Callable[[], float]) -> int:
    """As many as fit in the time, after a first try that compiles what has to be compiled."""
    rate, _ = time_lives(one, task, rule, one.block, seeds=(0, 1), clock=clock)
    return one.block * max(1, round(seconds * rate / (one.block * task.steps)))
