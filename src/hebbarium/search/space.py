"""What is searched: one rule for all layers, or wider rules with a rule or an eta for each layer.

A rule has one *part* of eight entries, or one for each layer, and as many etas or one. Each part is two *halves*: what
it does when the agent is punished, and when it is rewarded. Searches join, redraw and change them without knowing whose
they are. Its *numbers* are its etas and, where blame, eligibility and trace are genes, its own, each on its scale.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, ClassVar

from hebbarium.rules.graded import KINDS, TRACE, GradedRule, trace_of, weights_of
from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import ENTRIES, AnyRule, Rule
from hebbarium.rules.shape import LAYERS
from hebbarium.tools.errors import BadInput, check_choice, shown

if TYPE_CHECKING:
    from numpy.random import Generator

# The scales of real-valued genes: where a number stands on its scale, and which number stands at a place.
# Numbers are rounded, so that the last bit of a machine's powers and logarithms cannot matter.

SMALLEST_ETA = 1e-4
"""Where the logarithmic scale of wider rules' etas begins; it ends at 1."""
LARGEST_ETA = 0.999999


class Scale(ABC):
    """Places from `low` to `high`, and a number at each."""

    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0

    @abstractmethod
    def number(self, place: float) -> float:
        """The number at a place of the scale."""

    @abstractmethod
    def place(self, number: float) -> float:
        """The place of a number on the scale."""

    def draw(self, random: Generator) -> float:
        """A number drawn uniformly on the scale."""
        return self.number(self.low + (self.high - self.low) * float(random.random()))

    def moved(self, number: float, move: float) -> float:
        """The number that far along the scale, reflected at both ends."""
        place = self.place(number) + move
        place = 2 * self.low - place if place < self.low else place
        place = 2 * self.high - place if place > self.high else place
        return self.number(max(place, self.low))


class Linear(Scale):
    """The paper's scale of eta: each number is its own place."""

    def number(self, place: float) -> float:
        return place

    def place(self, number: float) -> float:
        return number


class Logarithmic(Scale):
    """The etas of wider rules, from 0.0001 to 1."""

    def number(self, place: float) -> float:
        return min(float(f"{SMALLEST_ETA ** (1 - place):.6g}"), LARGEST_ETA)

    def place(self, number: float) -> float:
        return 1 - math.log(number) / math.log(SMALLEST_ETA)


@dataclass(frozen=True)
class FromZero(Scale):
    """From 0 at place 0 to `largest` at 1: nearly linear in its lowest thousandth, and logarithmic from there on."""

    largest: float
    RANGE: ClassVar[int] = 1000

    def number(self, place: float) -> float:
        size = self.largest * math.expm1(abs(place) * math.log(self.RANGE)) / (self.RANGE - 1)
        return float(f"{math.copysign(size, place):.4g}") + 0.0  # -0 becomes 0

    def place(self, number: float) -> float:
        size = math.log1p((self.RANGE - 1) * abs(number) / self.largest) / math.log(self.RANGE)
        return math.copysign(size, number)


@dataclass(frozen=True)
class BothSides(FromZero):
    """The same on both sides of zero, from -`largest` at place -1."""

    low: ClassVar[float] = -1.0


@dataclass(frozen=True)
class Signed(Scale):
    """Real entries, from -1 to 1: eta says how much they change. The middle of the scale is exactly 0, because a small
    entry is not like none: under 0 a synapse stays as it is, and a layer without entries is not scaled."""

    zero: float = 0.2
    """How far from the middle."""
    low: ClassVar[float] = -1.0

    def number(self, place: float) -> float:
        size = max(min(abs(place), self.high) - self.zero, 0.0) / (1 - self.zero)
        return float(f"{math.copysign(size, place):.4g}") + 0.0  # -0 becomes 0

    def place(self, number: float) -> float:
        return math.copysign(self.zero + (1 - self.zero) * abs(number), number) if number else 0.0


class Decay(Scale):
    """Traces, from 0 to 0.99."""

    def number(self, place: float) -> float:
        return float(f"{0.99 * min(max(place, self.low), self.high):.4g}")

    def place(self, number: float) -> float:
        return number / 0.99


LINEAR, LOGARITHMIC, SIGNED = Linear(), Logarithmic(), Signed()
WEIGHTS: dict[str, Scale] = {"blame": BothSides(1.5), "eligibility": FromZero(1.0), "trace": Decay()}
"""The scales of what a rule may have of its own, by its kind."""


