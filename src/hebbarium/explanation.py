"""What is known of one rule: its words and family, its rank where an atlas is at hand, and its 16 relatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hebbarium.errors import BadInput, check_choice, check_integer, check_seed
from hebbarium.etas import missing_eta
from hebbarium.rule import ENTRIES, RULES, SYMBOLS, Rule
from hebbarium.tasks.registry import TASKS, make_task
from hebbarium.words import family, in_words, picture, situation

if TYPE_CHECKING:
    from hebbarium.atlas.table import Atlas
    from hebbarium.tasks.base import Task

MEASURE_LIFETIMES = 200


@dataclass(frozen=True)
class Known:
    """What an atlas knows of a rule, or what was measured just now."""

    rank: int | None
    """1 is the best of all rules at their best etas; None where the rule was measured just now."""
    eta: float
    mean: float
    sem: float
    lifetimes: int
    distinct_hidden: float
    """Hidden neurons that still differ in some bit at the end of a life, on average."""
    kinds_of_hidden: float
    """Those that differ within six digits: the others do the same, whatever their last bits."""


@dataclass(frozen=True)
class Neighbour:
    """A rule that differs in one entry."""

    rule: Rule
    place: int
    """Which entry, 0 to 7."""
    known: Known | None = None
    difference: float | None = None
    """Its mean fitness minus that of the rule explained."""
    difference_sem: float | None = None

    @property
    def change(self) -> str:
        """Such as `punished, between two active neurons: +`."""
        return f"{situation(self.place)}: {SYMBOLS[self.rule.entries[self.place] + 1]}"

    def to_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule.notation,
            "index": self.rule.index,
            "entry": self.place,
            "situation": situation(self.place),
            "to": SYMBOLS[self.rule.entries[self.place] + 1],
            "rank": self.known.rank if self.known else None,
            "eta": self.known.eta if self.known else None,
            "mean": self.known.mean if self.known else None,
            "difference": self.difference,
            "difference_sem": self.difference_sem,
        }


@dataclass(frozen=True)
class Explanation:
    """A rule explained. `str()` gives what the command line prints."""

    rule: Rule
    task: str
    words: str
    family: str
    hidden: int
    """Hidden neurons of the networks the figures are about."""
    known: Known | None
    neighbours: tuple[Neighbour, ...]
    source: str | None
    """Where the figures come from: `atlas`, `measured`, or None where there are none."""
    worth: tuple[float, ...] | None = None
    """What each of the eight entries adds to the fitness (Shapley values over the atlas); together they are the rule's
    lead over the rule that changes nothing."""

    @property
    def rank(self) -> int | None:
        return self.known.rank if self.known else None

    @property
    def fate(self) -> str | None:
        """What becomes of the hidden neurons, in words."""
        return None if self.known is None else fate(self.known.kinds_of_hidden, self.hidden)

    def to_json(self) -> dict[str, Any]:
        known = self.known
        return {
            "rule": self.rule.notation,
            "index": self.rule.index,
            "paper": list(self.rule.paper),
            "words": self.words,
            "family": self.family,
            "task": self.task,
            "rank": self.rank,
            "eta": known.eta if known else self.rule.eta,
            "fitness": {"mean": known.mean, "sem": known.sem, "lifetimes": known.lifetimes} if known else None,
            "distinct_hidden": known.distinct_hidden if known else None,
            "kinds_of_hidden": known.kinds_of_hidden if known else None,
            "fate": self.fate,
            "source": self.source,
            "worth": None if self.worth is None else [round(value, 3) for value in self.worth],
            "neighbours": [neighbour.to_json() for neighbour in self.neighbours],
        }

    def __str__(self) -> str:
        names = f" ({', '.join(self.rule.paper)} in the paper)" if self.rule.paper else ""
        head = f"Rule {self.rule.notation}, index {self.rule.index}{names}: {self.family}."
        return "\n\n".join([head, self.words, picture(self.rule)])


def fate(kinds: float, hidden: int) -> str:
    """What becomes of the hidden neurons.

    >>> fate(1.0, 20)
    'By the end of a life all 20 hidden neurons have become one and the same.'
    """
    if kinds > hidden - 0.5:
        return f"All {hidden} hidden neurons stay different for life."
    if kinds < 1.5:
        return f"By the end of a life all {hidden} hidden neurons have become one and the same."
    return f"By the end of a life {kinds:.1f} of {hidden} hidden neurons still differ."


def explain(
    rule: Rule | str | int | Sequence[int],
    task: str | Task | None = None,
    *,
    eta: float | None = None,
    measure: bool = False,
    lifetimes: int | None = None,
    hidden: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> Explanation:
    """Explain a rule.

    task: which task's atlas and lifetimes; without it the one the paper names the rule for, or foraging.
    measure: live the rule and its neighbours now, all at the rule's eta, instead of reading the atlas. Only then do
    eta, lifetimes (200 of each rule), hidden, seed (1) and threads mean anything, so they are refused without it.
    """
    rule = Rule(rule, eta)
    _check_measured(measure, eta=eta, lifetimes=lifetimes, hidden=hidden, seed=seed, threads=threads)
    chosen = make_task(task) if task is not None else make_task(home(rule))
    told = Explanation(
        rule,
        chosen.name,
        in_words(rule),
        family(rule),
        chosen.default_hidden if hidden is None else check_integer("hidden", hidden, 1),
        None,
        tuple(Neighbour(other, _place(rule, other)) for other in rule.neighbours()),
        None,
    )
    if measure:
        many = check_integer("lifetimes", MEASURE_LIFETIMES if lifetimes is None else lifetimes, 2)
        return _measured(told, chosen, many, check_seed(1 if seed is None else seed), threads)
    atlas = atlas_of(chosen.name)
    return told if atlas is None else _from_atlas(told, atlas)


def _check_measured(measure: bool, **given: object) -> None:
    """What would be ignored is refused."""
    for name, value in given.items():
        if value is not None and not measure:
            raise BadInput(f"{name} is only used together with measure; without it the figures are the atlas's.")


def home(rule: Rule) -> str:
    """The task the paper names the rule for, or foraging."""
    tasks = [name.partition(":")[0] for name in rule.paper]
    return next((task for task in tasks if task in TASKS), "foraging")


def atlas_of(task: str) -> Atlas | None:
    """The atlas that comes with the package, where there is one for the task."""
    from hebbarium.atlas.table import shipped

    check_choice("task", task, tuple(TASKS))
    return shipped(task)


def _place(rule: Rule, other: Rule) -> int:
    return next(place for place in range(ENTRIES) if rule.entries[place] != other.entries[place])


def _known(atlas: Atlas, rule: Rule) -> Known:
    row = atlas.row(rule.index)
    names = ("rank", "eta", "mean", "sem", "lifetimes", "distinct_hidden", "kinds_of_hidden")
    return Known(**{name: row[name] for name in names})


def _from_atlas(told: Explanation, atlas: Atlas) -> Explanation:
    """Each rule at its own best eta."""
    mine = _known(atlas, told.rule)
    neighbours = []
    for neighbour in told.neighbours:
        known = _known(atlas, neighbour.rule)
        error = (known.sem**2 + mine.sem**2) ** 0.5
        neighbours.append(replace(neighbour, known=known, difference=known.mean - mine.mean, difference_sem=error))
    from hebbarium.atlas.worth import entry_values

    worth = tuple(float(value) for value in entry_values(atlas, told.rule))
    told = replace(told, known=mine, neighbours=tuple(neighbours), worth=worth)
    return replace(told, hidden=atlas.about["hidden"], source="atlas")


def _measured(told: Explanation, task: Task, lifetimes: int, seed: int, threads: int | None) -> Explanation:
    """The rule and its neighbours on the same lifetimes, all at one eta."""
    import numpy as np

    from hebbarium.atlas.kinds import kinds_of
    from hebbarium.lifetime import Jobs, live_jobs

    eta = told.rule.eta if told.rule.eta is not None else _best_eta(told)
    rules = [Rule(rule.entries, eta) for rule in (told.rule, *(other.rule for other in told.neighbours))]
    jobs = Jobs.of(
        [rule for rule in rules for _ in range(lifetimes)],
        [seed] * (lifetimes * len(rules)),
        list(range(lifetimes)) * len(rules),
    )
    outcome = live_jobs(task, told.hidden, jobs, threads=threads, keep_networks=True)
    assert outcome.networks is not None
    scores = task.life_fitness(outcome.counts).reshape(len(rules), lifetimes)
    distinct = outcome.networks.distinct_hidden().reshape(len(rules), lifetimes).mean(axis=1)
    kinds = kinds_of(outcome.networks.hidden).reshape(len(rules), lifetimes).mean(axis=1)
    ahead = scores - scores[0]
    scale = np.sqrt(lifetimes)
    known = [
        Known(None, eta, float(score.mean()), float(score.std(ddof=1) / scale), lifetimes, float(differ), float(kind))
        for score, differ, kind in zip(scores, distinct, kinds, strict=True)
    ]
    neighbours = [
        replace(
            neighbour,
            known=known[row],
            difference=float(ahead[row].mean()),
            difference_sem=float(ahead[row].std(ddof=1) / scale),
        )
        for row, neighbour in enumerate(told.neighbours, start=1)
    ]
    return replace(told, known=known[0], neighbours=tuple(neighbours), source="measured")


def _best_eta(told: Explanation) -> float:
    atlas = atlas_of(told.task)
    if atlas is None:
        raise missing_eta(told.rule, told.task)
    return float(atlas.eta[told.rule.index])


def rank_words(rank: int) -> str:
    """Such as `rank 1 of 6,561`."""
    return f"rank {rank:,} of {RULES:,}"
