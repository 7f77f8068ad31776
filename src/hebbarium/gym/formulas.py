"""Potentials as formulas of what is observed, such as `-abs(x2 + 0.4 * x3)`: x0 is the first number.

A formula is data, not code: only numbers, x0, x1, ..., arithmetic and the functions below are read.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from hebbarium.tools.errors import BadInput, shown

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
LONGEST = 1000
"""Characters of a formula."""
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
        self._value = self._made(tree)

    def __call__(self, observation: Any) -> float:
        numbers = np.asarray(observation, np.float64).ravel().tolist()
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

    def _made(self, tree: ast.AST) -> Value:
        match tree:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return lambda numbers: float(number)
            case ast.Name(id=name) if re.fullmatch(r"x[0-9]{1,5}", name):
                place = int(name[1:])
                return lambda numbers: float(numbers[place])
            case ast.UnaryOp(op=sign, operand=inner) if type(sign) in OPERATORS:
                return self._applied(OPERATORS[type(sign)], [inner])
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
                return self._applied(OPERATORS[type(sign)], [left, right])
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
                return self._applied(FUNCTIONS[name], arguments)
        raise _unreadable(self.text, f"{ast.unparse(tree)!r} in it")

    def _applied(self, function: Callable[..., float], trees: list[Any]) -> Value:
        values = [self._made(tree) for tree in trees]

        def applied(numbers: Any) -> float:
            try:
                return function(*[value(numbers) for value in values])
            except TypeError:
                raise _unreadable(self.text, "a function with a wrong number of arguments in it") from None

        return applied


def _unreadable(text: str, why: str) -> BadInput:
    allowed = f"x0, x1, ... for what is observed, numbers, + - * / **, and {', '.join(FUNCTIONS)}"
    return BadInput(f"the formula is {shown(text)}, with {why}; it may have {allowed}.")
