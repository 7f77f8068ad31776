"""One of a run's independent searches: what it wants lived next, in a fixed order, and what it was told.

Everything a search wants is numbered as it asks, and answers are taken in that order only. So the stored
evaluations alone bring it back to where it was: an interrupted run replays them and goes on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from hebbarium.errors import RunError
from hebbarium.rule import Rule
from hebbarium.runs.records import Record
from hebbarium.search.base import Evaluation, Individual, Request, Search

SEARCH, RESCORE = "search", "rescore"
"""The two stages: what the search asked for, and its best scored anew on lifetimes it never saw."""


def lifetime_seed(seed: int, run: int, stage: str) -> int:
    """The seed of a run's lifetimes: the first 63 bits of SHA-256 of `hebbarium/STAGE/SEED/RUN`.

    >>> lifetime_seed(1, 0, "search")
    7595719591428559309
    """
    name = f"hebbarium/{stage}/{seed}/{run}".encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") >> 1


@dataclass(frozen=True)
class Wanted:
    """Some lifetimes of one rule that somebody has to live; they become one evaluation."""

    stage: str
    run: int
    number: int
    generation: int
    rule: Rule
    lifetimes: int
    seed: int
    first_trial: int

    def agrees_with(self, record: Record) -> bool:
        """Whether a stored evaluation is the one that is wanted here."""
        mine = (self.stage, self.run, self.number, self.generation, self.rule, self.lifetimes, self.seed)
        stored = (
            record.stage,
            record.run,
            record.number,
            record.generation,
            record.rule,
            record.lifetimes,
            record.seed,
        )
        return mine == stored and self.first_trial == record.first_trial


@dataclass(frozen=True)
class Moment:
    """Where a search was after one of its generations."""

    generation: int
    evaluations: int
    best: float
    mean: float


@dataclass(frozen=True)
class Instance:
    """One of the best of a search's last population."""

    run: int
    individual: Individual
    record: Record | None
    """Its score on fresh lifetimes, once it has one."""

    @property
    def fitness(self) -> float:
        """The fresh score; where none was asked for, the search's own."""
        return self.individual.fitness if self.record is None else self.record.mean


class Lineage:
    """A search from its first generation to the fresh scores of its best."""

    def __init__(self, search: Search, seed: int, run: int, top: int, rescore: int) -> None:
        """top: how many of the last population count. rescore: fresh lifetimes for each of them; 0 for none."""
        self.search, self.run, self.top, self.rescore = search, run, top, rescore
        self.seeds = {stage: lifetime_seed(seed, run, stage) for stage in (SEARCH, RESCORE)}
        self.evaluations = 0
        self.history: list[Moment] = []
        self.rescored: list[Record] = []
        self._next_trial = 0
        self._round: list[Request] = []
        self._told: list[Evaluation] = []
        self._waiting: list[Wanted] = []
        self._ask()

    @property
    def searched(self) -> bool:
        """The search is over; its best may still want their fresh scores."""
        return not self._round

    @property
    def finished(self) -> bool:
        return not self._waiting

    @property
    def lifetimes_left(self) -> int:
        """To the stopping rule, should nothing better be found any more, and to the fresh scores of the best."""
        waiting = sum(wanted.lifetimes for wanted in self._waiting)
        if self.searched:
            return waiting
        asked = sum(request.lifetimes for request in self._round)
        return waiting + max(0, self.search.lifetimes_left() - asked) + self.top * self.rescore

    def waiting(self) -> list[Wanted]:
        """What is left of the present round, in order; all of it may be lived at once."""
        return list(self._waiting)

    def take(self, record: Record) -> None:
        """The answer to the first that is waiting."""
        if not self._waiting or not self._waiting[0].agrees_with(record):
            raise RunError(
                f"{record.stage} evaluation {record.number} of run {record.run} does not follow from the run's "
                "settings: other code wrote it. Choose another folder."
            )
        self._waiting.pop(0)
        if record.stage == RESCORE:
            self.rescored.append(record)
            return
        self.evaluations += 1
        self._told.append(Evaluation(self._round[len(self._told)], record.scores))
        if not self._waiting:
            self._tell()
            self._ask()

    def instances(self) -> list[Instance]:
        """The best of the last population, best first by the search's own scores."""
        best = self.search.top(self.top)
        records: list[Record | None] = [*self.rescored, *[None] * (len(best) - len(self.rescored))]
        return [Instance(self.run, individual, record) for individual, record in zip(best, records, strict=True)]

    def _tell(self) -> None:
        self.search.tell(self._told)
        self._told = []
        now = self.search.progress
        self.history.append(Moment(now.generation, self.evaluations, now.best_fitness, now.mean_fitness))

    def _ask(self) -> None:
        self._round = self.search.ask()
        self._waiting = list(self._search_wants() if self._round else self._rescore_wants())

    def _search_wants(self) -> Iterator[Wanted]:
        for number, request in enumerate(self._round, self.evaluations):
            first = self._next_trial if request.first_trial is None else request.first_trial
            self._next_trial = max(self._next_trial, first + request.lifetimes)
            yield Wanted(
                SEARCH,
                self.run,
                number,
                request.generation,
                request.rule,
                request.lifetimes,
                self.seeds[SEARCH],
                first,
            )

    def _rescore_wants(self) -> Iterator[Wanted]:
        # Each instance meets lifetimes of its own, so that the spread over instances is honest.
        if self.rescore:
            for number, individual in enumerate(self.search.top(self.top)):
                yield Wanted(
                    RESCORE,
                    self.run,
                    number,
                    self.search.generation,
                    individual.rule,
                    self.rescore,
                    self.seeds[RESCORE],
                    number * self.rescore,
                )
