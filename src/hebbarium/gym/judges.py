"""From the steps of an environment to reinforcement: -1, 0 or +1.

A judge is named by text: `sign` and `baseline:RATE` use the reward alone. The others use the observations, and say
whether a step went the right way: `progress:FORMULA` asks whether a potential grew, `lean` and `energy` are ready
potentials for Gymnasium's classic tasks, and `distance` is for the view of a MiniGrid world (`minigrid.py`).
`module:function` is a user's function that takes a Transition.
"""

from __future__ import annotations

import ast
import contextlib
import math
import operator
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hebbarium.gym.env_answers import numbers_in
from hebbarium.gym.minigrid import TURNS, moves_left
from hebbarium.gym.named_functions import is_function, load_function
from hebbarium.tools.errors import BadInput, check_choice, check_number, shown

# Potentials as formulas of what is observed, such as `-abs(x2 + 0.4 * x3)`: x0 is the first number.
# A formula is data, not code: only numbers, x0, x1, ..., arithmetic and the functions below are read.

FUNCTIONS: dict[str, Callable[..., float]] = {
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "atan2", "hypot", "sqrt", "exp", "log")},
    "abs": abs,
    "min": min,
    "max": max,
}
OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
LONGEST, DEEPEST = 1000, 200
"""Characters of a formula, and operations within one another: far fewer than would exhaust Python's own stack."""
Value = Callable[[Any], float]


class Formula:
    """A number for each observation.

    >>> Formula("x0 ** 2 - abs(x1)")([3.0, -1.0])
    8.0
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            tree = ast.parse(text.strip() if len(text) <= LONGEST else "", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise _unreadable(text, "no formula") from None
        self._value = self._made(tree, 1)

    def __call__(self, observation: Any) -> float:
        observed = numbers_in(observation)
        if observed is None:
            raise BadInput(f"the formula {self.text!r} needs numbers, but the environment showed {shown(observation)}.")
        numbers = observed.tolist()
        try:
            value = float(self._value(numbers))
        except IndexError:
            raise BadInput(
                f"the formula {self.text!r} needs more than the {len(numbers)} numbers that are observed."
            ) from None
        except (ArithmeticError, ValueError) as error:
            raise BadInput(f"the formula {self.text!r} has no value for {shown(numbers)}: {error}.") from None
        if not math.isfinite(value):
            raise BadInput(f"the formula {self.text!r} is {value} for {shown(numbers)}, but must be finite.")
        return value

    def _made(self, tree: ast.AST, depth: int) -> Value:
        if depth > DEEPEST:
            raise _unreadable(self.text, f"more than {DEEPEST} operations within one another")
        match tree:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return lambda numbers: float(number)
            case ast.Name(id=name) if re.fullmatch(r"x[0-9]{1,5}", name):
                place = int(name[1:])
                return lambda numbers: float(numbers[place])
            case ast.UnaryOp(op=sign, operand=inner) if type(sign) in OPERATORS:
                return self._applied(OPERATORS[type(sign)], [inner], depth)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
                return self._applied(OPERATORS[type(sign)], [left, right], depth)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
                return self._applied(FUNCTIONS[name], arguments, depth)
        raise _unreadable(self.text, f"{ast.unparse(tree)!r} in it")

    def _applied(self, function: Callable[..., float], trees: list[Any], depth: int) -> Value:
        values = [self._made(tree, depth + 1) for tree in trees]

        def applied(numbers: Any) -> float:
            try:
                return function(*[value(numbers) for value in values])
            except TypeError:
                raise _unreadable(self.text, "a function with a wrong number of arguments in it") from None

        return applied


def _unreadable(text: str, why: str) -> BadInput:
    allowed = f"x0, x1, ... for what is observed, numbers, + - * / **, and {', '.join(FUNCTIONS)}"
    return BadInput(f"the formula is {shown(text)}, with {why}; it may have {allowed}.")


USUAL_RATE = 0.01
WORDS = ("sign", "baseline", "lean", "energy", "distance", "progress")


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


def make_judges(text: str, env: str = "") -> Callable[[], Judge]:
    """What makes a judge for each life. env: the environment's id, where it has one"""
    word, _, more = text.partition(":")
    if word not in WORDS and is_function(text):
        function = load_function("reinforce", text)

        def judge(step: Transition) -> int:
            signal = function(step)
            if np.ndim(signal) or signal not in (-1, 0, 1):
                raise BadInput(f"reinforce {text} gave {shown(signal)}, but must give -1, 0 or 1.")
            return int(signal)

        return lambda: judge
    check_choice("reinforce", word, (*WORDS, "module:function"))
    if more and word not in ("baseline", "progress"):
        raise BadInput(f"reinforce is {text!r}, but {word} takes nothing after a colon.")
    if word == "sign":
        return lambda: lambda step: _sign(step.reward)
    if word == "baseline":
        rate: float | str = more or USUAL_RATE
        with contextlib.suppress(ValueError):  # text is refused by the check
            rate = float(rate)
        usual_rate = check_number("rate of the baseline", rate, 0, 1)
        return lambda: _Baseline(usual_rate)
    if word == "distance":
        return lambda: nearer
    formula = LEAN if word == "lean" else more
    if word == "energy":
        name = env.rpartition(":")[2].rpartition("-v")[0]
        if name not in ENERGIES:
            known = " and ".join(ENERGIES)
            raise BadInput(f"reinforce energy is known for {known} only; give the potential as progress:FORMULA.")
        formula = ENERGIES[name]
    potential = Formula(formula)
    return lambda: lambda step: _sign(potential(step.following) - potential(step.observation))


LEAN = "-abs(x2 + 0.4 * x3)"
"""CartPole's: how far the pole leans, and how fast it falls."""
ENERGIES = {
    "MountainCar": "sin(3 * x0) / 1200 + x1 * x1 / 2",
    "Acrobot": "(3.5 + x2) * x4 * x4 / 2 + (1.25 + x2 / 2) * x4 * x5 + 0.625 * x5 * x5"
    " - 9.8 * (1.5 * x0 + (x0 * x2 - x1 * x3) / 2)",
}
"""Mechanical energy in terms of the numbers that are observed, with the constants of Gymnasium's environments."""


def judge_for(env: str) -> str:
    """The ready judge for an environment, or what could judge it.

    >>> judge_for("CartPole-v1"), judge_for("minigrid:MiniGrid-Empty-5x5-v0"), judge_for("FrozenLake-v1")
    ('lean', 'distance', 'baseline or progress:FORMULA')
    """
    name = env.rpartition(":")[2].rpartition("-v")[0]
    if name.startswith(("MiniGrid-", "BabyAI-")):
        return "distance"
    return "lean" if name == "CartPole" else "energy" if name in ENERGIES else "baseline or progress:FORMULA"


class _Baseline:
    """Better or worse than usual: against an average that forgets, and begins with the first reward."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._usual: float | None = None

    def __call__(self, step: Transition) -> int:
        usual = step.reward if self._usual is None else self._usual
        self._usual = usual + self._rate * (step.reward - usual)
        return _sign(step.reward - usual)


def nearer(step: Transition) -> int:
    """+1 for each move towards the goal of a MiniGrid world, -1 for any other but looking around while it is hidden."""
    before, after = moves_left(step.observation), moves_left(step.following)
    if step.reward > 0 or (after is not None and (before is None or after < before)):
        return 1
    return 0 if before is None and step.action in TURNS else -1


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
