"""The distinct rules: the best of every run's last population pooled, one row for each set of entries.

The paper's columns (its tables of distinct evolved rules): how many instances of the rule there are, the
median, std, max and min of their fitness, and the mean and std of their etas. An instance's fitness is its
score on fresh lifetimes, because the score that made it a winner was partly luck; that one is shown beside it.
Of layered rules `entries` and `eta_mean` are the output layer's, and those of hidden layers stand in columns of their
own. Where blame, eligibility or trace are genes, each row has those of its best instance, too.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from hebbarium.rules.graded import GradedRule, ungraded
from hebbarium.rules.layered import rule_of
from hebbarium.rules.rule import AnyRule
from hebbarium.rules.shape import layer_names
from hebbarium.rules.words import family, in_words
from hebbarium.studies.evolve.best import best_of
from hebbarium.studies.evolve.one_search import Instance
from hebbarium.tools.statistics import sem

COLUMNS = ("count", "median", "std", "max", "min", "eta_mean", "eta_std")


def distinct_rules(instances: Sequence[Instance]) -> list[dict[str, Any]]:
    """One row for each distinct rule, ranked by median; equal medians by index."""
    groups: dict[AnyRule, list[Instance]] = {}
    for instance in instances:
        groups.setdefault(ungraded(instance.individual.rule).with_eta(None), []).append(instance)
    rows = []
    for rule, group in groups.items():
        fitness = [instance.fitness for instance in group]
        searched = [instance.individual.fitness for instance in group]
        etas = [_eta(instance, -1) for instance in group]
        fresh = None  # over all fresh lifetimes of all instances
        scores = np.array([score for instance in group if instance.record for score in instance.record.scores])
        if scores.size:
            fresh = {"mean": float(scores.mean()), "sem": sem(scores), "lifetimes": int(scores.size)}
        hidden: dict[str, Any] = {}  # of layered rules the hidden layers' entries and etas; None where they are frozen
        for place, (name, part) in enumerate(zip(layer_names(len(rule.parts))[:-1], rule.parts, strict=False)):
            own = [_eta(instance, place) for instance in group]
            hidden[f"{name}_entries"] = part and list(part.entries)
            hidden[f"eta_{name}_mean"] = part and statistics.fmean(own)
            hidden[f"eta_{name}_std"] = part and _std(own)
        row = {
            "rule": rule.notation,
            "index": rule.index,
            "entries": list(rule.layers[-1].entries),
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
            "fitness": fresh,
            "family": family(rule),
            "words": in_words(rule),
            **hidden,
            **({"best": best_of(group)} if isinstance(group[0].individual.rule, GradedRule) else {}),
        }
        rows.append((rule, row))
    rows.sort(key=lambda pair: (-pair[1]["median"], pair[0]))
    return [{"rank": rank, **row} for rank, (_, row) in enumerate(rows, 1)]


def best_rules(instances: Sequence[Sequence[Instance]]) -> list[str]:
    """The notation of each run's best, by the search's own judgement."""
    return [some[0].individual.rule.notation for some in instances]


def rule_of_row(row: dict[str, Any]) -> AnyRule:
    """A rule of the table, at the mean etas of its instances, in four digits."""
    means = [row[name] for name in _eta_names(row, "mean")]
    etas = [None if eta is None else float(f"{eta:.4g}") for eta in means]
    return rule_of(row["rule"], etas if len(etas) > 1 else etas[0])


def eta_of_row(row: dict[str, Any], name: str = "mean") -> str:
    """For people: `0.0375`, or that of each layer that learns."""
    etas = [row[column] for column in _eta_names(row, name)]
    return ", ".join(f"{eta:.4f}" for eta in etas if eta is not None)


def _eta_names(row: dict[str, Any], name: str) -> list[str]:
    """The columns of each layer's eta, the output's last."""
    hidden = layer_names(row["rule"].count(",") + 1)[:-1]
    return [*(f"eta_{layer}_{name}" for layer in hidden), f"eta_{name}"]


def _std(values: Sequence[float]) -> float:
    """With n - 1; 0 for one value, as the paper prints it."""
    return statistics.stdev(values) if len(values) > 1 else 0.0


def _eta(instance: Instance, layer: int) -> float:
    eta = instance.individual.rule.layers[layer].eta
    assert eta is not None
    return eta
