"""One setting over several values, everything else the same; two at once are a `Grid`."""

from __future__ import annotations

import dataclasses
import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from hebbarium.agents.learner_settings import LEARNING
from hebbarium.agents.registry import LEARNERS, make_agent
from hebbarium.executors.base import Done, Executor
from hebbarium.experiment import WAYS, check_lifetimes, suggesting
from hebbarium.rules.layered import RuleLike, read_rule
from hebbarium.rules.notation import check_eta
from hebbarium.rules.rule import AnyRule
from hebbarium.show.pages import heat_map, table
from hebbarium.show.pages.skeleton import notebook, picture
from hebbarium.studies.choosing_eta import Chosen, rule_to_live_by
from hebbarium.studies.engine import Kernels, Lab, Study, carry_out
from hebbarium.studies.live import BRAIN_SETTINGS, AgentStudy, Lives, LiveStudy, agent_study, experiment_of
from hebbarium.tools.data_frames import data_frame
from hebbarium.tools.errors import BadInput, check_choice, option_name, real_number, shown
from hebbarium.tools.fields import take
from hebbarium.tools.progress import Telling
from hebbarium.tools.statistics import Estimate, estimate_mean
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import make_world

MOST_VALUES = 1000
Value = float | int | str | bool


@dataclass(frozen=True, kw_only=True, repr=False)
class Swept(ABC):
    """What came of one setting over its values, or of two."""

    task: World
    rule: AnyRule | None
    """None for an agent without one."""
    eta_source: str | None = None
    """Where the eta comes from, as in `Lives`; None where it is what varies."""

    @property
    @abstractmethod
    def axes(self) -> dict[str, Sequence[Value]]:
        """The settings that vary, each with its values."""

    @property
    @abstractmethod
    def every(self) -> list[Lives]:
        """What lived at each value or pair of values; the last setting varies fastest."""

    def points(self) -> list[tuple[tuple[Value, ...], Lives]]:
        """Every value or pair of values, and what lived with it."""
        return list(zip(itertools.product(*self.axes.values()), self.every, strict=True))

    def summary(self) -> dict[str, Any]:
        """What `hebbarium sweep --json` prints."""
        names, first, rows = [option_name(name) for name in self.axes], self.every[0], []
        for point, lives in self.points():
            result = lives.summary()
            value = dict(zip(names, point, strict=True)) if len(names) > 1 else point[0]
            rows.append({"value": value, **{name: result[name] for name in ("fitness", "distinct_hidden", "digest")}})
        who = {"agent": first.agent, "rule": None, "eta": None}
        if first.rule is not None:
            who = {"rule": first.rule.notation, "eta": None if "eta" in self.axes else first.rule.eta}
        return {
            "task": self.task.label,
            **who,
            "eta_source": self.eta_source,
            "over": names if len(names) > 1 else names[0],
            "lifetimes": len(first.counts),
            "seed": first.seed,
            "settings": self.same_settings(),
            "values": rows,
        }

    def same_settings(self) -> dict[str, Any]:
        """What differs from the usual life in this world at every value."""
        return {name: value for name, value in self.every[0].changed_settings().items() if name not in self.axes}

    def frame(self) -> Any:
        """A row for each life at each value, or pair of values; polars or pandas, whichever is installed."""
        points, many = self.points(), len(self.every[0].counts)
        axes = {
            name: [point[place] for point, _ in points for _ in range(many)] for place, name in enumerate(self.axes)
        }
        return data_frame({
            **axes,
            "lifetime": np.tile(np.arange(many), len(points)),
            "fitness": np.concatenate([lives.life_fitness for _, lives in points]),
        })  # fmt: skip

    @property
    def title(self) -> str:
        """Who lived, for a notebook."""
        lives = self.every[0]
        who = lives.who if lives.rule is None else f"rule {lives.rule.short_text}"
        return f"{self.task.label}, {who}, {len(lives.counts)} lifetimes each, seed {lives.seed}"

    def __repr__(self) -> str:
        sizes = " x ".join(f"{len(values)} values of {name}" for name, values in self.axes.items())
        return f"{type(self).__name__}({self.task.label}, {self.every[0].short_who}, {sizes})"


