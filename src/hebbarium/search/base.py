"""What every search is: explicit state, `ask` and `tell`. To add one:

1. a frozen dataclass of its settings that derives from `Settings` (each field becomes an option of the
   command line, its docstring the help), and a class that derives from `Search` with `propose`, `learn`,
   `is_over`, `staleness`, `write_state` and `read_state`, both in one new file of this folder; it keeps what it
   would report in `individuals`;
2. one line in `search/registry.py`.

A search never lets an agent live. Its caller asks for a round of requests, gives each request fresh
lifetimes, and tells the scores:

    while requests := search.ask():
        search.tell([Evaluation(request, scores_of(request)) for request in requests])

so every search can be stopped, saved, resumed and evaluated anywhere by the same code. It draws from its
own random generator only: settings, seed, run and the scores given fix all it does.
This module must stay cheap to import, for `--help`: numpy comes with the first search that is made.
"""

from __future__ import annotations

import dataclasses
import math
import typing
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hebbarium.rules.graded import GradedRule, read_graded
from hebbarium.rules.rule import AnyRule
from hebbarium.search.space import SAME, Space
from hebbarium.tools.errors import BadInput, check_choice, check_integer, check_seed, plain_number


@dataclass(frozen=True)
class Request:
    """Let `lifetimes` agents live under `rule`."""

    rule: AnyRule
    """Entries and eta."""
    lifetimes: int
    generation: int
    """The round it belongs to, from 0."""
    first_trial: int | None = None
    """None: each lifetime is a fresh one, the run's next trial. A number: the run's trials from that one on,
    for a search that wants several rules to meet the same lifetimes."""


@dataclass(frozen=True)
class Evaluation:
    """A request and what came of it."""

    request: Request
    scores: tuple[float, ...]
    """The fitness of each lifetime, in their order."""

    @property
    def fitness(self) -> float:
        """The mean over the lifetimes."""
        return _mean(self.scores)

    @property
    def individual(self) -> Individual:
        """The rule, and what these lifetimes say of it."""
        return Individual(self.request.rule, self.fitness, len(self.scores))


@dataclass(frozen=True)
class Individual:
    """A rule and what the search thinks of it."""

    rule: AnyRule
    fitness: float
    lifetimes: int
    """How many lifetimes the fitness rests on."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A search's settings. Instances are checked, immutable and comparable."""

    max_generations: int | None = None
    """Stop after this many generations, whatever else would make the search stop (none: no such limit)."""

    def __post_init__(self) -> None:
        kinds = typing.get_type_hints(type(self))
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, plain_number(getattr(self, field.name), field.default))
            if typing.get_origin(kinds[field.name]) is typing.Literal:
                check_choice(field.name, getattr(self, field.name), typing.get_args(kinds[field.name]))
        if self.max_generations is not None:
            check_integer("max_generations", self.max_generations, 1)
        self.check()

    def check(self) -> None:
        """Raise BadInput where the search's own settings make no sense."""

    def cost(self) -> str:
        """What a run will cost, in words, where that is known beforehand."""
        return ""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(field.name for field in dataclasses.fields(cls))

    def settings(self) -> dict[str, Any]:
        """Every setting by name, as plain values."""
        return dataclasses.asdict(self)


