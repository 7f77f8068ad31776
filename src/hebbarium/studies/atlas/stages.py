"""The stages of an atlas: a survey of every rule, then ever more lifetimes for ever fewer rules.

Each stage keeps the rules that look best so far. A rule's fitness may have several peaks in eta, some of
them narrow: so good rules are scanned over all of it, and the etas that look best are compared with more
lifetimes. Settling measures the best eta and one on either side, until the best one has two lower
neighbours (or stands at the end of what is allowed). The last stages score the rules, at the eta chosen for
them, on lifetimes that took no part in the choice.

What to live next is computed from the plan and the lives so far, and from nothing else, so an atlas that was
killed resumes exactly where it was. All rules live the same trials of the same seed, so that any two of them
can be compared life by life.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np

from hebbarium.experiment import WAYS, Ways, ways_of
from hebbarium.rules.rule import RULES, Rule
from hebbarium.tools.errors import BadInput, check_choice, check_integer, check_number, check_seed, shown_setting
from hebbarium.tools.fields import take
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

LOWEST_ETA, HIGHEST_ETA = 1e-4, 0.995
LAYERS = ("same", "output")
"""What a rule is for: both layers alike, or the output layer while the hidden one is frozen as it was born."""


@dataclass(frozen=True)
class Stage:
    name: str
    """What it does: survey, compare, scan, settle (and bracket, which is settling in finer steps), score."""
    rules: int
    """How many of all 6,561 rules are kept; of a smaller atlas its share of them."""
    lifetimes: int
    """Lifetimes that each (rule, eta) in question has in the end."""
    step: float = 0.0
    """Neighbouring etas are this factor apart, where the stage makes etas of its own."""
    etas: int = 0
    """How many of a rule's etas are compared."""


LEAST = 10
"""Rules that every stage keeps where certain rules were asked for; a sample keeps no more than its share."""

