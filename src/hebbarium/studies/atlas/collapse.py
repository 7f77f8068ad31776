"""Why rules fail: under many of them the hidden neurons become one and the same, and the network with them.

Two neurons of one layer that see the same inputs and fire alike change alike. Where a rule presses the same change
again and again, their differences shrink with every scaling to unit length, until not a bit of them is left; from then
on they can never part again. Here that is counted over all rules, followed over a life, and tested by interventions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hebbarium.brains.base import HIDDEN, Brain
from hebbarium.executors.base import Executor, run
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import HiddenNoise, Kinds, Observer
from hebbarium.rules.rule import ENTRIES, RULES, Rule
from hebbarium.studies.atlas.table import Atlas
from hebbarium.worlds.base import World

ALIKE = 1.5
"""Below this many kinds of neurons, on average, the layer has collapsed."""


@dataclass(frozen=True)
class Collapse:
    """Kinds of hidden neurons at the end of life beside fitness, over all rules."""

    hidden: int
    collapsed: np.ndarray
    """bool [rule]: one kind of neuron is left in nearly every life."""
    diverse: np.ndarray
    """bool [rule]: all hidden neurons stay different."""
    correlation: float
    """Spearman's, between kinds of neurons and fitness, over all rules."""
    acting: float
    """The same over the rules that act on reward."""
    by_entry: np.ndarray
    """float64 [entry, 3]: share of collapsed rules with that entry at -, 0, +."""
    by_half: np.ndarray
    """float64 [2, 2]: share of collapsed rules where punishment, reward change [nothing, something]."""
    best_collapsed: int
    best_diverse: int
    """Indices of rules."""


def look_for_collapse(atlas: Atlas) -> Collapse:
    """Which rules of a complete atlas make hidden neurons alike, and what that has to do with entries and fitness."""
    hidden = int(atlas.about["hidden"])
    entries = np.array([Rule(index).entries for index in range(RULES)])
    collapsed, diverse = atlas.kinds < ALIKE, atlas.kinds > hidden - 0.5
    on_punishment, on_reward = entries[:, :4].any(axis=1), entries[:, 4:].any(axis=1)
    by_half = [
        [collapsed[(on_punishment == acts) & (on_reward == answers)].mean() for answers in (False, True)]
        for acts in (False, True)
    ]
    return Collapse(
        hidden,
        collapsed,
        diverse,
        spearman(atlas.kinds, atlas.mean),
        spearman(atlas.kinds[on_reward], atlas.mean[on_reward]),
        np.array([[collapsed[entries[:, place] == sign].mean() for sign in (-1, 0, 1)] for place in range(ENTRIES)]),
        np.array(by_half),
        *(int(np.argmax(np.where(among, atlas.mean, -np.inf))) for among in (collapsed, diverse)),
    )


def spearman(one: np.ndarray, other: np.ndarray) -> float:
    """Rank correlation; nan where one of them is constant."""
    from scipy.stats import rankdata

    ranks = rankdata(one), rankdata(other)
    spread = ranks[0].std() * ranks[1].std()
    return float(np.cov(*ranks, ddof=0)[0, 1] / spread) if spread > 0 else float("nan")


def kinds_over_life(
    world: World,
    brain: Brain,
    rules: Sequence[Rule],
    moments: Sequence[int],
    *,
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
    *,
    lifetimes: int,
    seed: int,
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