REAL = "entries"
"""The gene that makes all entries real numbers."""
HALVES: int = 3 ** (ENTRIES // 2)
"""How many halves there are: punished ones, and rewarded ones."""


@dataclass(frozen=True)
class Space:
    """The rules of one kind."""

    layers: str
    """One of LAYERINGS."""
    depth: int = LAYERS
    """Layers of the network."""
    weights: tuple[str, ...] = ()
    """What each rule has of its own: blame and eligibility by group, such as `blame:wall-turn`, and its trace."""
    real: bool = False
    """Whether entries are real numbers, and so among the rule's numbers, as the last of them."""

    @property
    def parts(self) -> int:
        """Rules of eight entries in a rule: one, or one for each layer."""
        return self.depth if self.layers == "separate" else 1

    @property
    def etas(self) -> int:
        """Learning rates: one, or one for each layer."""
        return self.depth if self.layers in ("two-etas", "separate") else 1

    @property
    def entries(self) -> int:
        """How many ternary entries a rule of the space has."""
        return 0 if self.real else self.parts * ENTRIES

    @property
    def halves(self) -> int:
        return 2 * self.parts

    @property
    def size(self) -> int:
        """How many rules there are, whatever their etas."""
        return int(HALVES**self.halves)

    @property
    def fits_tables(self) -> bool:
        """Whether there are so few rules and etas that a table of them all is a small one."""
        return self.parts == 1 and self.etas == 1 and not self.real

    @property
    def scales(self) -> tuple[Scale, ...]:
        """Of each number. Etas are drawn and mutated on a logarithmic scale; the paper's is linear."""
        eta = LINEAR if self.layers == "same" else LOGARITHMIC
        weights = tuple(WEIGHTS[name.partition(":")[0]] for name in self.weights)
        return (eta,) * self.etas + weights + (SIGNED,) * (self.parts * ENTRIES * self.real)

    def rule(self, entries: Sequence[float], numbers: Sequence[float]) -> AnyRule:
        """The rule with these genes.

        entries: the hidden layer's first. numbers: etas, likewise, and then the weights and any real entries."""
        if self.real:
            numbers, entries = numbers[: self.etas + len(self.weights)], numbers[self.etas + len(self.weights) :]
        etas, weights = numbers[: self.etas], numbers[self.etas :]
        parts = [Rule(entries[start : start + ENTRIES], etas[0]) for start in range(0, len(entries), ENTRIES)]
        rule: AnyRule = parts[0]
        if self.layers == "output":
            rule = LayeredRule(*(None,) * (self.depth - 1), rule)
        elif self.layers != "same":
            rule = LayeredRule(*(part.with_eta(eta) for part, eta in zip(cycle(parts), etas)))
        if not self.weights:
            return rule
        own: dict[str, Any] = {kind: {} for kind in KINDS}
        for name, weight in zip(self.weights, weights, strict=True):
            kind, _, group = name.partition(":")
            if kind == TRACE:
                own[TRACE] = weight
            else:
                own[kind][group] = weight
        return GradedRule(rule, **own)

    def entries_of(self, rule: AnyRule) -> tuple[Any, ...]:
        """The rule's ternary entries."""
        return () if self.real else self._all_entries(rule)

    def _all_entries(self, rule: AnyRule) -> tuple[Any, ...]:
        parts = rule.layers[-1:] if self.parts == 1 else rule.layers
        return tuple(entry for part in parts for entry in part.entries)

    def etas_of(self, rule: AnyRule) -> tuple[float, ...]:
        found = tuple(part.eta for part in (rule.layers[-1:] if self.etas == 1 else rule.layers))
        assert None not in found
        return found  # type: ignore[return-value]

    def numbers_of(self, rule: AnyRule) -> tuple[float, ...]:
        """The rule's etas, then weights, then real entries."""
        named = (name.partition(":") for name in self.weights)
        weights = (trace_of(rule) if kind == TRACE else weights_of(rule, kind)[group] for kind, _, group in named)
        return (*self.etas_of(rule), *weights, *(self._all_entries(rule) if self.real else ()))

    def draw(self, random: Generator) -> AnyRule:
        """Each entry uniform, and each number on its scale."""
        entries = [int(entry) for entry in random.integers(-1, 2, self.entries)]
        return self.rule(entries, [scale.draw(random) for scale in self.scales])

    def samples(self) -> tuple[AnyRule, ...]:
        """A rule of each sort that is lived by a loop of its own, for compiling those."""
        both, punished = Rule((1,) * ENTRIES, 0.01), Rule((1,) * (ENTRIES // 2) + (0,) * (ENTRIES // 2), 0.01)
        if self.depth != LAYERS:
            return both, punished
        above_frozen = LayeredRule(None, both)
        several = {"output": (above_frozen, punished), "separate": (both, above_frozen, punished)}
        return several.get(self.layers, (both, punished))

    def index(self, rule: AnyRule) -> int:
        """Which of all there are: the entries as digits."""
        return number_of([entry + 1 for entry in self.entries_of(rule)], 3)

    def entries_at(self, index: int) -> list[int]:
        return [digit - 1 for digit in digits(index, 3, self.entries)]


LAYERINGS = ("same", "two-etas", "output", "separate")
"""One rule and eta for all layers; one rule, an eta for each; hidden layers frozen; a rule and an eta for each."""
SAME = Space("same")


def space_of(layers: str, weights: Sequence[str] = (), depth: int = LAYERS) -> Space:
    """The space of rules that is searched.

    weights: what each rule has of its own (see `genes.py`). depth: layers of the network"""
    check_choice("layers", layers, LAYERINGS)
    if depth == 1 and layers != "same":
        raise BadInput(f"layers is {shown(layers)}, but without hidden neurons there is one layer only; use same.")
    return Space(layers, depth, tuple(name for name in weights if name != REAL), REAL in weights)


def digits(number: int, base: int, count: int) -> list[int]:
    """The highest first.

    >>> digits(11, 3, 4)
    [0, 1, 0, 2]
    """
    return [number // base**place % base for place in range(count - 1, -1, -1)]


def number_of(digits: Sequence[int], base: int) -> int:
    """
    >>> number_of([0, 1, 0, 2], 3)
    11
    """
    number = 0
    for digit in digits:
        number = number * base + digit
    return number
