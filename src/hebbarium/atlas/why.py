"""Cause or coincidence? Interventions on the hidden neurons, under unchanged rules, for many rules of an atlas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hebbarium.atlas.collapse import INTERVENTIONS, intervene, kinds_over_life, look_for_collapse
from hebbarium.atlas.table import Atlas
from hebbarium.brains.base import Brain
from hebbarium.executors.base import Executor
from hebbarium.rule import RULES, Rule
from hebbarium.worlds.base import World

NAMED = 5
"""Best rules of either kind that are shown one by one."""
NAMED_LIFETIMES = 64
SAMPLE = 60
"""Rules drawn at random of either kind."""
SAMPLE_LIFETIMES = 16
LEAST_FITNESS = 5.0
"""The drawn rules of the diverse kind must score this much: where nothing is learned nothing can be lost."""


def study(
    atlas: Atlas,
    task: World,
    *,
    seed: int = 1,
    threads: Executor | int | None = None,
    sample: int = SAMPLE,
    lifetimes: int = NAMED_LIFETIMES,
    done: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Everything the page shows about the collapse, as plain values. `seed` also draws the sample."""
    collapse = look_for_collapse(atlas)
    kinds = {"collapsed": collapse.collapsed, "diverse": collapse.diverse}
    random = np.random.default_rng([seed, RULES])
    named = {kind: _best(atlas, among, NAMED) for kind, among in kinds.items()}
    drawn = {kind: _drawn(atlas, among, sample, random, kind) for kind, among in kinds.items()}

    def lived(rules: Sequence[int], lives: int) -> list[dict[str, Any]]:
        rows = []
        for index in rules:
            rows.append(_interventions(atlas, task, index, lives, seed, threads))
            done()
        return rows

    return {
        "named": {kind: lived(rules, lifetimes) for kind, rules in named.items()},
        "drawn": {
            kind: _summed_up(lived(rules, SAMPLE_LIFETIMES), kind) for kind, rules in drawn.items() if len(rules)
        },
        "moments": _moments(task),
        "over_life": {kind: _over_life(atlas, task, rules, seed, threads) for kind, rules in named.items()},
        "noise_settings": "every 50 steps, standard deviation 0.05 a weight",
        "seed": seed,
    }


def _best(atlas: Atlas, among: np.ndarray, count: int) -> list[int]:
    return [int(index) for index in atlas.order if among[index]][:count]


def _drawn(atlas: Atlas, among: np.ndarray, count: int, random: np.random.Generator, kind: str) -> list[int]:
    known = np.flatnonzero(among if kind == "collapsed" else among & (atlas.mean > LEAST_FITNESS))
    drawn = random.choice(known, min(count, len(known)), replace=False) if len(known) else known
    return [int(index) for index in np.sort(drawn)]


def _rule(atlas: Atlas, index: int) -> Rule:
    return Rule(index, float(atlas.eta[index]))


def _interventions(
    atlas: Atlas, task: World, index: int, lifetimes: int, seed: int, executor: Executor | int | None
) -> dict[str, Any]:
    brain, rule = Brain.of(task, int(atlas.about["hidden"])), _rule(atlas, index)
    row: dict[str, Any] = {"rule": rule.notation, "eta": rule.eta, "lifetimes": lifetimes}
    base: np.ndarray | None = None
    for name in INTERVENTIONS:
        lived = intervene(task, brain, rule, name, lifetimes=lifetimes, seed=seed, executor=executor)
        base = lived.scores if base is None else base
        change = lived.scores - base
        row[name] = {
            "mean": float(lived.scores.mean()),
            "sem": float(lived.scores.std(ddof=1) / np.sqrt(lifetimes)),
            "change": float(change.mean()),
            "change_sem": float(change.std(ddof=1) / np.sqrt(lifetimes)),
            "kinds": float(lived.kinds.mean()),
        }
    return row


def _summed_up(rows: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    """Over the drawn rules: the mean change, its standard error over rules, and how many rose or fell for certain."""
    told: dict[str, Any] = {"kind": kind, "rules": len(rows), "lifetimes": SAMPLE_LIFETIMES}
    for name in INTERVENTIONS:
        change = np.array([row[name]["change"] for row in rows])
        error = np.array([row[name]["change_sem"] for row in rows])
        # Three standard errors: among sixty rules chance alone would hardly reach it once.
        told[name] = {
            "mean": float(np.mean([row[name]["mean"] for row in rows])),
            "change": float(change.mean()),
            "change_sem": float(change.std(ddof=1) / np.sqrt(len(rows))) if len(rows) > 1 else None,
            "rose": int((change > 3 * error).sum()),
            "fell": int((change < -3 * error).sum()),
            "kinds": float(np.mean([row[name]["kinds"] for row in rows])),
        }
    return told


def _moments(task: World) -> list[int]:
    """Log-spaced moments of a life, the first after ten steps."""
    return sorted({int(step) for step in np.geomspace(min(10, task.steps), task.steps, 15).round()})


def _over_life(
    atlas: Atlas, task: World, indices: Sequence[int], seed: int, executor: Executor | int | None
) -> list[dict[str, Any]]:
    rules = [_rule(atlas, index) for index in indices]
    if not rules:
        return []
    brain, many = Brain.of(task, int(atlas.about["hidden"])), SAMPLE_LIFETIMES
    found = kinds_over_life(task, brain, rules, _moments(task), lifetimes=many, seed=seed, executor=executor)
    return [{"rule": rule.notation, "kinds": row.tolist()} for rule, row in zip(rules, found, strict=True)]
