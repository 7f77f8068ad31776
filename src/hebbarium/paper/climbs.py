"""Hill climbing as a work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hebbarium.agents.hill_climbing import MARKS, HillClimbing, UnscaledClimbing
from hebbarium.brains.networks import Networks
from hebbarium.executors.base import Executor
from hebbarium.paper.portraits import Shares
from hebbarium.paper.readings import READINGS
from hebbarium.paper.works import Arrays, Frozen, ManyLives, PaperWork

CLIMBERS = {climber.name: climber for climber in (HillClimbing, UnscaledClimbing)}


@dataclass(frozen=True, kw_only=True)
class HillClimbs(ManyLives):
    """Hill climbing. marks: [run, season, mark, count], fitness: [run, season, iteration],
    again: [run, season, test], the kept networks' scores when tested again in fresh worlds;
    shares: [run, season, 4], how they move then (see `Behaviours`)."""

    kind = "Climbs"
    iterations: int = 1000
    tests: int = 10

    @property
    def cost(self) -> float:
        return self.lifetimes * self.iterations * (0.004 if self.task == "prey-predator" else 0.0004)

    def pieces(self) -> Sequence[PaperWork]:
        return self.parts(10)

    def do(self, executor: Executor | int | None) -> Arrays:
        world = self.world
        climbing = CLIMBERS[READINGS[self.reading].agent](self.iterations)
        climbs = climbing.climb(world, self.lifetimes, seed=self.seed, first_trial=self.first_trial, executor=executor)
        seasons = [
            self._test_again(networks, world.season_kinds[season], executor)
            for season, networks in enumerate(climbs.networks)
        ]
        return {
            "marks": np.stack([climbs.at(mark) for mark in MARKS], axis=2),
            "fitness": climbs.fitness.astype(np.float32),
            "again": np.stack([again for again, _ in seasons], axis=1),
            "shares": np.stack([shares for _, shares in seasons], axis=1),
        }

    def _test_again(
        self, networks: Networks, kind: int, executor: Executor | int | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """float64 [run, test], and [run, 4], how the networks move in the first of the tests."""
        test = Frozen(self.world, kind, self.seed + 1)
        trials = (self.first_trial + np.arange(self.lifetimes)) * self.tests
        scores = [test.fitness(test.counts(networks, trials + number, executor)) for number in range(self.tests)]
        return np.stack(scores, axis=1), test.live(networks, trials, executor, [Shares()]).seen[0]["shares"]
