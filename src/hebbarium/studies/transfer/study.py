"""Every rule in every world: at the eta it came with, and at the best eta there."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.agents.registry import make_agent
from hebbarium.brains.base import Brain
from hebbarium.executors.base import Done, Executor, run
from hebbarium.executors.threads import check_hidden, executor_of
from hebbarium.experiment import check_arithmetic, check_lifetimes, check_weights, with_weights
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.rules.layered import RuleLike, read_rule
from hebbarium.rules.rule import AnyRule
from hebbarium.store.ledger import Ledger
from hebbarium.store.pieces import Arrays, Piece
from hebbarium.store.store import Writer
from hebbarium.studies.compare import named
from hebbarium.studies.etas import Chosen, missing_eta
from hebbarium.studies.live import BRAIN_SETTINGS
from hebbarium.studies.transfer.etas import Found, least_budget, search, with_etas
from hebbarium.studies.transfer.matrix import Agents, Cell, Scored, Transfer
from hebbarium.tools.errors import BadInput, check_integer, check_seed, shown
from hebbarium.tools.statistics import estimate_mean
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS, make_world

LIFETIMES, BUDGET = 100, 1000
KIND, PAGE = "transfer", "transfer.html"
AGENTS = ("random", "perfect")
WEIGHTS = ("blame", "eligibility")


@dataclass(frozen=True)
class Plan:
    """What is to be lived; checked."""

    rules: dict[str, AnyRule]
    """By name."""
    worlds: Sequence[World]
    hidden: int | None
    """Hidden neurons everywhere, or None for as many as each world usually has."""
    lifetimes: int
    seed: int
    budget: int
    """The most lifetimes for finding the best eta of one rule in one world; 0 for none."""
    life: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the brain, blame and eligibility, where they were given."""

    @property
    def blamed(self) -> bool:
        """Whether judgements are blamed unlike each other, or reach back."""
        return any(self.life.get(name) for name in WEIGHTS)

    def brain(self, world: World) -> Brain:
        settings = {name: value for name, value in self.life.items() if name not in WEIGHTS}
        return Brain.of(world, self.hidden, **({"arithmetic": "plain"} if self.blamed else {}) | settings)

    def jobs(self, world: World, rule: AnyRule, lives: int, first_trial: int) -> Jobs:
        jobs = Jobs.of_rule(rule, lives, self.seed, first_trial)
        return with_weights(jobs, world, *(check_weights(name, self.life.get(name), world) for name in WEIGHTS))

    @property
    def size(self) -> int:
        """Lifetimes at most."""
        etas = sum((not rule.needs_eta) + bool(self.budget) for rule in self.rules.values())
        each = self.lifetimes * (len(AGENTS) + etas) + self.budget * len(self.rules)
        return each * len(self.worlds)

    def settings(self) -> dict[str, Any]:
        """What the scores of a run have in common; rules and worlds may be added to it later."""
        return {"hidden": self.hidden, "lifetimes": self.lifetimes, "seed": self.seed, **self.life}


def transfer(
    *rules: RuleLike,
    tasks: Sequence[str | World] = tuple(WORLDS),
    hidden: int | None = None,
    lifetimes: int = LIFETIMES,
    seed: int = 1,
    budget: int = BUDGET,
    threads: Executor | int | None = None,
    out: str | os.PathLike[str] | None = None,
    done: Done | None = None,
    **settings: Any,
) -> Transfer:
    """Let every rule live in every world, at the eta it came with and at the best eta there.

    Scores are normalised: random actions are 0, the perfect agent is 1.

    tasks: names, files or worlds. hidden: without it as many as each world usually has.
    budget: the most lifetimes for finding the best eta of one rule in one world; 0 leaves that out.
    out: a folder in which the work is kept, and a page; what was stopped goes on there.
    done: told how many more lifetimes are over.
    settings: of the brain, and those that all the worlds have; blame and eligibility, as in `live`.

    >>> found = transfer("foraging:1", tasks=["foraging", "t-maze"], lifetimes=4, budget=0)
    >>> found.scores("as_found").shape
    (1, 2)
    """
    plan = plan_of(rules, tasks, hidden=hidden, lifetimes=lifetimes, seed=seed, budget=budget, **settings)
    return carry_out(plan, None, threads, done) if out is None else carry_out_in(Path(out), plan, threads, done)


def plan_of(
    rules: Sequence[RuleLike],
    tasks: Sequence[str | World],
    *,
    hidden: int | None = None,
    lifetimes: int = LIFETIMES,
    seed: int = 1,
    budget: int = BUDGET,
    **settings: Any,
) -> Plan:
    """What makes no sense or would not fit in memory is refused at once."""
    if not rules:
        raise BadInput("a rule is missing: give one or more, such as foraging:1 frozen,000-/0000@0.03.")
    lifetimes, budget = check_integer("lifetimes", lifetimes, 2), check_integer("budget", budget, 0)
    read = [read_rule(rule) for rule in rules]
    for rule in read:
        _check_budget(rule, budget)
    life = {name: settings.pop(name) for name in (*BRAIN_SETTINGS, *WEIGHTS) if settings.get(name) is not None}
    check_arithmetic(life.get("arithmetic"), any(name in life for name in WEIGHTS))
    worlds = _worlds(tasks, settings)
    plan = Plan({}, worlds, hidden, lifetimes, check_seed(seed), budget, life)
    for world in worlds:
        if world.lived_by != World.lived_by or "choose" not in world.kernels():
            raise BadInput(f"{world.name} has no perfect agent (a function `choose`), so scores cannot be normalised.")
        check_hidden(world, plan.brain(world).hidden)
        plan.jobs(world, FROZEN, 1, 0)
        check_lifetimes(world, max(lifetimes, budget))
    by_name = {name: chosen.rule for name, chosen in named([Chosen(rule, None) for rule in read]).items()}
    return dataclasses.replace(plan, rules=by_name)


