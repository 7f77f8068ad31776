"""Cause or coincidence? Interventions on the hidden neurons, under unchanged rules, for many rules of an atlas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.brains.base import Brain
from hebbarium.executors.base import Done, Executor
from hebbarium.rules.rule import RULES, Rule
from hebbarium.store.kept_arrays import Arrays, Piece
from hebbarium.studies.atlas.collapse import (
    INTERVENTIONS,
    NOISE_EVERY,
    NOISE_SIZE,
    intervene,
    kinds_over_life,
    look_for_collapse,
)
from hebbarium.studies.atlas.table import Atlas
from hebbarium.studies.engine import Lab, Work
from hebbarium.tools.statistics import sem
from hebbarium.worlds.base import World

NAMED = 5
"""Best rules of either kind that are shown one by one."""
NAMED_LIFETIMES = 64
SAMPLE = 60
"""Rules drawn at random of either kind."""
SAMPLE_LIFETIMES = 16
LEAST_FITNESS = 5.0
"""The drawn rules of the diverse kind must score this much: where nothing is learned nothing can be lost."""
MOST_LIFETIMES = 2 * (
    len(INTERVENTIONS) * (NAMED * NAMED_LIFETIMES + SAMPLE * SAMPLE_LIFETIMES) + NAMED * SAMPLE_LIFETIMES
)
"""Of a study at most; fewer where there are fewer rules of a kind."""


def study(
    atlas: Atlas, task: World, lab: Lab, *, seed: int = 1, sample: int = SAMPLE, lifetimes: int = NAMED_LIFETIMES
) -> dict[str, Any]:
    """Everything the page shows about the collapse, as plain values. `seed` also draws the sample."""
    collapse = look_for_collapse(atlas)
    random = np.random.default_rng([seed, RULES])
    named, drawn = {}, {}
    for kind, among in {"collapsed": collapse.collapsed, "diverse": collapse.diverse}.items():
        best = [int(index) for index in atlas.order if among[index]][:NAMED]
        known = np.flatnonzero(among if kind == "collapsed" else among & (atlas.mean > LEAST_FITNESS))
        some = np.sort(random.choice(known, min(sample, len(known)), replace=False)) if len(known) else known
        named[kind], drawn[kind] = (
            [Rule(int(index), float(atlas.eta[index])) for index in rules] for rules in (best, some)
        )
    living = _Living(task, Brain.of(task, int(atlas.about["hidden"])), seed, lab)
    return {
        "named": {kind: [living.interventions(rule, lifetimes) for rule in rules] for kind, rules in named.items()},
        "drawn": {kind: living.of_drawn(rules, kind) for kind, rules in drawn.items() if rules},
        "moments": living.moments,
        "over_life": {kind: living.over_life(rules) for kind, rules in named.items()},
        "noise_settings": f"every {NOISE_EVERY} steps, standard deviation {NOISE_SIZE} a weight",
        "seed": seed,
    }


@dataclass
class _Living:
    """Lives under interventions."""

    task: World
    brain: Brain
    seed: int
    lab: Lab

    @property
    def moments(self) -> list[int]:
        """Log-spaced moments of a life, the first after ten steps."""
        steps = self.task.steps
        return sorted({int(step) for step in np.geomspace(min(10, steps), steps, 15).round()})

    def interventions(self, rule: Rule, lifetimes: int) -> dict[str, Any]:
        """What becomes of a rule under each intervention, and how that differs from its undisturbed lives."""
        row: dict[str, Any] = {"rule": rule.notation, "eta": rule.eta, "lifetimes": lifetimes}
        undisturbed: np.ndarray | None = None
        for name in INTERVENTIONS:

            def live(executor: Executor, done: Done, name: str = name) -> Arrays:
                life: dict[str, Any] = {"lifetimes": lifetimes, "seed": self.seed, "executor": executor}
                return intervene(self.task, self.brain, rule, name, **life)

            asked = {"rule": rule.notation, "eta": rule.eta, "intervention": name, "lifetimes": lifetimes}
            piece = Piece.of("why", asked).holding(scores=("f", (lifetimes,)), kinds=("i", (lifetimes,)))
            kept = self.lab.fetch(Work(piece, live, lifetimes), "interventions")
            scores = kept["scores"]
            undisturbed = scores if undisturbed is None else undisturbed
            change = scores - undisturbed
            row[name] = {
                "mean": float(scores.mean()),
                "sem": sem(scores),
                "change": float(change.mean()),
                "change_sem": sem(change),
                "kinds": float(kept["kinds"].mean()),
            }
        return row

    def over_life(self, rules: Sequence[Rule]) -> list[dict[str, Any]]:
        """How the kinds of hidden neurons become fewer."""
        if not rules:
            return []
        moments, many = self.moments, SAMPLE_LIFETIMES

        def live(executor: Executor, done: Done) -> Arrays:
            life: dict[str, Any] = {"lifetimes": many, "seed": self.seed, "executor": executor}
            return {"kinds": kinds_over_life(self.task, self.brain, rules, moments, **life)}

        asked = {"rules": [rule.text for rule in rules], "moments": moments, "lifetimes": many}
        piece = Piece.of("why", asked).holding(kinds=("f", (len(rules), len(moments))))
        kept = self.lab.fetch(Work(piece, live, len(rules) * many), "interventions")
        return [{"rule": rule.notation, "kinds": row.tolist()} for rule, row in zip(rules, kept["kinds"], strict=True)]

    def of_drawn(self, rules: Sequence[Rule], kind: str) -> dict[str, Any]:
        """Over rules drawn at random: the mean change, its standard error over rules, and how many rose or fell for
        certain."""
        rows = [self.interventions(rule, SAMPLE_LIFETIMES) for rule in rules]
        summary: dict[str, Any] = {"kind": kind, "rules": len(rows), "lifetimes": SAMPLE_LIFETIMES}
        for name in INTERVENTIONS:
            change = np.array([row[name]["change"] for row in rows])
            error = np.array([row[name]["change_sem"] for row in rows])
            # Three standard errors: among sixty rules chance alone would hardly reach it once.
            summary[name] = {
                "mean": float(np.mean([row[name]["mean"] for row in rows])),
                "change": float(change.mean()),
                "change_sem": sem(change),
                "rose": int((change > 3 * error).sum()),
                "fell": int((change < -3 * error).sum()),
                "kinds": float(np.mean([row[name]["kinds"] for row in rows])),
            }
        return summary
