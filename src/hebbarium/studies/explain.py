"""What is known of one rule: its words and family, its rank where an atlas is at hand, and its neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hebbarium.brains.sizes import Hidden, sizes_of
from hebbarium.executors.base import Done, Executor
from hebbarium.experiment import Experiment, Weights, check_lifetimes, check_weights, suggesting, weights_in_words
from hebbarium.life.jobs import Jobs
from hebbarium.life.observers import AtTheEnd, Kinds
from hebbarium.rules.layered import RuleLike, read_rule
from hebbarium.rules.notation import sign
from hebbarium.rules.rule import RULES, AnyRule, Rule
from hebbarium.rules.shape import LAYERS, WIDE, layer_names
from hebbarium.rules.words import etas_in_words, family, in_words, picture, situation
from hebbarium.show.pages import paragraph, table
from hebbarium.show.pages.skeleton import notebook
from hebbarium.studies.atlas.ages import Age, ages_of
from hebbarium.studies.atlas.analysis import entry_values
from hebbarium.studies.atlas.finished_atlas import Atlas, at_hand, shipped
from hebbarium.studies.choosing_eta import Chosen, rule_to_live_by
from hebbarium.studies.engine import Kernels, Lab, Study, carry_out
from hebbarium.studies.live import experiment_of
from hebbarium.tools.data_frames import data_frame
from hebbarium.tools.errors import BadInput, check_integer, check_switch
from hebbarium.tools.progress import Telling
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS, make_world


@dataclass(frozen=True)
class Known:
    """What an atlas knows of a rule, or what was measured just now."""

    rank: int | None
    """1 is the best of all rules at their best etas; None where the rule was measured just now."""
    ranks: tuple[int, int] | None
    """The ranks it may have: rules that are better, or worse, at the 95 % level stand outside them."""
    eta: Any
    """As `Rule.eta`."""
    fitness: float
    sem: float
    lifetimes: int
    distinct_hidden: float
    """Hidden neurons that still differ in some bit at the end of a life, on average."""
    kinds_of_hidden: float
    """Those that differ within six digits: the others do the same, whatever their last bits."""


@dataclass(frozen=True)
class Neighbour:
    """A rule that differs in one entry."""

    rule: AnyRule
    layer: str | None
    """`hidden` or `output` where the rule is layered."""
    place: int
    """Which entry, 0 to 7."""
    to: str
    """What that entry is here: `-`, `0` or `+`."""
    known: Known | None = None
    difference: float | None = None
    """Its mean fitness minus that of the rule explained."""
    difference_sem: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule.notation,
            "index": self.rule.index,
            "layer": self.layer,
            "entry": self.place,
            "situation": situation(self.place),
            "to": self.to,
            "rank": self.known.rank if self.known else None,
            "rank_interval": _listed(self.known),
            "eta": self.known.eta if self.known else None,
            "fitness": self.known.fitness if self.known else None,
            "difference": self.difference,
            "difference_sem": self.difference_sem,
        }


@dataclass(frozen=True, repr=False)
class Explanation:
    """A rule explained. `str()` gives what the command line prints."""

    rule: AnyRule
    task: str
    words: str
    family: str
    hidden: Hidden
    """Hidden neurons of the networks the figures are about."""
    known: Known | None
    neighbours: tuple[Neighbour, ...]
    source: str | None
    """Where the figures come from: `atlas`, `measured`, or None where there are none."""
    worth: tuple[float, ...] | None = None
    """What each of the eight entries adds to the fitness (Shapley values over the atlas); together they are the rule's
    lead over the rule that changes nothing."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of the world and the brain, where it was measured: those that are unusual, by name."""
    eta_source: str | None = None
    """Where the eta of a measured rule comes from: `given`, `paper` or `atlas`."""
    age: Age | None = None
    """What becomes of it in a long life, where the atlas knows."""
    blame: str | None = None
    """How much each judgement counts, in words, where blame or eligibility was given."""
    eligibility: str | None = None
    """How far back judgements reach, in words, likewise."""

    @property
    def etas(self) -> str | None:
        """What the etas of a layered rule mean, in words."""
        return etas_in_words(self.rule)

    @property
    def inert(self) -> bool:
        """Whether no synapse ever changes, at any eta."""
        return not any(entry for layer in self.rule.layers for entry in layer.entries)

    @property
    def rank(self) -> int | None:
        return self.known.rank if self.known else None

    @property
    def fate(self) -> str | None:
        """What becomes of the hidden neurons, if there are any, in words."""
        return fate(self.known.kinds_of_hidden, self.hidden) if self.known and sizes_of(self.hidden) else None

    def to_json(self) -> dict[str, Any]:
        """What `hebbarium explain --json` prints."""
        known = self.known
        return {
            "rule": self.rule.notation,
            "index": self.rule.index,
            "paper": list(self.rule.paper),
            "words": self.words,
            "etas": self.etas,
            "blame": self.blame,
            "eligibility": self.eligibility,
            "family": self.family,
            "task": self.task,
            "rank": self.rank,
            "rank_interval": _listed(known),
            "eta": None if self.inert else known.eta if known else self.rule.eta,
            "eta_source": self.eta_source,
            "settings": dict(self.settings),
            "fitness": {"mean": known.fitness, "sem": known.sem, "lifetimes": known.lifetimes} if known else None,
            "distinct_hidden": known.distinct_hidden if known else None,
            "kinds_of_hidden": known.kinds_of_hidden if known else None,
            "fate": self.fate,
            "age": None if self.age is None else self.age.to_json(),
            "source": self.source,
            "worth": None if self.worth is None else [round(value, 3) for value in self.worth],
            "neighbours": [neighbour.to_json() for neighbour in self.neighbours],
        }

    def frame(self) -> Any:
        """A row for the rule itself, then one for each neighbour: what differs, and by how much it is better."""
        rows: list[dict[str, Any]] = [
            {"rule": self.rule.notation, "situation": None, "to": None, **_figures(self.known)}
        ]
        rows += [
            {"rule": one.rule.notation, "situation": situation(one.place), "to": one.to, **_figures(one.known)}
            | {"difference": one.difference, "difference_sem": one.difference_sem}
            for one in self.neighbours
        ]
        kinds = dict.fromkeys(("rule", "situation", "to"), str) | {"fitness": float, "sem": float, "rank": int}
        kinds |= {"difference": float, "difference_sem": float}
        return data_frame({name: [row.get(name) for row in rows] for name in kinds}, kinds)

    def _repr_html_(self) -> str:
        """The rule in words, and its neighbours from the best on."""
        rows = [
            (one.rule.notation, situation(one.place), one.to, f"{one.difference:+z.2f}")
            for one in sorted(self.neighbours, key=lambda one: -(one.difference or 0.0))
            if one.difference is not None
        ]
        known = self.known
        words = [] if known is None else [f"Fitness {known.fitness:z.2f} ± {known.sem:.2f}."]
        neighbours = [table(("neighbour", "entry", "becomes", "fitness"), rows)] if rows else []
        return notebook(f"Rule {self.rule.text}: {self.family}", paragraph(" ".join([self.words, *words])), *neighbours)

    def __repr__(self) -> str:
        return f"Explanation({self.rule.text}, {self.family}, {self.task})"

    def __str__(self) -> str:
        names = f" ({', '.join(self.rule.paper)} in the paper)" if self.rule.paper else ""
        index = "" if self.rule.index is None else f", index {self.rule.index}"
        head = f"Rule {self.rule.notation}{index}{names}: {self.family}."
        more = [text for text in (self.etas, self.blame, self.eligibility) if text]
        return "\n\n".join([head, self.words, *more, picture(self.rule)])


