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
from typing import Any, Literal

from hebbarium.paper import printed_tables

Kind = Literal["measured", "search", "given"]
"""measured: any faithful copy should find it; search: depends on what a genetic search happened to find;
given: an input of the experiment, only checked."""
POOLED = 10
"""Best rules taken from each run of a search."""


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
    """The number's own standard error, if the paper prints the std over its lives; else 0."""
    scale: float = 0.0
    """Compared with an error instead of the number, if it is larger: the std beside a fitness."""
    quantity: str = ""
    """What is counted, if the rows of a column count different things."""
    fitted: bool = False
    """A setting that the paper leaves open was chosen by looking at this number."""

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
    """The cells of each line, which are separated by `|`."""
    return [[word.strip() for word in line.split("|")] for line in text.strip().splitlines()]


@functools.cache
def all_targets() -> tuple[Target, ...]:
    """In the paper's order."""
    targets = [*_comparison("foraging-comparison", printed_tables.FORAGING_COMPARISON)]
    targets += _distinct_rules("foraging-rules", printed_tables.FORAGING_RULES)
    for name, *numbers, _ in rows_of(printed_tables.HAND_MADE_RULES):
        for column, number in zip(printed_tables.HAND_MADE_COLUMNS, numbers, strict=True):
            kind: Kind = "given" if column == "eta" else "measured"
            scale = float(numbers[1]) if column == "Fitness" else 0.0
            targets.append(_target("hand-made-rules", f"rule {name}", column, number, kind, scale=scale))
    targets += _comparison("prey-predator-comparison", printed_tables.PREY_PREDATOR_COMPARISON)
    targets += _distinct_rules("prey-predator-rules", printed_tables.PREY_PREDATOR_RULES)
    targets += _associations("foraging-associations", printed_tables.FORAGING_ASSOCIATIONS)
    targets += _associations("prey-predator-associations", printed_tables.PREY_PREDATOR_ASSOCIATIONS)
    for result, iteration, *cells in rows_of(printed_tables.HILL_CLIMBING):
        for season, cell in zip(printed_tables.SEASON_NAMES, cells, strict=True):
            mean, std = (number.strip() for number in cell.split("+-"))
            columns = (f"{season} mean", f"{season} std")
            targets += _mean_and_std("hill-climbing", f"{result} at the {iteration}", columns, mean, std, result)
    targets += _seasons("seasons", printed_tables.SEASONS, printed_tables.SEASON_NAMES)
    targets += _seasons("validation", printed_tables.VALIDATION, ("Summer", "Winter"))
    return (*targets, *(_target("rank-sum", pair, "p", level) for pair, level in rows_of(printed_tables.RANK_SUM)))


def targets_of(item: str) -> tuple[Target, ...]:
    return tuple(target for target in all_targets() if target.item == item)


def _target(item: str, row: str, column: str, number: str, kind: Kind = "measured", **more: Any) -> Target:
    remark = known_reason(item, row, column)
    fitted = kind == "measured" and any(
        item == one and row.startswith(of_row) and column.startswith(of_column)
        for one, of_row, of_column in printed_tables.FITTED
    )
    return Target(item, row, column, number, kind, remark=remark, fitted=fitted, **more)


def known_reason(item: str, row: str, column: str) -> str:
    """A slip of the paper, or why our number differs, as far as it is known; else ""."""
    return printed_tables.REMARKS.get((item, row, column)) or printed_tables.REMARKS.get((item, row, "")) or ""


def _errors(std: str, trials: int = 100) -> tuple[float, float]:
    """Standard errors of a mean and of the std itself."""
    return float(std) / math.sqrt(trials), float(std) / math.sqrt(2 * trials)


def _comparison(item: str, text: str) -> Iterator[Target]:
    """A prey-predator life has one score, so there a rule's std is over lives; foraging's are over seasons too."""
    for algorithm, fitness, std, learning in rows_of(text):
        over_lives = item.startswith("prey") and learning == "Lifetime learning"
        errors = _errors(std) if over_lives else (0.0, 0.0)
        yield _target(item, algorithm, "Fitness", fitness, error=errors[0], scale=float(std))
        yield _target(item, algorithm, "Std", std, error=errors[1])


def _distinct_rules(item: str, text: str) -> Iterator[Target]:
    """The median is a score that the published rule must reach; the rest is about the instances a search found."""
    runs = sum(int(instances) for _, instances, *_ in rows_of(text)) // POOLED
    for name, *numbers, _ in rows_of(text):
        for column, number in zip(printed_tables.RULE_COLUMNS, numbers, strict=True):
            if column == "Median":
                yield _target(item, f"rule {name}", column, number)
            else:
                yield _target(item, f"rule {name}", column, number, "search", trials=runs)


def _associations(item: str, text: str) -> Iterator[Target]:
    for identity, _, _, summer, winter in rows_of(text):
        yield _target(item, f"association {identity}", "Summer", summer, "given")
        yield _target(item, f"association {identity}", "Winter", winter, "given")


def _seasons(item: str, text: str, seasons: tuple[str, ...]) -> Iterator[Target]:
    columns = [(season, result) for season in seasons for result in ("Fitness", "G", "B", "W")]
    (_, *means), (_, *stds) = rows_of(text)
    for (season, result), mean, std in zip(columns, means, stds, strict=True):
        yield from _mean_and_std(item, season, (f"{result} Mean", f"{result} Std"), mean, std, result)


def _mean_and_std(
    item: str, row: str, columns: tuple[str, str], mean: str, std: str, quantity: str
) -> Iterator[Target]:
    """Two cells; both errors follow from the std."""
    errors = _errors(std)
    scale = float(std) if quantity == "Fitness" else 0.0
    yield _target(item, row, columns[0], mean, error=errors[0], scale=scale, quantity=quantity)
    yield _target(item, row, columns[1], std, error=errors[1], quantity=quantity)
