"""One of a run's independent searches: what it wants lived next, in a fixed order, and what it got.

Everything a search wants is numbered as it asks, and it gets the answers in that order. So the stored
evaluations alone bring it back to where it was: an interrupted run asks again, and finds them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

from hebbarium.search.base import Evaluation, Individual, Request, Search
from hebbarium.store.evaluation_rows import Record, Wanted
from hebbarium.store.resuming import Ledger

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
class Lifetimes:
    """Which lifetimes a lineage meets: trials of two seeds, none of them twice."""

    search: int
    """The seed of what the search asks for."""
    rescore: int
    """The seed of the fresh scores; if it is the same, their trials follow the search's last one."""
    first_trial: int = 0

    @classmethod
    def of(cls, seed: int, run: int) -> Lifetimes:
        """The lifetimes of one run of an evolution."""
        return cls(lifetime_seed(seed, run, SEARCH), lifetime_seed(seed, run, RESCORE))


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

    def __init__(self, search: Search, run: int, lifetimes: Lifetimes, top: int, rescore: int) -> None:
        """top: how many of the last population count. rescore: fresh lifetimes for each of them; 0 for none."""
        self.search, self.run, self.lifetimes, self.top, self.rescore = search, run, lifetimes, top, rescore
        self.evaluations = 0
        self.history: list[Moment] = []
        self._next_trial = lifetimes.first_trial
        self._round: list[Request] = []
        self._waiting: dict[tuple[str, int, int], Wanted] = {}
        self._answers: dict[int, Record] = {}
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
        waiting = sum(wanted.lifetimes for wanted in self._waiting.values())
        if self.searched:
            return waiting
        asked = sum(request.lifetimes for request in self._round)
        return waiting + max(0, self.search.lifetimes_left() - asked) + self.top * self.rescore

    def waiting(self) -> list[Wanted]:
        """What is left of the present round, in order; all of it may be lived at once."""
        return list(self._waiting.values())

    def take(self, record: Record) -> None:
        """The answer to one that is waiting; the search gets them once all of the round are there, in its order."""
        del self._waiting[record.name]
        self._answers[record.number] = record
        if self.searched:
            return
        self.evaluations += 1
        if self._waiting:
            return
        first = self.evaluations - len(self._round)
        self.search.tell(
            [Evaluation(request, self._answers[number].scores) for number, request in enumerate(self._round, first)]
        )
        self._answers = {}
        best = self.search.best
        assert best is not None
        self.history.append(Moment(self.search.generation, self.evaluations, best.fitness, self.search.mean_fitness))
        self._ask()

    def take_stored(self, ledger: Ledger) -> None:
        """Answer what is waiting from the store, as far as that goes."""
        while stored := [record for wanted in self.waiting() if (record := ledger.evaluation(wanted)) is not None]:
            for record in stored:
                self.take(record)

    def instances(self) -> list[Instance]:
        """The best of the last population, best first by the search's own scores."""
        best = enumerate(self.search.top(self.top))
        return [Instance(self.run, individual, self._answers.get(number)) for number, individual in best]

    def _ask(self) -> None:
        """What the search wants next; once it is over, fresh scores of its best."""
        self._round = self.search.ask()
        wants = []
        for number, request in enumerate(self._round, self.evaluations):
            first = self._next_trial if request.first_trial is None else request.first_trial
            self._next_trial = max(self._next_trial, first + request.lifetimes)
            lives = (request.generation, request.rule, request.lifetimes, self.lifetimes.search, first)
            wants.append(Wanted(SEARCH, self.run, number, *lives))
        if not self._round and self.rescore:
            # Each instance meets lifetimes of its own, so that the spread over instances is honest.
            first = self._next_trial if self.lifetimes.rescore == self.lifetimes.search else 0
            for number, individual in enumerate(self.search.top(self.top)):
                start = first + number * self.rescore
                lives = (self.search.generation, individual.rule, self.rescore, self.lifetimes.rescore, start)
                wants.append(Wanted(RESCORE, self.run, number, *lives))
        self._waiting = {wanted.name: wanted for wanted in wants}


class Words(NamedTuple):
    """What the curves of a search are called on its page."""

    title: str
    round: str
    best: str
    mean: str
    note: str = ""


USUAL = Words("How fitness rose", "generation", "best fitness", "mean of the population")
SPECIAL = {
    "racing": Words(
        "How the race went",
        "round",
        "estimate of the current leader",
        "mean of the leading rules",
        "The leader is the rule with the best estimate so far. Its estimate may fall: a first estimate rests on a "
        "few lifetimes and is partly luck; more lifetimes correct it, or another rule takes the lead.",
    ),
    "random": Words("How fitness rose", "round", "best fitness so far", "mean of the rules kept"),
}


def words_of(search: str) -> Words:
    return SPECIAL.get(search, USUAL)
