"""The scales of real-valued genes: where a number stands on its scale, and which number stands at a place.

Numbers are rounded, so that the last bit of a machine's powers and logarithms cannot matter.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from numpy.random import Generator

SMALLEST_ETA = 1e-4
"""Where the logarithmic scale of wider rules' etas begins; it ends at 1."""
LARGEST_ETA = 0.999999


class Scale(ABC):
    """Places from `low` to `high`, and a number at each."""

    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0

    @abstractmethod
    def number(self, place: float) -> float:
        """What stands at a place."""

    @abstractmethod
    def place(self, number: float) -> float:
        """Where a number stands."""

    def draw(self, random: Generator) -> float:
        """Uniform on the scale."""
        return self.number(self.low + (self.high - self.low) * float(random.random()))

    def moved(self, number: float, move: float) -> float:
        """Reflected at both ends."""
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
