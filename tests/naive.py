"""The slow twin, first part: random streams and the plastic network, in plain Python.

Nothing here is fast or clever, and nothing of it is taken from the package: whole numbers, floats and
lists, in the order of the paper's equations. The package's kernels must agree with it bit for bit.
The worlds live beside it, one file per task: `naive_foraging.py`.
"""

from __future__ import annotations

import functools
import math

WORLD, BRAIN = 0, 1
"""The two streams of a lifetime."""

GOLDEN = 0x9E3779B97F4A7C15


def word(number: int) -> int:
    """A whole number as 64 bits."""
    return number % 2**64


def mix(z: int) -> int:
    """SplitMix64's finaliser."""
    z = word((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9)
    z = word((z ^ (z >> 27)) * 0x94D049BB133111EB)
    return z ^ (z >> 31)


class Stream:
    """SplitMix64 with a stride of its own, both fixed by (seed, trial, which stream)."""

    def __init__(self, seed: int, trial: int, which: int) -> None:
        key = mix(word(mix(word(seed + GOLDEN)) + GOLDEN * (2 * trial + which + 1)))
        self.state = mix(word(key + GOLDEN))
        self.stride = mix(key ^ GOLDEN) | 1
        # A stride needs at least 24 places where neighbouring bits differ.
        if bin(self.stride ^ (self.stride >> 1)).count("1") < 24:
            self.stride ^= 0xAAAAAAAAAAAAAAAA

    def word(self) -> int:
        self.state = word(self.state + self.stride)
        return mix(self.state)

    def unit(self) -> float:
        """In [0, 1): the upper 53 bits."""
        return (self.word() >> 11) / 2**53

    def below(self, n: int) -> int:
        """0 to n - 1: the upper 32 bits."""
        return ((self.word() >> 32) * n) >> 32


@functools.cache
def survival(probability: float) -> list[float]:
    """The chance that none of the next 0, 1, ..., 256 steps is random."""
    chances = [1.0]
    for _ in range(256):
        chances.append(chances[-1] * (1.0 - probability))
    return chances


def draw_gap(stream: Stream, probability: float) -> float:
    """Steps that pass before the next random action, each of which would have been one with `probability`."""
    none_in = survival(probability)
    if none_in[256] == 1.0:
        return math.inf
    gap = 0
    unit = stream.unit()
    while unit < none_in[256]:
        gap += 256
        unit = stream.unit()
    steps = 0
    while unit < none_in[steps + 1]:
        steps += 1
    return gap + steps


class RandomActions:
    """When an agent acts at random, and how. It draws from the stream that gave it its weights."""

    def __init__(self, stream: Stream, probability: float, actions: int = 3) -> None:
        self.stream, self.probability, self.actions = stream, probability, actions
        self.gap = draw_gap(stream, probability)

    def next(self) -> int | None:
        """A random action for this step, or None: the network acts."""
        if self.gap > 0:
            self.gap -= 1
            return None
        action = self.stream.below(self.actions)
        self.gap = draw_gap(self.stream, self.probability)
        return action


class Network:
    """Inputs + bias -> hidden neurons + bias -> outputs."""

    def __init__(self, inputs: int, hidden: int, outputs: int, stream: Stream) -> None:
        self.hidden = random_layer(inputs + 1, hidden, stream)
        self.output = random_layer(hidden + 1, outputs, stream)

    def activate(self, inputs: list[int]) -> None:
        self.inputs = inputs
        self.active = [1 if total > 0.0 else 0 for total in totals(self.hidden, inputs)]
        self.outputs = totals(self.output, self.active)

    def change(self, winner: int, entries: tuple[int, ...], eta: float, m: int) -> None:
        """Both layers, after the winner's action was given the reinforcement m."""
        half = entries[:4] if m == -1 else entries[4:]
        if m == 0 or half == (0, 0, 0, 0):
            return
        winners = [1 if output == winner else 0 for output in range(len(self.output))]
        change_layer(self.hidden, self.inputs, self.active, half, eta)
        change_layer(self.output, self.active, winners, half, eta)


Layer = list[list[float]]
"""weights[post][pre], the bias being the last pre-synaptic neuron, always active."""


def random_layer(pre: int, post: int, stream: Stream) -> Layer:
    weights = [[2.0 * stream.unit() - 1.0 for _ in range(pre)] for _ in range(post)]
    return [scaled(incoming) for incoming in weights]


def totals(weights: Layer, active: list[int]) -> list[float]:
    """The paper's appendix A before the step function: the sum over pre of weight * activation."""
    active = [*active, 1]
    result = []
    for incoming in weights:
        total = 0.0
        for weight, activation in zip(incoming, active, strict=True):
            total += weight * activation
        result.append(total)
    return result


def change_layer(weights: Layer, pre: list[int], post: list[int], half: tuple[int, ...], eta: float) -> None:
    """Equations 1 and 2, with the rule's entry for (pre, post) in place of the product; then equation 4."""
    pre = [*pre, 1]
    for i in range(len(weights)):
        for j in range(len(pre)):
            weights[i][j] += eta * half[2 * pre[j] + post[i]]
        weights[i] = scaled(weights[i])


def scaled(incoming: list[float]) -> list[float]:
    """Equation 4: to unit length. A vector of zeros stays as it is; what has all but vanished becomes 0."""
    squares = 0.0
    for weight in incoming:
        squares += weight * weight
    if squares == 0.0:
        return incoming
    factor = 1.0 / math.sqrt(squares)
    return [weight * factor if abs(weight * factor) > 2.0**-500 else 0.0 for weight in incoming]


def first_largest(numbers: list[float]) -> int:
    return numbers.index(max(numbers))