@dataclass(frozen=True, kw_only=True, repr=False)
class Sweep(Swept):
    """What `hebbarium sweep` shows of one setting."""

    over: str
    """The setting that varies."""
    values: Sequence[Value]
    lives: Sequence[Lives]
    """For each value."""

    @property
    def axes(self) -> dict[str, Sequence[Value]]:
        return {self.over: self.values}

    @property
    def every(self) -> list[Lives]:
        return list(self.lives)

    def estimates(self) -> list[Estimate]:
        return [estimate_mean(lives.life_fitness) for lives in self.lives]

    def _repr_html_(self) -> str:
        pairs = zip(self.values, self.estimates(), strict=True)
        rows = [(str(value), f"{estimate.value:z.2f}", estimate.interval()) for value, estimate in pairs]
        return notebook(self.title, table((option_name(self.over), "fitness", "95 % interval"), rows))


@dataclass(frozen=True, kw_only=True, repr=False)
class Grid(Swept):
    """What `hebbarium sweep` shows of two settings, every value of one with every value of the other."""

    over: tuple[str, str]
    """The settings that vary."""
    values: tuple[Sequence[Value], Sequence[Value]]
    lives: Sequence[Sequence[Lives]]
    """[first value][second value]"""

    @property
    def axes(self) -> dict[str, Sequence[Value]]:
        return dict(zip(self.over, self.values, strict=True))

    @property
    def every(self) -> list[Lives]:
        return [lives for row in self.lives for lives in row]

    def means(self) -> np.ndarray:
        """float64 [first value, second value]: mean fitness."""
        return np.array([[lives.life_fitness.mean() for lives in row] for row in self.lives])

    def _repr_html_(self) -> str:
        means, (first, second) = self.means(), self.over
        chart = heat_map(
            means,
            title="Mean fitness",
            x_label=option_name(second),
            y_label=option_name(first),
            x_names=[str(value) for value in self.values[1]],
            y_names=[str(value) for value in self.values[0]],
            low=float(means.min()),
            high=float(means.max()),
            show="{:z.1f}",
        )
        return notebook(self.title, picture(chart, "Mean fitness as a heat map"))


@overload
def sweep(task: str | World, rule: RuleLike | None, over: str, values: Sequence[Value], **settings: Any) -> Sweep: ...
@overload
def sweep(task: str | World, rule: RuleLike | None, over: Mapping[str, Sequence[Value]], **settings: Any) -> Grid: ...
@suggesting
def sweep(
    task: str | World,
    rule: RuleLike | None,
    over: str | Mapping[str, Sequence[Value]],
    values: Sequence[Value] = (),
    *,
    threads: Executor | int | None = None,
    done: Done | None = None,
    **settings: Any,
) -> Sweep | Grid:
    """Let agents live under one rule once for each value of a setting, of `hidden` or of `eta`.

    over: a setting, with its `values`; or two settings with theirs, {"hidden": [5, 20], "eta": [0.01, 0.04]}, which
    gives a Grid.
    threads, done: as in `live`.
    settings: what is the same for all values, as in `live`: eta, hidden, lifetimes (100), seed (1), blame, eligibility,
    and those of the brain and of the world.
    agent: among the settings, the name of an agent that lives instead, with None for the rule; a learner's `step_size`,
    `discount` and `told` can be given or vary.
    Returns the lives at each value (see `Sweep`), or at each pair of values (see `Grid`).

    >>> short, long = sweep("foraging", "foraging:1", "season_steps", [100, 5000], lifetimes=8).estimates()
    >>> short.high < long.low
    True
    """
    study = sweep_study(task, rule, listed_over(over, values), **settings)
    return carry_out(study, threads=threads, report=Telling(done))


def listed_over(over: object, values: object = ()) -> dict[str, list[Value]]:
    """Each setting and its values; what is no setting at all is refused later, like any other that does not exist."""
    if not isinstance(over, (str, Mapping)):
        raise BadInput(f"over is {shown(over)}, but must be the name of a setting, or a dict of two and their values.")
    listed: dict[Any, list[Value]] = {}
    pairs: Any = over.items() if isinstance(over, Mapping) else [(over, values)]
    for name, own in pairs:
        try:
            several = None if isinstance(own, (str, bytes, Mapping)) else list(own)
        except TypeError:
            several = None
        if several is None:
            raise BadInput(f"the values of {name} are {shown(own)}, but must be a list, such as [{shown(own)}].")
        listed[name.replace("-", "_") if isinstance(name, str) else name] = several
    return listed


