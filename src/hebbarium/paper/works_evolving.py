"""The paper's searches as works: runs of the genetic algorithm, their best rules scored on fresh lives."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hebbarium.executors.base import Executor
from hebbarium.experiment import Ways
from hebbarium.paper.printed_numbers import POOLED
from hebbarium.paper.readings import READINGS
from hebbarium.paper.works import Arrays, PaperWork
from hebbarium.search.registry import make_search
from hebbarium.studies.evolve.one_search import Lifetimes, Lineage
from hebbarium.studies.evolve.study import lived

_NEXT_RUN = 1 << 32
"""Trials of one run's lifetimes lie this far from the next one's."""


@dataclass(frozen=True, kw_only=True)
class Evolutions(PaperWork):
    """Runs of the genetic algorithm. entries: [instance, 8], eta: [instance], scores: [instance, life], the ten
    best of each run's last population scored on fresh lives; generations: [run]."""

    kind = "Evolutions"
    runs: int
    first_run: int = 0
    max_generations: int | None = None
    rescored: int = 100

    @property
    def cost(self) -> float:
        generations = self.max_generations or 80
        life = 0.018 if self.task == "prey-predator" else 0.0027
        return self.runs * life * (100 * generations + POOLED * self.rescored)

    def pieces(self) -> Sequence[PaperWork]:
        runs = range(self.first_run, self.first_run + self.runs)
        return [dataclasses.replace(self, first_run=run, runs=1) for run in runs]

    def do(self, executor: Executor | int | None) -> Arrays:
        reading = READINGS[self.reading]
        settings = {"max_generations": self.max_generations, **reading.search.get(self.task, {})}
        search = make_search("genetic", self.seed, self.first_run, **settings)
        # All of one seed, each run's trials far from the next one's.
        lifetimes = Lifetimes(self.seed + 3, self.seed + 3, _NEXT_RUN * self.first_run)
        lineage = Lineage(search, self.first_run, lifetimes, POOLED, self.rescored)
        ways = Ways(world=self.world, brain=self.brain())
        while wanted := lineage.waiting():
            rules = [reading.rule(one.rule) for one in wanted]
            for record in lived(ways, wanted, executor, rules):
                lineage.take(record)
        best = lineage.instances()
        return {
            "entries": np.array([one.individual.rule.layers[-1].entries for one in best], np.int8),
            "eta": np.array([one.individual.rule.eta for one in best]),
            "scores": np.array([one.record.scores for one in best if one.record is not None]),
            "generations": np.array([search.generation]),
        }
