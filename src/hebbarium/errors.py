"""What we say when something is wrong: one sentence, the bad value, what is allowed, the nearest good one."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence


class HebbariumError(Exception):
    """Anything we report to a user as one clear sentence."""


class BadInput(HebbariumError, ValueError):
    """A value a user gave that cannot be used; the command exits with code 2."""


class RunError(HebbariumError):
    """A run folder that cannot be opened, continued or written."""


def option_name(name: str) -> str:
    """A field's name as it is typed on the command line."""
    return name.replace("_", "-")


def nearest_word(word: str, words: Iterable[str]) -> str | None:
    """The known word most like `word`, if any is like it at all."""
    matches = difflib.get_close_matches(word.lower(), list(words), n=1, cutoff=0.4)
    return matches[0] if matches else None


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    if value in choices:
        return
    nearest = nearest_word(str(value), choices)
    hint = f"; did you mean {nearest!r}?" if nearest else "."
    raise BadInput(f"{option_name(name)} is {value!r}, but must be one of {', '.join(choices)}{hint}")


def check_integer(name: str, value: object, low: int, high: int | None = None) -> None:
    allowed = f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise BadInput(f"{option_name(name)} is {value!r}, but must be {allowed}.")
    number = value.__index__()
    if number < low or (high is not None and number > high):
        nearest = low if number < low else high
        raise BadInput(f"{option_name(name)} is {value}, but must be {allowed}; the nearest is {nearest}.")


def check_number(name: str, value: object, low: float, high: float, *, below: bool = False) -> None:
    """`below`: the upper end itself is not allowed."""
    allowed = (
        f"a number from {low:g} up to, but not including, {high:g}" if below else f"a number from {low:g} to {high:g}"
    )
    if isinstance(value, bool) or (not isinstance(value, (int, float)) and not hasattr(value, "__float__")):
        raise BadInput(f"{option_name(name)} is {value!r}, but must be {allowed}.")
    number = float(value)
    if math.isnan(number):
        raise BadInput(f"{option_name(name)} is not a number (nan), but must be {allowed}.")
    if number < low or number > high or (below and number == high):
        nearest = low if number < low else (high - 0.001 if below else high)
        raise BadInput(f"{option_name(name)} is {number:g}, but must be {allowed}; the nearest is {nearest:g}.")
