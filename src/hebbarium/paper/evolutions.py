"""The paper's searches as works: runs of the genetic algorithm, their best rules scored anew."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hebbarium.lifetime import Jobs, live_jobs
from hebbarium.paper.targets import POOLED
from hebbarium.paper.works import Arrays, Work
from hebbarium.rule import Rule
from hebbarium.search.base import Evaluation, Request, Search
from hebbarium.search.registry import make_search
from hebbarium.tasks.base import Task
from hebbarium.tasks.registry import make_task

_NEXT_RUN = 1 << 32
"""Trials of one run's lifetimes lie this far from the next one's."""


@dataclass(frozen=True, kw_only=True)
class Evolutions(Work):
    """Runs of the genetic algorithm. entries: [instance, 8], eta: [instance], scores: [instance, life], the ten
    best of each run's last population scored on fresh lives; generations: [run]."""

    runs: int
    first_run: int = 0
    max_generations: int | None = None
    rescored: int = 100

    @property
    def cost(self) -> float:
        generations = self.max_generations or 80
        life = 0.018 if self.task == "prey-predator" else 0.0027
        return self.runs * life * (100 * generations + POOLED * self.rescored)

    def pieces(self) -> Sequence[Work]:
        runs = range(self.first_run, self.first_run + self.runs)
        return [dataclasses.replace(self, first_run=run, runs=1) for run in runs]

    def do(self, threads: int | None) -> Arrays:
        world = make_task(self.task)
        search = make_search("genetic", self.seed, self.first_run, max_generations=self.max_generations)
        lives = _Lives(world, self.seed + 3, _NEXT_RUN * self.first_run, threads)
        while requests := search.ask():
            search.tell(lives.evaluate(requests))
        return {**self._rescore(search, lives), "generations": np.array([search.generation])}

    def _rescore(self, search: Search, lives: _Lives) -> Arrays:
        best = search.top(POOLED)
        anew = lives.evaluate([Request(one.rule, self.rescored, 0) for one in best])
        return {
            "entries": np.array([one.rule.entries for one in best], np.int8),
            "eta": np.array([one.rule.eta for one in best]),
            "scores": np.array([evaluation.scores for evaluation in anew]),
        }


class _Lives:
    """Fresh lifetimes for whoever asks: no two are the same trial."""

    def __init__(self, task: Task, seed: int, first_trial: int, threads: int | None) -> None:
        self.task, self.seed, self.next_trial, self.threads = task, seed, first_trial, threads

    def evaluate(self, requests: Sequence[Request]) -> list[Evaluation]:
        rules: list[Rule] = [request.rule for request in requests for _ in range(request.lifetimes)]
        trials = range(self.next_trial, self.next_trial + len(rules))
        self.next_trial = trials.stop
        jobs = Jobs.of(rules, [self.seed] * len(rules), trials)
        outcome = live_jobs(self.task, self.task.default_hidden, jobs, threads=self.threads)
        scores = iter(self.task.life_fitness(outcome.counts))
        return [
            Evaluation(request, tuple(float(next(scores)) for _ in range(request.lifetimes))) for request in requests
        ]
