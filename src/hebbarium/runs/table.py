"""The distinct rules: the best of every run's last population pooled, one row for each eight entries.

The paper's columns (its tables of distinct evolved rules): how many instances of the rule there are, the
median, std, max and min of their fitness, and the mean and std of their etas. An instance's fitness is its
score on fresh lifetimes, because the score that made it a winner was partly luck; that one is shown beside it.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from hebbarium.rule import Rule
from hebbarium.runs.lineage import Instance
from hebbarium.words import family, in_words

COLUMNS = ("count", "median", "std", "max", "min", "eta_mean", "eta_std")


def distinct_rules(instances: Sequence[Instance]) -> list[dict[str, Any]]:
    """One row for each distinct rule, ranked by median; equal medians by index."""
    groups: dict[Rule, list[Instance]] = {}
    for instance in instances:
        groups.setdefault(Rule(instance.individual.rule.entries), []).append(instance)
    rows = [_row(rule, group) for rule, group in groups.items()]
    rows.sort(key=lambda row: (-row["median"], row["index"]))
    return [{"rank": rank, **row} for rank, row in enumerate(rows, 1)]


def best_rules(instances: Sequence[Sequence[Instance]]) -> list[str]:
    """The notation of each run's best, by the search's own judgement."""
    return [some[0].individual.rule.notation for some in instances]


def _row(rule: Rule, group: Sequence[Instance]) -> dict[str, Any]:
    fitness = [instance.fitness for instance in group]
    searched = [instance.individual.fitness for instance in group]
    etas = [_eta(instance) for instance in group]
    return {
        "rule": rule.notation,
        "index": rule.index,
        "entries": list(rule.entries),
        "paper": list(rule.paper),
        "count": len(group),
        "runs": len({instance.run for instance in group}),
        "median": statistics.median(fitness),
        "std": _std(fitness),
        "max": max(fitness),
        "min": min(fitness),
        "eta_mean": statistics.fmean(etas),
        "eta_std": _std(etas),
        "searched": {"median": statistics.median(searched), "max": max(searched)},
        "rescored": _rescored(group),
        "family": family(rule),
        "words": in_words(rule),
    }


def _rescored(group: Sequence[Instance]) -> dict[str, Any] | None:
    """Over all fresh lifetimes of all instances."""
    scores = np.array([score for instance in group if instance.record for score in instance.record.scores])
    if not scores.size:
        return None
    sem = float(scores.std(ddof=1) / np.sqrt(scores.size)) if scores.size > 1 else None
    return {"mean": float(scores.mean()), "sem": sem, "lifetimes": int(scores.size)}


def _std(values: Sequence[float]) -> float:
    """With n - 1; 0 for one value, as the paper prints it."""
    return statistics.stdev(values) if len(values) > 1 else 0.0


def _eta(instance: Instance) -> float:
    eta = instance.individual.rule.eta
    assert eta is not None
    return eta
