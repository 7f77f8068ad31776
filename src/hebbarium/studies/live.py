"""Let agents live, under one rule or without any: the results as a small record of arrays."""

from __future__ import annotations

import hashlib
import inspect
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from hebbarium.agents.base import Agent
from hebbarium.agents.learner_settings import LEARNING
from hebbarium.agents.registry import make_agent
from hebbarium.brains.base import Brain
from hebbarium.brains.network_files import Networks, given_networks
from hebbarium.brains.sizes import Hidden
from hebbarium.executors.base import Done, Executor
from hebbarium.experiment import WAYS, Experiment, check_lifetimes, suggesting, ways_of
from hebbarium.life.observers import AtTheEnd
from hebbarium.rules.layered import RuleLike
from hebbarium.rules.rule import AnyRule
from hebbarium.show.pages import paragraph, table
from hebbarium.show.pages.skeleton import notebook
from hebbarium.studies.choosing_eta import Chosen, rule_to_live_by
from hebbarium.studies.engine import Kernels, Lab, Study, carry_out
from hebbarium.tools import statistics
from hebbarium.tools.data_frames import data_frame
from hebbarium.tools.errors import BadInput, check_integer, check_seed, check_switch, counted, shown
from hebbarium.tools.fields import take
from hebbarium.tools.progress import Telling
from hebbarium.worlds.base import World
from hebbarium.worlds.checking import check_names
from hebbarium.worlds.registry import make_world
from hebbarium.worlds.seasons import FEWEST_LIVES, as_usual, orders_and_lengths

USUAL_LIFETIMES = 100
BRAIN_SETTINGS = tuple(field.name for field in fields(Brain) if field.name != "hidden")


