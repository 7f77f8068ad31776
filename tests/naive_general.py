"""The general network again in plain, slow Python: lists of floats, one neuron and one synapse at a time.

It is written from the description in docs/brains.md, with the order of every sum spelled out, and shares nothing with
the kernels but the random streams.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hebbarium.brains.base import Brain
from hebbarium.kernels.normal import draw_normal
from hebbarium.rules.rule import Rule

TINY = 2.0**-500
Layer = list[list[float]]
"""[pre][post]"""


def naive_tanh(x: float) -> float:
    if abs(x) >= 20.0:
        return math.copysign(1.0, x)
    small = x / 64.0
    square = small * small
    above = 135135.0 + square * (17325.0 + square * (378.0 + square))
    below = 135135.0 + square * (62370.0 + square * (3150.0 + square * 28.0))
    value = small * above / below
    for _ in range(6):
        value = 2.0 * value / (1.0 + value * value)
    return value


GRADED: dict[str, Callable[[float], float]] = {"tanh": naive_tanh}


def fire(activation: str, total: float) -> float:
    if activation in GRADED:
        return GRADED[activation](total)
    return 1.0 if total > 0 else (0.0 if activation == "step" else -1.0)


def entry_for(rule: Rule, signal: int, pre: float, post: float) -> float:
    entries = {-1: rule.punished, 1: rule.rewarded, 0: rule.neutral}[signal]
    return float(entries[2 * (pre > 0) + (post > 0)])


def has_part(rule: Rule, signal: int) -> bool:
    return any({-1: rule.punished, 1: rule.rewarded, 0: rule.neutral}[signal])


@dataclass
class NaiveBrain:
    brain: Brain
    rules: Sequence[Rule]
    weights: list[Layer]
    noise_stream: object
    heard: list[list[float]] = field(default_factory=list)
    """Of each layer, in the last step."""
    did: list[list[float]] = field(default_factory=list)
    before: tuple[list[list[float]], list[list[float]]] | None = None

    def __post_init__(self) -> None:
        self.last = [[0.0] * len(layer[0]) for layer in self.weights[:-1]]
        self.traces = [{signal: [[0.0] * len(row) for row in layer] for signal in (-1, 0, 1)} for layer in self.weights]

    def outputs(self, bits: Sequence[int]) -> list[float]:
        """The outputs' sums; what hidden neurons do is remembered."""
        below, self.heard, self.did = [float(bit) for bit in bits], [], []
        for number, layer in enumerate(self.weights):
            is_output = number == len(self.weights) - 1
            own = self.last[number] if self.brain.recurrent and not is_output else []
            heard = [*below, *own, 1.0]
            sums = [0.0] * len(layer[0])
            for pre, activity in enumerate(heard):
                if activity != 0.0:
                    for post in range(len(sums)):
                        sums[post] += layer[pre][post] * activity
            self.heard.append(heard)
            if is_output:
                return sums
            below = [fire(self.brain.activation, total) for total in sums]
            self.last[number] = below
            self.did.append(below)
        raise AssertionError

    def learn(self, action: int, random: bool, signal: int, blame: float, eligibility: float) -> None:
        did = [*self.did, [float(post == action) for post in range(len(self.weights[-1][0]))]]
        for number in range(len(self.weights)):
            self._mark(number, self.heard[number], did[number])
        if not random and blame != 0.0:
            for number, rule in enumerate(self.rules):
                if has_part(rule, signal):
                    self._change(number, signal, self.heard[number], did[number], blame, eligibility)
        self.before = (self.heard, did)

    def _delta(self, number: int, signal: int, factor: float, heard: list[float], did: list[float]) -> Layer:
        """What one step changes."""
        rule = self.rules[number]
        assert rule.eta is not None
        table = [[factor * (rule.eta * entry_for(rule, signal, a, b)) for b in (0, 1)] for a in (0, 1)]
        if self.brain.activation not in GRADED:
            return [[table[pre > 0][post > 0] for post in did] for pre in heard]
        d, b, c = table[0][0], table[1][0] - table[0][0], table[0][1] - table[0][0]
        a = table[1][1] - table[1][0] - table[0][1] + table[0][0]
        return [[(a * pre + c) * post + (b * pre + d) for post in did] for pre in heard]

    def _rows(self, number: int, left_out: tuple[str, ...]) -> int:
        layer = self.weights[number]
        bias = self.brain.output_bias if number == len(self.weights) - 1 else self.brain.hidden_bias
        return len(layer) - (bias in left_out)

    def _mark(self, number: int, heard: list[float], did: list[float]) -> None:
        if self.brain.trace == 0.0:
            return
        for signal, trace in self.traces[number].items():
            delta = self._delta(number, signal, 1.0, heard, did)
            for pre in range(self._rows(number, ("unchanged", "fixed", "none"))):
                for post in range(len(did)):
                    trace[pre][post] = trace[pre][post] * self.brain.trace + delta[pre][post]

    def _change(
        self, number: int, signal: int, heard: list[float], did: list[float], blame: float, eligibility: float
    ) -> None:
        layer, rows = self.weights[number], self._rows(number, ("unchanged", "fixed", "none"))
        if self.brain.trace:
            changes = [[[blame * value for value in row] for row in self.traces[number][signal]]]
        else:
            changes = [self._delta(number, signal, blame, heard, did)]
            if self.before is not None and blame * eligibility != 0.0:
                then, acted = self.before[0][number], self.before[1][number]
                changes.append(self._delta(number, signal, blame * eligibility, then, acted))
        for change in changes:
            for pre in range(rows):
                for post in range(len(did)):
                    layer[pre][post] += change[pre][post]
        if self.brain.weight_noise:
            for pre in range(rows):
                for post in range(len(did)):
                    layer[pre][post] += self.brain.weight_noise * draw_normal(self.noise_stream)
        self._scale(number, did)

    def _scale(self, number: int, did: list[float]) -> None:
        layer, rows = self.weights[number], self._rows(number, ("unscaled", "fixed", "none"))
        eta = self.rules[number].eta
        for post in range(len(did)):
            if self.brain.scaling == "unit":
                squares = 0.0
                for pre in range(rows):
                    squares += layer[pre][post] * layer[pre][post]
                factor = 1.0 / math.sqrt(squares) if squares > 0 else 1.0
            elif self.brain.scaling == "oja":
                factor = 1.0 - eta * did[post] * did[post]
            for pre in range(rows):
                weight = layer[pre][post]
                if self.brain.scaling == "clip":
                    layer[pre][post] = min(max(weight, -1.0), 1.0)
                elif self.brain.scaling in ("unit", "oja"):
                    weight *= factor
                    layer[pre][post] = weight if abs(weight) > TINY else 0.0