STAGES = {
    "foraging": (
        Stage("survey", RULES, 2),
        Stage("compare", RULES, 6, etas=4),
        Stage("settle", RULES, 6, 1.6),
        Stage("scan", 300, 6, 1.12),
        Stage("compare", 300, 30, etas=6),
        Stage("bracket", 110, 80, 1.12),
        Stage("bracket", 30, 500, 1.12),
        Stage("score all", RULES, 10),
        Stage("score good", 250, 60),
        Stage("score best", 105, 600),
    ),
    # One life says less here: its standard deviation is as large as the differences between good rules. So more rules
    # are given a second chance, and what lies between the survey's etas is only looked at for those that may be good.
    # The survey's etas are near each other from 0.1 on, where some rules are good within 15 % of an eta and bad beyond.
    "prey-predator": (
        Stage("survey", RULES, 2),
        Stage("compare", 2500, 8, etas=6),
        Stage("scan", 300, 8, 1.3),
        Stage("compare", 300, 40, etas=6),
        Stage("bracket", 110, 120, 1.15),
        Stage("bracket", 30, 600, 1.1),
        Stage("score all", RULES, 10),
        Stage("score good", 300, 60),
        Stage("score best", 60, 1000),
    ),
    # Rules of the output layer above a frozen hidden one: several times as long a life where it is wide, and a flatter
    # fitness over eta, so that the survey's steps nearly do.
    "output": (
        Stage("survey", RULES, 2),
        Stage("compare", RULES, 6, etas=4),
        Stage("bracket", 60, 40, 1.25),
        Stage("score all", RULES, 4),
        Stage("score good", 250, 40),
        Stage("score best", 105, 300),
    ),
    # Of a phase diagram: a glance at every rule, and then an atlas of those that pass.
    "screen": (Stage("survey", RULES, 1),),
    "coarse": (
        Stage("survey", RULES, 1),
        Stage("compare", RULES // 3, 6, etas=3),
        Stage("bracket", RULES // 10, 20, 1.4),
        Stage("score all", RULES, 4),
        Stage("score best", RULES // 10, 100),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Plan(Ways):
    """Everything that decides an atlas, so the same plan gives the same atlas to the last bit."""

    seed: int
    etas: tuple[float, ...]
    rules: tuple[int, ...] = tuple(range(RULES))
    """Indices, ascending."""
    stages: tuple[Stage, ...] = field(default=STAGES["foraging"])
    least: int = LEAST
    """Rules that every stage keeps at least."""
    layers: str = "same"
    """One of LAYERS."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("layers", self.layers, LAYERS)
        if not self.rules:
            raise BadInput("rules is empty, but an atlas needs at least one, such as 00+-/0000.")
        if not self.etas:
            raise BadInput("etas is empty, but an atlas needs at least one, such as 0.01,0.02,0.04.")
        for eta in self.etas:
            check_number("etas", eta, LOWEST_ETA, HIGHEST_ETA)
        if sorted(set(self.etas)) != list(self.etas):
            raise BadInput(f"etas is {','.join(map(str, self.etas))}, but must be ascending without repetition.")

    def __len__(self) -> int:
        """How many rules the atlas has."""
        return len(self.rules)

    @property
    def name(self) -> str:
        """Of its usual folder, and of the file that comes with the package."""
        own = "" if self.layers == "same" else f"-{self.layers}-{shown_setting(self.hidden)}"
        return f"atlas-{self.world.label}{own}"

    def kept(self, stage: Stage) -> int:
        """How many rules a stage of this atlas keeps."""
        share = math.ceil(stage.rules * len(self) / RULES)
        return int(min(len(self), max(self.least, share)))

    @property
    def surveyed(self) -> int:
        """Lives of the survey stage, which comes first."""
        return len(self) * len(self.etas) * self.stages[0].lifetimes

    def settings(self) -> dict[str, Any]:
        """Plain values for the run store; the threads are not among them, because they change nothing."""
        some = {} if self.rules == tuple(range(len(self))) else {"rules": list(self.rules)}
        return {
            **self.world.about(),
            "hidden": self.hidden,
            "seed": self.seed,
            "etas": list(self.etas),
            "limit": len(self),
            **some,
            **({} if self.least == LEAST else {"least": self.least}),
            "stages": [[s.name, s.rules, s.lifetimes, round(s.step, 6), s.etas] for s in self.stages],
            "world": self.world.settings(),
            **({} if self.layers == "same" else {"layers": self.layers}),
            **self.widened(),
        }

    def expected_lifetimes(self) -> int:
        """Roughly how many lifetimes the whole atlas takes."""
        survey, *stages = self.stages
        total, done = float(self.surveyed), survey.lifetimes
        for stage in stages:
            each: float = stage.lifetimes  # of each rule
            if stage.name == "scan":
                each = len(self.scanned(stage)) * stage.lifetimes
            elif stage.etas:
                each = stage.etas * (stage.lifetimes - done)
            elif stage.step:
                # Settling an eta takes it and two neighbours, and now and then one or two further out.
                each = 3 * (stage.lifetimes - done) + 0.8 * stage.lifetimes
            total += self.kept(stage) * each
            done = stage.lifetimes
        return int(total)

    def scanned(self, stage: Stage) -> list[float]:
        """Etas from below the survey's to above them, a step apart."""
        lowest, highest = max(self.etas[0] / 2, LOWEST_ETA), min(2 * self.etas[-1], HIGHEST_ETA)
        steps = math.floor(math.log(highest / lowest) / math.log(stage.step))
        return [float(f"{lowest * stage.step**step:.4g}") for step in range(steps + 1)]


def make_plan(
    task: str | World,
    *,
    seed: int = 1,
    etas: Sequence[float] | None = None,
    limit: int | None = None,
    rules: Iterable[int | str | Rule] | None = None,
    effort: float = 1.0,
    layers: str = "same",
    stages: str | None = None,
    **settings: Any,
) -> Plan:
    """The task's own plan; see `make_atlas` for the arguments.

    stages: others of STAGES than the task's."""
    ways = take(settings, WAYS)
    world = make_world(task, **settings)
    check_number("effort", effort, 0.1, 100)
    named = stages or (world.name if layers == "same" else layers)
    scaled = tuple(
        dataclasses.replace(stage, lifetimes=max(min(2, stage.lifetimes), round(stage.lifetimes * effort)))
        for stage in STAGES.get(named, STAGES["foraging"])
    )
    grid = tuple(float(eta) for eta in etas) if etas is not None else world.survey_etas
    seed, least = check_seed(seed), LEAST
    if rules is None:
        count = RULES if limit is None else check_integer("limit", limit, 1, RULES)
        chosen, least = sample(count, seed), LEAST if count == RULES else 1
    elif limit is None:
        chosen = tuple(sorted({Rule(rule).index for rule in rules}))
    else:
        raise BadInput("limit and rules cannot be used together: one draws rules, the other names them.")
    asked: dict[str, Any] = {"rules": chosen, "stages": scaled, "least": least, "layers": layers}
    return Plan(**ways_of(world, **ways), seed=seed, etas=grid, **asked)


def sample(count: int, seed: int) -> tuple[int, ...]:
    """Indices of rules drawn at random. A larger sample of the same seed holds every smaller one."""
    draw = random.Random(seed)  # its random() is promised to stay the same in all versions of Python
    keys = [draw.random() for _ in range(RULES)]
    return tuple(sorted(sorted(range(RULES), key=keys.__getitem__)[:count]))


FRESH = 1_000_000
"""Trials from here on serve only to score what was chosen on lower ones, so that no winner is flattered."""


@dataclass(frozen=True)
class Columns:
    """Columns of equal length."""

    rule: np.ndarray
    """int64 [row]: the rule's place in the plan; where all rules are in it, that is its index."""
    eta: np.ndarray
    """float64 [row]"""

    def __len__(self) -> int:
        return len(self.rule)

    def __getitem__(self, rows: np.ndarray | slice) -> Self:
        return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """One after the other."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(frozen=True)
class Scores(Columns):
    """Some lives, one row each."""

    trial: np.ndarray
    """int64 [life]"""
    score: np.ndarray
    """float64 [life]: fitness of the whole life."""
    distinct: np.ndarray
    """int64 [life]: hidden neurons that still differ at its end."""

    @classmethod
    def none(cls) -> Scores:
        whole = np.zeros(0, np.int64)
        return cls(whole, np.zeros(0), whole, np.zeros(0), whole)

    def fresh(self) -> Scores:
        """The lives that score rules on fresh lifetimes."""
        return self[self.trial >= FRESH]

    def chosen_on(self) -> Scores:
        """The lives that etas and rules were chosen by."""
        return self[self.trial < FRESH]


@dataclass(frozen=True)
class Means(Columns):
    """Lives summed up by rule and eta, in the order of rule, then eta."""

    lifetimes: np.ndarray
    """int64 [pair]"""
    mean: np.ndarray
    """float64 [pair]"""
    std: np.ndarray
    """float64 [pair]: with n - 1; nan for a single life."""
    distinct: np.ndarray
    """float64 [pair]: mean number of hidden neurons that still differ."""

    def rows_of(self, rule: int) -> slice:
        first, last = np.searchsorted(self.rule, [rule, rule + 1])
        return slice(int(first), int(last))


def means(lives: Scores) -> Means:
    """Sum lives up by rule and eta; their order makes no difference."""
    order = np.lexsort((lives.trial, lives.eta, lives.rule))
    rule, eta, score, distinct = lives.rule[order], lives.eta[order], lives.score[order], lives.distinct[order]
    begins = np.ones(len(rule), bool)
    begins[1:] = (rule[1:] != rule[:-1]) | (eta[1:] != eta[:-1])
    starts = np.flatnonzero(begins)
    lifetimes = np.diff(np.append(starts, len(rule)))
    mean = _sums(score, starts) / lifetimes
    squares = _sums((score - np.repeat(mean, lifetimes)) ** 2, starts)
    std = np.full(len(starts), np.nan)
    several = lifetimes > 1
    std[several] = np.sqrt(squares[several] / (lifetimes[several] - 1))
    return Means(rule[starts], eta[starts], lifetimes, mean, std, _sums(distinct, starts) / lifetimes)


def _sums(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """float64 [group]. Sums of whole and quarter numbers are exact, so they do not depend on the order of lives."""
    sums: np.ndarray = np.add.reduceat(values.astype(np.float64), starts) if len(starts) else np.zeros(0)
    return sums


SAME = 1.01
"""Etas closer than this factor are taken for the same."""
NEAR = 1.08
"""Etas closer than this factor to the one wanted are taken instead of it."""
MOST_ROUNDS = 6
"""Rounds after which a stage lets an eta be that wanders up and down a flat ridge."""


@dataclass(frozen=True)
class Requests(Columns):
    """Lives to be lived, one row each, in a fixed order."""

    trial: np.ndarray
    """int64 [life]"""

    @classmethod
    def of(cls, wanted: list[tuple[int, float, int, int]]) -> Requests:
        """Lives to be lived. wanted: (rule, eta, first trial, end of trials)."""
        sizes = [end - first for _, _, first, end in wanted]
        trials = [np.arange(first, end) for _, _, first, end in wanted]
        return cls(
            np.repeat(np.array([rule for rule, *_ in wanted], np.int64), sizes),
            np.repeat(np.array([eta for _, eta, *_ in wanted], np.float64), sizes),
            np.concatenate(trials) if trials else np.zeros(0, np.int64),
        )


def rounds(stage: Stage) -> int:
    """How often a stage is asked for requests, at most. A scan changes who leads; that is for the next stage."""
    return 1 if stage.name == "scan" else MOST_ROUNDS


def requests(plan: Plan, stage: Stage, lives: Scores) -> Requests:
    """What the stage still needs; nothing when it is done."""
    wanted: list[tuple[int, float, int, int]] = []
    if stage.name == "survey":
        if not len(lives):
            wanted = [(rule, eta, 0, stage.lifetimes) for rule in range(len(plan)) for eta in plan.etas]
        return Requests.of(wanted)
    tried = means(lives.chosen_on())
    chosen = best_of(tried)
    if stage.name == "scan" or stage.etas or stage.step:
        for rule in _leading(chosen.mean, plan.kept(stage)):
            rows = tried.rows_of(int(rule))
            etas, had, mean = tried.eta[rows], tried.lifetimes[rows], tried.mean[rows]
            if stage.name == "scan":
                in_question = plan.scanned(stage)
            elif stage.etas:
                most = np.flatnonzero(had == had.max())
                in_question = etas[np.sort(most[np.argsort(-mean[most], kind="stable")[: stage.etas]])].tolist()
            else:
                # The best and its neighbours a step away: ones that were measured already, where they are near enough.
                eta = best_eta(etas, had, mean)
                beside = (_near(eta / stage.step, etas), _near(eta * stage.step, etas))
                low, high = ([other] if max(other / eta, eta / other) > SAME else [] for other in beside)
                in_question = [*low, eta, *high]
            for eta in in_question:
                lived = int(had[etas == eta].sum())
                if lived < stage.lifetimes:
                    wanted.append((int(rule), eta, lived, stage.lifetimes))
        return Requests.of(wanted)
    scored = means(lives.fresh())
    mean, had = chosen.mean.copy(), np.zeros(len(plan), np.int64)
    mean[scored.rule], had[scored.rule] = scored.mean, scored.lifetimes
    for rule in _leading(mean, plan.kept(stage)):
        if had[rule] < stage.lifetimes:
            wanted.append((int(rule), float(chosen.eta[rule]), FRESH + int(had[rule]), FRESH + stage.lifetimes))
    return Requests.of(wanted)


def _leading(mean: np.ndarray, count: int) -> np.ndarray:
    """The rules with the highest means, in the order of their index."""
    order: np.ndarray = np.sort(np.argsort(-mean, kind="stable")[:count])
    return order


def best_eta(etas: np.ndarray, lifetimes: np.ndarray, mean: np.ndarray) -> float:
    """The best of the etas with the most lifetimes: a mean over few may be luck."""
    most = lifetimes == lifetimes.max()
    return float(etas[most][np.argmax(mean[most])])


def best_of(known: Means) -> Means:
    """For each rule of an atlas its best eta so far."""
    starts = np.flatnonzero(np.diff(known.rule, prepend=-1))
    rows = []
    for first, end in zip(starts, [*starts[1:], len(known)], strict=True):
        own = slice(first, end)
        eta = best_eta(known.eta[own], known.lifetimes[own], known.mean[own])
        rows.append(int(first + np.flatnonzero(known.eta[own] == eta)[0]))
    return known[np.array(rows, np.int64)]


def _near(eta: float, etas: np.ndarray) -> float:
    eta = min(max(eta, LOWEST_ETA), HIGHEST_ETA)
    nearest = float(etas[np.argmin(np.abs(np.log(etas / eta)))])
    # Somewhat nearer or further than the step will do, and saves lifetimes.
    return nearest if max(nearest / eta, eta / nearest) < NEAR else float(f"{eta:.4g}")
