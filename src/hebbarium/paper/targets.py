"""Every number of the paper's tables, typed once, with the table and the cell it stands in.

Yaman, Iacca, Mocanu, Coler, Fletcher and Pechenizkiy, "Evolving Plasticity for Autonomous Learning under
Changing Environmental Conditions" (Evolutionary Computation, 2021). Numbers stay as they were printed, so
that the last digit says how finely they were rounded.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hebbarium.paper import printed

Kind = Literal["measured", "search", "given"]
"""measured: any faithful copy should find it; search: depends on what a genetic search happened to find;
given: an input of the experiment, only checked."""


@dataclass(frozen=True)
class Target:
    """One printed number."""

    item: str
    """The item of `hebbarium reproduce` that compares it."""
    row: str
    column: str
    printed: str
    kind: Kind = "measured"
    trials: int = 100
    """Independent lives or runs behind the number."""
    remark: str = ""
    """A slip of the paper, or why our number is known to differ."""
    error: float = 0.0
    """The number's own standard error, where the paper prints the std over its trials; else 0."""

    @property
    def cell(self) -> str:
        return f"{self.row} / {self.column}"

    @property
    def paper(self) -> float:
        return float(self.printed)

    @property
    def half_unit(self) -> float:
        """Half a unit of the last printed digit: what rounding may hide."""
        if "e" in self.printed:
            return 0.0
        return 0.5 * 10.0 ** -len(self.printed.partition(".")[2])

    @property
    def task(self) -> str:
        return "prey-predator" if self.item.startswith("prey-predator") else "foraging"


def rows_of(text: str) -> list[list[str]]:
    """Words of each line; cells are separated by two spaces or more, or by `|`."""
    return [[word.strip() for word in line.split("|")] for line in text.strip().splitlines()]


@functools.cache
def all_targets() -> tuple[Target, ...]:
    """In the paper's order."""
    return tuple(_targets())


def targets_of(item: str) -> tuple[Target, ...]:
    return tuple(target for target in all_targets() if target.item == item)


def _targets() -> Iterator[Target]:
    yield from _comparison("foraging-comparison", printed.FORAGING_COMPARISON)
    yield from _distinct_rules("foraging-rules", printed.FORAGING_RULES)
    yield from _hand_made()
    yield from _comparison("prey-predator-comparison", printed.PREY_PREDATOR_COMPARISON)
    yield from _distinct_rules("prey-predator-rules", printed.PREY_PREDATOR_RULES)
    yield from _associations("foraging-associations", printed.FORAGING_ASSOCIATIONS)
    yield from _associations("prey-predator-associations", printed.PREY_PREDATOR_ASSOCIATIONS)
    yield from _hill_climbing()
    yield from _seasons("seasons", printed.SEASONS, printed.SEASON_NAMES)
    yield from _seasons("validation", printed.VALIDATION, ("Summer", "Winter"))
    for pair, level in rows_of(printed.RANK_SUM):
        yield _target("rank-sum", pair, "p", level)


def _target(item: str, row: str, column: str, number: str, kind: Kind = "measured", error: float = 0.0) -> Target:
    remark = printed.REMARKS.get((item, row, column)) or printed.REMARKS.get((item, row, "")) or ""
    return Target(item, row, column, number, kind, remark=remark, error=error)


def _errors(std: str, trials: int = 100) -> tuple[float, float]:
    """Standard errors of a mean and of the std itself."""
    return float(std) / math.sqrt(trials), float(std) / math.sqrt(2 * trials)


def _comparison(item: str, text: str) -> Iterator[Target]:
    for algorithm, fitness, std, _ in rows_of(text):
        yield _target(item, algorithm, "Fitness", fitness)
        yield _target(item, algorithm, "Std", std)


def _distinct_rules(item: str, text: str) -> Iterator[Target]:
    """The median is a score that the published rule must reach; the rest is about the instances a search found."""
    for name, *numbers, _ in rows_of(text):
        for column, number in zip(printed.RULE_COLUMNS, numbers, strict=True):
            kind: Kind = "measured" if column == "Median" else "search"
            yield _target(item, f"rule {name}", column, number, kind)


def _hand_made() -> Iterator[Target]:
    for name, *numbers, _ in rows_of(printed.HAND_MADE_RULES):
        for column, number in zip(printed.HAND_MADE_COLUMNS, numbers, strict=True):
            kind: Kind = "given" if column == "eta" else "measured"
            yield _target("hand-made-rules", f"rule {name}", column, number, kind)


def _associations(item: str, text: str) -> Iterator[Target]:
    for identity, _, _, summer, winter in rows_of(text):
        yield _target(item, f"association {identity}", "Summer", summer, "given")
        yield _target(item, f"association {identity}", "Winter", winter, "given")


def _hill_climbing() -> Iterator[Target]:
    for result, iteration, *cells in rows_of(printed.HILL_CLIMBING):
        for season, cell in zip(printed.SEASON_NAMES, cells, strict=True):
            mean, std = (number.strip() for number in cell.split("+-"))
            errors = _errors(std)
            row = f"{result} at the {iteration}"
            yield _target("hill-climbing", row, f"{season} mean", mean, error=errors[0])
            yield _target("hill-climbing", row, f"{season} std", std, error=errors[1])


def _seasons(item: str, text: str, seasons: tuple[str, ...]) -> Iterator[Target]:
    columns = [(season, result) for season in seasons for result in ("Fitness", "G", "B", "W")]
    (_, *means), (_, *stds) = rows_of(text)
    for (season, result), mean, std in zip(columns, means, stds, strict=True):
        errors = _errors(std)
        yield _target(item, season, f"{result} Mean", mean, error=errors[0])
        yield _target(item, season, f"{result} Std", std, error=errors[1])