@dataclass(frozen=True)
class SweepStudy(Study["Sweep | Grid"]):
    """A rule or an agent with each value of a setting, or with each pair of values of two."""

    task: World
    chosen: Chosen | None
    """None for an agent."""
    over: Mapping[str, Sequence[Value]]
    lived: Sequence[LiveStudy | AgentStudy]
    """At each point; the last setting varies fastest."""

    kind = "sweep"
    doing = "sweeping"

    @property
    def size(self) -> float:
        return sum(one.size for one in self.lived)

    def kernels(self) -> list[Kernels]:
        return [kernels for one in self.lived for kernels in one.kernels()]

    def reduce(self, lab: Lab) -> Sweep | Grid:
        """Live at each value of the setting, or at each pair of values."""
        lives = [one.reduce(lab) for one in self.lived]
        rule, source = (None, None) if self.chosen is None else (self.chosen.rule, self.chosen.source)
        who: dict[str, Any] = {"task": self.task, "rule": rule, "eta_source": source}
        down, *second = self.over
        across = len(self.over[second[0]]) if second else 1
        values = self.values(down, self.lived[::across])
        if not second:
            return Sweep(over=down, values=values, lives=lives, **who)
        both = values, self.values(second[0], self.lived[:across])
        rows = [lives[start : start + across] for start in range(0, len(lives), across)]
        return Grid(over=(down, second[0]), values=both, lives=rows, **who)

    def values(self, name: str, lived: Sequence[LiveStudy | AgentStudy]) -> list[Value]:
        """The values of a setting as plain numbers and words. lived: one for each of them."""
        if name == "eta":
            return [check_eta(given) for given in self.over[name]]
        found: list[Value] = []
        for one in lived:
            holders = (one.experiment.brain, one.world) if isinstance(one, LiveStudy) else (one.agent, one, one.world)
            found.append(getattr(next(part for part in holders if hasattr(part, name)), name))
        return found


def names_of(task: World, agent: str | None = None) -> tuple[str, ...]:
    """The settings that can be swept."""
    of_world = tuple(field.name for field in dataclasses.fields(task))
    if agent is None:
        return ("eta", "hidden", *of_world, *BRAIN_SETTINGS)
    own = LEARNING if agent in LEARNERS else ("hidden",) if make_agent(agent).network else ()
    return (*own, *of_world)


def _given_beside(over: str) -> BadInput:
    return BadInput(f"{option_name(over)} is what varies, so it cannot be given a value as well; leave it out.")


def sweep_study(
    task: str | World,
    rule: RuleLike | None,
    over: Mapping[str, Sequence[Value]],
    *,
    agent: str | None = None,
    eta: float | None = None,
    **settings: Any,
) -> SweepStudy:
    """The study of one setting or two; see `sweep` for the arguments. What makes no sense or would not fit in memory is
    refused at once."""
    if not 1 <= len(over) <= 2:
        raise BadInput(f"over has {len(over)} settings, but a sweep takes one or two.")
    given = {"eta": eta, **settings}
    if agent is None and rule is None:
        raise BadInput("rule is missing: give one such as foraging:1, or 00+-/0000 with an eta; or an agent.")
    if agent is None and any(given.get(name) is not None for name in LEARNING):
        agents = " and ".join(LEARNERS)
        raise BadInput(f"step-size, discount and told are for the agents {agents}: choose one of them.")
    if agent is not None and rule is not None:
        raise BadInput(f"agent is {shown(agent)}, so there is no rule to live by: leave out the one or the other.")
    for name in ("eta", *BRAIN_SETTINGS, "blame", "eligibility"):
        if agent is not None and given.get(name):
            raise BadInput(f"{option_name(name)} is for rules, not for the {agent} agent: leave it out.")
    usual = take(settings, (*WAYS, *LEARNING, "lifetimes", "seed"))
    world = make_world(task, **settings)
    check_over(world, over, given, agent)
    if "eta" in over and isinstance(rule, str) and "@" in rule:
        raise _given_beside("eta")
    chosen = None
    if rule is not None:
        chosen = Chosen(read_rule(rule), None) if "eta" in over else rule_to_live_by(world, rule, eta)
    lived: list[LiveStudy | AgentStudy] = []
    points = list(itertools.product(*over.values()))
    for values in points:
        here: dict[str, Any] = usual | dict(zip(over, values, strict=True))
        if chosen is None:
            asked = {name: value for name, value in here.items() if value is not None}
            lived.append(agent_study(world, str(agent), **asked))
            continue
        own = Chosen(chosen.rule.with_eta(check_eta(here.pop("eta"))), None) if "eta" in here else chosen
        lived.append(LiveStudy(experiment_of(world, own, **here)))
    for one in lived:
        check_lifetimes(one.world, one.lifetimes, len(points))
    return SweepStudy(world, chosen, over, lived)


