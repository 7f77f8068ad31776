"""A rule and its neighbours, lived now: what `explain --measure` asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hebbarium.experiment import Experiment, check_lifetimes
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import AtTheEnd, Kinds
from hebbarium.rules.layered import RuleLike
from hebbarium.rules.rule import AnyRule
from hebbarium.studies.choosing_eta import Chosen, rule_to_live_by
from hebbarium.studies.engine import Kernels, Lab, Study
from hebbarium.studies.explain import Explanation, Known, entries_alone, with_blame
from hebbarium.studies.live import experiment_of
from hebbarium.tools.errors import BadInput, check_integer
from hebbarium.worlds.base import World

MEASURE_LIFETIMES = 200


@dataclass(frozen=True)
class Measurement(Study[Explanation]):
    """A rule and its neighbours, to be lived; checked."""

    chosen: Chosen
    alone: Explanation
    """What follows from the entries alone."""
    experiment: Experiment
    """The rule's; its neighbours live like it, at the same eta or etas."""

    @property
    def rules(self) -> list[AnyRule]:
        return [self.alone.rule, *(other.rule for other in self.alone.neighbours)]

    kind = "explain"
    doing = "measuring"

    @property
    def size(self) -> float:
        return self.experiment.lifetimes * len(self.rules)

    def kernels(self) -> list[Kernels]:
        return [Kernels.of(self.experiment, self.rules)]

    def reduce(self, lab: Lab) -> Explanation:
        """All on the same lifetimes, in one go."""
        alone, experiment, rules = self.alone, self.experiment, self.rules
        task, lifetimes = experiment.world, experiment.lifetimes
        jobs = Jobs.joined([replace(experiment, rule=rule).jobs() for rule in rules])
        observers = [AtTheEnd(), Kinds((task.steps,))]
        outcome = lab.live(task, experiment.brain, jobs, observers)
        end, kinds_at = outcome.seen
        scores = task.life_fitness(outcome.counts).reshape(len(rules), lifetimes)
        distinct = end["distinct"].reshape(len(rules), lifetimes).mean(axis=1)
        kinds = kinds_at["kinds"].reshape(len(rules), lifetimes).mean(axis=1)
        ahead = scores - scores[0]
        scale = np.sqrt(lifetimes)
        known = [
            Known(
                None,
                None,
                alone.rule.eta,
                float(score.mean()),
                float(score.std(ddof=1) / scale),
                lifetimes,
                float(differ),
                float(kind),
            )
            for score, differ, kind in zip(scores, distinct, kinds, strict=True)
        ]
        neighbours = [
            replace(
                neighbour,
                known=known[row],
                difference=float(ahead[row].mean()),
                difference_sem=float(ahead[row].std(ddof=1) / scale),
            )
            for row, neighbour in enumerate(alone.neighbours, start=1)
        ]
        return replace(alone, known=known[0], neighbours=tuple(neighbours), source="measured")


def measurement_of(
    rule: RuleLike,
    task: World,
    *,
    eta: float | None = None,
    lifetimes: int | None = None,
    **life: Any,
) -> Measurement:
    """What makes no sense or would not fit in memory is refused at once; see `explain` for the arguments."""
    many = check_integer("lifetimes", MEASURE_LIFETIMES if lifetimes is None else lifetimes, 2)
    chosen = rule_to_live_by(task, rule, eta)
    if chosen.source is None:
        raise BadInput(f"rule {chosen.rule} is the same at any eta, but its neighbours need one, such as --eta 0.04.")
    alone = replace(entries_alone(chosen.rule, task.label, task.default_hidden), eta_source=chosen.source)
    check_lifetimes(task, many, 1 + len(alone.neighbours))
    given = {name: value for name, value in life.items() if value is not None}
    experiment = experiment_of(task, chosen, lifetimes=many, **given)
    alone = with_blame(alone, task, experiment.blame, experiment.eligibility)
    settings = experiment.changed_settings()
    return Measurement(chosen, replace(alone, hidden=experiment.brain.hidden, settings=settings), experiment)
