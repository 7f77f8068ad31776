"""Compare rules and agents on the same seeds, with statistics."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from hebbarium.agents.base import Agent
from hebbarium.agents.learner_settings import LEARNING
from hebbarium.agents.registry import make_agents
from hebbarium.brains.sizes import Hidden
from hebbarium.executors.base import Done, Executor
from hebbarium.experiment import WAYS, Experiment, check_lifetimes, suggesting
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import RuleLike, read_rule
from hebbarium.rules.rule import PAPER_RULES, AnyRule
from hebbarium.show.pages import paragraph, table
from hebbarium.show.pages.skeleton import notebook
from hebbarium.studies.choosing_eta import Chosen, rule_to_live_by
from hebbarium.studies.engine import Kernels, Lab, Study, carry_out
from hebbarium.studies.live import experiment_of, fitness_std
from hebbarium.tools.data_frames import data_frame, frame_of_rows
from hebbarium.tools.errors import BadInput, check_choice, check_integer, option_name, shown, shown_setting
from hebbarium.tools.fields import take
from hebbarium.tools.progress import Telling
from hebbarium.tools.statistics import Estimate, Test, correct_levels, estimate_mean, rank_sum, signed_rank
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

T = TypeVar("T")


@dataclass(frozen=True)
class Contender:
    """Who lived, and what each life scored."""

    name: str
    rule: AnyRule | None
    """None for an agent without one."""
    fitness: np.ndarray
    """float64 [life]; trial t of one contender and of another met the same newborn brain and the same world."""
    std: float | None
    """As `live` gives it: in foraging over (life, season), in prey-predator over lives."""
    eta_source: str | None = None
    """Where the eta comes from, as in `Lives`."""

    @classmethod
    def of(cls, name: str, chosen: Chosen | None, usual: Experiment, counts: np.ndarray) -> Contender:
        rule, source = (None, None) if chosen is None else (chosen.rule, chosen.source)
        spread = fitness_std(usual.world, counts, usual.seed)
        return cls(name, rule, usual.world.life_fitness(counts), spread, source)

    @property
    def estimate(self) -> Estimate:
        return estimate_mean(self.fitness)

    def summary(self) -> dict[str, Any]:
        estimate = self.estimate
        return {
            "name": self.name,
            "rule": None if self.rule is None else self.rule.notation,
            "eta": None if self.rule is None else self.rule.eta,
            "eta_source": self.eta_source,
            "fitness": {"mean": estimate.value, "std": self.std, "low": estimate.low, "high": estimate.high},
        }


@dataclass(frozen=True)
class Pair:
    """Two contenders of a comparison, trial by trial."""

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
    """FDR-corrected p-values."""

    def summary(self) -> dict[str, Any]:
        difference, ranks, signs = self.difference, self.rank_sum, self.signed_rank
        return {
            "a": self.a,
            "b": self.b,
            "difference": {"mean": difference.value, "low": difference.low, "high": difference.high},
            "wins": self.wins,
            "rank_sum": {"statistic": ranks.statistic, "p": ranks.p, "corrected": self.rank_sum_corrected},
            "signed_rank": {"statistic": signs.statistic, "p": signs.p, "corrected": self.signed_rank_corrected},
        }


@dataclass(frozen=True, repr=False)
class SideBySide:
    """What `hebbarium compare` shows."""

    experiment: Experiment
    """What all rules have in common; it is frozen itself."""
    contenders: Sequence[Contender]
    pairs: Sequence[Pair]
    learning: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The learners' settings, where there are any among them."""
    networks: bool = True
    """Whether any of them acts by a network."""

    @property
    def settings(self) -> dict[str, Any]:
        """What differs from the usual life in this world."""
        return {**self.experiment.changed_settings(), **self.learning}

    @property
    def task(self) -> World:
        return self.experiment.world

    @property
    def hidden(self) -> Hidden | None:
        """Hidden neurons; None where there is no network."""
        return self.experiment.brain.hidden if self.networks else None

    @property
    def seed(self) -> int:
        return self.experiment.seed

    def summary(self) -> dict[str, Any]:
        """What `hebbarium compare --json` prints."""
        return {
            "task": self.task.label,
            "lifetimes": len(self.contenders[0].fitness),
            "hidden": self.hidden,
            "seed": self.seed,
            "settings": self.settings,
            "contenders": [contender.summary() for contender in self.contenders],
            "pairs": [pair.summary() for pair in self.pairs],
        }

    def frame(self, what: str = "lives") -> Any:
        """A row for each of the `lives`, or of the `pairs`; polars or pandas, whichever is installed."""
        check_choice("table", what, ("lives", "pairs"))
        if what == "pairs":
            return frame_of_rows(
                {
                    "a": pair.a,
                    "b": pair.b,
                    "difference": pair.difference.value,
                    "low": pair.difference.low,
                    "high": pair.difference.high,
                    "wins": pair.wins,
                    "rank_sum_p": pair.rank_sum_corrected,
                    "signed_rank_p": pair.signed_rank_corrected,
                }
                for pair in self.pairs
            )
        many = len(self.contenders[0].fitness)
        return data_frame({
            "name": [contender.name for contender in self.contenders for _ in range(many)],
            "lifetime": np.tile(np.arange(many), len(self.contenders)),
            "fitness": np.concatenate([contender.fitness for contender in self.contenders]),
        })  # fmt: skip

    def _repr_html_(self) -> str:
        """Who scored what, and every pair."""
        scores = [(one.name, f"{one.estimate.value:z.2f}", one.estimate.interval()) for one in self.contenders]
        pairs = [
            (f"{pair.a} minus {pair.b}", f"{pair.difference.value:+z.2f}", pair.difference.interval(),
             f"{pair.wins:.0%}", f"{pair.signed_rank_corrected:.2g}")
            for pair in self.pairs
        ]  # fmt: skip
        neurons = "" if self.hidden is None else f", {shown_setting(self.hidden)} hidden neurons"
        return notebook(
            f"{self.task.label}, {len(self.contenders[0].fitness)} lifetimes each{neurons}, seed {self.seed}",
            table(("rule or agent", "fitness", "95 % interval"), scores),
            table(("pair", "difference", "95 % interval", "wins", "signed-rank p"), pairs),
            paragraph("p-values are FDR-corrected."),
        )

    def __repr__(self) -> str:
        names = ", ".join(contender.name for contender in self.contenders)
        return f"SideBySide({self.task.label}, {names}, seed {self.seed})"


