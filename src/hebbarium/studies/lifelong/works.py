"""Who lives long, and what is lived for it: works so small that an interrupt costs little."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hebbarium.agents.registry import LEARNERS, make_agent
from hebbarium.brains.base import Brain
from hebbarium.executors.base import Done, Executor, Outcome, run
from hebbarium.experiment import Experiment
from hebbarium.life.dispatch import Kind
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.life.observers import Observer
from hebbarium.store.kept_arrays import Arrays, Piece
from hebbarium.studies.choosing_eta import Chosen
from hebbarium.studies.engine import Work
from hebbarium.studies.lifelong.measures import first_seasons
from hebbarium.studies.lifelong.observers import FADING, Fading, Punished, Tests, Windows
from hebbarium.tools.errors import check_choice, option_name
from hebbarium.worlds.base import World

AGENTS = ("perfect", "random", *LEARNERS)
"""Those that live like a rule: hill climbing lives each season a thousand times."""


@dataclass(frozen=True)
class Subject:
    name: str
    world: World
    brain: Brain
    jobs: Jobs = field(repr=False)
    mind: Kind = "network"
    chosen: Chosen | None = None
    """The rule and where its eta comes from; None for an agent."""

    @property
    def short(self) -> str:
        """A short name, for narrow columns: the paper's only where the user gave it, as it stands for an eta."""
        if self.chosen is None:
            return self.name
        rule = self.chosen.rule
        return rule.paper[0] if self.chosen.source == "paper" else self.name.partition(" ")[0]

    @property
    def key(self) -> str:
        """What distinguishes it from the study's other subjects."""
        return self.name if self.chosen is None else self.chosen.rule.text

    def live(
        self,
        executor: Executor | int | None,
        observers: Sequence[Observer] = (),
        done: Done | None = None,
        **changes: Any,
    ) -> Outcome:
        """All its lives. changes: settings of the world that differ here."""
        world = dataclasses.replace(self.world, **changes)
        return run(executor, world, self.brain, self.jobs, observers, kind=self.mind, done=done)


def rule_subject(name: str, chosen: Chosen, usual: Experiment) -> Subject:
    """The usual lives, under a rule."""
    own = dataclasses.replace(usual, rule=chosen.rule, frozen=False)
    return Subject(name, own.world, own.brain, own.jobs(), chosen=chosen)


def newborn(usual: Experiment) -> Subject:
    """The same newborn networks in the same worlds, but frozen."""
    # Of the biases only whether there are any concerns birth; noise and the rest concern changes.
    born: dict[str, Any] = {"weight_noise": 0.0}
    for name in ("hidden_bias", "output_bias"):
        born[name] = "none" if getattr(usual.brain, name) == "none" else "plastic"
    brain = dataclasses.replace(usual.brain, **born)
    frozen = dataclasses.replace(usual, brain=brain, frozen=True, blame={}, eligibility={})
    return Subject("newborn networks", frozen.world, frozen.brain, frozen.jobs())


def agent_subject(name: str, world: World, lifetimes: int, seed: int, **learning: Any) -> Subject:
    """As `hebbarium live --agent` has it: with a network of one neuron that is never asked."""
    check_choice("agent", name, AGENTS)
    agent = make_agent(name, **(learning if name in LEARNERS else {}))
    world, jobs = agent.own(world), Jobs.of_rule(FROZEN, lifetimes, seed)
    own = "".join(f", {option_name(setting)} {value}" for setting, value in agent.settings.items())
    return Subject(f"{name} agent{own}", world, Brain.of(world, 1), jobs, agent.kind)


WINDOW = 250
"""Steps over which a rate is taken."""
TEMPO_LENGTHS = (500, 1000, 2000, 5000, 10_000, 20_000)
"""Steps of a season."""
TEMPO_STEPS = 2 * max(TEMPO_LENGTHS)
"""Of a life, the same for all lengths, so that none is older."""
MILLION = 1e6


def work_of(part: str, subject: Subject, **changes: Any) -> Work:
    """Lives of one subject. part: `life` (the long life, with all that is looked at), `first`, `alone` or `tempo`.
    changes: settings of the world that differ."""
    world = dataclasses.replace(subject.world, **changes)
    lives, seasons, counts = len(subject.jobs), world.seasons, len(world.counts)
    observers: list[Observer] = [] if part == "tempo" else [Windows(WINDOW)]
    windows = (Windows(WINDOW).windows(world),) if observers else ()
    holds: dict[str, Any] = {"counts": ("i", (lives, seasons, *windows, counts))}
    if part == "life":
        observers += [Punished(), Fading(), Tests()]
        holds["punished"] = ("i", (lives, seasons))
        holds["fading"] = ("f", (lives, seasons + 1, len(FADING)))
        holds["tests"] = ("f", (lives, seasons + 1, len(world.kinds)))

    def do(executor: Executor, done: Done) -> Arrays:
        outcome = subject.live(executor, observers, done, **changes)
        seen = {name: array for room in outcome.seen for name, array in room.items()}
        return seen or {"counts": outcome.counts}

    piece = Piece.of(part, {"who": subject.key, "window": WINDOW, **changes}).holding(**holds)
    return Work(piece, do, lives * world.steps / MILLION, world.steps / MILLION)


def first(subject: Subject) -> Work:
    """Until every kind of season was met once; seasons of each life's own are others in a shorter life."""
    if subject.world.own_seasons:
        return work_of("first", subject)
    return work_of("first", subject, seasons=1 + max(first_seasons(subject.world.season_kinds).values()))


def alone(subject: Subject) -> dict[int, Work]:
    """By kind, a life of that season alone, with as many of them as in the long life."""
    world = subject.world
    return {
        kind: work_of("alone", subject, schedule=world.kinds[kind], seasons=world.season_kinds.count(kind))
        for kind in first_seasons(world.season_kinds)
    }


def tempo(subject: Subject) -> dict[int, Work]:
    """Works by the length of a season."""
    return {
        length: work_of("tempo", subject, season_steps=length, seasons=TEMPO_STEPS // length)
        for length in TEMPO_LENGTHS
    }


def works_of(subject: Subject) -> Iterator[Work]:
    yield work_of("life", subject)
    yield from alone(subject).values()
    yield from tempo(subject).values()