def _check_budget(rule: AnyRule, budget: int) -> None:
    least = least_budget(rule)
    if budget and budget < least:
        raise BadInput(
            f"budget is {budget}, but finding the best eta of {rule} takes at least {least} lifetimes; "
            "use 0 for no search."
        )
    if not budget and rule.needs_eta:
        raise missing_eta(rule, "")


def _worlds(tasks: Sequence[str | World], settings: Mapping[str, Any]) -> list[World]:
    several = isinstance(tasks, Iterable) and not isinstance(tasks, str)
    given = list(tasks) if several else []
    if not given:
        raise BadInput(f"tasks is {shown(tasks)}, but must be a list of tasks, such as ['foraging', 't-maze'].")
    worlds = [make_world(task, **settings) for task in given]
    for place, world in enumerate(worlds):
        if world in worlds[:place]:
            raise BadInput(f"task {world.name} is given twice.")
    return worlds


def carry_out_in(
    folder: Path, plan: Plan, executor: Executor | int | None = None, done: Done | None = None
) -> Transfer:
    """The same in a run's folder, where everything is kept and a page is left. Rules and tasks may be added later."""
    with Writer.begin(folder, KIND, plan.settings()) as writer:
        writer.save(results={"made": False})
        found = carry_out(plan, Ledger(writer), executor, done)
        found.save_page(folder / PAGE)
        writer.save(results={"made": True, "lifetimes": plan.size})
    return found


def carry_out(
    plan: Plan, ledger: Ledger | None, executor: Executor | int | None = None, done: Done | None = None
) -> Transfer:
    """Live what is not lived yet, and score it."""
    rooms = [_Room(plan, world, ledger, executor_of(executor), done or (lambda over: None)) for world in plan.worlds]
    agents = [room.agents() for room in rooms]
    cells = [[room.cell(rule, own) for room, own in zip(rooms, agents, strict=True)] for rule in plan.rules.values()]
    return Transfer(
        list(plan.rules),
        list(plan.rules.values()),
        plan.worlds,
        [room.brain.hidden for room in rooms],
        plan.lifetimes,
        plan.seed,
        plan.budget,
        agents,
        cells,
    )


class _Room:
    """Lives in one world, kept in a run where there is one."""

    def __init__(self, plan: Plan, world: World, ledger: Ledger | None, executor: Executor, done: Done) -> None:
        self.plan, self.world, self.brain = plan, world, plan.brain(world)
        self.ledger, self.executor, self.done = ledger, executor, done
        sources = world.about().get("task_sources")  # a world of one's own may lie elsewhere later
        self.key = {"task": world.name, "sources": sources, "world": world.settings()}

    def agents(self) -> Agents:
        found = Agents(*(self._fitness({"agent": name}, functools.partial(self._agent, name)) for name in AGENTS))
        found.check(self.world)
        return found

    def cell(self, rule: AnyRule, agents: Agents) -> Cell:
        as_found = None if rule.needs_eta else self._scored(rule, agents)
        if not self.plan.budget:
            return Cell(as_found, None, 0)
        found = self._best(rule)
        return Cell(as_found, self._scored(with_etas(rule, found.etas), agents), found.lifetimes)

    def _scored(self, rule: AnyRule, agents: Agents) -> Scored:
        asked = {"rule": rule.text, "hidden": self.brain.hidden}
        fitness = self._fitness(asked, lambda: self._live([rule], 0, self.plan.lifetimes)[0])
        return Scored(rule, estimate_mean(fitness), agents.score(fitness))

    def _best(self, rule: AnyRule) -> Found:
        asked = {"rule": rule.text, "hidden": self.brain.hidden, "budget": self.plan.budget}

        def do() -> Arrays:
            found = search(rule, self.plan.budget, self._live)
            self.done(self.plan.budget - found.lifetimes)
            return {"etas": np.array(found.etas), "lifetimes": np.array([found.lifetimes])}

        etas = len(rule.learning)
        piece = Piece.of("best eta", {**self.key, **asked}).holding(etas=("f", (etas,)), lifetimes=("i", (1,)))
        kept = self._kept(piece, do, self.plan.budget)
        return Found(tuple(map(float, kept["etas"])), int(kept["lifetimes"][0]))

    def _fitness(self, asked: dict[str, Any], live: Callable[[], np.ndarray]) -> np.ndarray:
        """float64 [life]"""
        piece = Piece.of("lives", {**self.key, **asked}).holding(fitness=("f", (self.plan.lifetimes,)))
        return self._kept(piece, lambda: {"fitness": live()}, self.plan.lifetimes)["fitness"]

    def _kept(self, piece: Piece, do: Callable[[], Arrays], lifetimes: int) -> Arrays:
        kept = None if self.ledger is None else self.ledger.piece(piece)
        if kept is not None:
            self.done(lifetimes)
            return kept
        return do() if self.ledger is None else self.ledger.done(piece, do)

    def _agent(self, name: str) -> np.ndarray:
        counts = make_agent(name).live(
            self.world, self.plan.lifetimes, seed=self.plan.seed, executor=self.executor, done=self.done
        )
        return self.world.life_fitness(counts)

    def _live(self, rules: Sequence[AnyRule], first_trial: int, lives: int) -> np.ndarray:
        """float64 [rule, life]: all in one go, so that no core waits."""
        jobs = Jobs.joined([self.plan.jobs(self.world, rule, lives, first_trial) for rule in rules])
        counts = run(self.executor, self.world, self.brain, jobs, done=self.done).counts
        return self.world.life_fitness(counts).reshape(len(rules), lives)
