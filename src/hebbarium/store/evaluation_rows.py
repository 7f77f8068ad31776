"""One evaluation as it is stored: a row of readable text and numbers, exact to the last bit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.rules.graded import GradedRule, read_graded
from hebbarium.rules.rule import AnyRule
from hebbarium.store.schema import EVALUATIONS
from hebbarium.store.stored_json import dump, each, load, number, some, whole

COLUMNS = tuple(EVALUATIONS.columns)


@dataclass(frozen=True)
class Wanted:
    """Some lifetimes of one rule that have to be lived; they become one evaluation."""

    stage: str
    """Which part of the work it belongs to: `search`, `rescore`, ..."""
    run: int
    number: int
    """From 0 within its stage and run; these three name an evaluation."""
    generation: int
    rule: AnyRule
    lifetimes: int
    seed: int
    first_trial: int
    """The lifetimes are trials first_trial, first_trial + 1, ... of the seed."""

    @property
    def name(self) -> tuple[str, int, int]:
        return self.stage, self.run, self.number

    def agrees_with(self, record: Record) -> bool:
        """Whether a stored evaluation is the one that is wanted here."""
        return all(getattr(record, name) == value for name, value in vars(self).items())


@dataclass(frozen=True, eq=False)
class Record:
    """Some lifetimes of one rule (or of an agent without one), with scores and counts."""

    stage: str
    run: int
    number: int
    """The fields up to first_trial are those of what was wanted."""
    rule: AnyRule | None
    """With its eta; None where no rule was lived by."""
    seed: int
    first_trial: int
    scores: tuple[float, ...]
    """The fitness of each lifetime."""
    counts: np.ndarray
    """int64 [lifetime, season, count]"""
    generation: int = 0
    distinct_hidden: tuple[int, ...] | None = None
    """Distinct hidden neurons at the end of each life, where they were counted."""

    @property
    def name(self) -> tuple[str, int, int]:
        return self.stage, self.run, self.number

    @property
    def lifetimes(self) -> int:
        return len(self.scores)

    @property
    def mean(self) -> float:
        # 0.0 is added because SQLite keeps no -0.0.
        return math.fsum(self.scores) / len(self.scores) + 0.0

    def row(self) -> tuple[Any, ...]:
        """The values of COLUMNS."""
        notation, eta = None, None
        if self.rule is not None:
            # The text of a rule with more than one eta, or with weights of its own, has all of them.
            whole = self.rule.is_layered or isinstance(self.rule, GradedRule)
            notation, eta = (self.rule.text, None) if whole else (self.rule.notation, self.rule.eta)
        return (
            self.stage,
            self.run,
            self.number,
            self.generation,
            notation,
            eta,
            self.seed,
            self.first_trial,
            self.lifetimes,
            self.mean,
            dump(list(self.scores)),
            dump(self.counts.tolist()),
            dump(list(self.distinct_hidden)) if self.distinct_hidden is not None else None,
        )

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> Record:
        """Raises ValueError where the texts are not those of an evaluation; types of values are checked before."""
        value = dict(zip(COLUMNS, row, strict=True))
        distinct = value["distinct_hidden"]
        counts = np.array(load(value["counts"]))  # raises ValueError where lists differ in length
        if counts.dtype != np.int64 or counts.ndim != 3:
            raise ValueError("not counts of lifetimes")
        record = cls(
            **{name: value[name] for name in ("stage", "run", "number", "generation", "seed", "first_trial")},
            rule=read_graded(value["rule"], value["eta"]) if value["rule"] is not None else None,
            scores=tuple(load(value["scores"], some(number))),
            counts=counts,
            distinct_hidden=None if distinct is None else tuple(load(distinct, each(whole))),
        )
        lengths = {value["lifetimes"], len(record.scores), len(counts), len(record.distinct_hidden or record.scores)}
        if len(lengths) > 1 or record.mean != value["mean"]:
            raise ValueError("an evaluation contradicts itself")
        return record


def digest_line(row: Sequence[Any]) -> str:
    """What the digest of a run is taken over: the row of one evaluation, eta in exact hexadecimal."""
    value = dict(zip(COLUMNS, row, strict=True))
    value["eta"] = None if value["eta"] is None else value["eta"].hex()
    del value["mean"]
    return " ".join("null" if item is None else str(item) for item in value.values()) + "\n"
