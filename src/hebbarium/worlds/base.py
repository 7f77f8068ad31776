"""What every world is. A world knows nothing of brains: agents sense it, act in it, and get a reinforcement signal.

To write one, in one file, here or anywhere (docs/worlds.md walks through it):

1. a frozen dataclass that derives from `World`: its settings as fields (each becomes an option of the command line,
   its docstring the help), the class variables below, `inputs`, `constants`, `new_state`, `fitness`, `picture`;
2. beside it four functions, marked as `compiled`, on the constants and on row `i` of the state, which is one life:

   - `begin(constants, state, i, stream)`: a fresh world;
   - `sense(constants, state, i, senses)`: write the inputs, 0 or 1 each, to `senses`, uint8 [input];
   - `judge(constants, state, i, season, action, stream)`: the signal for an action, -1, 0 or 1, and the id of the
     association that decided it. It is called right after `sense`, which may leave what it found in the state;
   - `act(constants, state, i, season, action, counts, stream)`: do the action and everything else that happens in a
     step. Add what is to be counted to `counts`, int64 [count].

   `season` is the place of the current season's kind in `kinds`; `stream` is the life's own source of random numbers
   (`kernels/random.py`). Four more are optional: `turn(constants, state, i, season, stream)` when a season begins,
   `choose(constants, state, i, season, stream)`, the perfect agent's action, after `sense`,
   `note(constants, state, i, notes, t)` with a method `new_notes(steps)`, for what a trace keeps beyond the inputs, and
   `coast(constants, state, i, season, action, most, counts)`, in place of `act` where that is faster: take up to `most`
   steps with this action and return how many, 0 to leave it to `act`. All must sense what the first one senses, be
   judged as it is, and draw no random number;
3. one line in `worlds/registry.py`, for a world of the package.

Settings are plain Python: importing a world must stay cheap, for `--help`.
"""

from __future__ import annotations

import dataclasses
import functools
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from hebbarium.kernels.source_hash import module_hash
from hebbarium.kernels.user_errors import OURS, files_of, is_outside, reworded
from hebbarium.tools.errors import (
    BadInput,
    check_choice,
    check_integer,
    check_number,
    check_switch,
    nearest_word,
    option_name,
    plain,
    plain_number,
    printable,
    shown,
)
from hebbarium.worlds.picture import Picture, Thing

RAREST_ACTION = 1e-6
"""The smallest probability of a random action but 0."""
NEEDED, OPTIONAL = ("begin", "sense", "judge", "act"), ("turn", "choose", "note", "coast")
METHODS = ("check", "constants", "new_state", "new_notes", "fitness", "life_fitness", "picture", "group_table")
PROPERTIES = ("actions", "inputs", "input_names", "turns")
"""Of a user's world: their errors are reported with file and line."""
RANDOM = "random"
"""A schedule, or lengths of seasons, that each life draws for itself."""
ADDED = {"added": True}
"""Metadata of a setting that runs of version 0.1 did not have: it is stored only if it is not the default."""


@dataclass(frozen=True)
class Association:
    """One row of a table of behaviours and reinforcement signals."""

    id: int
    sensor: str
    behaviour: str
    signals: tuple[int, ...]
    """In each kind of season."""