@suggesting
def compare(
    task: str | World,
    *rules: RuleLike,
    agents: Sequence[str] = (),
    threads: Executor | int | None = None,
    done: Done | None = None,
    **settings: Any,
) -> SideBySide:
    """Let rules and agents live on the same seeds and test every pair of them.

    agents: names of agents without a rule (`agents/registry.py`); learners take `step_size`, `discount` and `told`
    from the settings.
    threads, done: as in `live`.
    settings: the same for all rules, as in `live`: hidden, lifetimes (100), seed (1), blame, eligibility, and those of
    the brain and of the world; and `eta`, for rules without one of their own, which otherwise take the best in the
    atlas of the task.
    Returns the contenders' scores, and the tests of each pair.

    >>> result = compare("foraging", "foraging:1", "foraging:18", lifetimes=8, season_steps=1000)
    >>> result.pairs[0].difference.low > 0
    True
    """
    return carry_out(contest_of(task, rules, agents, **settings), threads=threads, report=Telling(done))


@dataclass(frozen=True)
class Contest(Study[SideBySide]):
    """A comparison to be lived: who takes part, and how; checked."""

    experiment: Experiment
    """How all rules live: world, brain, lifetimes, seed, blame; it is frozen itself."""
    rules: dict[str, Chosen]
    """By name."""
    agents: dict[str, Agent]

    kind = "compare"
    doing = "comparing"

    @property
    def size(self) -> float:
        return self.experiment.lifetimes * (len(self.rules) + len(self.agents))

    def kernels(self) -> list[Kernels]:
        return [
            Kernels.of(self.experiment, [chosen.rule for chosen in self.rules.values()], list(self.agents.values()))
        ]

    def reduce(self, lab: Lab) -> SideBySide:
        """Live all contenders on the same seeds, and test every pair of them."""
        usual, contenders = self.experiment, []
        if self.rules:  # all their lives in one go, so that no core waits
            own = [dataclasses.replace(usual, rule=chosen.rule, frozen=False) for chosen in self.rules.values()]
            counts = lab.live(usual.world, usual.brain, Jobs.joined([one.jobs() for one in own])).counts
            parts = counts.reshape(len(self.rules), usual.lifetimes, *counts.shape[1:])
            contenders = [
                Contender.of(name, chosen, usual, part)
                for (name, chosen), part in zip(self.rules.items(), parts, strict=True)
            ]
        for name, agent in self.agents.items():
            where: dict[str, Any] = {"executor": lab.executor, "done": lab.advance}
            counts = agent.live(usual.world, usual.lifetimes, seed=usual.seed, hidden=usual.brain.hidden, **where)
            contenders.append(Contender.of(f"{name} agent", None, usual, counts))
        learning = {name: value for agent in self.agents.values() for name, value in agent.settings.items()}
        networks = bool(self.rules) or any(agent.network for agent in self.agents.values())
        return SideBySide(usual, contenders, pairs_of(contenders), learning, networks)


