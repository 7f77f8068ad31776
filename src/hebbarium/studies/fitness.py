"""The fitness of rules and nothing else, cheaply: for people who bring an optimiser of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hebbarium.executors.base import Executor, run
from hebbarium.experiment import WAYS, Ways, suggesting, ways_of
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import RuleLike, read_rule
from hebbarium.tools.errors import BadInput, check_integer, check_seed
from hebbarium.tools.fields import take
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world


@suggesting
def fitness(
    rules: Sequence[RuleLike],
    task: str | World = "foraging",
    lifetimes: int = 5,
    seed: int = 1,
    *,
    first_trial: int = 0,
    threads: Executor | int | None = 1,
    **settings: Any,
) -> np.ndarray:
    """The fitness of each life under each of these rules: float64 [rule, lifetime].

    rules: each with its eta, such as `00+-/0000@0.04`; all live in one call, which costs less than a call for each.
    seed: the lives are those of `live` with this seed, the same newborn networks and worlds for every rule.
    first_trial: of the first of them, so that an optimiser can go on with lives that it has not seen.
    threads: how many, or an executor that lives elsewhere.
    settings: as in `live`: hidden, blame, eligibility, and those of the brain and of the world.

    >>> fitness(["foraging:1", "foraging:6"], lifetimes=3, seasons=1).shape
    (2, 3)
    """
    if isinstance(rules, str):
        raise BadInput(f"rules is {rules!r}, but must be a list of rules, such as [{rules!r}].")
    own = take(settings, WAYS)
    world = make_world(task, **settings)
    lifetimes, seed = check_integer("lifetimes", lifetimes, 1), check_seed(seed)
    first_trial = check_integer("first_trial", first_trial, 0)
    read = [read_rule(rule) for rule in rules]
    if not read:
        return np.zeros((0, lifetimes))
    ways = Ways(**ways_of(world, any(rule.is_wide for rule in read), **own))
    trials = np.arange(first_trial, first_trial + lifetimes, dtype=np.uint64)
    each = Jobs.of(read, [seed] * len(read), [0] * len(read), ways.brain.layers)
    jobs = ways.weighted(each.repeated([lifetimes] * len(read), np.tile(trials, len(read))))
    counts = run(threads, world, ways.brain, jobs).counts
    scores: np.ndarray = world.life_fitness(counts).reshape(len(read), lifetimes)
    return scores
