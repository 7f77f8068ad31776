"""CatCMA of the package `cmaes`: an evolution strategy for categories and numbers together.

It learns, for each ternary entry, how likely each of its three values is, and beside them a Gaussian over
log eta, and over the places of blame and eligibility on their scales where those are genes. Where the entries are real
numbers there is nothing to choose from, and plain CMA-ES of the same package searches.
(Hamano et al. 2024, https://arxiv.org/abs/2405.09962)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hebbarium.search.base import Evaluation, Individual, Request, Search, Settings
from hebbarium.search.space import SAME, Space
from hebbarium.tools.errors import BadInput, check_integer, check_number

LARGEST_ETA = math.nextafter(1.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class CatCMASettings(Settings):
    """How many rules a generation, how long, and where eta begins."""

    individuals: int = 32
    """Individuals in a generation."""
    lifetimes: int = 5
    """Lifetimes whose mean is an individual's fitness."""
    generations: int = 50
    """Generations until it stops."""
    smallest_eta: float = 0.0001
    """The smallest eta tried; eta is searched on a logarithmic scale from here up to 1."""

    def check(self) -> None:
        check_integer("individuals", self.individuals, 4)
        check_integer("lifetimes", self.lifetimes, 1)
        check_integer("generations", self.generations, 1)
        check_number("smallest_eta", self.smallest_eta, 1e-12, 0.5)


class CatCMASearch(Search):
    """CatCMA as a search. Its state is the scores it was given; the optimiser is rebuilt from that."""

    name: ClassVar[str] = "catcma"
    summary: ClassVar[str] = "CatCMA of the package cmaes (extra 'optimisers')"
    settings_class: ClassVar[type[Settings]] = CatCMASettings
    settings: CatCMASettings

    def __init__(
        self, settings: CatCMASettings | None = None, seed: int = 1, run: int = 0, space: Space = SAME
    ) -> None:
        super().__init__(settings, seed, run, space)
        self.optimiser_seed = int(self.random.integers(2**31))
        # All numbers move between the ends of the logarithmic scale of etas, so that one spread fits all.
        self.low, self.high = math.log10(self.settings.smallest_eta), math.log10(LARGEST_ETA)
        self._begin()

    def _begin(self) -> None:
        """A new optimiser, to which nothing was said yet."""
        try:
            from cmaes import CatCMA
        except ImportError:
            raise BadInput(
                "search catcma needs the package cmaes; install it with: pip install 'hebbarium[optimisers]'."
            ) from None
        import numpy as np

        low, high, numbers = self.low, self.high, len(self.space.scales)
        # CatCMA wants two numbers at least: where there is one eta and nothing else, the second one is idle.
        idle = [(0.0, [-np.inf, np.inf])] * (2 - numbers)
        means, bounds = zip(*[((low + high) / 2, [low, high])] * numbers, *idle, strict=True)
        options: dict[str, Any] = {
            "mean": np.array(means),
            "sigma": (high - low) / 4,
            "bounds": np.array(bounds),
            "seed": self.optimiser_seed,
            "population_size": self.settings.individuals,
        }
        self.told: list[list[float]] = []
        self._drawn: list[tuple[Any, Any]] = []
        self._optimiser: Any = (
            _OnlyNumbers(**options) if self.space.real else CatCMA(cat_num=np.full(self.space.entries, 3), **options)
        )

    def propose(self) -> list[Request]:
        self._drawn = [self._optimiser.ask() for _ in range(self.settings.individuals)]
        space, low, high, requests = self.space, self.low, self.high, []
        for numbers, categories in self._drawn:  # float [number], log etas first; bool [entry, 3]
            # Rounded, so that the last bit of a machine's logarithms cannot matter.
            etas = [min(float(f"{10 ** float(number):.9g}"), LARGEST_ETA) for number in numbers[: space.etas]]
            weights = [
                scale.number(scale.low + (scale.high - scale.low) * (float(number) - low) / (high - low))
                for number, scale in zip(numbers[space.etas :], space.scales[space.etas :], strict=False)
            ]
            entries = [] if space.real else [int(category) - 1 for category in categories.argmax(axis=1)]
            rule = space.rule(entries, [*etas, *weights])
            requests.append(Request(rule, self.settings.lifetimes, self.generation))
        return requests

    def learn(self, evaluations: Sequence[Evaluation]) -> None:
        self.individuals = [one.individual for one in evaluations]
        self._learn([one.fitness for one in evaluations])

    def _learn(self, fitness: list[float]) -> None:
        self.told.append(fitness)
        # The optimiser minimises.
        self._optimiser.tell([(point, -one) for point, one in zip(self._drawn, fitness, strict=True)])

    def is_over(self) -> bool:
        return self.generation >= self.settings.generations

    def staleness(self) -> tuple[int, int]:
        return self.generation, self.settings.generations

    def write_state(self) -> dict[str, Any]:
        return {"optimiser_seed": self.optimiser_seed, "told": [list(fitness) for fitness in self.told]}

    def read_state(self, own: Any) -> None:
        self.optimiser_seed = own["optimiser_seed"]
        self.individuals = []
        self._begin()
        for fitness in own["told"]:
            requests = self.propose()
            self._learn(list(fitness))
            self.individuals = [
                Individual(request.rule, one, request.lifetimes) for request, one in zip(requests, fitness, strict=True)
            ]
        if self._pending:
            self.propose()


class _OnlyNumbers:
    """CMA-ES, for spaces without categories, with the same interface as CatCMA's."""

    def __init__(self, **options: Any) -> None:
        from cmaes import CMA

        self._strategy = CMA(**options)

    def ask(self) -> tuple[Any, None]:
        return self._strategy.ask(), None

    def tell(self, solutions: Sequence[tuple[tuple[Any, None], float]]) -> None:
        self._strategy.tell([(numbers, value) for (numbers, _), value in solutions])
