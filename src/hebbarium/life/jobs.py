"""Lifetimes to be lived: each its own rule, eta, seed and trial."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from hebbarium.rules.rule import AnyRule, Rule
from hebbarium.rules.shape import ENTRIES, LAYERS, WIDE
from hebbarium.tools.errors import BadInput

FROZEN = Rule("0000/0000", 0.0)
"""The rule that changes nothing."""


@dataclass(frozen=True)
class Jobs:
    """One row per lifetime."""

    entries: np.ndarray
    """[lifetime, layer, entry]: whole or real numbers"""
    eta: np.ndarray
    """float64 [lifetime, layer]"""
    seed: np.ndarray
    """uint64 [lifetime]"""
    trial: np.ndarray
    """uint64 [lifetime]"""
    blame: np.ndarray | None = None
    """float64 [lifetime, judgement]: what a change is multiplied by; None for 1."""
    eligibility: np.ndarray | None = None
    """float64 [lifetime, judgement]: how much the step before is blamed, too; None for 0."""
    trace: np.ndarray | None = None
    """float64 [lifetime]: how traces decay; None for the brain's."""

    def __len__(self) -> int:
        return len(self.seed)

    def __getitem__(self, rows: slice) -> Jobs:
        return Jobs(*(None if column is None else column[rows] for column in self._columns()))  # type: ignore[arg-type]

    def _columns(self) -> list[np.ndarray | None]:
        return [getattr(self, field.name) for field in fields(self)]

    @classmethod
    def of(
        cls, rules: Sequence[AnyRule], seeds: Iterable[int], trials: Iterable[int], layers: int | None = None
    ) -> Jobs:
        """One lifetime for each rule, seed and trial, taken together. layers: the network's; the paper's usually"""
        count = LAYERS if layers is None else layers
        each = list({id(rule): rule for rule in rules}.values())  # many lives often share a few rules
        parts = [layer for rule in each for layer in rule.for_layers(count)]
        for part in parts:
            if part.eta is None:
                raise BadInput(f"rule {part} needs an eta to live by, a number in [0, 1), such as eta 0.04.")
        places = {id(rule): place for place, rule in enumerate(each)}
        rows = [places[id(rule)] for rule in rules]
        return cls(
            np.array([part.padded for part in parts], np.float64).reshape(-1, count, WIDE)[rows],
            np.array([part.eta for part in parts], np.float64).reshape(-1, count)[rows],
            np.array(list(seeds), np.uint64),
            np.array(list(trials), np.uint64),
        )

    @classmethod
    def of_rule(cls, rule: AnyRule, lifetimes: int, seed: int, first_trial: int = 0, layers: int | None = None) -> Jobs:
        """Trials first_trial, first_trial + 1, ... of one rule."""
        trials = np.arange(first_trial, first_trial + lifetimes, dtype=np.uint64)
        return cls.of([rule], [seed], [first_trial], layers).repeated([lifetimes], trials)

    def repeated(self, sizes: Sequence[int] | np.ndarray, trials: np.ndarray) -> Jobs:
        """Each row so many times, with these trials."""
        columns = (None if column is None else np.repeat(column, sizes, axis=0) for column in self._columns())
        return replace(Jobs(*columns), trial=trials)  # type: ignore[arg-type]

    def with_blame(self, blame: np.ndarray | None, eligibility: np.ndarray | None) -> Jobs:
        """The same lives, all with this blame and eligibility. Each: float64 [judgement], or None."""
        rows = [None if some is None else np.tile(some, (len(self), 1)) for some in (blame, eligibility)]
        return replace(self, blame=rows[0], eligibility=rows[1])

    @property
    def is_wide(self) -> bool:
        """Whether neutral steps change weights, too."""
        return bool(self.entries[:, :, ENTRIES:].any())

    @classmethod
    def joined(cls, parts: Sequence[Jobs]) -> Jobs:
        """One after the other."""
        columns = zip(*(part._columns() for part in parts), strict=True)
        return cls(*(None if column[0] is None else np.concatenate(column) for column in columns))  # type: ignore[arg-type]
