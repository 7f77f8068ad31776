"""Who lives long: rules, and agents whose answers are known."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hebbarium.agents.registry import LEARNERS, make_agent
from hebbarium.brains.base import Brain
from hebbarium.executors.base import Done, Executor, Outcome, run
from hebbarium.experiment import Experiment
from hebbarium.life.dispatch import Kind
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.life.observers import Observer
from hebbarium.studies.choosing_eta import Chosen
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
        """What tells it from any other of its study."""
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
    """Lives like the usual ones, under a rule."""
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
