"""The paper's genetic algorithm, in the paper's order and words (its section on evolving plasticity rules).

What the paper leaves open is a setting; its default is the reading that fits the published results best.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from hebbarium.rules.rule import AnyRule
from hebbarium.search.base import Evaluation, Individual, Request, Search, Settings, read_individual, write_individual
from hebbarium.search.space import LINEAR, SAME, Scale, Space
from hebbarium.tools.errors import BadInput, check_integer, check_number

SMALLEST_ETA = 0.0001
"""What a negative eta becomes where eta_boundary is 'floor'."""
LARGEST_ETA = math.nextafter(1.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class GeneticSettings(Settings):
    """The paper's numbers, and our reading of what it leaves open."""

    individuals: int = 30
    """Individuals in the population."""
    lifetimes: int = 5
    """Lifetimes for each evaluation; their mean is the individual's fitness."""
    elites: int = 10
    """The best individuals, copied to the next generation without any change."""
    crossover_probability: float = 0.5
    """Probability of uniform crossover (see crossover)."""
    eta_mutation: float = 0.1
    """Spread of the Gaussian mutation of eta, which every child undergoes; of wider rules' etas, and of blame and
    eligibility where they are genes, as a share of their logarithmic scale."""
    redraw_probability: float = 0.15
    """Probability that a ternary gene of a child is drawn again."""
    stale_generations: int = 30
    """Stop after this many generations without improvement of the best fitness."""

    trials: Literal["fresh", "generation", "run"] = "fresh"
    """Which lifetimes an evaluation gets: its own, those of its generation, or the same in the whole run."""
    elite_fitness: Literal["kept", "again"] = "kept"
    """Whether an elite keeps the fitness it was measured with, or is measured again in each generation."""
    roulette: Literal["minimum", "zero"] = "minimum"
    """What a share of the roulette wheel is proportional to: fitness above the population's minimum, or
    fitness above zero."""
    crossover: Literal["gene", "pair"] = "gene"
    """What crossover_probability is the probability of: that a gene comes from the second parent (gene); or that a
    pair of parents is crossed, each gene from either with equal chance, instead of copying the first (pair)."""
    eta_mutation_is: Literal["deviation", "variance"] = "deviation"
    """Whether eta_mutation is the Gaussian's standard deviation or its variance."""
    eta_boundary: Literal["reflect", "floor", "clip"] = "reflect"
    """What keeps eta's gene in [0, 1): reflected at 0 and taken modulo 1; negative becomes 0.0001 and the rest is
    taken modulo 1; or clipped at both ends."""
    eta_scale: float = 1.0
    """What eta's gene, in [0, 1), is multiplied by to give eta. The text says 1; the paper's foraging etas fit 0.1."""
    redraw: Literal["any", "different"] = "any"
    """Whether a gene drawn again may become what it was."""
    improvement: Literal["strict", "equal"] = "strict"
    """Whether only a strictly better best fitness is an improvement, or an equal one is too."""

    def check(self) -> None:
        check_integer("individuals", self.individuals, 2)
        check_integer("lifetimes", self.lifetimes, 1)
        check_integer("elites", self.elites, 0)
        if self.elites >= self.individuals:
            raise BadInput(
                f"elites is {self.elites}, but must be less than the {self.individuals} individuals; "
                f"the nearest is {self.individuals - 1}."
            )
        check_number("crossover_probability", self.crossover_probability, 0, 1)
        check_number("eta_mutation", self.eta_mutation, 0, 1)
        check_number("redraw_probability", self.redraw_probability, 0, 1)
        check_integer("stale_generations", self.stale_generations, 1)
        check_number("eta_scale", self.eta_scale, SMALLEST_ETA, 1)

    def settings(self) -> dict[str, Any]:
        """The usual eta_scale is left out, so that runs stored before there was one can be resumed."""
        every = super().settings()
        return every if self.eta_scale != 1 else {name: one for name, one in every.items() if name != "eta_scale"}