class Search(ABC):
    """One run of a search."""

    name: ClassVar[str]
    summary: ClassVar[str]
    """One line for the help."""
    settings_class: ClassVar[type[Settings]]
    takes_genes: ClassVar[bool] = True
    """Whether it searches spaces where blame and eligibility are genes."""

    def __init__(self, settings: Settings | None = None, seed: int = 1, run: int = 0, space: Space = SAME) -> None:
        """seed and run: which random numbers the search draws; runs of one seed are independent.

        space: the rules that are searched."""
        seed = check_seed(seed)
        run = check_integer("run", run, 0)
        self.settings = self.settings_class() if settings is None else settings
        if type(self.settings) is not self.settings_class:
            raise BadInput(f"search {self.name} takes {self.settings_class.__name__}, not {settings!r}.")
        import numpy as np

        self.space = space
        self.random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(run,))))
        self.generation = 0
        self.individuals: list[Individual] = []
        self._pending: list[Request] = []

    def ask(self) -> list[Request]:
        """The requests of the next round, the same until their scores are given; none when the search is finished."""
        if not self._pending and not self.finished:
            self._pending = self.propose()
        return list(self._pending)

    def tell(self, evaluations: Sequence[Evaluation]) -> None:
        """Answer the last `ask`: every request of it, in its order."""
        if [evaluation.request for evaluation in evaluations] != self._pending:
            raise ValueError("tell needs an evaluation of every request of the last ask, in its order.")
        for evaluation in evaluations:
            if len(evaluation.scores) != evaluation.request.lifetimes:
                raise ValueError(f"{evaluation.request} was given {len(evaluation.scores)} scores.")
        self._pending = []
        self.learn(evaluations)
        self.generation += 1

    @property
    def finished(self) -> bool:
        limit = self.settings.max_generations
        return self.is_over() or (limit is not None and self.generation >= limit)

    @property
    def best(self) -> Individual | None:
        """What the search would report now; None before the first round."""
        first = self.top(1)
        return first[0] if first else None

    def top(self, n: int) -> list[Individual]:
        """The n best of the present population, best first in the search's own judgement."""
        return sorted(self.population(), key=lambda individual: -individual.fitness)[:n]

    @property
    def mean_fitness(self) -> float:
        """Over the present population; nan before the first round."""
        return _mean([individual.fitness for individual in self.population()])

    def lifetimes_left(self) -> int:
        """To the end, the round that was asked for included, should nothing better be found any more."""
        stale, stale_limit = self.staleness()
        rounds = stale_limit - stale
        if self.settings.max_generations is not None:
            rounds = min(rounds, self.settings.max_generations - self.generation)
        return rounds * sum(request.lifetimes for request in self._pending)

    def state(self) -> dict[str, Any]:
        """Everything that changes as the search goes on, as values that JSON can hold exactly."""
        return {
            "search": self.name,
            "generation": self.generation,
            "random": self.random.bit_generator.state,
            "pending": [
                [*write_rule(one.rule), one.lifetimes, one.generation, one.first_trial] for one in self._pending
            ],
            "own": self.write_state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a `state` of a search of the same settings."""
        if state["search"] != self.name:
            raise BadInput(f"this is the state of search {state['search']!r}, but it was given to {self.name!r}.")
        self.generation = state["generation"]
        self.random.bit_generator.state = state["random"]
        self._pending = [Request(read_graded(notation, eta), *rest) for notation, eta, *rest in state["pending"]]
        self.read_state(state["own"])

    @abstractmethod
    def propose(self) -> list[Request]:
        """The requests of the next round; at least one."""

    @abstractmethod
    def learn(self, evaluations: Sequence[Evaluation]) -> None:
        """Take in the scores of the round."""

    @abstractmethod
    def is_over(self) -> bool:
        """Whether the search stops by itself."""

    @abstractmethod
    def staleness(self) -> tuple[int, int]:
        """Rounds since the best last got better, for a search that stops by it, or else rounds done; and how many there
        may be until it stops."""

    def population(self) -> list[Individual]:
        """What the search holds now, in any order; empty before the first round."""
        return list(self.individuals)

    @abstractmethod
    def write_state(self) -> Any:
        """The search's own part of the state, as values that JSON can hold."""

    @abstractmethod
    def read_state(self, own: Any) -> None:
        """Take back what `write_state` gave."""


def _mean(numbers: Sequence[float]) -> float:
    # fsum, because what plain sum gives in the last bit depends on the version of Python.
    return math.fsum(numbers) / len(numbers) if numbers else math.nan


def write_rule(rule: AnyRule) -> list[Any]:
    """Notation and eta, or etas, for a search's state; a rule with weights of its own has all in its text."""
    return [rule.text, None] if isinstance(rule, GradedRule) else [rule.notation, rule.eta]


def write_individual(individual: Individual) -> list[Any]:
    """Notation, eta, fitness and lifetimes, for a search's state."""
    return [*write_rule(individual.rule), individual.fitness, individual.lifetimes]


def read_individual(stored: Sequence[Any]) -> Individual:
    """Take back what `write_individual` gave."""
    notation, eta, fitness, lifetimes = stored
    return Individual(read_graded(notation, eta), fitness, lifetimes)