@dataclass(frozen=True, kw_only=True)
class World:
    """A world and how long an agent lives in it. Instances are checked, immutable and comparable."""

    name: ClassVar[str]
    actions: ClassVar[tuple[str, ...]]
    """What an agent can do, in the order of a network's outputs."""
    counts: ClassVar[tuple[str, ...]]
    """What is counted in each season, in the order of the counts array."""
    counted: ClassVar[tuple[str, ...]] = ()
    """What an axis with each of the counts says, where that is more than its name."""
    kinds: ClassVar[tuple[str, ...]] = ("summer", "winter")
    """The kinds of seasons."""
    associations: ClassVar[tuple[Association, ...]]
    groups: ClassVar[tuple[str, ...]] = ()
    """Names of groups of judgements that are blamed alike, with a `group_table`; without any, each association is a
    group."""
    group_words: ClassVar[Mapping[str, str]] = {}
    """What each group judges, in words, such as `turning in the open`."""
    default_hidden: ClassVar[int]
    ties: ClassVar[Literal["first", "random"]] = "first"
    """Which of several outputs with the largest sum acts, unless a brain's settings say otherwise."""
    arithmetic: ClassVar[Literal["plain", "tallied"]] = "plain"
    """How a brain computes here, unless its settings say otherwise (`brains/`)."""
    std_over: ClassVar[Literal["seasons", "lifetimes"]] = "seasons"
    """What standard deviations of the fitness are taken over."""
    survey_etas: ClassVar[tuple[float, ...]] = (0.005, 0.0125, 0.03, 0.08, 0.2, 0.5)
    """Where an atlas first looks for each rule's best eta."""
    legend: ClassVar[Sequence[Thing]] = ()
    """What a cell of a picture may hold."""
    meanings: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """What things of the legend mean to the agent, by name, in each kind of season: {"green": ("wanted", "unwanted")}.
    For people who watch; only those that mean something need to be here."""
    agents: ClassVar[tuple[str, ...]] = ()
    """Which agents without a rule can live in it, by name; any, where none is named."""
    perfect_words: ClassVar[str] = ""
    """What the perfect agent does, if there is one."""
    origin: ClassVar[str] = ""
    """Where a world that is not the package's own is found: its file, or `module:Class`. Set automatically."""
    lived_by: ClassVar[str] = "hebbarium.life.batch:Batch"
    """Whose instances live in it: another class for a world whose steps are not compiled."""

    season_steps: int = 5000
    """Steps in a season."""
    seasons: int = 4
    """Seasons in a life."""
    schedule: str = "summer,winter"
    """The order of seasons, repeated as often as needed, such as 'summer,winter' or 'summer'; or 'random', each kind as
    often as the others, in an order of each life's own."""
    season_lengths: Literal["fixed", "random"] = dataclasses.field(default="fixed", metadata=ADDED)
    """How long seasons are: all the same, or random with that mean, drawn for each life."""
    cue: float = dataclasses.field(default=0.0, metadata=ADDED)
    """Add an input for each kind of season that says which it is, right with this probability at each step; 0 for
    none."""
    random_action: float = 0.02
    """Probability that a step's action is random (such a step changes no weight)."""
    random_kind: Literal["any", "turn"] = dataclasses.field(default="any", metadata=ADDED)
    """Which actions a random one is drawn from: any, or only those that turn."""
    random_where: Literal["always", "nothing-sensed"] = dataclasses.field(default="always", metadata=ADDED)
    """When actions may be random: always, or only while nothing is sensed."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if is_outside(cls.__module__):
            cls.origin = f"{cls.__module__}:{cls.__qualname__}"
            module_hash(cls.__module__)  # what is edited from now on is not what was imported
            for name in METHODS:
                if callable(vars(cls).get(name)):
                    setattr(cls, name, _blamed(vars(cls)[name]))
            for name in PROPERTIES:
                if isinstance(vars(cls).get(name), property):
                    setattr(cls, name, property(_blamed(vars(cls)[name].fget)))

    def __reduce_ex__(self, protocol: Any) -> Any:
        """A user's world may have to be loaded first by the process that it is sent to."""
        if not self.origin:
            return super().__reduce_ex__(protocol)
        from hebbarium.worlds.registry import world_of

        return functools.partial(world_of, self.about(), **self.changed_settings()), ()

    def __post_init__(self) -> None:
        self._make_plain()
        check_integer("season_steps", self.season_steps, 1, 10**9)
        check_integer("seasons", self.seasons, 1, 100_000)
        check_random_action(self.random_action)
        check_choice("random_kind", self.random_kind, ("any", "turn"))
        check_choice("random_where", self.random_where, ("always", "nothing-sensed"))
        if self.random_kind == "turn" and not self.turns:
            raise BadInput(f"random-kind is 'turn', but no action of {self.name} turns; the nearest is 'any'.")
        check_choice("season_lengths", self.season_lengths, ("fixed", "random"))
        check_number("cue", self.cue, 0, 1)
        if self.cue and len(self.kinds) < 2:
            raise BadInput(f"cue is {plain(self.cue)}, but {self.name} has one kind of season only: leave it out.")
        if self.cue and self.random_where != "always":
            raise BadInput("with a cue something is always sensed: random-where must be 'always'.")
        seasons = [season.strip() for season in self.schedule.split(",")]
        for season in seasons:
            known = self.kinds if len(seasons) > 1 else (*self.kinds, RANDOM)
            check_choice("schedule", season, known, ", or several seasons with commas between them")
        object.__setattr__(self, "schedule", ",".join(seasons))  # the same life is the same task, spaces or not
        self.check()

    def _make_plain(self) -> None:
        """Turn numpy's numbers into Python's; a number of the wrong kind is left for its own check to refuse."""
        for field in dataclasses.fields(self):
            name, value, usual = field.name, getattr(self, field.name), field.default
            if isinstance(usual, bool):
                value = check_switch(name, value)
            elif isinstance(usual, (int, float)):
                value = plain_number(value, usual)
            elif not isinstance(value, str):
                raise BadInput(f"{option_name(name)} is {shown(value)}, but must be text such as {usual!r}.")
            object.__setattr__(self, name, value)

    def check(self) -> None:
        """Raise BadInput where the world's own settings make no sense."""

    @property
    def inputs(self) -> int:
        """What an agent senses, each 0 or 1."""
        raise NotImplementedError

    @property
    def input_names(self) -> tuple[str, ...]:
        return tuple(str(number) for number in range(1, self.inputs + 1))

    @property
    def all_inputs(self) -> int:
        """With those of the cue, if there is one, which come last."""
        if not isinstance(self.inputs, int):
            from hebbarium.worlds.checking import wrong

            found = "a method without @property" if callable(self.inputs) else repr(self.inputs)
            raise wrong(type(self), "inputs", f"inputs must be a whole number of at least 1, but is {found}.")
        return self.inputs + (len(self.kinds) if self.cue else 0)

    @property
    def all_input_names(self) -> tuple[str, ...]:
        return self.input_names + (tuple(f"cue: {kind}" for kind in self.kinds) if self.cue else ())

    @property
    def outputs(self) -> int:
        return len(self.actions)

    @property
    def turns(self) -> tuple[int, ...]:
        """The actions that turn, where there are such."""
        return ()

    def constants(self) -> Any:
        """What never changes in a life: a NamedTuple of numbers and arrays."""
        raise NotImplementedError

    def new_state(self, lifetimes: int) -> Any:
        """Room for what changes: a NamedTuple of arrays with one row per lifetime."""
        raise NotImplementedError

    def new_notes(self, steps: int) -> Any:
        """Room for what `note` writes: a NamedTuple of arrays with one row per step."""
        return None

    def picture(self, constants: Any, state: Any, i: int) -> Picture:
        """What a person would see of life `i`."""
        raise NotImplementedError

    def group_table(self) -> np.ndarray:
        """int8 [season kind, association id, action]: the place of each judgement's group in `groups`."""
        rows = max(row.id for row in self.associations) + 1
        return np.tile(np.arange(rows, dtype=np.int8)[None, :, None], (len(self.kinds), 1, self.outputs))

    @property
    def group_names(self) -> tuple[str, ...]:
        """By which judgements are blamed: the world's own groups, or the associations' ids."""
        return self.groups or tuple(str(row.id) for row in self.associations)

    @property
    def group_places(self) -> int:
        """What a group table may hold, from 0 on: places in `groups`, or, without any, the associations' ids."""
        return len(self.groups) or max(row.id for row in self.associations) + 1

    @property
    def judgements(self) -> tuple[tuple[str, str], ...]:
        """The association's id and the group of every judgement there is: each may have a weight of its own."""
        pairs = (divmod(int(pair), self.group_places) for pair in np.unique(self._pairs()))
        return tuple((str(number), self.groups[group] if self.groups else str(group)) for number, group in pairs)

    def judgement_table(self) -> np.ndarray:
        """int16 [season kind, association, action]: the place of each in `judgements`."""
        pairs = self._pairs()
        return np.searchsorted(np.unique(pairs), pairs).astype(np.int16)

    def _pairs(self) -> np.ndarray:
        """int64 [season kind, association, action]: association and group as one number."""
        if self.origin:  # before compiled code looks up places in it that are not there
            from hebbarium.worlds.checking import check_groups

            check_groups(self)
        groups = self.group_table().astype(np.int64)
        return np.arange(groups.shape[1])[None, :, None] * self.group_places + groups

    @classmethod
    def kernels(cls) -> dict[str, Callable[..., Any]]:
        """The world's compiled functions, by name: those of the module that defines the class."""
        scope = vars(sys.modules[cls.__module__])
        for name in NEEDED:
            if not callable(scope.get(name)):
                raise BadInput(f"world {cls.name!r} has no function {name}; see the page on worlds in the docs.")
        return {name: scope[name] for name in (*NEEDED, *OPTIONAL) if callable(scope.get(name))}

    @property
    def steps(self) -> int:
        """Steps in a life."""
        return self.season_steps * self.seasons

    @property
    def season_kinds(self) -> tuple[int, ...]:
        """For each season of a life the place of its kind in `kinds`; they come in this order unless it is random."""
        words = self.kinds if self.schedule == RANDOM else self.schedule.split(",")
        cycle = [self.kinds.index(season) for season in words]
        return tuple(cycle[season % len(cycle)] for season in range(self.seasons))

    @property
    def season_names(self) -> tuple[str, ...]:
        """summer1, winter1, summer2, ..."""
        seen: Counter[int] = Counter()
        names = []
        for kind in self.season_kinds:
            seen[kind] += 1
            names.append(f"{self.kinds[kind]}{seen[kind]}")
        return tuple(names)

    def one_season(self, kind: int, steps: int | None = None) -> World:
        """The same world for a single season of one kind, as long as usual or with so many steps."""
        return _one_season(self, kind, steps or self.season_steps)

    @property
    def own_seasons(self) -> bool:
        """Whether each life has seasons of its own (`worlds/seasons.py`)."""
        return RANDOM in (self.schedule, self.season_lengths)

    def fitness(self, counts: np.ndarray) -> np.ndarray:
        """counts: int64 [lifetime, season, count] -> float64 [lifetime, season]."""
        raise NotImplementedError

    def life_fitness(self, counts: np.ndarray) -> np.ndarray:
        """counts: int64 [lifetime, season, count] -> float64 [lifetime], the fitness of each whole life."""
        scores: np.ndarray = self.fitness(counts).mean(axis=1)
        return scores

    def judged(self, signals: Sequence[int], heeded: Sequence[bool] = (True, True)) -> str:
        """What to say where little could be learned from how steps were judged, if anything.

        signals: how many steps were punished, neutral and rewarded. heeded: whether rules have entries for punishment,
        and for reward"""
        return ""

    @property
    def label(self) -> str:
        """What it is called in titles and in the names of folders."""
        return self.name

    @property
    def typed(self) -> str:
        """What stands for it on the command line."""
        return shlex.quote(printable(self.origin or self.name))

    def about(self) -> dict[str, str]:
        """How a run stores which world it lives in: its name and, for a user's world, its place and a hash of its
        source."""
        if not self.origin:
            return {"task": self.name}
        return {"task": self.name, "task_origin": self.origin, "task_sources": module_hash(type(self).__module__) or ""}

    def settings(self) -> dict[str, Any]:
        """Every setting by name, as plain values."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if not field.metadata.get("added") or getattr(self, field.name) != field.default
        }

    def changed_settings(self) -> dict[str, Any]:
        """The settings that differ from the usual."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        }


