"""What lives, and how: records that are checked once and handed down."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from hebbarium.agents.learner_settings import LEARNING
from hebbarium.brains.base import Brain
from hebbarium.brains.network_files import Networks
from hebbarium.brains.sizes import plain_hidden
from hebbarium.executors.memory import check_fits, check_hidden, room
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.rules.rule import AnyRule
from hebbarium.rules.words import blame_in_words, eligibility_in_words
from hebbarium.tools.errors import (
    BadInput,
    check_choice,
    check_integer,
    check_number,
    check_seed,
    check_switch,
    nearest_word,
    plain,
    shown,
)
from hebbarium.worlds.base import UnknownSetting, World
from hebbarium.worlds.checking import check_names

WAYS = (*(one.name for one in dataclasses.fields(Brain)), "blame", "eligibility")
"""How a brain lives, whatever the rule: what every verb takes beside the world's own settings."""
Function = TypeVar("Function", bound=Callable[..., Any])
STRONGEST = 1000.0
"""The largest blame and eligibility, either way."""
Weights = Mapping[str, float]
"""By group of judgements, or by the id of an association, which goes before its group."""


@dataclass(frozen=True, kw_only=True)
class Ways:
    """How networks live, whatever their rule. Instances are checked and immutable."""

    world: World
    brain: Brain
    blame: Weights = field(default_factory=dict)
    """How much each group of judgements, or an association by its id, changes the weights, such as
    open-turn=0.05,wall-turn=-0.06,3=0.05; 1 where not given."""
    eligibility: Weights = field(default_factory=dict)
    """How much the previous step takes part in a change: one number, or by group of judgements, such as missed=0.5; 0
    where not given."""

    def __post_init__(self) -> None:
        for name in ("blame", "eligibility"):
            object.__setattr__(self, name, check_weights(name, getattr(self, name), self.world))
        if self.needs_plain and self.brain.arithmetic != "plain":
            if self.world.arithmetic == "plain":  # so another was asked for
                check_arithmetic(self.brain.arithmetic, True)
            object.__setattr__(self, "brain", dataclasses.replace(self.brain, arithmetic="plain"))
        check_traces(self.brain, self.eligibility)
        check_hidden(self.world, self.brain.hidden, recurrent=self.brain.recurrent)

    @property
    def blamed(self) -> bool:
        """Whether judgements have weights of their own, or reach back."""
        return bool(self.blame or self.eligibility)

    @property
    def needs_plain(self) -> bool:
        """Whether these lives need the plain arithmetic."""
        return self.blamed

    @property
    def hidden(self) -> Any:
        """Hidden neurons as JSON has them: a number, or a list where there are several layers."""
        return plain_hidden(self.brain.hidden)

    def widened(self) -> dict[str, Any]:
        """How these lives differ from the usual ones of the world, by name; the hidden neurons apart."""
        brain = self.brain.changed_settings(self.world)
        if self.needs_plain:
            brain.pop("arithmetic", None)
        return {name: dict(getattr(self, name)) for name in ("blame", "eligibility") if getattr(self, name)} | brain

    def weighted(self, jobs: Jobs) -> Jobs:
        """The same lives, with the blame and eligibility of each judgement."""
        if not self.blamed:
            return jobs
        weights = ((self.blame, 1.0), (self.eligibility, 0.0))
        return jobs.with_blame(*(rows_by_judgement(self.world, [own], usual)[0] for own, usual in weights))


def ways_of(
    world: World,
    special: bool = False,
    *,
    blame: Weights | str | None = None,
    eligibility: Weights | str | None = None,
    **brain: Any,
) -> dict[str, Any]:
    """The fields of `Ways`, from what a user gave.

    special: whether the rules need the plain arithmetic anyway. brain: its settings, `hidden` among them."""
    weights = {"blame": blame, "eligibility": eligibility}
    checked = {name: check_weights(name, given, world) for name, given in weights.items()}
    check_arithmetic(brain.get("arithmetic"), special or any(checked.values()))
    return {"world": world, "brain": Brain.of(world, **brain), **checked}


