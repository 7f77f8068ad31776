"""What is searched: one rule for both layers, or wider rules with a rule or an eta for each layer.

A rule has one or two *parts* of eight entries, and one or two etas. Its entries are four, or two, *halves*: what a part
does when the agent is punished, and when it is rewarded. Searches join, redraw and change them without knowing whose
they are. Its *numbers* are its etas and, where blame and eligibility are genes, its own weights, each on its scale.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hebbarium.rules.graded import KINDS, GradedRule, weights_of
from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import ENTRIES, AnyRule, Rule
from hebbarium.search.scales import LINEAR, LOGARITHMIC, SIGNED, WEIGHTS, Scale
from hebbarium.tools.errors import check_choice

if TYPE_CHECKING:
    from numpy.random import Generator

REAL = "entries"
"""The gene that makes all entries real numbers."""
HALVES: int = 3 ** (ENTRIES // 2)
"""How many halves there are: punished ones, and rewarded ones."""


@dataclass(frozen=True)
class Space:
    """The rules of one kind."""

    layers: str
    parts: int
    """Rules of eight entries in a rule: one, or one for each layer."""
    etas: int
    """Learning rates: one, or one for each layer."""
    weights: tuple[str, ...] = ()
    """What each rule has of its own: its blame and eligibility by group, such as `blame:wall-turn`."""
    real: bool = False
    """Whether entries are real numbers, and so among the rule's numbers, as the last of them."""

    @property
    def entries(self) -> int:
        """Ternary ones."""
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
        """entries: the hidden layer's first. numbers: etas, likewise, and then the weights and any real entries."""
        if self.real:
            numbers, entries = numbers[: self.etas + len(self.weights)], numbers[self.etas + len(self.weights) :]
        first, last = Rule(entries[:ENTRIES], numbers[0]), Rule(entries[-ENTRIES:], numbers[self.etas - 1])
        rule = last if self.layers == "same" else LayeredRule(None if self.layers == "output" else first, last)
        return self._graded(rule, numbers[self.etas :]) if self.weights else rule

    def _graded(self, rule: AnyRule, weights: Sequence[float]) -> GradedRule:
        own: dict[str, dict[str, float]] = {kind: {} for kind in KINDS}
        for name, weight in zip(self.weights, weights, strict=True):
            kind, _, group = name.partition(":")
            own[kind][group] = weight
        return GradedRule(rule, **own)

    def entries_of(self, rule: AnyRule) -> tuple[Any, ...]:
        return () if self.real else self._all_entries(rule)

    def _all_entries(self, rule: AnyRule) -> tuple[Any, ...]:
        parts = rule.layers[-1:] if self.parts == 1 else rule.layers
        return tuple(entry for part in parts for entry in part.entries)

    def etas_of(self, rule: AnyRule) -> tuple[float, ...]:
        found = tuple(part.eta for part in (rule.layers[-1:] if self.etas == 1 else rule.layers))
        assert None not in found
        return found  # type: ignore[return-value]

    def numbers_of(self, rule: AnyRule) -> tuple[float, ...]:
        """Etas, then weights, then real entries."""
        named = (name.partition(":") for name in self.weights)
        weights = (weights_of(rule, kind)[group] for kind, _, group in named)
        return (*self.etas_of(rule), *weights, *(self._all_entries(rule) if self.real else ()))

    def draw(self, random: Generator) -> AnyRule:
        """Each entry uniform, and each number on its scale."""
        entries = [int(entry) for entry in random.integers(-1, 2, self.entries)]
        return self.rule(entries, [scale.draw(random) for scale in self.scales])

    def samples(self) -> tuple[AnyRule, ...]:
        """A rule of each sort that is lived by a loop of its own, for compiling those."""
        both, punished = Rule((1,) * ENTRIES, 0.01), Rule((1,) * (ENTRIES // 2) + (0,) * (ENTRIES // 2), 0.01)
        above_frozen = LayeredRule(None, both)
        several = {"output": (above_frozen, punished), "separate": (both, above_frozen, punished)}
        return several.get(self.layers, (both, punished))

    def index(self, rule: AnyRule) -> int:
        """Which of all there are: the entries as digits."""
        return number_of([entry + 1 for entry in self.entries_of(rule)], 3)

    def entries_at(self, index: int) -> list[int]:
        return [digit - 1 for digit in digits(index, 3, self.entries)]


SPACES = {
    space.layers: space
    for space in (Space("same", 1, 1), Space("two-etas", 1, 2), Space("output", 1, 1), Space("separate", 2, 2))
}
"""One rule and eta for both layers; one rule, an eta for each; the hidden layer frozen; a rule and eta for each."""
SAME = SPACES["same"]


def space_of(layers: str, weights: Sequence[str] = ()) -> Space:
    """weights: what each rule has of its own (see `genes.py`)."""
    check_choice("layers", layers, tuple(SPACES))
    own = tuple(name for name in weights if name != REAL)
    return dataclasses.replace(SPACES[layers], weights=own, real=REAL in weights)


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
