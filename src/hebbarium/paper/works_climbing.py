"""Hill climbing as a work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hebbarium.agents.hill_climbing import MARKS, HillClimbing, UnscaledClimbing
from hebbarium.executors.base import Executor
from hebbarium.paper.readings import READINGS
from hebbarium.paper.single_lives import Shares
from hebbarium.paper.works import Arrays, Frozen, ManyLives, PaperWork

CLIMBERS = {climber.name: climber for climber in (HillClimbing, UnscaledClimbing)}


@dataclass(frozen=True, kw_only=True)
class HillClimbs(ManyLives):
    """Hill climbing. marks: [run, season, mark, count], fitness: [run, season, iteration],
    again: [run, season, test], the kept networks' scores when tested again in fresh worlds;
    shares: [run, season, 4], how they move in the first of these tests (see `Behaviours`)."""

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
        trials = (self.first_trial + np.arange(self.lifetimes)) * self.tests
        again, shares = [], []
        for kind, networks in zip(world.season_kinds, climbs.networks, strict=True):
            test = Frozen(world, kind, self.seed + 1)
            scores = [test.fitness(test.counts(networks, trials + number, executor)) for number in range(self.tests)]
            again.append(np.stack(scores, axis=1))
            shares.append(test.live(networks, trials, executor, [Shares()]).seen[0]["shares"])
        return {
            "marks": np.stack([climbs.at(mark) for mark in MARKS], axis=2),
            "fitness": climbs.fitness.astype(np.float32),
            "again": np.stack(again, axis=1),
            "shares": np.stack(shares, axis=1),
        }
