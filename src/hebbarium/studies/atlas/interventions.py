"""Why rules fail: under many of them the hidden neurons become one and the same, and the network with them.

Two neurons of one layer that see the same inputs and fire alike change alike. Where a rule presses the same change
again and again, their differences shrink with every scaling to unit length, until not a bit of them is left; from then
on they can never part again. `analysis.py` counts that over all rules; here it is followed over a life, and prevented
or forced.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.brains.base import HIDDEN, Brain
from hebbarium.executors.base import Done, Executor, run
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import HiddenNoise, Kinds, Observer
from hebbarium.rules.rule import RULES, Rule
from hebbarium.store.kept_arrays import Arrays, Piece
from hebbarium.studies.atlas.analysis import look_for_collapse
from hebbarium.studies.atlas.finished_atlas import Atlas
from hebbarium.studies.engine import Lab, Work
from hebbarium.tools.statistics import sem
from hebbarium.worlds.base import World


def kinds_over_life(
    world: World,
    brain: Brain,
    rules: Sequence[Rule],
    moments: Sequence[int],
    lifetimes: int,
    seed: int,
    executor: Executor | int | None = None,
) -> np.ndarray:
    """Kinds of hidden neurons at some moments of life. float64 [rule, moment], means over lifetimes."""
    jobs = Jobs.joined([Jobs.of_rule(rule, lifetimes, seed) for rule in rules])
    (seen,) = run(executor, world, brain, jobs, [Kinds(tuple(moments))]).seen
    means: np.ndarray = seen["kinds"].reshape(len(rules), lifetimes, len(moments)).mean(axis=1)
    return means


INTERVENTIONS = {
    "none": "as it is",
    "frozen": "the hidden layer is frozen at birth, so it cannot collapse; the output layer follows the rule",
    "own noise": "from time to time each hidden neuron's weights get a little independent noise",
    "shared noise": "noise of the same size, but identical for all hidden neurons, so it cannot separate them",
    "born alike": "all hidden neurons are born with the same weights: they have collapsed from the start",
}
"""The rule is the same in all of them, and so are the newborn networks (but for the last) and the worlds."""

NOISE_EVERY = 50
"""Steps."""
NOISE_SIZE = 0.05
"""Standard deviation of each weight's noise; a neuron's weights together have length 1."""


def intervene(
    world: World,
    brain: Brain,
    rule: Rule,
    intervention: str,
    lifetimes: int,
    seed: int,
    *,
    noise: float = NOISE_SIZE,
    executor: Executor | int | None = None,
) -> dict[str, np.ndarray]:
    """Live some lives under a rule with one of INTERVENTIONS.

    Returns scores: float64 [lifetime], fitness of whole lives; and kinds: int64 [lifetime], of hidden neurons at the
    end."""
    jobs = Jobs.of_rule(rule, lifetimes, seed)
    observers: list[Observer] = [Kinds((world.steps,))]
    if intervention == "frozen":
        jobs.entries[:, HIDDEN] = 0
    elif intervention in ("own noise", "shared noise"):
        observers.append(HiddenNoise(NOISE_EVERY, noise, seed, shared=intervention == "shared noise"))
    elif intervention == "born alike":
        brain = dataclasses.replace(brain, born_alike=True)
    outcome = run(executor, world, brain, jobs, observers)
    return {"scores": world.life_fitness(outcome.counts), "kinds": outcome.seen[0]["kinds"][:, 0]}


# Cause or coincidence? Interventions on the hidden neurons, under unchanged rules, for many rules of an atlas.

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


def study_interventions(
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
    """Lives under the atlas's interventions."""

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
                return intervene(self.task, self.brain, rule, name, lifetimes, self.seed, executor=executor)

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
        """How the kinds of hidden neurons become fewer over a life."""
        if not rules:
            return []
        moments, many = self.moments, SAMPLE_LIFETIMES

        def live(executor: Executor, done: Done) -> Arrays:
            return {"kinds": kinds_over_life(self.task, self.brain, rules, moments, many, self.seed, executor)}

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
