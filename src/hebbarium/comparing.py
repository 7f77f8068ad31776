"""Rules and agents side by side on the same seeds, with statistics."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from hebbarium.agents.base import Agent
from hebbarium.agents.registry import make_agent
from hebbarium.errors import BadInput, check_integer
from hebbarium.etas import missing_eta
from hebbarium.lifetime import Jobs, live_jobs, prepare
from hebbarium.living import check_life, fitness_std
from hebbarium.rule import Rule
from hebbarium.statistics import Estimate, Test, correct_levels, estimate_mean, rank_sum, signed_rank
from hebbarium.tasks.base import Task
from hebbarium.tasks.registry import make_task

T = TypeVar("T")


@dataclass(frozen=True)
class Contender:
    """Who lived, and what each life scored."""

    name: str
    rule: Rule | None
    """None for an agent without one."""
    fitness: np.ndarray
    """float64 [life]; trial t of one contender and of another met the same newborn brain and the same world."""
    std: float | None
    """As `live` gives it: in foraging over (life, season), in prey-predator over lives."""

    @classmethod
    def of(cls, name: str, rule: Rule | None, task: Task, counts: np.ndarray) -> Contender:
        return cls(name, rule, task.life_fitness(counts), fitness_std(task, counts))

    @property
    def estimate(self) -> Estimate:
        return estimate_mean(self.fitness)

    def summary(self) -> dict[str, Any]:
        estimate = self.estimate
        return {
            "name": self.name,
            "rule": None if self.rule is None else self.rule.notation,
            "eta": None if self.rule is None else self.rule.eta,
            "fitness": {"mean": estimate.value, "std": self.std, "low": estimate.low, "high": estimate.high},
        }


@dataclass(frozen=True)
class Pair:
    """Two contenders, trial by trial."""

    a: str
    b: str
    difference: Estimate
    """a minus b."""
    wins: float
    """Share of the trials in which a scored more; ties count half."""
    rank_sum: Test
    signed_rank: Test
    rank_sum_corrected: float
    signed_rank_corrected: float
    """Levels corrected for the number of pairs (false discovery rate)."""

    def summary(self) -> dict[str, Any]:
        return {
            "a": self.a,
            "b": self.b,
            "difference": {"mean": self.difference.value, "low": self.difference.low, "high": self.difference.high},
            "wins": self.wins,
            "rank_sum": {
                "statistic": self.rank_sum.statistic,
                "p": self.rank_sum.p,
                "corrected": self.rank_sum_corrected,
            },
            "signed_rank": {
                "statistic": self.signed_rank.statistic,
                "p": self.signed_rank.p,
                "corrected": self.signed_rank_corrected,
            },
        }


@dataclass(frozen=True)
class SideBySide:
    """What `hebbarium compare` shows."""

    task: Task
    hidden: int
    seed: int
    contenders: Sequence[Contender]
    pairs: Sequence[Pair]

    def summary(self) -> dict[str, Any]:
        """What `hebbarium compare --json` prints."""
        return {
            "task": self.task.name,
            "lifetimes": len(self.contenders[0].fitness),
            "hidden": self.hidden,
            "seed": self.seed,
            "settings": self.task.changed_settings(),
            "contenders": [contender.summary() for contender in self.contenders],
            "pairs": [pair.summary() for pair in self.pairs],
        }


def compare(
    task: str | Task,
    *rules: str | int | Rule,
    agents: Sequence[str] = (),
    eta: float | None = None,
    hidden: int | None = None,
    lifetimes: int = 100,
    seed: int = 1,
    threads: int | None = None,
    done: Callable[[int], None] | None = None,
    **settings: Any,
) -> SideBySide:
    """Let rules and agents live on the same seeds and test every pair of them.

    eta: for rules without one of their own. agents: any of `perfect`, `hill-climbing`, `random`.

    >>> result = compare("foraging", "foraging:1", "foraging:18", lifetimes=8, season_steps=1000)
    >>> result.pairs[0].difference.low > 0
    True
    """
    world = make_task(task, **settings)
    hidden = world.default_hidden if hidden is None else hidden
    named, makers = check_contest(
        world, rules, agents, eta=eta, hidden=hidden, lifetimes=lifetimes, seed=seed, threads=threads
    )
    prepare(world)
    contenders = _live_rules(world, hidden, named, lifetimes, seed, threads, done)
    for name, agent in makers.items():
        counts = agent.live(world, lifetimes, seed=seed, hidden=hidden, threads=threads, done=done)
        contenders.append(Contender.of(f"{name} agent", None, world, counts))
    return SideBySide(world, int(hidden), int(seed), contenders, pairs_of(contenders))


def check_contest(
    task: Task,
    rules: Sequence[str | int | Rule],
    agents: Sequence[str],
    *,
    eta: float | None,
    hidden: int | None,
    lifetimes: int,
    seed: int,
    threads: int | None,
) -> tuple[dict[str, Rule], dict[str, Agent]]:
    """Rules and agents by name; what makes no sense or would not fit in memory is refused at once."""
    if len(rules) + len(agents) < 2:
        raise BadInput("comparing needs at least two rules or agents, such as foraging:1 foraging:2.")
    named = _named([_whole(task, rule, eta) for rule in rules])
    makers = {name: make_agent(name) for name in agents}
    if len(makers) < len(agents):
        raise BadInput(f"agent {_given_twice(agents)} is given twice.")
    check_integer("lifetimes", lifetimes, 2)
    hidden = task.default_hidden if hidden is None else hidden
    check_life(task, hidden, lifetimes, seed, threads, times=len(named) + len(makers))
    return named, makers


def _whole(task: Task, given: str | int | Rule, eta: float | None) -> Rule:
    """With an eta: its own, or else `eta`."""
    rule = Rule(given)
    rule = rule if rule.eta is not None or eta is None else rule.with_eta(eta)
    if rule.eta is None:
        raise missing_eta(rule, task.name)
    return rule


def _named(rules: Sequence[Rule]) -> dict[str, Rule]:
    """By notation and eta, in as many digits as tell them apart."""
    if len(set(rules)) < len(rules):
        twice = _given_twice(rules)
        raise BadInput(f"rule {twice} at {twice.eta} is given twice.")
    short = Counter((rule.notation, f"{rule.eta:g}") for rule in rules)
    named = {}
    for rule in rules:
        eta = f"{rule.eta:g}" if short[rule.notation, f"{rule.eta:g}"] == 1 else repr(rule.eta)
        named[f"{rule} at {eta}" + (f" ({rule.paper[0]})" if rule.paper else "")] = rule
    return named


def _given_twice(things: Sequence[T]) -> T:
    return next(thing for place, thing in enumerate(things) if thing in things[:place])


def _live_rules(
    task: Task,
    hidden: int,
    named: dict[str, Rule],
    lifetimes: int,
    seed: int,
    threads: int | None,
    done: Callable[[int], None] | None,
) -> list[Contender]:
    """All rules' lives in one go, so that no core waits."""
    if not named:
        return []
    jobs = Jobs.joined([Jobs.of_rule(rule, lifetimes, seed) for rule in named.values()])
    counts = live_jobs(task, hidden, jobs, threads=threads, done=done).counts
    parts = counts.reshape(len(named), lifetimes, *counts.shape[1:])
    return [Contender.of(name, rule, task, own) for (name, rule), own in zip(named.items(), parts, strict=True)]


def pairs_of(contenders: Sequence[Contender]) -> list[Pair]:
    """Every pair, with levels corrected for how many there are."""
    couples = list(itertools.combinations(contenders, 2))
    sums = [rank_sum(a.fitness, b.fitness) for a, b in couples]
    signs = [signed_rank(a.fitness, b.fitness) for a, b in couples]
    levels = (correct_levels([test.p for test in sums]), correct_levels([test.p for test in signs]))
    return [
        Pair(
            a.name,
            b.name,
            estimate_mean(a.fitness - b.fitness),
            _wins(a, b),
            sums[number],
            signs[number],
            levels[0][number],
            levels[1][number],
        )
        for number, (a, b) in enumerate(couples)
    ]


def _wins(a: Contender, b: Contender) -> float:
    return float(np.mean((a.fitness > b.fitness) + 0.5 * (a.fitness == b.fitness)))