@dataclass(frozen=True, kw_only=True)
class Experiment(Ways):
    """Lives of networks under one rule. Instances are checked and immutable."""

    rule: AnyRule
    """With its eta; anything where the lives are frozen."""
    lifetimes: int = 100
    """Number of lifetimes."""
    seed: int = 1
    """Random seed: the same seed gives the same newborn brains and the same worlds, whatever the rule."""
    frozen: bool = False
    """Live without plasticity: the weights never change."""
    networks: Networks | None = field(default=None, repr=False)
    """What they begin with instead of newborn networks."""
    eta_source: str | None = None
    """Where the eta comes from: `given`, `paper` (a name's) or `atlas` (the best known there); None where none is
    needed."""

    def __post_init__(self) -> None:
        check_names(self.world, vars(self), WAYS)
        object.__setattr__(self, "lifetimes", check_integer("lifetimes", self.lifetimes, 1))
        object.__setattr__(self, "seed", check_seed(self.seed))
        object.__setattr__(self, "frozen", check_switch("frozen", self.frozen))
        super().__post_init__()
        self.lived_by.for_layers(self.brain.layers)
        check_lifetimes(self.world, self.lifetimes)
        born, world = self.networks, self.world
        if born is None:
            return
        if born.task != world.name:
            raise BadInput(f"the loaded networks have lived {born.task}, but this life is {world.name}.")
        recurrent, own, hears = self.brain.recurrent, born.layers[0].shape[1], born.layers[0].shape[2] - 1
        loaded, needed = (hears - own * recurrent, born.output.shape[1]), (world.all_inputs, world.outputs)
        if loaded != needed and hears - own * (not recurrent) == world.all_inputs:
            what = "not recurrent: leave recurrent out" if recurrent else "recurrent: add --recurrent"
            raise BadInput(f"the loaded networks are {what}.")
        if loaded != needed:
            raise BadInput(
                f"the loaded networks have {loaded[0]} inputs and {loaded[1]} outputs, "
                f"but {world.label} as it is set needs {needed[0]} and {needed[1]}."
            )
        asked = {"hidden": (self.brain.hidden, born.neurons), "lifetimes": (self.lifetimes, len(born))}
        for name, (own_number, has) in asked.items():
            if own_number != has:
                raise BadInput(
                    f"{name} is {shown(own_number)}, but the loaded networks have {has}; leave it out to use those."
                )

    @property
    def needs_plain(self) -> bool:
        return self.blamed or self.lived_by.is_wide

    @property
    def lived_by(self) -> AnyRule:
        return FROZEN if self.frozen else self.rule

    def jobs(self, first_trial: int = 0) -> Jobs:
        return self.weighted(Jobs.of_rule(self.lived_by, self.lifetimes, self.seed, first_trial, self.brain.layers))

    def changed_settings(self) -> dict[str, Any]:
        """What differs from the usual life in this world: settings of the world, the brain and the learning."""
        learning = {name: dict(getattr(self, name)) for name in ("blame", "eligibility") if getattr(self, name)}
        return {**self.world.changed_settings(), **self.brain.changed_settings(self.world), **learning}


def suggesting(function: Function) -> Function:
    """For a function whose further arguments are settings: one that there is not is refused with the nearest of all
    its arguments, not only of the world's settings."""

    @functools.wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except UnknownSetting as error:
            shared = ("eta", "lifetimes", "seed", "threads", "done", *WAYS, *LEARNING)
            nearest = nearest_word(error.setting, [*inspect.signature(function).parameters, *shared])
            if nearest is None or error.nearest:
                raise
            sentence = f"{function.__name__} has no argument {error.setting!r}; did you mean {nearest!r}?"
            raise UnknownSetting(sentence, error.setting) from None

    return called  # type: ignore[return-value]