def _figures(known: Known | None) -> dict[str, Any]:
    return {"fitness": known and known.fitness, "sem": known and known.sem, "rank": known and known.rank}


def fate(kinds: float, hidden: Hidden) -> str:
    """What becomes of the hidden neurons.

    >>> fate(1.0, 20)
    'By the end of a life all 20 hidden neurons have become identical.'
    """
    neurons = sum(sizes_of(hidden))
    if kinds > neurons - 0.5:
        return f"All {neurons} hidden neurons stay different to the end of life."
    if kinds < 1.5:
        return f"By the end of a life all {neurons} hidden neurons have become identical."
    return f"By the end of a life {kinds:.1f} of {neurons} hidden neurons still differ."


@suggesting
def explain(
    rule: RuleLike,
    task: str | World | None = None,
    *,
    measure: bool = False,
    blame: Mapping[str, float] | None = None,
    eligibility: Mapping[str, float] | None = None,
    threads: Executor | int | None = None,
    done: Done | None = None,
    **settings: Any,
) -> Explanation:
    """Explain a rule.

    rule: in any of its forms, plain or layered. Of layered rules an atlas knows those with a frozen hidden layer; the
    others can be measured.
    task: which task's atlas and lifetimes; without it the one the paper names the rule for, or foraging.
    measure: live the rule and its neighbours now, all at the rule's eta, instead of reading the atlas. Only then do
    threads, done and the settings mean anything, so they are refused without it.
    blame, eligibility: described in words, and lived with where it is measured; no atlas knows such lives.
    threads, done: as in `live`.
    settings: eta, lifetimes (200 of each rule), hidden, seed (1), and those of the world and of the brain.
    Returns words and figures; `str` gives what the command line prints first.
    """
    whole = read_rule(rule, settings.get("eta"))
    measure = check_switch("measure", measure)
    check_measured(measure, **settings, threads=threads, done=done)
    world = make_world(home(whole) if task is None else task)
    if measure:
        study = measurement_of(rule, world, **settings, blame=blame, eligibility=eligibility)
        return carry_out(study, threads=threads, report=Telling(done))
    alone = entries_alone(whole, world.label, world.default_hidden)
    if blame is not None or eligibility is not None:
        weights = check_weights("blame", blame, world), check_weights("eligibility", eligibility, world)
        if any(weights):
            return with_blame(alone, world, *weights)
    return _from_atlas(alone, world)


