"""Every rule in every world: at the eta it came with, and at the best eta there."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hebbarium.agents.base import Agent
from hebbarium.agents.learner_settings import LEARNING
from hebbarium.agents.registry import make_agent, make_agents
from hebbarium.brains.sizes import Hidden, plain_hidden
from hebbarium.executors.base import Done, Executor, run
from hebbarium.experiment import WAYS, Ways, check_lifetimes, suggesting, ways_of
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import RuleLike, read_rule
from hebbarium.rules.rule import AnyRule
from hebbarium.store.kept_arrays import Arrays, Piece
from hebbarium.studies.choosing_eta import Chosen, missing_eta
from hebbarium.studies.compare import named
from hebbarium.studies.engine import Kernels, Lab, Study, Work, carry_out
from hebbarium.studies.transfer.best_eta import least_budget, search, with_etas
from hebbarium.studies.transfer.scores import Agents, Cell, Scored, Transfer
from hebbarium.tools.errors import BadInput, check_integer, check_seed, shown
from hebbarium.tools.fields import take
from hebbarium.tools.progress import Telling
from hebbarium.tools.statistics import estimate_mean
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS, make_world

LIFETIMES, BUDGET = 100, 1000
PAGE = "transfer.html"
AGENTS = ("random", "perfect")


@dataclass(frozen=True)
class TransferStudy(Study[Transfer]):
    """Rules across worlds to be lived; checked."""

    rules: dict[str, AnyRule]
    """By name."""
    ways: Sequence[Ways]
    """How they live in each world."""
    hidden: Hidden | None
    """Hidden neurons everywhere, or None for as many as each world usually has."""
    lifetimes: int
    seed: int
    budget: int
    """The most lifetimes for finding the best eta of one rule in one world; 0 for none."""
    life: Mapping[str, Any]
    """Settings of the brain, blame and eligibility, where they were given."""
    agents: Mapping[str, Agent]
    """Those that are scored beside the rules, by name."""

    kind = "transfer"
    doing = "transfer"

    @property
    def folder(self) -> Path:
        return Path("runs") / f"{self.kind}-{self.seed}"

    @property
    def size(self) -> int:
        """The lifetimes of the whole transfer, at most."""
        etas = sum((not rule.needs_eta) + bool(self.budget) for rule in self.rules.values())
        each = self.lifetimes * (len(AGENTS) + len(self.agents) + etas) + self.budget * len(self.rules)
        return each * len(self.ways)

    def configuration(self) -> dict[str, Any]:
        """What the scores of a run have in common; rules and worlds may be added to it later."""
        return {
            "hidden": None if self.hidden is None else plain_hidden(self.hidden),
            "lifetimes": self.lifetimes,
            "seed": self.seed,
            **self.life,
        }

    def kernels(self) -> list[Kernels]:
        rules, agents = list(self.rules.values()), [*map(make_agent, AGENTS), *self.agents.values()]
        return [Kernels.of(ways, rules, agents) for ways in self.ways]

    def reduce(self, lab: Lab) -> Transfer:
        """Score every rule and agent in every world."""
        rooms = [_Room(self, ways, lab) for ways in self.ways]
        agents = [room.agents() for room in rooms]
        subjects: dict[str, AnyRule | Agent] = {**self.rules}
        subjects |= {f"{name} agent": agent for name, agent in self.agents.items()}
        cells = [[room.cell(one, own) for room, own in zip(rooms, agents, strict=True)] for one in subjects.values()]
        return Transfer(
            list(subjects),
            list(subjects.values()),
            [room.world for room in rooms],
            [room.brain.hidden for room in rooms],
            ({} if self.hidden is None else {"hidden": plain_hidden(self.hidden)}) | dict(self.life),
            self.lifetimes,
            self.seed,
            self.budget,
            agents,
            cells,
        )

    def publish(self, result: Transfer, lab: Lab) -> None:
        result.save_page(lab.folder / PAGE)
        lab.save(results={"lifetimes": self.size})


@suggesting
def transfer(
    *rules: RuleLike,
    tasks: Sequence[str | World] = tuple(WORLDS),
    agents: Sequence[str] = (),
    threads: Executor | int | None = None,
    out: str | os.PathLike[str] | None = None,
    done: Callable[[float], object] | None = None,
    **settings: Any,
) -> Transfer:
    """Let every rule live in every world, at the eta it came with and at the best eta there.

    Scores are normalised: random actions are 0, the perfect agent is 1.

    tasks: names, files or worlds. agents: those that live beside the rules; learners take `step_size`, `discount` and
    `told` from the settings.
    threads: as in `live`.
    out: a folder in which the work is kept, and a page; a study that was stopped resumes there.
    done: called with how many lifetimes more are done.
    settings: lifetimes (100), seed (1); hidden, as many as each world usually has unless given; the others of the
    brain, and those that all the worlds have; blame and eligibility, as in `live`; and
    budget (1,000): the most lifetimes for finding the best eta of one rule in one world; 0 leaves that out.
    Returns the scores of each rule and agent in each world.

    >>> found = transfer("foraging:1", tasks=["foraging", "t-maze"], lifetimes=4, budget=0)
    >>> found.scores("as_found").shape
    (1, 2)
    """
    return carry_out(plan_of(rules, tasks, agents, **settings), out, threads=threads, report=Telling(done))


def plan_of(
    rules: Sequence[RuleLike],
    tasks: Sequence[str | World],
    agents: Sequence[str] = (),
    *,
    hidden: Hidden | None = None,
    lifetimes: int = LIFETIMES,
    seed: int = 1,
    budget: int = BUDGET,
    **settings: Any,
) -> TransferStudy:
    """The checked study; see `transfer` for the arguments."""
    if not rules and not agents:
        raise BadInput("a rule is missing: give one or more, such as foraging:1 frozen,000-/0000@0.03.")
    makers = make_agents(agents, **take(settings, LEARNING))
    lifetimes, budget = check_integer("lifetimes", lifetimes, 2), check_integer("budget", budget, 0)
    read = [read_rule(rule) for rule in rules]
    for rule in read:
        if 0 < budget < (least := least_budget(rule)):
            raise BadInput(
                f"budget is {budget}, but finding the best eta of {rule} takes at least {least} lifetimes; "
                "use 0 for no search."
            )
        if not budget and rule.needs_eta:
            raise missing_eta(rule, "")
    life = {name: value for name, value in take(settings, WAYS).items() if value is not None}
    given = list(tasks) if isinstance(tasks, Iterable) and not isinstance(tasks, str) else []
    if not given:
        raise BadInput(f"tasks is {shown(tasks)}, but must be a list of tasks, such as ['foraging', 't-maze'].")
    worlds = [make_world(task, **settings) for task in given]
    seed, lives = check_seed(seed), []
    for place, world in enumerate(worlds):
        if world in worlds[:place]:
            raise BadInput(f"task {world.label} is given twice.")
        if world.lived_by != World.lived_by or "choose" not in world.kernels():
            raise BadInput(f"{world.label} has no perfect agent (a function `choose`), so scores cannot be normalised.")
        lives.append(Ways(**ways_of(world, hidden=hidden, **life)))
        for agent in makers.values():
            agent.check(world)
        check_lifetimes(world, max(lifetimes, budget))
    by_name = {name: chosen.rule for name, chosen in named([Chosen(rule, None) for rule in read]).items()}
    return TransferStudy(by_name, lives, hidden, lifetimes, seed, budget, life, makers)


class _Room:
    """The lives of a transfer in one world."""

    def __init__(self, plan: TransferStudy, ways: Ways, lab: Lab) -> None:
        self.plan, self.ways, self.world, self.brain, self.lab = plan, ways, ways.world, ways.brain, lab
        sources = self.world.about().get("task_sources")  # a user's world may lie elsewhere later
        self.key = {"task": self.world.name, "sources": sources, "world": self.world.settings()}

    def agents(self) -> Agents:
        """The agents whose fitness is score 0 and score 1 in this world."""
        found = Agents(*(self._agent(make_agent(name)) for name in AGENTS))
        found.check(self.world)
        return found

    def _agent(self, agent: Agent) -> np.ndarray:
        hidden = self.brain.hidden if agent.network else None

        def live(executor: Executor, done: Done) -> np.ndarray:
            lives, seed = self.plan.lifetimes, self.plan.seed
            counts = agent.live(self.world, lives, seed=seed, hidden=hidden, executor=executor, done=done)
            return self.world.life_fitness(counts)

        own = {} if hidden is None else {"hidden": plain_hidden(hidden)}
        return self._fitness({"agent": agent.name, **agent.settings, **own}, live)

    def cell(self, rule: AnyRule | Agent, agents: Agents) -> Cell:
        """A rule at the eta it came with, and at the best one here, which is searched for; or an agent."""
        if isinstance(rule, Agent):
            fitness = self._agent(rule)
            return Cell(Scored(None, estimate_mean(fitness), agents.score(fitness)), None, 0)
        as_found = None if rule.needs_eta else self._scored(rule, agents)
        budget = self.plan.budget
        if not budget:
            return Cell(as_found, None, 0)

        def do(executor: Executor, done: Done) -> Arrays:
            found = search(rule, budget, functools.partial(self._live, executor, done))
            return {"etas": np.array(found.etas), "lifetimes": np.array([found.lifetimes])}

        asked = {"rule": rule.text, "hidden": self.ways.hidden, "budget": budget}
        piece = Piece.of("best eta", {**self.key, **asked})
        kept = self.lab.fetch(Work(piece.holding(etas=("f", (len(rule.learning),)), lifetimes=("i", (1,))), do, budget))
        best = with_etas(rule, tuple(map(float, kept["etas"])))
        return Cell(as_found, self._scored(best, agents), int(kept["lifetimes"][0]))

    def _scored(self, rule: AnyRule, agents: Agents) -> Scored:
        asked = {"rule": rule.text, "hidden": self.ways.hidden}

        def live(executor: Executor, done: Done) -> np.ndarray:
            return self._live(executor, done, [rule], 0, self.plan.lifetimes).ravel()

        fitness = self._fitness(asked, live)
        return Scored(rule, estimate_mean(fitness), agents.score(fitness))

    def _fitness(self, asked: dict[str, Any], live: Callable[[Executor, Done], np.ndarray]) -> np.ndarray:
        """The fitness of lives that are kept in the run, float64 [life]."""
        piece = Piece.of("lives", {**self.key, **asked}).holding(fitness=("f", (self.plan.lifetimes,)))
        return self.lab.fetch(Work(piece, lambda *where: {"fitness": live(*where)}, self.plan.lifetimes))["fitness"]

    def _live(
        self, executor: Executor, done: Done, rules: Sequence[AnyRule], first_trial: int, lives: int
    ) -> np.ndarray:
        """float64 [rule, life]: all in one go, so that no core waits."""
        own = (Jobs.of_rule(rule, lives, self.plan.seed, first_trial, self.brain.layers) for rule in rules)
        jobs = Jobs.joined([self.ways.weighted(one) for one in own])
        counts = run(executor, self.world, self.brain, jobs, done=done).counts
        return self.world.life_fitness(counts).reshape(len(rules), lives)