def check_arithmetic(asked: str | None, blamed: bool) -> None:
    """Refuse an arithmetic that was asked for, but cannot blame or learn from neutral steps. asked: None where it is
    the world's usual one, which gives way."""
    if blamed and asked not in (None, "plain"):
        raise BadInput(f"arithmetic is {shown(asked)}, but blame, eligibility and neutral entries need the plain one.")


def check_traces(brain: Brain, eligibility: Weights, gene: bool = False) -> None:
    """Traces reach back, too: beside them eligibility would count the step before twice. gene: whether each rule has a
    trace of its own"""
    if brain.trace and gene:
        raise BadInput(f"trace is {plain(brain.trace)} and a gene as well; give one of them.")
    if (brain.trace or gene) and eligibility:
        trace = "a gene" if gene else plain(brain.trace)
        raise BadInput(f"trace is {trace} and there is eligibility, too; give one of them.")


def check_lifetimes(world: World, lifetimes: int, times: int = 1) -> None:
    """Refuse what would not fit in memory. times: how often the lifetimes are lived."""
    # Counts, fitness and the copies that statistics make, and the description of each life.
    check_fits("lifetimes", lifetimes, room() / (8 * world.seasons * (2 * len(world.counts) + 4) + 200) / times)


def check_weights(name: str, weights: Weights | str | None, world: World) -> dict[str, float]:
    """By the name of a group, or by the id of an association; also as they are typed."""
    if weights is None or isinstance(weights, str):
        weights = read_weights(name, weights, world.group_names if name == "eligibility" else ())
    if not isinstance(weights, Mapping):
        raise BadInput(f"{name} is {shown(weights)}, but must be a dict of numbers by group, such as {{'1': 0.5}}.")
    ids, checked = [row.id for row in world.associations], {}
    for group, weight in zip(map(str, weights), weights.values(), strict=True):
        if group not in map(str, ids) and group not in world.groups:
            if group.isascii() and group.isdigit() and len(group) < 10:
                nearest = min(ids, key=lambda number: abs(number - int(group)))
                raise BadInput(
                    f"{name} is of association {group}, which {world.label} does not have; the nearest is {nearest}."
                )
            check_choice(name, group, world.groups or tuple(map(str, ids)))
        checked[group] = check_number(f"{name} of {group}", weight, -STRONGEST, STRONGEST)
    return checked


def read_weights(name: str, text: str | None, groups: Sequence[str] = ()) -> dict[str, float]:
    """`missed=0.5,wrong=1`, or, for all of some groups, one number; groups named beside it have their own."""
    if not text:
        return {}
    read: dict[str | None, float] = {}
    for part in text.split(","):
        before, equals, number = part.partition("=")
        group = before.strip() if equals else None
        try:
            weight = float(number if equals else part)
        except ValueError:
            raise BadInput(f"{name} has {part!r}, but must be a group and a number, such as missed=0.5.") from None
        if group is None and not groups:
            raise BadInput(f"{name} has {part!r}, but must name a group, such as missed={part}.")
        if group in read:
            twice = "two numbers for all groups" if group is None else f"{group} twice"
            raise BadInput(f"{name} is {text!r}, which has {twice}: give one of them.")
        read[group] = weight
    for_all = dict.fromkeys(groups, read[None]) if None in read else {}
    return for_all | {group: weight for group, weight in read.items() if group is not None}


def rows_by_judgement(world: World, rows: Sequence[Weights], usual: float) -> np.ndarray:
    """float64 [row, judgement]: the weight of the association's id, or else of its group, or else the usual one."""
    judgements = world.judgements
    found = [[weights.get(number, weights.get(group, usual)) for number, group in judgements] for weights in rows]
    return np.array(found, np.float64)


def weights_in_words(world: World, blame: Weights, eligibility: Weights) -> tuple[str, str]:
    """How much each judgement counts, and how far back judgements reach."""
    rows = {str(row.id): f"`{row.sensor}: {row.behaviour}` (association {row.id})" for row in world.associations}
    words = {**world.group_words, **{name: rows[name] for name in (*blame, *eligibility) if name in rows}}
    return blame_in_words(blame, words), eligibility_in_words(eligibility, words)