def check_over(
    task: World, over: Mapping[str, Sequence[Value]], given: Mapping[str, Any], agent: str | None = None
) -> None:
    """Refuse settings that do not exist, have no values or are given beside."""
    for name, values in over.items():
        check_choice("over", name, names_of(task, agent))
        if given.get(name) is not None or name in task.changed_settings():
            raise _given_beside(name)
        if not len(values):
            raise BadInput(f"there are no values of {option_name(name)} to sweep over: give at least one.")


def read_overs(texts: Sequence[str], task: World, agent: str | None = None) -> dict[str, list[Value]]:
    """What `--over` was given, once for each setting."""
    settings = dict(read_over(text, task, agent) for text in texts)
    if len(settings) < len(texts):
        raise BadInput(f"--over has {option_name(next(iter(settings)))} twice; name two different settings.")
    return settings


def read_over(text: str, task: World, agent: str | None = None) -> tuple[str, list[Value]]:
    """`hidden=5:50:5`, `season-steps=500:20000:log` or `eta=0.01,0.02,0.04`: a setting's name and its values.

    >>> read_over("hidden=5:20:5", make_world("foraging"))
    ('hidden', [5, 10, 15, 20])
    """
    name, equals, values = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not values:
        raise BadInput(f"over is {shown(text)}, but must name a setting and its values, such as hidden=5:50:5.")
    check_choice("over", option_name(name), tuple(map(option_name, names_of(task, agent))))
    read = _read_range(values) if ":" in values else [_read_value(word) for word in values.split(",")]
    if len(read) > MOST_VALUES:
        raise BadInput(f"over has {len(read)} values, but at most {MOST_VALUES} are allowed.")
    return name, read


def _read_range(text: str) -> list[Value]:
    """start:stop:step, the stop included; start:stop:log, which are 1, 2 and 5 times powers of ten, and both ends.

    >>> _read_range("500:20000:log"), _read_range("0.01:0.1:log")
    ([500, 1000, 2000, 5000, 10000, 20000], [0.01, 0.02, 0.05, 0.1])
    """
    parts = [_read_value(part) for part in text.split(":")]
    numbers: list[Any] = [part for part in parts if (number := real_number(part)) is not None and math.isfinite(number)]
    if parts[2:] == ["log"] and len(numbers) == 2 and 0 < numbers[0] < numbers[1]:
        start, stop = numbers
        powers = range(math.floor(math.log10(start)), math.ceil(math.log10(stop)))
        between = [type(start)(float(f"{factor}e{power}")) for power in powers for factor in (1, 2, 5)]
        return [start, *(mark for mark in between if start < mark < stop), stop]
    if len(numbers) != 3 or len(parts) != 3 or numbers[2] <= 0 or numbers[1] < numbers[0]:
        raise BadInput(
            f"range {shown(text)} must be start:stop:step with a step above zero, such as 5:50:5, or start:stop:log."
        )
    start, stop, step = numbers
    steps = (float(stop) - float(start)) / float(step) + 1e-9
    if steps >= MOST_VALUES:
        raise BadInput(f"range {shown(text)} has too many values: at most {MOST_VALUES} are allowed.")
    whole = all(isinstance(number, int) for number in numbers)
    return [start + place * step if whole else round(start + place * step, 12) for place in range(int(steps) + 1)]


def _read_value(word: str) -> Value:
    """A whole number, a number, yes or no, or a word."""
    word = word.strip()
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return {"true": True, "yes": True, "false": False, "no": False}.get(word.lower(), word)
