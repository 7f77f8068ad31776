"""One evaluation as it is stored: a row of readable text and numbers, exact to the last bit."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.rule import Rule

COLUMNS = (
    "stage", "run", "number", "generation", "rule", "eta", "seed", "first_trial", "lifetimes", "mean", "scores",
    "counts", "distinct_hidden",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Record:
    """One rule (or agent without one) lived for some lifetimes, and what came of it."""

    stage: str
    """Which part of the work it belongs to: `search`, `rescore`, ..."""
    run: int
    number: int
    """From 0 within its stage and run; these three name an evaluation."""
    rule: Rule | None
    """Entries and eta; None where no rule was lived by."""
    seed: int
    first_trial: int
    """The lifetimes are trials first_trial, first_trial + 1, ... of the seed."""
    scores: tuple[float, ...]
    """The fitness of each lifetime."""
    counts: np.ndarray
    """int64 [lifetime, season, count]"""
    generation: int = 0
    distinct_hidden: tuple[int, ...] | None = None
    """Distinct hidden neurons at the end of each life, where they were counted."""

    @property
    def lifetimes(self) -> int:
        return len(self.scores)

    @property
    def mean(self) -> float:
        return math.fsum(self.scores) / len(self.scores)

    def row(self) -> tuple[Any, ...]:
        """The values of COLUMNS."""
        return (
            self.stage,
            self.run,
            self.number,
            self.generation,
            self.rule.notation if self.rule is not None else None,
            self.rule.eta if self.rule is not None else None,
            self.seed,
            self.first_trial,
            self.lifetimes,
            self.mean,
            _dump(list(self.scores)),
            _dump(self.counts.tolist()),
            _dump(list(self.distinct_hidden)) if self.distinct_hidden is not None else None,
        )

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> Record:
        value = dict(zip(COLUMNS, row, strict=True))
        return cls(
            stage=value["stage"],
            run=value["run"],
            number=value["number"],
            generation=value["generation"],
            rule=Rule(value["rule"], value["eta"]) if value["rule"] is not None else None,
            seed=value["seed"],
            first_trial=value["first_trial"],
            scores=tuple(json.loads(value["scores"])),
            counts=np.array(json.loads(value["counts"]), np.int64),
            distinct_hidden=tuple(json.loads(value["distinct_hidden"])) if value["distinct_hidden"] else None,
        )


def digest_line(row: Sequence[Any]) -> str:
    """What the digest of a run is taken over: the row of one evaluation, eta in exact hexadecimal."""
    value = dict(zip(COLUMNS, row, strict=True))
    value["eta"] = None if value["eta"] is None else value["eta"].hex()
    del value["mean"]
    return " ".join("null" if item is None else str(item) for item in value.values()) + "\n"


def _dump(value: Any) -> str:
    """JSON without spaces; Python writes floats so that they are read back exactly."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
