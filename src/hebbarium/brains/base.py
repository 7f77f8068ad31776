"""What a network is, how it is born, and what kinds there are.

A layer's weights are stored [pre, post], the bias being the last pre-synaptic neuron. The paper's three equations,
activate, change and scale, stand in `plain.py`; `tallied.py` has an arithmetic of its own for many inputs. What is in
`fast` computes the same bits faster. `general.py` has all that the paper's network has not: any number of layers,
recurrence, other activations and scalings, traces.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from hebbarium.brains.general import layer_weights, new_net
from hebbarium.brains.plain import scale
from hebbarium.brains.scalings import check_scaling
from hebbarium.brains.sizes import Hidden, check_hidden_layers
from hebbarium.kernels.compile import creating, inlined, kernel
from hebbarium.kernels.random import BRAIN, GapTable, draw_gap, draw_unit, mix, open_stream
from hebbarium.rules.shape import SIGNALS
from hebbarium.tools.errors import BadInput, check_choice, check_number, check_switch, option_name, shown

if TYPE_CHECKING:
    from hebbarium.worlds.base import World

_NOISE = np.uint64(0x4015E)
HIDDEN = 0
"""The layer of weights onto the hidden neurons."""
TIES, ARITHMETICS = ("first", "random"), ("plain", "tallied")
Bias = Literal["plastic", "unscaled", "unchanged", "fixed", "none"]
Activation = Literal["step", "sign", "tanh"]
BIASES, ACTIVATIONS = get_args(Bias), get_args(Activation)


@dataclass(frozen=True, kw_only=True)
class Brain:
    """What kind of network lives. Instances are checked, immutable and comparable."""

    hidden: Hidden
    """Hidden neurons; several numbers, such as 20,10, make as many hidden layers, and 0 makes none."""
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
    """Whether all hidden neurons of a layer are born with the weights of the first."""
    recurrent: bool = False
    """Whether each hidden layer also hears its own last activity, by weights that learn like the others."""
    activation: Activation = "step"
    """What hidden neurons do: 'step' (0 or 1), 'sign' (-1 or 1) or 'tanh', where rules act on graded activities."""
    scaling: str = "unit"
    """What is done to a layer's weights after a change: 'unit' (each neuron's to unit length), 'clip' (each weight to
    [-1, 1]), 'oja' (decay by eta times the square of the neuron's activity), 'none', or the path of a .py file."""
    trace: float = 0.0
    """Decay of eligibility: each synapse keeps a sum of the changes that past steps would have brought, multiplied by
    this at each step. 0 means that only the current step counts."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", check_hidden_layers(self.hidden))
        check_choice("ties", self.ties, TIES)
        check_choice("arithmetic", self.arithmetic, ARITHMETICS)
        check_choice("hidden_bias", self.hidden_bias, BIASES)
        check_choice("output_bias", self.output_bias, BIASES)
        object.__setattr__(self, "weight_noise", check_number("weight_noise", self.weight_noise, 0, 10))
        object.__setattr__(self, "born_alike", check_switch("born_alike", self.born_alike))
        object.__setattr__(self, "recurrent", check_switch("recurrent", self.recurrent))
        check_choice("activation", self.activation, ACTIVATIONS)
        object.__setattr__(self, "scaling", check_scaling(self.scaling))
        object.__setattr__(self, "trace", check_number("trace", self.trace, 0, 1, below=True))
        if self.arithmetic == "tallied" and (self.is_special or self.is_general):
            raise BadInput(
                "the tallied arithmetic has only the paper's biases, layers, activation and scaling, and no noise; "
                "choose arithmetic plain for others."
            )
        if not self.sizes:
            for name in ("recurrent", "activation", "hidden_bias", "born_alike"):
                if getattr(self, name) != getattr(Brain, name):
                    value = shown(getattr(self, name))
                    raise BadInput(f"{option_name(name)} is {value}, but with hidden 0 there are no hidden neurons.")

    @classmethod
    def of(cls, world: World, hidden: Hidden | str | None = None, **settings: Any) -> Brain:
        """The usual brain of a world, with any of its settings as asked for. What the tallied arithmetic cannot do is
        done in the plain one."""
        usual: dict[str, Any] = {"ties": world.ties, "arithmetic": world.arithmetic}
        given = {name: value for name, value in settings.items() if value is not None}
        hidden = world.default_hidden if hidden is None else hidden
        plain = cls(hidden=hidden, **{**usual, "arithmetic": "plain", **given})
        if plain.is_special or plain.is_general or "arithmetic" in given:
            return plain
        return dataclasses.replace(plain, arithmetic=world.arithmetic)

    @property
    def is_special(self) -> bool:
        """Whether it differs from the paper's in how its weights change."""
        return self.hidden_bias != "plastic" or self.output_bias != "plastic" or self.weight_noise > 0

    @property
    def is_general(self) -> bool:
        """Whether it has what only the general network has (`general.py`)."""
        return len(self.sizes) != 1 or any(
            getattr(self, name) != getattr(Brain, name) for name in ("recurrent", "activation", "scaling", "trace")
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Neurons of each hidden layer."""
        hidden: Any = self.hidden  # a number or several, checked when it was made: each batch of lives asks many times
        return hidden if isinstance(hidden, tuple) else (hidden,) * (hidden > 0)

    @property
    def neurons(self) -> int:
        """Hidden ones, in all layers."""
        return sum(self.sizes)

    @property
    def layers(self) -> int:
        return len(self.sizes) + 1

    def shapes(self, inputs: int, outputs: int) -> list[tuple[int, int]]:
        """(pre, post) of each layer's weights: what it hears, its own last activity if recurrent, and the bias."""
        below = (inputs, *self.sizes)
        own = (*(size * self.recurrent for size in self.sizes), 0)
        return [(n + m + 1, post) for n, m, post in zip(below, own, (*self.sizes, outputs), strict=True)]

    def weights(self, inputs: int, outputs: int) -> int:
        """Of one network, biases included."""
        return sum(pre * post for pre, post in self.shapes(inputs, outputs))

    @property
    def biases(self) -> tuple[Bias, ...]:
        """Of each layer."""
        return (*(self.hidden_bias,) * len(self.sizes), self.output_bias)

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
    """float64 [lifetime, pre, post]: weights from the inputs and their bias to the (first) hidden neurons."""
    output: np.ndarray
    """float64 [lifetime, pre, post]: weights from the (last) hidden neurons and their bias to the outputs."""
    delta: np.ndarray
    """float64 [lifetime, layer, signal, pre active, post active]: eta times the rule's entry; punishment is first."""
    plastic: np.ndarray
    """bool [lifetime, layer, signal]: whether the layer's rule has any entry but `0` for the signal."""
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
    inputs: int
    """Bits that are sensed."""
    net: Any = None
    """Of the general network (`general.Net`): all layers, and what they do."""


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
    brain: Brain,
    inputs: int,
    outputs: int,
    gaps: GapTable,
    choices: np.ndarray,
    only_unseeing: bool = False,
    general: bool = False,
) -> Brains:
    """general: whether it lives as a general network, whatever it is."""
    shapes = brain.shapes(inputs, outputs)
    net = new_net(lifetimes, shapes, inputs, brain.trace) if general else None
    weights = [np.zeros((lifetimes, *shape)) for shape in shapes] if net is None else layer_weights(net, lifetimes)
    return Brains(
        hidden=weights[0] if brain.sizes else np.zeros((lifetimes, inputs + 1, 0)),
        output=weights[-1],
        delta=np.zeros((lifetimes, brain.layers, len(SIGNALS), 2, 2)),
        plastic=np.zeros((lifetimes, brain.layers, len(SIGNALS)), np.bool_),
        stream=np.zeros((lifetimes, 2), np.uint64),
        gap=np.zeros(lifetimes, np.int64),
        gaps=gaps,
        choices=choices,
        only_unseeing=only_unseeing,
        tally=np.zeros((lifetimes, 2, shapes[0][1])),
        changes=np.zeros(lifetimes, np.int64),
        punished=np.zeros(lifetimes, np.int64),
        inputs=inputs,
        net=net,
    )


def new_extras(
    brain: Brain,
    inputs: int,
    outputs: int,
    judgements: np.ndarray,
    blame: np.ndarray,
    eligibility: np.ndarray,
    seeds: np.ndarray,
    trials: np.ndarray,
) -> Extras:
    """judgements, blame, eligibility: as in `Extras`. seeds, trials: uint64 [lifetime]"""
    shapes, lifetimes = brain.shapes(inputs, outputs), len(seeds)
    sizes = np.array([pre for pre, _ in shapes])
    streams = np.zeros((lifetimes, 2), np.uint64)
    open_noise(streams, seeds, trials)
    return Extras(
        judgements=judgements,
        blame=np.ascontiguousarray(blame),
        eligibility=np.ascontiguousarray(eligibility),
        changed=sizes - np.array([bias in ("unchanged", "fixed", "none") for bias in brain.biases]),
        scaled=sizes - np.array([bias in ("unscaled", "fixed", "none") for bias in brain.biases]),
        noise=float(brain.weight_noise),
        stream=streams,
        senses=np.zeros((lifetimes, int(sizes[0]))),
        active=np.zeros((lifetimes, int(sizes[-1]))),
        action=np.full(lifetimes, -1, np.int64),
    )


def bear_specially(brain: Brain, brains: Brains) -> None:
    """Biases that are not there, and neurons that are born alike."""
    for layer, bias in zip(weights_of(brains), brain.biases, strict=True):
        if bias == "none":
            layer[:, -1] = 0.0
            rescale(layer)
    if brain.born_alike:
        for layer in weights_of(brains)[:-1]:
            layer[:] = layer[:, :, :1].copy()


def weights_of(brains: Brains) -> list[np.ndarray]:
    """Of each layer, float64 [lifetime, pre, post]: views, not copies."""
    return [brains.hidden, brains.output] if brains.net is None else layer_weights(brains.net, len(brains.gap))


def write_rules(brains: Brains, entries: np.ndarray, eta: np.ndarray) -> None:
    """From now on they live by these rules. entries: [lifetime, layer, entry], eta: float64 [lifetime, layer]"""
    lifetimes, layers = eta.shape
    signs = entries.reshape(lifetimes, layers, entries.shape[2] // 4, 2, 2)
    there = slice(signs.shape[2])  # without neutral entries, neutral steps change nothing
    brains.delta[:, :, there] = eta[:, :, None, None, None] * signs
    brains.plastic[:, :, there] = (signs != 0).any(axis=(3, 4))
    brains.delta[:, :, signs.shape[2] :], brains.plastic[:, :, signs.shape[2] :] = 0.0, False
    if brains.net is not None:
        brains.net.eta[:] = eta


@inlined
def half_of(signal):
    """The half of its rule that a brain learns by after this signal; -1 where there is nothing to learn."""
    if signal == 0:
        return -1
    return 0 if signal < 0 else 1


def bear(brains: Brains, seeds: np.ndarray, trials: np.ndarray) -> None:
    """Random weights in U[-1, 1), scaled to unit length, and the first gap. seeds, trials: uint64 [lifetime]"""
    open_streams(brains.stream, seeds, trials)
    for layer in weights_of(brains):
        bear_layers(layer, brains.stream)
    draw_gaps(brains.gap, brains.stream, brains.gaps)


@kernel
def open_streams(streams, seeds, trials):
    for i in range(seeds.shape[0]):
        open_stream(streams[i], seeds[i], trials[i], BRAIN)


@kernel
def bear_layers(layers, streams):
    """layers: float64 [lifetime, pre, post]"""
    for i in range(streams.shape[0]):
        _bear_layer(layers[i], streams[i])


@kernel
def draw_gaps(gap, streams, gaps):
    for i in range(gap.shape[0]):
        gap[i] = draw_gap(streams[i], gaps)


@creating
def _bear_layer(weights, stream):
    for post in range(weights.shape[1]):
        for pre in range(weights.shape[0]):
            weights[pre, post] = 2.0 * draw_unit(stream) - 1.0
    scale(weights, np.zeros(weights.shape[1]), weights.shape[0])


@kernel
def rescale(layers):
    """Every neuron's weights to unit length. layers: float64 [lifetime, pre, post]"""
    for i in range(layers.shape[0]):
        scale(layers[i], np.zeros(layers.shape[2]), layers.shape[1])


@kernel
def open_noise(streams, seeds, trials):
    """Random streams for noise in the weights, apart from those of any life."""
    for i in range(seeds.shape[0]):
        open_stream(streams[i], mix(seeds[i] ^ _NOISE), trials[i], BRAIN)
