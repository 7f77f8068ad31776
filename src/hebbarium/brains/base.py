"""What a network is, how it is born, and what kinds there are.

A layer's weights are stored [pre, post], the bias being the last pre-synaptic neuron. The paper's three equations,
activate, change and scale, stand in `plain.py`; `tallied.py` has an arithmetic of its own for many inputs. `lanes.py`,
`sparse.py` and `readout.py` compute the same bits faster.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from hebbarium.brains.plain import scale
from hebbarium.kernels.compile import creating, inlined, kernel
from hebbarium.kernels.random import BRAIN, GapTable, draw_gap, draw_unit, mix, open_stream
from hebbarium.tools.errors import BadInput, check_choice, check_integer, check_number, check_switch

if TYPE_CHECKING:
    from hebbarium.worlds.base import World

_NOISE = np.uint64(0x4015E)
HIDDEN, OUTPUT = range(2)
"""The layers."""
TIES, ARITHMETICS = ("first", "random"), ("plain", "tallied")
BIASES = ("plastic", "unscaled", "unchanged", "fixed", "none")
Bias = Literal["plastic", "unscaled", "unchanged", "fixed", "none"]


@dataclass(frozen=True, kw_only=True)
class Brain:
    """What kind of network lives. Instances are checked, immutable and comparable."""

    hidden: int
    """Hidden neurons."""
    ties: Literal["first", "random"] = "first"
    """Which of several outputs with the largest sum acts: the first, or a random one."""
    arithmetic: Literal["plain", "tallied"] = "plain"
    """How weights are scaled: 'plain', each time from their sum of squares, or 'tallied', by running sums."""
    hidden_bias: Bias = "plastic"
    """The hidden neurons' bias: 'plastic' like every weight, 'unscaled' (left out when weights are scaled), 'unchanged'
    (left out when they change), 'fixed' (both), or 'none' (there is no bias)."""
    output_bias: Bias = "plastic"
    """The outputs' bias, likewise."""
    weight_noise: float = 0.0
    """Standard deviation of noise that each weight of a layer gets whenever the layer changes."""
    born_alike: bool = False
    """Whether all hidden neurons are born with the weights of the first."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", check_integer("hidden", self.hidden, 1))
        check_choice("ties", self.ties, TIES)
        check_choice("arithmetic", self.arithmetic, ARITHMETICS)
        check_choice("hidden_bias", self.hidden_bias, BIASES)
        check_choice("output_bias", self.output_bias, BIASES)
        object.__setattr__(self, "weight_noise", check_number("weight_noise", self.weight_noise, 0, 10))
        object.__setattr__(self, "born_alike", check_switch("born_alike", self.born_alike))
        if self.arithmetic == "tallied" and self.is_special:
            raise BadInput("the tallied arithmetic has no such biases and no noise; choose arithmetic plain for them.")

    @classmethod
    def of(cls, world: World, hidden: int | None = None, **settings: Any) -> Brain:
        """The usual brain of a world, with any of its settings as asked for. What the tallied arithmetic cannot do is
        done in the plain one."""
        usual: dict[str, Any] = {"ties": world.ties, "arithmetic": world.arithmetic}
        given = {name: value for name, value in settings.items() if value is not None}
        hidden = world.default_hidden if hidden is None else hidden
        plain = cls(hidden=hidden, **{**usual, "arithmetic": "plain", **given})
        if plain.is_special or "arithmetic" in given:
            return plain
        return dataclasses.replace(plain, arithmetic=world.arithmetic)

    @property
    def is_special(self) -> bool:
        """Whether it differs from the paper's in how its weights change."""
        return self.hidden_bias != "plastic" or self.output_bias != "plastic" or self.weight_noise > 0

    def changed_settings(self, world: World) -> dict[str, Any]:
        """What differs from the usual brain of a world, the number of neurons apart."""
        usual = Brain.of(world, self.hidden)
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != getattr(usual, field.name)
        }