def contest_of(
    task: str | World,
    rules: Sequence[RuleLike],
    agents: Sequence[str] = (),
    *,
    eta: float | None = None,
    lifetimes: int = 100,
    **settings: Any,
) -> Contest:
    """The checked study; see `compare` for the arguments."""
    of_learners, life = take(settings, LEARNING), take(settings, (*WAYS, "seed"))
    world = make_world(task, **settings)
    if len(rules) + len(agents) < 2:
        raise BadInput("comparing needs at least two rules or agents, such as foraging:1 foraging:2.")
    if eta is not None and not any(read_rule(rule).needs_eta for rule in rules):
        raise BadInput(f"eta {shown(eta)} is for rules without one of their own, but here each has one: leave it out.")
    rules_by_name = named([rule_to_live_by(world, rule, eta, own_first=True) for rule in rules])
    makers = make_agents(agents, **of_learners)
    if len(makers) < len(agents):
        raise BadInput(f"agent {_given_twice(agents)} is given twice.")
    for name, value in life.items():
        given = value is not None and value != {}
        if given and not rules and name not in ("hidden", "seed"):
            raise BadInput(f"{option_name(name)} is for rules, but only agents are compared here: leave it out.")
        if given and not rules and name == "hidden" and not any(agent.network for agent in makers.values()):
            raise BadInput("hidden is for networks, but none of these agents has one: leave it out.")
    lifetimes = check_integer("lifetimes", lifetimes, 2)
    check_lifetimes(world, lifetimes, len(rules_by_name) + len(makers))
    usual = experiment_of(world, frozen=True, lifetimes=lifetimes, **life)
    return Contest(usual, rules_by_name, makers)


def named(contest: Sequence[Chosen]) -> dict[str, Chosen]:
    """The rules by notation and eta, in as many digits as tell them apart; one given twice is refused."""
    rules = [chosen.rule for chosen in contest]
    if len(set(rules)) < len(rules):
        raise BadInput(f"rule {_given_twice(rules).text} is given twice.")
    short = Counter(rule.short_text for rule in rules)
    by_name = {}
    for chosen in contest:
        rule = chosen.rule
        name = rule.short_text if short[rule.short_text] == 1 else rule.text
        published = [paper for paper in rule.paper if PAPER_RULES[paper][1] == rule.eta]
        by_name[name + (f" ({published[0]})" if published else "")] = chosen
    return by_name


def _given_twice(things: Sequence[T]) -> T:
    return next(thing for place, thing in enumerate(things) if thing in things[:place])


def pairs_of(contenders: Sequence[Contender]) -> list[Pair]:
    """Every pair, with FDR-corrected p-values."""
    couples = list(itertools.combinations(contenders, 2))
    sums = [rank_sum(a.fitness, b.fitness) for a, b in couples]
    signs = [signed_rank(a.fitness, b.fitness) for a, b in couples]
    levels = (correct_levels([test.p for test in sums]), correct_levels([test.p for test in signs]))
    return [
        Pair(
            a.name,
            b.name,
            estimate_mean(a.fitness - b.fitness),
            float(np.mean((a.fitness > b.fitness) + 0.5 * (a.fitness == b.fitness))),
            sums[number],
            signs[number],
            levels[0][number],
            levels[1][number],
        )
        for number, (a, b) in enumerate(couples)
    ]