def with_blame(known: Explanation, world: World, blame: Weights, eligibility: Weights) -> Explanation:
    """An explanation that also says how judgements are weighted."""
    if not (blame or eligibility):
        return known
    counts, reaches = weights_in_words(world, blame, eligibility)
    return replace(known, blame=counts, eligibility=reaches)


def entries_alone(rule: AnyRule, task: str, hidden: Hidden) -> Explanation:
    """What follows from the entries alone, without any figures."""
    neighbours = []
    for other in rule.neighbours():
        layer, place, entry = next(  # a plain rule differs in both layers alike
            (name, place, theirs.padded[place])
            for name, mine, theirs in zip(layer_names(len(rule.layers)), rule.layers, other.layers, strict=True)
            for place in range(WIDE)
            if mine.padded[place] != theirs.padded[place]
        )
        neighbours.append(Neighbour(other, layer if rule.is_layered else None, place, sign(entry)))
    return Explanation(rule, task, in_words(rule), family(rule), hidden, None, tuple(neighbours), None)


def check_measured(measure: bool, **given: object) -> None:
    """Refuse settings that would be ignored, because nothing is measured."""
    for name, value in given.items():
        if value is not None and not measure:
            raise BadInput(f"{name} is only used together with measure; otherwise the figures come from the atlas.")


def home(rule: AnyRule) -> str:
    """The task the paper names the rule, or one of its layers, for, or foraging."""
    tasks = [name.partition(":")[0] for layer in rule.learning for name in layer.paper]
    return next((task for task in tasks if task in WORLDS), "foraging")


def _listed(known: Known | None) -> list[int] | None:
    return None if known is None or known.ranks is None else list(known.ranks)


def _plain(rule: AnyRule) -> Rule:
    """The rule by which an atlas knows it: the output layer's, where the hidden one is frozen."""
    return Rule(rule.layers[-1].entries)


def _known(atlas: Atlas, rule: AnyRule) -> Known:
    row = atlas.row(_plain(rule).index)
    names = ("rank", "eta", "fitness", "sem", "lifetimes", "distinct_hidden", "kinds_of_hidden")
    first, last = row["rank_interval"]
    return Known(ranks=(first, last), **{name: row[name] for name in names})


def _from_atlas(alone: Explanation, world: World) -> Explanation:
    """An explanation with the figures of the atlas at hand, each rule at its own best eta; without any where there is
    no atlas of the world, or none of rules of this kind."""
    whole, atlas = alone.rule, None
    if _plain(whole).index is not None and len(whole.layers) == LAYERS:
        if whole.frozen_hidden:
            atlas = shipped(world.name, "output")
        elif not whole.is_layered and (found := at_hand(world)) is not None:
            atlas = found.atlas
    if atlas is None:
        return alone
    mine, neighbours = _known(atlas, whole), []
    for neighbour in alone.neighbours:
        known = _known(atlas, neighbour.rule)
        error = (known.sem**2 + mine.sem**2) ** 0.5
        neighbours.append(
            replace(neighbour, known=known, difference=known.fitness - mine.fitness, difference_sem=error)
        )
    rule, ages = _plain(whole), ages_of(atlas)
    return replace(
        alone,
        known=mine,
        neighbours=tuple(neighbours),
        worth=tuple(float(value) for value in entry_values(atlas, rule)),
        age=None if ages is None else ages.of(rule.index),
        hidden=atlas.about["hidden"],
        source="atlas",
    )


def rank_words(rank: int, ranks: tuple[int, int] | None = None) -> str:
    """Such as `rank 10 of 6,561 (between 9 and 14)`: the ranks that 95 % confidence leaves open."""
    open_ranks = "" if ranks is None or ranks[0] == ranks[1] else f" (between {ranks[0]:,} and {ranks[1]:,})"
    return f"rank {rank:,} of {RULES:,}{open_ranks}"


# A rule and its neighbours, lived now: what `explain --measure` asks for.

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
        """Live the rule and its neighbours, all on the same lifetimes, in one go."""
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
    rule: RuleLike, task: World, *, eta: float | None = None, lifetimes: int | None = None, **life: Any
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