def _blamed(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a user's world, whose errors become one sentence with file and line. It is given copies that cannot
    be written to: what a `fitness` does to the counts, or a `picture` to the state, would change a result."""

    @functools.wraps(method)
    def blamed(self: World, *arguments: Any, **named: Any) -> Any:
        try:
            return method(self, *map(frozen, arguments), **named)
        except (*OURS, KeyboardInterrupt):
            raise
        except BaseException as error:  # SystemExit as well: the command would end as if all were well
            raise reworded(error, files_of(method.__module__)) from error

    return blamed


def frozen(given: Any) -> Any:
    """A copy that cannot be written to: of an array, or of all in a tuple."""
    if isinstance(given, tuple):
        parts = map(frozen, given)
        return type(given)(*parts) if hasattr(given, "_fields") else tuple(parts)
    if isinstance(given, np.ndarray):
        given = given.copy()
        given.flags.writeable = False
    return given


def check_random_action(probability: object) -> float:
    number = check_number("random_action", probability, 0, 1)
    if 0 < number < RAREST_ACTION:
        # A gap is drawn as so many times 256 steps: beyond this the first draw would outlast any life.
        raise BadInput(
            f"random-action is {plain(number)}, but must be 0 or a number from {RAREST_ACTION:g} to 1; "
            "the nearest is 0."
        )
    return number


class UnknownSetting(BadInput, TypeError):
    """A setting that a world does not have: a TypeError too, as for any argument that a function does not take."""

    def __init__(self, sentence: str, setting: str = "", nearest: str | None = None) -> None:
        """nearest: what the sentence suggests instead, if anything"""
        super().__init__(sentence)
        self.setting, self.nearest = setting, nearest


def check_settings(world: type[World], settings: Sequence[str], task: str | None = None) -> None:
    """Refuse names that are none of the world's settings. task: what the user calls it, if not by its name"""
    known = [field.name for field in dataclasses.fields(world)]
    for name in settings:
        if name not in known:
            nearest = nearest_word(name, known)
            hint = f"; did you mean {nearest!r}?" if nearest else f", only {', '.join(known)}."
            raise UnknownSetting(f"{task or world.name} has no setting {name!r}{hint}", name, nearest)


@functools.lru_cache(maxsize=16)
def _one_season(world: World, kind: int, steps: int) -> World:
    """Made once: tests of frozen networks ask for it again and again, and its settings are checked."""
    own: dict[str, Any] = {"schedule": world.kinds[kind], "season_lengths": "fixed"}
    return dataclasses.replace(world, seasons=1, season_steps=steps, **own)
