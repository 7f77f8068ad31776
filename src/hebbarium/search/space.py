"""What is searched: one rule for both layers, or wider rules with a rule or an eta for each layer.

A rule has one or two *parts* of eight entries, and one or two etas. Its entries are four, or two, *halves*: what a part
does when the agent is punished, and when it is rewarded. Searches join, redraw and change them without knowing whose
they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hebbarium.errors import check_choice
from hebbarium.layered import LayeredRule
from hebbarium.rule import ENTRIES, AnyRule, Rule

if TYPE_CHECKING:
    from numpy.random import Generator

HALVES: int = 3 ** (ENTRIES // 2)
"""How many halves there are: punished ones, and rewarded ones."""
SMALLEST_ETA = 1e-4
"""Where the logarithmic scale of wider rules' etas begins; it ends at 1."""
LARGEST_ETA = 0.999999


@dataclass(frozen=True)
class Space:
    """The rules of one kind."""

    layers: str
    parts: int
    """Rules of eight entries in a rule: one, or one for each layer."""
    etas: int
    """Learning rates: one, or one for each layer."""

    @property
    def entries(self) -> int:
        return self.parts * ENTRIES

    @property
    def halves(self) -> int:
        return 2 * self.parts

    @property
    def size(self) -> int:
        """How many rules there are, whatever their etas."""
        return int(HALVES**self.halves)

    @property
    def logarithmic(self) -> bool:
        """Whether etas are drawn and mutated on a logarithmic scale; the paper's is linear."""
        return self.layers != "same"

    def rule(self, entries: Sequence[int], etas: Sequence[float]) -> AnyRule:
        """entries: the hidden layer's first, etas likewise."""
        first, last = Rule(entries[:ENTRIES], etas[0]), Rule(entries[-ENTRIES:], etas[-1])
        if self.layers == "same":
            return last
        return LayeredRule(None if self.layers == "output" else first, last)

    def entries_of(self, rule: AnyRule) -> tuple[int, ...]:
        parts = rule.layers[-1:] if self.parts == 1 else rule.layers
        return tuple(entry for part in parts for entry in part.entries)

    def etas_of(self, rule: AnyRule) -> tuple[float, ...]:
        found = tuple(part.eta for part in (rule.layers[-1:] if self.etas == 1 else rule.layers))
        assert None not in found
        return found  # type: ignore[return-value]

    def draw(self, random: Generator) -> AnyRule:
        """Each entry uniform, and each eta on its scale."""
        entries = [int(entry) for entry in random.integers(-1, 2, self.entries)]
        return self.rule(entries, [self.eta_at(float(random.random())) for _ in range(self.etas)])

    def eta_at(self, place: float) -> float:
        """place: 0 to 1, from the smallest eta to 1"""
        # Rounded, so that the last bit of a machine's powers cannot matter.
        return min(float(f"{SMALLEST_ETA ** (1 - place):.6g}"), LARGEST_ETA) if self.logarithmic else place

    def samples(self) -> tuple[AnyRule, ...]:
        """A rule of each sort that is lived by a loop of its own, for whoever compiles them."""
        both = Rule((1,) * ENTRIES, 0.01)
        above_frozen = LayeredRule(None, both)
        return {"output": (above_frozen,), "separate": (both, above_frozen)}.get(self.layers, (both,))

    def index(self, rule: AnyRule) -> int:
        """Which of all there are: the entries as digits."""
        found = 0
        for entry in self.entries_of(rule):
            found = 3 * found + entry + 1
        return found

    def entries_at(self, index: int) -> list[int]:
        digits = []
        for _ in range(self.entries):
            index, digit = divmod(index, 3)
            digits.append(digit - 1)
        return digits[::-1]


SPACES = {
    space.layers: space
    for space in (Space("same", 1, 1), Space("two-etas", 1, 2), Space("output", 1, 1), Space("separate", 2, 2))
}
"""One rule and eta for both layers; one rule, an eta for each; the hidden layer frozen; a rule and eta for each."""
SAME = SPACES["same"]


def space_of(layers: str) -> Space:
    check_choice("layers", layers, tuple(SPACES))
    return SPACES[layers]