class GeneticAlgorithm(Search):
    """An elitist genetic algorithm over eight ternary genes and eta, or over those of a wider rule."""

    name: ClassVar[str] = "genetic"
    summary: ClassVar[str] = "the paper's genetic algorithm"
    settings_class: ClassVar[type[Settings]] = GeneticSettings
    settings: GeneticSettings

    def __init__(
        self, settings: GeneticSettings | None = None, seed: int = 1, run: int = 0, space: Space = SAME
    ) -> None:
        super().__init__(settings, seed, run, space)
        if self.settings.eta_scale != 1 and LINEAR not in space.scales:
            raise BadInput(
                f"eta-scale is {self.settings.eta_scale:g}, but with layers {space.layers} etas are drawn on a "
                "logarithmic scale, where it must be 1."
            )
        self.best_fitness = -math.inf
        self.stale = 0

    # One generation.

    def propose(self) -> list[Request]:
        if not self.individuals:
            rules = [self.newborn() for _ in range(self.settings.individuals)]
        else:
            remeasured = self.elites() if self.settings.elite_fitness == "again" else []
            children = [self.child() for _ in range(self.settings.individuals - self.settings.elites)]
            rules = [elite.rule for elite in remeasured] + children
        return [Request(rule, self.settings.lifetimes, self.generation, self.first_trial()) for rule in rules]

    def learn(self, evaluations: Sequence[Evaluation]) -> None:
        copied = self.elites() if self.settings.elite_fitness == "kept" else []
        self.individuals = [*copied, *(one.individual for one in evaluations)]
        # Only what was evaluated now can improve: a copied elite equals the best of before.
        fitness = max(one.fitness for one in evaluations)
        equal = self.settings.improvement == "equal" and fitness == self.best_fitness
        self.stale = 0 if fitness > self.best_fitness or equal else self.stale + 1
        self.best_fitness = max(fitness, self.best_fitness)

    def is_over(self) -> bool:
        return self.stale >= self.settings.stale_generations

    def first_trial(self) -> int | None:
        settings = self.settings
        return {"fresh": None, "generation": self.generation * settings.lifetimes, "run": 0}[settings.trials]

    def newborn(self) -> AnyRule:
        """A rule of the first generation: each gene uniform in its domain."""
        rule = self.space.draw(self.random)
        if self.settings.eta_scale == 1:
            return rule
        gene, *weights = self.space.numbers_of(rule)
        return self.space.rule(self.space.entries_of(rule), [self.settings.eta_scale * gene, *weights])

    # Elitist roulette wheel selection, uniform crossover, mutation.

    def elites(self) -> list[Individual]:
        return self.top(self.settings.elites)

    def child(self) -> AnyRule:
        wheel = self.roulette_wheel()
        first, second = (self.individuals[self.spin(wheel)].rule for _ in range(2))
        return self.mutated(self.crossed(first, second))

    def roulette_wheel(self) -> list[float]:
        """Where each individual's share of the wheel ends."""
        fitness = [individual.fitness for individual in self.individuals]
        offset = min(fitness) if self.settings.roulette == "minimum" else 0.0
        ends = list(itertools.accumulate(max(0.0, one - offset) for one in fitness))
        # If no individual has a share, all get the same.
        return ends if ends[-1] > 0 else [float(place + 1) for place in range(len(ends))]

    def spin(self, wheel: Sequence[float]) -> int:
        return bisect.bisect_right(wheel, float(self.random.random()) * wheel[-1])

    def crossed(self, first: AnyRule, second: AnyRule) -> AnyRule:
        from_second = self.settings.crossover_probability
        if self.settings.crossover == "pair":
            from_second = 0.5 if self.random.random() < self.settings.crossover_probability else 0.0
        genes = [
            two if self.random.random() < from_second else one
            for one, two in zip(self.genes(first), self.genes(second), strict=True)
        ]
        entries = self.space.entries
        return self.space.rule([int(gene) for gene in genes[:entries]], genes[entries:])

    def genes(self, rule: AnyRule) -> tuple[float, ...]:
        """A rule's ternary genes, then its etas and weights."""
        return (*self.space.entries_of(rule), *self.space.numbers_of(rule))

    def mutated(self, rule: AnyRule) -> AnyRule:
        entries = [
            self.redrawn(entry) if self.random.random() < self.settings.redraw_probability else entry
            for entry in self.space.entries_of(rule)
        ]
        spread = self.settings.eta_mutation
        deviation = spread if self.settings.eta_mutation_is == "deviation" else math.sqrt(spread)
        numbers = [
            self.moved(number, deviation * float(self.random.standard_normal()), scale)
            for number, scale in zip(self.space.numbers_of(rule), self.space.scales, strict=True)
        ]
        return self.space.rule(entries, numbers)

    def moved(self, number: float, move: float, scale: Scale) -> float:
        if scale is not LINEAR:
            return scale.moved(number, move)
        return self.settings.eta_scale * self.bounded(number / self.settings.eta_scale + move)

    def redrawn(self, entry: int) -> int:
        if self.settings.redraw == "any":
            return int(self.random.integers(-1, 2))
        # The next or the next but one of -1, 0, 1, going round.
        return (entry + 1 + int(self.random.integers(1, 3))) % 3 - 1

    def bounded(self, eta: float) -> float:
        match self.settings.eta_boundary:
            case "reflect":
                return abs(eta) % 1.0
            case "floor":
                return SMALLEST_ETA if eta < 0 else eta % 1.0
            case "clip":
                return min(max(eta, 0.0), LARGEST_ETA)

    # What others see.

    def staleness(self) -> tuple[int, int]:
        return self.stale, self.settings.stale_generations

    def write_state(self) -> dict[str, Any]:
        return {
            "individuals": [write_individual(individual) for individual in self.individuals],
            # JSON has no infinity; nothing was evaluated then.
            "best_fitness": self.best_fitness if self.individuals else None,
            "stale": self.stale,
        }

    def read_state(self, own: Any) -> None:
        self.individuals = [read_individual(stored) for stored in own["individuals"]]
        self.best_fitness = -math.inf if own["best_fitness"] is None else own["best_fitness"]
        self.stale = own["stale"]