@dataclass(frozen=True, repr=False)
class Lives:
    """What some lifetimes counted in each season, and their fitness."""

    task: World
    seed: int
    counts: np.ndarray
    """int64 [lifetime, season, count]: what was counted, in the order of `task.counts`."""
    seconds: float
    """Time spent living, without imports and compiling."""
    steps: int
    """Steps lived in all."""
    experiment: Experiment | None = None
    """What lived; None for an agent without a rule."""
    agent: str | None = None
    """The agent's name, where there is no rule."""
    learning: Mapping[str, Any] = field(default_factory=dict)
    """The agent's own settings, where it learns."""
    hidden: Hidden | None = None
    """Hidden neurons; None for an agent without a network."""
    distinct_hidden: np.ndarray | None = None
    """int64 [lifetime]: hidden neurons with different incoming weights at the end of life."""
    networks: Networks | None = None
    """The grown networks, where `keep_networks` asked for them."""
    signals: np.ndarray | None = None
    """int64 [lifetime, (punished, neutral, rewarded)]: how many steps were judged so, in environments of Gymnasium's;
    None in other worlds."""

    @property
    def rule(self) -> AnyRule | None:
        return None if self.experiment is None else self.experiment.rule

    @property
    def eta_source(self) -> str | None:
        """Where the eta comes from: `given`, `paper` (a name's) or `atlas` (the best known there)."""
        return None if self.experiment is None else self.experiment.eta_source

    @property
    def frozen(self) -> bool:
        """Whether they lived without plasticity."""
        return self.experiment is not None and self.experiment.frozen

    @property
    def fitness(self) -> np.ndarray:
        """float64 [lifetime, season]"""
        return self.task.fitness(self.counts)

    @property
    def season_lengths(self) -> np.ndarray:
        """int64 [lifetime, season]: steps."""
        return lengths_of(self.task, self.seed, len(self.counts))

    @property
    def life_fitness(self) -> np.ndarray:
        """float64 [lifetime]: the fitness of each whole life."""
        return self.task.life_fitness(self.counts)

    @property
    def digest(self) -> str:
        """SHA-256 of the counts, the same for any number of threads, batches or machines."""
        return digest_of(self.counts)

    def __repr__(self) -> str:
        many = f"{counted(len(self.counts), 'lifetime')} of seed {self.seed}"
        return f"Lives({self.task.label}, {self.who}, {many}, fitness {self.life_fitness.mean():z.2f})"

    def frame(self) -> Any:
        """A row for each life and season: fitness and counts; polars or pandas, whichever is installed."""
        count, seasons, _ = self.counts.shape
        return data_frame({
            "lifetime": np.repeat(np.arange(count), seasons),
            "season": list(self.task.season_names) * count,
            **({"season_steps": self.season_lengths.ravel()} if self.task.season_lengths == "random" else {}),
            "fitness": self.fitness.ravel(),
            **{name: self.counts[:, :, place].ravel() for place, name in enumerate(self.task.counts)},
        })  # fmt: skip

    def _repr_html_(self) -> str:
        """Mean and standard deviation season by season, as `hebbarium live` prints them."""
        rows = []
        result, columns, many = self.summary(), ["fitness", *self.task.counts], len(self.counts)
        for season in result["seasons"]:
            pairs = [season.get("usual_length", season)[column] for column in columns]
            shown = [
                f"{one['mean']:z.1f} ({'-' if one['std'] is None else format(one['std'], 'z.1f')})" for one in pairs
            ]
            rows.append([season["season"], *shown])
        fitness, usual = result["fitness"], self.task.season_lengths == "random" and many > 2
        length = f" in {self.task.season_steps:,} steps" if usual else ""
        error = "" if fitness["sem"] is None else f" ± {fitness['sem']:z.2f} (standard error)"
        return notebook(
            f"{self.task.label}, {self.who}, {many} lifetimes, seed {self.seed}",
            table([f"mean (std){length}", *columns], rows),
            paragraph(f"fitness {fitness['mean']:z.2f}{error}"),
        )

    @property
    def who(self) -> str:
        """Who lived, in words."""
        if self.rule is None:
            return f"{self.agent} agent"
        return "frozen" if self.frozen else f"rule {self.rule} at eta {self.rule.eta_text}"

    @property
    def short_who(self) -> str:
        """The same, where its eta is said elsewhere, or varies."""
        return self.who if self.rule is None else f"rule {self.rule}"

    def summary(self) -> dict[str, Any]:
        """What `hebbarium live --json` prints."""
        lives, distinct = self.life_fitness, self.distinct_hidden
        low, high = statistics.mean_interval(lives) or (None, None)
        columns = {"fitness": self.fitness}
        columns |= {name: self.counts[:, :, place] for place, name in enumerate(self.task.counts)}
        seasons = []
        for season, name in enumerate(self.task.season_names):
            each = {column: values[:, season] for column, values in columns.items()}
            seasons.append({"season": name, **_means(each)})
        if self.task.season_lengths == "random":
            lengths = self.season_lengths
            usual = {column: as_usual(self.task, values, lengths) for column, values in columns.items()}
            for season, row in enumerate(seasons):
                row |= _means({"season_steps": lengths[:, season]})
                row["usual_length"] = _means({column: values[:, season] for column, values in usual.items()})
        return {
            "task": self.task.label,
            **({} if self.agent is None else {"agent": self.agent}),
            "rule": None if self.rule is None else self.rule.notation,
            "eta": None if self.rule is None else self.rule.eta,
            "eta_source": self.eta_source,
            "hidden": self.hidden,
            "lifetimes": len(self.counts),
            "seed": self.seed,
            "frozen": self.frozen if self.rule is not None else not self.learning,
            "settings": self.changed_settings(),
            "fitness": {
                "mean": statistics.mean(lives),
                "std": fitness_std(self.task, self.counts, self.seed),
                "sem": statistics.sem(lives),
                "low": low,
                "high": high,
            },
            "seasons": seasons,
            "distinct_hidden": None
            if distinct is None
            else {"mean": statistics.mean(distinct), "min": int(distinct.min())},
            "signals": None
            if self.signals is None
            else dict(zip(("punished", "neutral", "rewarded"), self.signals.sum(axis=0).tolist(), strict=True)),
            "steps": self.steps,
            "seconds": self.seconds,
            "steps_per_second": self.steps / self.seconds,
            "digest": self.digest,
        }

    @property
    def judged(self) -> str:
        """What to say where the rule could learn little from how steps were judged; empty where it could."""
        if self.signals is None or self.rule is None or self.frozen:
            return ""
        heeded = [any(any(layer.padded[at : at + 4]) for layer in self.rule.learning) for at in (0, 4)]
        return self.task.judged(self.signals.sum(axis=0).tolist(), heeded)

    def changed_settings(self) -> dict[str, Any]:
        """What differs from the usual life in this world."""
        if self.experiment is None:
            return {**self.task.changed_settings(), **self.learning}
        return self.experiment.changed_settings()


