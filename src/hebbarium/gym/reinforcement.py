"""From rewards to what a synapse can be told: -1, 0 or +1.

Named by text: `sign`, `baseline:RATE`, or `module:function` for a function of one's own that takes a Transition.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hebbarium.gym.functions import is_function, load_function
from hebbarium.tools.errors import BadInput, check_choice, check_number, shown

USUAL_RATE = 0.01
WORDS = ("sign", "baseline")


class Transition(NamedTuple):
    """One step of an environment, for a function that judges it."""

    observation: Any
    """Before the action."""
    action: int
    reward: float
    following: Any
    """The observation after it."""
    terminated: bool
    truncated: bool
    info: dict[str, Any]


Judge = Callable[[Transition], int]


def make_judges(text: str) -> Callable[[], Judge]:
    """What makes a judge for each life."""
    word, _, number = text.partition(":")
    if word not in WORDS and is_function(text):
        judge = _own(load_function("reinforce", text), text)
        return lambda: judge
    check_choice("reinforce", word, (*WORDS, "module:function"))
    if word == "sign":
        return lambda: lambda step: _sign(step.reward)
    rate = check_number("rate of the baseline", _number(number) if number else USUAL_RATE, 0, 1)
    return lambda: _Baseline(rate)


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


class _Baseline:
    """Better or worse than usual: against an average that forgets, and begins with the first reward."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._usual: float | None = None

    def __call__(self, step: Transition) -> int:
        usual = step.reward if self._usual is None else self._usual
        self._usual = usual + self._rate * (step.reward - usual)
        return _sign(step.reward - usual)


def _own(function: Callable[[Transition], Any], text: str) -> Judge:
    def judge(step: Transition) -> int:
        signal = function(step)
        if np.ndim(signal) or signal not in (-1, 0, 1):
            raise BadInput(f"reinforce {text} gave {shown(signal)}, but must give -1, 0 or 1.")
        return int(signal)

    return judge


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