class Brains(NamedTuple):
    """What learns: one row per lifetime."""

    hidden: np.ndarray
    """float64 [lifetime, pre, post]: weights from the inputs and their bias to the hidden neurons."""
    output: np.ndarray
    """float64 [lifetime, pre, post]: weights from the hidden neurons and their bias to the outputs."""
    delta: np.ndarray
    """float64 [lifetime, layer, half, pre active, post active]: eta times the rule's entry; half 0 is punishment."""
    plastic: np.ndarray
    """bool [lifetime, layer, half]: whether that half of the layer's rule has any entry but `0`."""
    stream: np.ndarray
    """uint64 [lifetime, 2]: birth weights, random actions, ties."""
    gap: np.ndarray
    """int64 [lifetime]: steps until the next random action."""
    gaps: GapTable
    """From which the next ones are drawn."""
    choices: np.ndarray
    """int64 [choice]: the actions that a random one is drawn from."""
    only_unseeing: bool
    """Whether actions are random only while nothing is sensed; other steps do not count for the gap."""
    tally: np.ndarray
    """float64 [lifetime, 2, post]: what the tallied arithmetic carries along of the hidden neurons."""
    changes: np.ndarray
    """int64 [lifetime]: how often the weights have changed, counted where something is carried along."""
    punished: np.ndarray
    """int64 [lifetime]: choices that were punished so far; random actions are no choices."""


class Extras(NamedTuple):
    """What only some lives have: blame, eligibility, unusual biases, noise."""

    judgements: np.ndarray
    """int16 [season kind, association, action]: the place of each judgement below."""
    blame: np.ndarray
    """float64 [lifetime, judgement]: what a change is multiplied by."""
    eligibility: np.ndarray
    """float64 [lifetime, judgement]: how much the step before is blamed, too."""
    changed: np.ndarray
    """int64 [layer]: how many pre-synaptic neurons' weights change; all, or all but the bias."""
    scaled: np.ndarray
    """int64 [layer]: how many of them are scaled."""
    noise: float
    """Standard deviation of what is added to each weight of a layer that changes."""
    stream: np.ndarray
    """uint64 [lifetime, 2]: the noise's own."""
    senses: np.ndarray
    """float64 [lifetime, pre]: the step before's."""
    active: np.ndarray
    """float64 [lifetime, pre]: the hidden neurons' activities of the step before."""
    action: np.ndarray
    """int64 [lifetime]: the action of the step before, -1 at birth."""


def new_brains(
    lifetimes: int,
    inputs: int,
    hidden: int,
    outputs: int,
    gaps: GapTable,
    choices: np.ndarray,
    only_unseeing: bool = False,
) -> Brains:
    return Brains(
        hidden=np.zeros((lifetimes, inputs + 1, hidden)),
        output=np.zeros((lifetimes, hidden + 1, outputs)),
        delta=np.zeros((lifetimes, 2, 2, 2, 2)),
        plastic=np.zeros((lifetimes, 2, 2), np.bool_),
        stream=np.zeros((lifetimes, 2), np.uint64),
        gap=np.zeros(lifetimes, np.int64),
        gaps=gaps,
        choices=choices,
        only_unseeing=only_unseeing,
        tally=np.zeros((lifetimes, 2, hidden)),
        changes=np.zeros(lifetimes, np.int64),
        punished=np.zeros(lifetimes, np.int64),
    )


def write_rules(brains: Brains, entries: np.ndarray, eta: np.ndarray) -> None:
    """From now on they live by these rules. entries: int8 [lifetime, layer, 8], eta: float64 [lifetime, layer]"""
    signs = entries.reshape(-1, 2, 2, 2, 2)
    brains.delta[:] = eta[:, :, None, None, None] * signs
    brains.plastic[:] = (signs != 0).any(axis=(3, 4))


@inlined
def half_of(signal):
    """The half of its rule that a brain learns by after this signal; -1 where there is nothing to learn."""
    if signal == 0:
        return -1
    return 0 if signal < 0 else 1


@kernel
def bear(brains, seeds, trials):
    """Random weights in U[-1, 1), scaled to unit length, and the first gap. seeds, trials: uint64 [lifetime]"""
    for i in range(seeds.shape[0]):
        stream = brains.stream[i]
        open_stream(stream, seeds[i], trials[i], BRAIN)
        _bear_layer(brains.hidden[i], stream)
        _bear_layer(brains.output[i], stream)
        brains.gap[i] = draw_gap(stream, brains.gaps)


@creating
def _bear_layer(weights, stream):
    for post in range(weights.shape[1]):
        for pre in range(weights.shape[0]):
            weights[pre, post] = 2.0 * draw_unit(stream) - 1.0
    scale(weights, np.empty(weights.shape[1]), weights.shape[0])


@kernel
def rescale(layers):
    """Every neuron's weights to unit length. layers: float64 [lifetime, pre, post]"""
    for i in range(layers.shape[0]):
        scale(layers[i], np.empty(layers.shape[2]), layers.shape[1])


@kernel
def open_noise(streams, seeds, trials):
    """Random streams for noise in the weights, apart from those of any life."""
    for i in range(seeds.shape[0]):
        open_stream(streams[i], mix(seeds[i] ^ _NOISE), trials[i], BRAIN)
