"""How sure an atlas is: the ranks a rule may have, and the etas between which its best one lies."""

from __future__ import annotations

import numpy as np

from hebbarium.studies.atlas.scores import Means, Scores

Z = 1.96
"""Two rules' order is taken as settled where their difference is this many standard errors: 95 % for each pair."""


def paired(fresh: Scores, lifetimes: int) -> tuple[np.ndarray, np.ndarray]:
    """The rules that lived at least this many fresh lives, and their scores life by life.

    int64 [rule], float64 [rule, lifetime].
    """
    order = np.lexsort((fresh.trial, fresh.rule))
    rule, score = fresh.rule[order], fresh.score[order]
    rules, starts, sizes = np.unique(rule, return_index=True, return_counts=True)
    enough = sizes >= lifetimes
    rows = starts[enough, None] + np.arange(lifetimes)
    return rules[enough], score[rows]


def rank_intervals(
    mean: np.ndarray, sem: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """First and last rank each rule may have. int64 [rule] each.

    Rules that lived the same trials are compared life by life, the others by their standard errors.
    """
    first, last = np.empty(len(mean), np.int64), np.empty(len(mean), np.int64)
    rules, scores = pairs
    place = {int(rule): row for row, rule in enumerate(rules)}
    for rule in range(len(mean)):
        error = np.hypot(sem, sem[rule])
        if rule in place:
            error[rules] = (scores - scores[place[rule]]).std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
        ahead = mean - mean[rule]
        first[rule] = 1 + np.count_nonzero(ahead > Z * error)
        last[rule] = len(mean) - np.count_nonzero(-ahead > Z * error)
    return first, last


def brackets(tried: Means, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest etas tried below and above each rule's chosen one; nan where there is none. float64 [rule] each."""
    low, high = np.full(len(chosen), np.nan), np.full(len(chosen), np.nan)
    for rule, eta in enumerate(chosen):
        rows = tried.rows_of(rule)
        etas, lifetimes = tried.eta[rows], tried.lifetimes[rows]
        # Only etas tried as often as the chosen one have been compared with it.
        etas = etas[lifetimes >= lifetimes[etas == eta]]
        low[rule] = etas[etas < eta].max(initial=-np.inf)
        high[rule] = etas[etas > eta].min(initial=np.inf)
    low[np.isinf(low)], high[np.isinf(high)] = np.nan, np.nan
    return low, high