def digest_of(counts: np.ndarray) -> str:
    """SHA-256 of what lives counted. counts: int64 [lifetime, season, count]"""
    return hashlib.sha256(np.ascontiguousarray(counts, "<i8").tobytes()).hexdigest()


def _means(columns: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return {name: {"mean": statistics.mean(one), "std": statistics.std(one)} for name, one in columns.items()}


def lengths_of(task: World, seed: int, lifetimes: int) -> np.ndarray:
    """int64 [lifetime, season]: steps of each season"""
    if task.season_lengths != "random":
        return np.full((lifetimes, task.seasons), task.season_steps)
    return orders_and_lengths(task, [seed] * lifetimes, range(lifetimes))[1]


def fitness_std(task: World, counts: np.ndarray, seed: int) -> float | None:
    """The standard deviation that the paper gives beside a task's fitness: over (life, season), or over lives. Random
    lengths of seasons are no part of it."""
    if task.std_over != "seasons":
        return statistics.std(task.life_fitness(counts))
    return statistics.std(as_usual(task, task.fitness(counts), lengths_of(task, seed, len(counts))))


def std_in_words(task: World, lifetimes: int) -> str:
    """What the standard deviation beside a fitness is over."""
    as_usual = task.season_lengths == "random" and task.std_over == "seasons" and lifetimes >= FEWEST_LIVES
    return task.std_over + (f" as if each had {task.season_steps:,} steps" if as_usual else "")


@suggesting
def live(
    task: str | World = "foraging",
    rule: RuleLike | None = None,
    *,
    eta: float | None = None,
    hidden: Hidden | None = None,
    lifetimes: int | None = None,
    seed: int = 1,
    threads: Executor | int | None = None,
    frozen: bool = False,
    networks: Networks | str | os.PathLike[str] | None = None,
    keep_networks: bool = False,
    blame: Mapping[str, float] | None = None,
    eligibility: Mapping[str, float] | None = None,
    done: Done | None = None,
    **settings: Any,
) -> Lives:
    """Let agents live a task under one rule.

    task: a name or a World, with any of its settings, and of the brain's, as further arguments.
    rule: a notation, index or one of the paper's names, each with an `@ETA`; a layered rule; or a Rule.
    eta: for a rule without one; without both, the best in the atlas of the task is taken (`eta_source` says so).
    hidden, lifetimes: the task's usual number of hidden neurons and 100 lifetimes, or those of `networks`.
    seed: with the number of the trial it fixes each life to the last bit, whatever the `threads`.
    threads: how many, or an executor that lives elsewhere.
    frozen: live without plasticity; no rule is needed then.
    networks: live on with these instead of newborn ones (a Networks, or the path of a saved file).
    keep_networks: return the grown networks as well.
    blame, eligibility: weights by group of judgements (see `task.group_names`), or by the id of an association.
    done: called after each batch with the number of its lifetimes.
    Returns what each life counted in each season, and its fitness (see `Lives`).

    >>> lives = live("foraging", "foraging:1", lifetimes=2, seed=7, season_steps=500)
    >>> lives.counts.shape
    (2, 4, 3)
    """
    experiment = experiment_of(
        task,
        rule,
        eta=eta,
        hidden=hidden,
        lifetimes=lifetimes,
        seed=seed,
        frozen=frozen,
        networks=networks,
        blame=blame,
        eligibility=eligibility,
        **settings,
    )
    return carry_out(LiveStudy(experiment, keep_networks), threads=threads, report=Telling(done))


@dataclass(frozen=True)
class LiveStudy(Study[Lives]):
    """Lives of one experiment."""

    experiment: Experiment
    keep_networks: bool = False
    """Whether the grown networks are returned as well."""

    kind = "live"
    doing = "living"

    def __post_init__(self) -> None:
        check_switch("keep_networks", self.keep_networks)

    @property
    def world(self) -> World:
        return self.experiment.world

    @property
    def lifetimes(self) -> int:
        return self.experiment.lifetimes

    @property
    def size(self) -> float:
        return self.lifetimes

    def kernels(self) -> list[Kernels]:
        return [Kernels.of(self.experiment, [self.experiment.lived_by])]

    def reduce(self, lab: Lab) -> Lives:
        """Live the experiment, and keep what each life counted."""
        experiment, world, brain = self.experiment, self.experiment.world, self.experiment.brain
        observers, networks = [AtTheEnd(networks=self.keep_networks)], experiment.networks
        outcome, seconds = lab.timed(world, brain, experiment.jobs(), observers, networks=networks)
        (end,) = outcome.seen
        return Lives(
            world,
            experiment.seed,
            outcome.counts,
            seconds,
            len(outcome.counts) * world.steps,
            experiment,
            hidden=brain.hidden,
            distinct_hidden=end["distinct"],
            signals=end.get("signals"),
            networks=Networks.of_names(world.name, end) if self.keep_networks else None,
        )


def experiment_of(
    task: str | World = "foraging",
    rule: RuleLike | Chosen | None = None,
    *,
    eta: float | None = None,
    hidden: Hidden | None = None,
    lifetimes: int | None = None,
    seed: int = 1,
    frozen: bool = False,
    networks: Networks | str | os.PathLike[str] | None = None,
    **settings: Any,
) -> Experiment:
    """What a user asked for as one checked record; see `live` for the arguments."""
    frozen = check_switch("frozen", frozen)
    ways, world = take(settings, WAYS), make_world(task, **settings)
    check_names(world, inspect.signature(live).parameters)
    chosen = rule if isinstance(rule, Chosen) else rule_to_live_by(world, rule, eta, frozen=frozen)
    born = given_networks(networks)
    if born is not None:
        hidden = born.neurons if hidden is None else hidden
        lifetimes = len(born) if lifetimes is None else lifetimes
    return Experiment(
        **ways_of(world, chosen.rule.is_wide, hidden=hidden, **ways),
        rule=chosen.rule,
        eta_source=chosen.source,
        lifetimes=USUAL_LIFETIMES if lifetimes is None else lifetimes,
        seed=seed,
        frozen=frozen,
        networks=born,
    )


@suggesting
def live_agent(
    task: str | World,
    agent: str,
    *,
    hidden: Hidden | None = None,
    lifetimes: int = USUAL_LIFETIMES,
    seed: int = 1,
    threads: Executor | int | None = None,
    done: Done | None = None,
    **settings: Any,
) -> Lives:
    """Let an agent without a rule live a task.

    agent: `perfect`, `random`, `tabular`, `linear`, `hill-climbing` or `unscaled-climbing`; a climb counts what the
    network that it keeps scored in each season.
    hidden: hidden neurons of the networks that hill climbing tries. lifetimes, seed, threads, done: as in `live`.
    settings: of the world, and `step_size`, `discount` and `told` of the tabular and the linear agent.
    Returns what each life counted in each season, and its fitness (see `Lives`)."""
    many = check_integer("lifetimes", lifetimes, 1)
    study = agent_study(task, agent, hidden=hidden, lifetimes=many, seed=seed, **settings)
    return carry_out(study, threads=threads, report=Telling(done))


@dataclass(frozen=True)
class AgentStudy(Study[Lives]):
    """Lives of an agent without a rule."""

    world: World
    agent: Agent
    hidden: Hidden | None
    lifetimes: int
    seed: int

    kind = "live"
    doing = "living"

    @property
    def size(self) -> float:
        return self.lifetimes

    def kernels(self) -> list[Kernels]:
        return [Kernels(self.world, agents=[self.agent])]

    def reduce(self, lab: Lab) -> Lives:
        executor, start = lab.executor, time.perf_counter()
        counts = self.agent.live(
            self.world, self.lifetimes, seed=self.seed, hidden=self.hidden, executor=executor, done=lab.advance
        )
        seconds, steps = time.perf_counter() - start, self.lifetimes * self.world.steps * self.agent.tries
        agent: dict[str, Any] = {"agent": self.agent.name, "learning": self.agent.settings}
        return Lives(self.world, self.seed, counts, seconds, steps, hidden=self.hidden, **agent)


def agent_study(
    task: str | World,
    agent: str,
    *,
    hidden: Hidden | None = None,
    lifetimes: int | None = None,
    seed: int = 1,
    **settings: Any,
) -> AgentStudy:
    """The checked study of an agent without a rule; see `live_agent` for the arguments."""
    maker = make_agent(agent, **take(settings, LEARNING))
    world = make_world(task, **settings)
    if hidden is not None and not maker.network:
        raise BadInput(f"hidden is {shown(hidden)}, but the {agent} agent has no network; leave it out.")
    many = check_integer("lifetimes", USUAL_LIFETIMES if lifetimes is None else lifetimes, 1)
    check_lifetimes(world, many)
    return AgentStudy(world, maker, Brain.of(world, hidden).hidden if maker.network else None, many, check_seed(seed))
