"""Random search: rules drawn uniformly, the best kept. What any other search has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hebbarium.search.base import Evaluation, Request, Search, Settings, read_individual, write_individual
from hebbarium.tools.errors import check_integer


@dataclass(frozen=True, kw_only=True)
class RandomSettings(Settings):
    """How long to draw, and how to score what was drawn."""

    evaluations: int = 1600
    """Rules drawn in all; about as many as the genetic algorithm tries."""
    lifetimes: int = 5
    """Lifetimes whose mean is a rule's fitness."""
    round_size: int = 32
    """Rules drawn at once."""
    kept: int = 30
    """The best rules kept as the population."""

    def check(self) -> None:
        check_integer("evaluations", self.evaluations, 1)
        check_integer("lifetimes", self.lifetimes, 1)
        check_integer("round_size", self.round_size, 1)
        check_integer("kept", self.kept, 1)


class RandomSearch(Search):
    """Draw, score, keep the best."""

    name: ClassVar[str] = "random"
    summary: ClassVar[str] = "rules drawn uniformly, the best kept"
    settings_class: ClassVar[type[Settings]] = RandomSettings
    settings: RandomSettings

    def propose(self) -> list[Request]:
        size = min(self.settings.round_size, self.settings.evaluations - self.generation * self.settings.round_size)
        return [Request(self.space.draw(self.random), self.settings.lifetimes, self.generation) for _ in range(size)]

    def learn(self, evaluations: Sequence[Evaluation]) -> None:
        known = [*self.individuals, *(one.individual for one in evaluations)]
        self.individuals = sorted(known, key=lambda individual: -individual.fitness)[: self.settings.kept]

    def is_over(self) -> bool:
        return self.generation * self.settings.round_size >= self.settings.evaluations

    def staleness(self) -> tuple[int, int]:
        return self.generation, -(-self.settings.evaluations // self.settings.round_size)

    def write_state(self) -> dict[str, Any]:
        return {"individuals": [write_individual(one) for one in self.individuals]}

    def read_state(self, own: Any) -> None:
        self.individuals = [read_individual(stored) for stored in own["individuals"]]
