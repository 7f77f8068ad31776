"""What values read from a run must look like, so that nobody behind the door meets any other.

A shape is a function that says whether a value fits: `each(whole)` fits a list of whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime

from hebbarium.layered import read_rule

Shape = Callable[[object], bool]


def anything(value: object) -> bool:
    return True


def text(value: object) -> bool:
    return isinstance(value, str)


def switch(value: object) -> bool:
    return isinstance(value, bool)


def whole(value: object) -> bool:
    """Whole numbers that fit in 64 bits, as every reader expects."""
    return type(value) is int and -(2**63) <= value < 2**63


def number(value: object) -> bool:
    return whole(value) or (isinstance(value, float) and math.isfinite(value))


def moment(value: object) -> bool:
    """A time in UTC, such as 2026-01-31T12:00:00+00:00."""
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def notation(value: object) -> bool:
    """A rule as we write it."""
    try:
        return isinstance(value, str) and read_rule(value).notation == value
    except ValueError:
        return False


def rule(value: object) -> bool:
    """A rule with its etas, as we write it."""
    try:
        return isinstance(value, str) and read_rule(value).text == value
    except ValueError:
        return False


def maybe(shape: Shape) -> Shape:
    return lambda value: value is None or shape(value)


def each(shape: Shape) -> Shape:
    return lambda value: isinstance(value, list) and all(map(shape, value))


def some(shape: Shape) -> Shape:
    """At least one."""
    return lambda value: bool(value) and each(shape)(value)


def named(shape: Shape) -> Shape:
    """Any names, each with such a value."""
    return lambda value: isinstance(value, dict) and all(map(shape, value.values()))


def fields(**shapes: Shape) -> Shape:
    """These names at least. One that may be missing fits None, too."""
    return lambda value: isinstance(value, dict) and all(fits(value.get(name)) for name, fits in shapes.items())


ABOUT: dict[str, Shape] = {
    "kind": text,
    "configuration": fields(task=maybe(text), search=maybe(text), runs=maybe(whole)),
    "versions": named(text),
    "arithmetic": whole,
    "created": moment,
    "finished": maybe(moment),
}

_BEST = fields(rule=rule, blame=named(number), eligibility=named(number), fitness=number)
_SCORE = fields(mean=number, sem=maybe(number), lifetimes=whole)
_RULE = fields(
    rank=whole, rule=notation, index=maybe(whole), entries=each(whole), paper=each(text), count=whole, runs=whole,
    median=number, std=number, max=number, min=number, eta_mean=number, eta_std=number,
    searched=fields(median=number, max=number), rescored=maybe(_SCORE), family=text, words=text,
    hidden_entries=maybe(each(whole)), eta_hidden_mean=maybe(number), eta_hidden_std=maybe(number),
    best=maybe(_BEST),
)  # fmt: skip
_OVER_LIFE = fields(rule=notation, kinds=each(number))

RESULTS: dict[str, Shape] = {
    # Of an evolution.
    "rules": some(_RULE),
    "best": some(notation),
    "curves": each(each(fields(generation=whole, evaluations=whole, best=number, mean=number))),
    # Of an atlas.
    "top": some(fields(rule=notation, eta=number, mean=number)),
    "lifetimes": whole,
    "digest": text,
    "why": fields(
        named=named(each(fields(rule=notation))), drawn=named(fields(rules=whole)), noise_settings=text,
        moments=some(whole), over_life=named(each(_OVER_LIFE)),
    ),
    # Of a reproduction.
    "made": switch,
}  # fmt: skip
"""Of the results that commands show. Others may be anything that JSON can hold."""
