"""What a page may ask for, read as data: nothing of it is ever run, and no name in it opens a file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hebbarium.agents.registry import make_agent
from hebbarium.brains.base import Brain
from hebbarium.brains.scalings import check_loaded
from hebbarium.brains.sizes import Hidden, check_hidden_layers, sizes_of
from hebbarium.experiment import Experiment
from hebbarium.studies.live import BRAIN_SETTINGS, experiment_of
from hebbarium.tools.errors import (
    LARGEST,
    BadInput,
    check_choice,
    check_integer,
    check_seed,
    plain,
    shown,
    shown_setting,
)
from hebbarium.worlds.base import World, check_settings

MOST_BRAINS, MOST_HIDDEN = 16, 200
"""More would not be seen on a page."""
MOST_AHEAD = 10_000_000
"""Steps that may be lived before the first picture."""
MOST_WORK = 500_000_000
"""The same times the neurons of all brains: about a minute's work in the slowest worlds."""
LEARNED = {"t-maze": "00+-/0000@0.04", "association": "0++-/0000@0.0065"}
"""The best rules of worlds without an atlas (docs/findings.md, docs/worlds.md)."""
CLIMBERS = ("hill-climbing", "unscaled-climbing")
INERT = "0000/0000@0"
MOST_CHANGES = 100
"""Of its rule or season that a link can repeat."""
_WHOLE = ("seed", "trial", "brains", "stop", "at")
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(frozen=True, kw_only=True)
class Wish:
    """A life to watch: what the address of a page says. Instances are checked."""

    task: str = "foraging"
    rule: str | None = None
    """Without one, a good one of the task."""
    agent: str | None = None
    """A climber of hills: the networks that it ends its seasons with live instead of newborn ones, and do not learn."""
    hidden: Hidden | None = None
    seed: int = 1
    trial: int = 0
    brains: int = 1
    """How many live side by side: trials `trial`, `trial` + 1, ... of the seed."""
    stop: int = 0
    """Pause after so many seasons; 0 for never."""
    then: str = ""
    """Changes made while it lived, each with its step: `1200:00+-/0000@0.04;3000:winter`."""
    at: int = 0
    """Steps that are lived before the first picture."""
    blame: Mapping[str, float] = field(default_factory=dict)
    eligibility: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    """Of the world and of the brain, as they are typed."""

    def __post_init__(self) -> None:
        for name in ("task", "rule", "agent", "then"):
            if not isinstance(getattr(self, name), str | None):
                raise BadInput(f"{name} is {shown(getattr(self, name))}, but must be text.")
        for name in ("blame", "eligibility", "settings"):
            if not isinstance(getattr(self, name), Mapping):
                raise BadInput(f"{name} is {shown(getattr(self, name))}, but must be names with values.")
        if self.hidden is not None:
            layers = check_hidden_layers(self.hidden)
            object.__setattr__(self, "hidden", layers)
            check_integer("hidden", sum(sizes_of(layers)), 0, MOST_HIDDEN)
        if self.agent is not None:
            check_choice("agent", self.agent, CLIMBERS)
        if self.agent is not None and self.rule is not None:
            raise BadInput(f"agent {self.agent} has no rule; leave out one of the two.")
        check_seed(self.seed)
        check_integer("trial", self.trial, 0, LARGEST - MOST_BRAINS)
        check_integer("brains", self.brains, 1, MOST_BRAINS)
        check_integer("stop", self.stop, 0)
        check_integer("at", self.at, 0, MOST_AHEAD)
        self.changes()

    def changes(self) -> list[tuple[int, str]]:
        """What `then` says: a step, and the rule or season from there on."""
        parts = [part.partition(":") for part in self.then.split(";") if part]
        if len(parts) > MOST_CHANGES:
            raise BadInput(f"then has {len(parts)} changes, but at most {MOST_CHANGES} are possible.")
        for step, _, what in parts:
            if not (step.isascii() and step.isdigit() and len(step) < 16 and what):
                raise BadInput(
                    f"then is {shown(self.then)}, but must be steps with rules or seasons, such as "
                    "1200:00+-/0000@0.04;3000:winter."
                )
        changes = [(int(step), what) for step, _, what in parts]
        if changes != sorted(changes, key=lambda change: change[0]):
            raise BadInput("the steps of then must not go down.")
        return changes

    @classmethod
    def of(cls, asked: Mapping[str, Any]) -> Wish:
        """From plain names and values; a name that is none of ours is a setting of the world or the brain."""
        own = [field.name for field in dataclasses.fields(cls) if field.name != "settings"]
        values = {name: asked[name] for name in own if asked.get(name) not in (None, "")}
        for name in _WHOLE:
            if name in values:
                values[name] = _number(values[name], 0)
        settings = {name: value for name, value in asked.items() if name not in own}
        check_loaded(settings.get("scaling"))
        return cls(**values, settings=settings)

    def experiment(self, worlds: Mapping[str, World]) -> Experiment:
        """What lives, checked like that of any verb. worlds: those that may be asked for, by name."""
        check_choice("task", self.task, tuple(worlds))
        world = worlds[self.task]
        # Any other name would be an argument of ours, and some of those open files.
        check_settings(type(world), [name for name in self.settings if name not in BRAIN_SETTINGS])
        usual = vars(world) | vars(Brain.of(world))
        experiment = experiment_of(
            world,
            INERT if self.agent else self.rule or usual_rule(world),
            hidden=self.hidden,
            lifetimes=self.brains,
            seed=self.seed,
            blame=self.blame,
            eligibility=self.eligibility,
            **{name: _typed(value, usual.get(name)) for name, value in self.settings.items()},
        )
        hidden = experiment.brain.neurons
        if self.at > (most := self.furthest(hidden)):
            brains = "one brain" if self.brains == 1 else f"{self.brains} brains"
            raise BadInput(
                f"at is {self.at}, but {brains} of {hidden} hidden neurons can go at most {most:,} steps ahead; "
                f"the nearest is {most}."
            )
        if self.agent and (changed := experiment.brain.changed_settings(experiment.world)):
            raise BadInput(f"agent {self.agent} climbs with the usual network; leave out {', '.join(sorted(changed))}.")
        if self.agent and make_agent(self.agent).tries * experiment.world.steps * self.brains * hidden > MOST_WORK:
            raise BadInput(
                f"agent {self.agent} would try too many networks for a page; choose fewer seasons, steps, brains or "
                "hidden neurons."
            )
        return experiment

    def furthest(self, hidden: int) -> int:
        """How many steps so many hidden neurons in each brain may live before the first picture."""
        return min(MOST_AHEAD, MOST_WORK // (self.brains * max(hidden, 1)))

    def address(self) -> dict[str, str]:
        """Names and values as the page's address has them; what is not given is left out."""
        values: dict[str, Any] = {name: getattr(self, name) for name in ("task", "rule", "agent", "seed", "hidden")}
        values |= {name: getattr(self, name) or None for name in ("trial", "stop", "then", "at")}
        values["brains"] = None if self.brains == 1 else self.brains
        for name in ("blame", "eligibility"):
            weights = getattr(self, name).items()
            values[name] = ",".join(f"{group}:{plain(number)}" for group, number in weights) or None
        return as_typed(values | dict(self.settings))


def usual_rule(world: World) -> str:
    """The best rule known for the world, of those that all layers share; for one that nothing is known of, one that
    learns elsewhere."""
    from hebbarium.studies.atlas.finished_atlas import at_hand

    found = at_hand(world)
    if found is None:
        return LEARNED.get(world.name, "00+-/0000@0.03")
    return "{rule}@{eta:.4g}".format(**found.atlas.top(1)[0])


def as_typed(values: Mapping[str, Any]) -> dict[str, str]:
    """Each value as text that a page shows and sends back; None is left out."""
    return {
        name: str(value).lower() if isinstance(value, bool) else shown_setting(value)
        for name, value in values.items()
        if value is not None
    }


def _typed(value: Any, usual: Any) -> Any:
    """Text becomes what the setting usually is; what cannot is left for the setting's own check to refuse."""
    if not isinstance(value, str):
        return value
    if isinstance(usual, bool):
        return _WORDS.get(value.lower(), value)
    return _number(value, usual) if isinstance(usual, (int, float)) else value


def _number(value: Any, usual: float) -> Any:
    if not isinstance(value, str) or len(value) > 40:
        return value
    try:
        return type(usual)(value)
    except ValueError:
        return value
