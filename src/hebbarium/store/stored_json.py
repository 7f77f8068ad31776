"""JSON in a run's file: exact, without spaces, without NaN. A file may come from anywhere, so what is read is checked.

A shape is a function that says whether a value fits: `each(whole)` fits a list of whole numbers.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, NoReturn

from hebbarium.rules.layered import read_rule
from hebbarium.rules.shape import ENTRIES, WIDE, layer_names

Shape = Callable[[object], bool]


def anything(value: object) -> bool:
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


# Made once: json.dumps and json.loads make one for each call with options, which takes longer than a short text.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
_decode = json.JSONDecoder(parse_constant=_refuse).decode


def dump(value: Any) -> str:
    """Python writes floats so that they are read back exactly; NaN and infinity raise ValueError."""
    return _encode(value)


def load(text: str, shape: Shape = anything) -> Any:
    """Raises ValueError for anything that is not JSON, or not of this shape."""
    try:
        value = _decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not shape(value):
        raise ValueError("not a value that Hebbarium writes")
    return value


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
    """These names at least. One that may be missing must also fit None."""
    return lambda value: isinstance(value, dict) and all(fits(value.get(name)) for name, fits in shapes.items())


def exactly(*optional: str, **shapes: Shape) -> Shape:
    """These names and no others. optional: those that may be missing."""
    fits, needed = fields(**shapes), shapes.keys() - set(optional)
    return lambda value: fits(value) and isinstance(value, dict) and needed <= value.keys() <= shapes.keys()


def setting(value: object) -> bool:
    """One value of a world's or a search's settings."""
    return value is None or text(value) or switch(value) or number(value)


def share(value: object) -> bool:
    """A learning rate, or its spread."""
    return number(value) and 0 <= value < 1  # type: ignore[operator]


def _numbers(value: object) -> bool:
    return whole(value) or some(whole)(value)


_CONFIGURATION = fields(
    task=maybe(text), task_origin=maybe(text), task_sources=maybe(text), task_settings=maybe(named(setting)),
    search=maybe(text), search_settings=maybe(named(setting)), runs=maybe(whole), hidden=maybe(_numbers),
    seed=maybe(_numbers), top=maybe(whole), rescore=maybe(whole),
    layers=maybe(text), blame=maybe(named(number)), eligibility=maybe(named(number)), genes=maybe(some(text)),
)  # fmt: skip


def configuration(value: object) -> bool:
    """What every kind of run has of it. A world that is not the package's own is known by what it is made from."""
    if not _CONFIGURATION(value):
        return False
    assert isinstance(value, dict)
    return "task_origin" not in value or (text(value.get("task_sources")) and bool(value["task_origin"]))


ABOUT: dict[str, Shape] = {
    "kind": text,
    "configuration": configuration,
    "versions": named(text),
    "arithmetic": whole,
    "created": moment,
    "finished": maybe(moment),
}


def _entries(value: object) -> bool:
    return each(number)(value) and isinstance(value, list) and len(value) in (ENTRIES, WIDE)


_BEST = exactly(
    "trace", rule=rule, blame=named(number), eligibility=named(number), trace=maybe(number), fitness=number
)  # fmt: skip
_SCORE = exactly(mean=number, sem=maybe(number), lifetimes=whole)
_ROW = exactly(
    "best",
    rank=whole, rule=notation, index=maybe(whole), entries=_entries, paper=each(text), count=whole, runs=whole,
    median=number, std=number, max=number, min=number, eta_mean=share, eta_std=share,
    searched=exactly(median=number, max=number), fitness=maybe(_SCORE), family=text, words=text,
    best=maybe(_BEST),
)  # fmt: skip
_HIDDEN = re.compile(r"hidden\d*_entries|eta_hidden\d*_(mean|std)")


def _rule(value: object) -> bool:
    """A row of the table of rules: a layered rule has entries and etas of each hidden layer, or None where it is
    frozen."""
    if not isinstance(value, dict) or not all(map(text, value)):
        return False
    hidden = {name: one for name, one in value.items() if _HIDDEN.fullmatch(name)}
    if not _ROW({name: one for name, one in value.items() if name not in hidden}):
        return False
    parts = read_rule(value["rule"]).parts
    shapes: dict[str, Shape] = {}
    for layer, part in zip(layer_names(len(parts))[:-1], parts, strict=False):
        own = {f"{layer}_entries": _entries, f"eta_{layer}_mean": share, f"eta_{layer}_std": share}
        shapes |= own if part else dict.fromkeys(own, _nothing)
    return exactly(**shapes)(hidden)


def _nothing(value: object) -> bool:
    return value is None


def _counted(value: object) -> bool:
    """The names of seasons and counts, none of them twice."""
    if not exactly(seasons=some(text), counts=some(text))(value):
        return False
    assert isinstance(value, dict)
    return all(len(set(names)) == len(names) for names in value.values())


_OVER_LIFE = fields(rule=notation, kinds=each(number))

RESULTS: dict[str, Shape] = {
    # Of an evolution.
    "rules": some(_rule),
    "counted": _counted,
    "best": some(notation),
    "curves": each(each(fields(generation=whole, evaluations=whole, best=number, mean=number))),
    # Of an atlas.
    "top": some(fields(rule=notation, eta=number, fitness=number)),
    "lifetimes": whole,
    "digest": text,
    "why": fields(
        named=named(each(fields(rule=notation))), drawn=named(fields(rules=whole)), noise_settings=text,
        moments=some(whole), over_life=named(each(_OVER_LIFE)),
    ),
}  # fmt: skip
"""Of the results that commands show. Others may be anything that JSON can hold."""
