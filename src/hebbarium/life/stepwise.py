"""Brains led by hand, one step at a time: for worlds that are not compiled. The same bits as the loop of a life."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from hebbarium.brains.base import (
    Brain,
    Brains,
    Extras,
    bear,
    bear_specially,
    new_brains,
    new_extras,
    weights_of,
    write_rules,
)
from hebbarium.brains.sizes import Hidden
from hebbarium.kernels.compile import Kernel, joined, kernel
from hebbarium.kernels.random import gap_table
from hebbarium.life import loop
from hebbarium.life.dispatch import name_of, network_parts
from hebbarium.life.jobs import Jobs
from hebbarium.rules.layered import RuleLike, read_rule
from hebbarium.tools.errors import BadInput, check_integer, check_seed, shown
from hebbarium.worlds.base import check_random_action


@kernel
def decide(brains, extras, i, mind):
    return loop.decide(None, None, i, 0, brains, extras, mind)


@kernel
def take(brains, extras, i, season, action, random, signal, association, mind):
    loop.take(brains, extras, i, season, action, random, signal, association, mind)


class ByHand:
    """Some brains, of which one at a time acts and then learns what was said of it."""

    def __init__(self, brain: Brain, brains: Brains, extras: Extras | None = None) -> None:
        self._brains, self._extras = brains, extras
        self._mind = loop.new_mind(brains)
        self._decide, self._take = kernels_of(brain, brains.net is not None)
        self.random = False
        """Whether the last action was random."""
        self._action = 0

    def act(self, i: int, bits: np.ndarray) -> int:
        """The action of brain `i`. bits: [input]"""
        self._mind.senses[:-1] = bits
        self._action, self.random = self._decide(self._brains, self._extras, i, self._mind)
        return self._action

    def reinforce(self, i: int, signal: int, season: int = 0, association: int = 0) -> None:
        """What is said of the last action: -1, 0 or 1."""
        self._take(self._brains, self._extras, i, season, self._action, self.random, signal, association, self._mind)


def kernels_of(brain: Brain, general: bool = False) -> tuple[Kernel, Kernel]:
    """`decide` and `take` for one kind of brain. general: whether its network is the general one"""
    return _kernels(brain.ties, (brain.activation, brain.scaling) if general else (brain.arithmetic,))


@functools.cache
def _kernels(ties: str, own: tuple[str, ...]) -> tuple[Kernel, Kernel]:
    parts, name = network_parts(ties, own), name_of(ties, own)
    return joined(decide, parts, name), joined(take, parts, name)


class PlasticAgent:
    """A newborn network that learns by a rule, for a loop of your own.

    It acts on bits and gets a judgement of each action. In our own worlds it lives as under `live`, to the last bit.

    >>> agent = PlasticAgent("00+-/0000@0.04", inputs=2, hidden=20, outputs=2, seed=7, random_action=0)
    >>> for _ in range(50):
    ...     action = agent.act([1, 0])
    ...     agent.reinforce(1 if action == 1 else -1)
    >>> agent.act([1, 0])
    1
    """

    def __init__(
        self,
        rule: RuleLike,
        inputs: int,
        hidden: Hidden,
        outputs: int,
        seed: int = 1,
        trial: int = 0,
        random_action: float = 0.02,
        ties: str = "first",
        arithmetic: str = "plain",
        **settings: Any,
    ) -> None:
        """rule: with its eta, such as `00+-/0000@0.04`. seed, trial: which newborn network, and its random actions.

        random_action: how often an action is random; such a one changes no weight.
        ties, arithmetic, settings: those of `Brain`.
        """
        self.rule = read_rule(rule)
        self.inputs, self.outputs = check_integer("inputs", inputs, 1), check_integer("outputs", outputs, 1)
        self.brain = Brain(hidden=hidden, ties=ties, arithmetic=arithmetic, **settings)  # type: ignore[arg-type]
        self.random_action = check_random_action(random_action)
        self.seed, self.trial = check_seed(seed), check_seed(trial, "trial")
        jobs = Jobs.of([self.rule], [self.seed], [self.trial], self.brain.layers)
        gaps, choices = gap_table(self.random_action), np.arange(self.outputs)
        general = self.brain.is_general or jobs.is_wide
        self._brains = new_brains(1, self.brain, self.inputs, self.outputs, gaps, choices, general=general)
        extras = None
        if general or self.brain.is_special:
            judgements, one = np.zeros((1, 1, self.outputs), np.int16), np.ones((1, 1))
            extras = new_extras(
                self.brain, self.inputs, self.outputs, judgements, one, 0.0 * one, jobs.seed, jobs.trial
            )
        write_rules(self._brains, jobs.entries, jobs.eta)
        bear(self._brains, jobs.seed, jobs.trial)
        bear_specially(self.brain, self._brains)
        self._by_hand = ByHand(self.brain, self._brains, extras)
        self._acted = False

    def act(self, bits: Any) -> int:
        """The action, from 0 on, for what is sensed. bits: 0 or 1 for each input"""
        sensed = np.asarray(bits)
        if sensed.shape != (self.inputs,) or not ((sensed == 0) | (sensed == 1)).all():
            raise BadInput(f"bits are {shown(bits)}, but must be {self.inputs} numbers that are 0 or 1 each.")
        self._acted = True
        return self._by_hand.act(0, sensed)

    def reinforce(self, signal: float) -> None:
        """What is said of the last action, once: -1 punishes, 1 rewards, 0 changes nothing."""
        if np.ndim(signal) or signal not in (-1, 0, 1):
            raise BadInput(f"signal is {shown(signal)}, but must be -1, 0 or 1.")
        if not self._acted:
            raise BadInput("no action is waiting to be reinforced: call act first.")
        self._acted = False
        self._by_hand.reinforce(0, int(signal))

    @property
    def acted_at_random(self) -> bool:
        """Whether the last action was random."""
        return self._by_hand.random

    @property
    def weights(self) -> tuple[np.ndarray, ...]:
        """float64 [post, pre] of each layer, the bias being the last of `pre`; the output layer is the last."""
        return tuple(layer[0].T.copy() for layer in weights_of(self._brains))

    @property
    def hidden_weights(self) -> np.ndarray:
        """float64 [post, pre]: from the inputs and their bias, which is the last, to the hidden neurons."""
        return self._brains.hidden[0].T.copy()

    @property
    def output_weights(self) -> np.ndarray:
        """float64 [post, pre]: from the hidden neurons and their bias to the outputs."""
        return self._brains.output[0].T.copy()
