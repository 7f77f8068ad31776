"""What we say when something is wrong: one sentence, the bad value, what is allowed, the nearest good one."""

from __future__ import annotations

import difflib
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

LARGEST = 2**63 - 1
"""The largest whole number that fits in 64 bits with a sign, as in SQLite and Parquet."""


class HebbariumError(Exception):
    """Anything we report to a user as one clear sentence."""

    def __str__(self) -> str:
        return printable(super().__str__())


class BadInput(HebbariumError, ValueError):
    """A value a user gave that cannot be used; the command exits with code 2."""


class RunError(HebbariumError):
    """A run folder that cannot be opened, continued or written."""


class ClusterError(HebbariumError):
    """A cluster that cannot be used, or that was lost."""


def counted(number: int, what: str) -> str:
    """
    >>> counted(1, "run"), counted(30, "run")
    ('1 run', '30 runs')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def option_name(name: str) -> str:
    """A field's name as it is typed on the command line."""
    return name.replace("_", "-")


def shown_setting(value: object) -> str:
    """As it is typed.

    >>> shown_setting({"missed": 0.5, "3": -1.0}), shown_setting((20, 10))
    ('missed=0.5,3=-1', '20,10')
    """
    if isinstance(value, Mapping):
        return ",".join(f"{name}={plain(number)}" for name, number in value.items())
    return ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def settings_in_words(settings: Mapping[str, object]) -> str:
    """Settings and their values as one text; what is switched on needs no value.

    >>> settings_in_words({"season_steps": 500, "hidden": (20, 10), "recurrent": True})
    'season-steps 500, hidden 20,10, recurrent'
    """
    values = {
        option_name(name): "" if value is True else f" {shown_setting(value)}" for name, value in settings.items()
    }
    return ", ".join(name + value for name, value in values.items())


def nearest_word(word: str, words: Iterable[str]) -> str | None:
    """The known word most like `word`, or one that begins with it, if any is near.

    >>> nearest_word("prey", ["foraging", "prey-predator"]), nearest_word("activation", ["random-action"])
    ('prey-predator', None)
    """
    known = list(words)
    near = difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    longer = [one for one in known if len(word) > 2 and one.startswith(word.lower())]
    return next(iter(near + longer), None)


def shown(value: object) -> str:
    """A value as it was given, on one line and not too long for a sentence."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # a whole number beyond Python's limit of digits
        return "a number of thousands of digits"
    return text if len(text) <= 60 else f"{text[:40]}...{text[-10:]}"


def visible(text: str) -> str:
    """Control characters are escaped, except for ends of lines, so that a terminal shows and does not obey them.

    >>> visible("a\\nb \\x1b[2J")
    'a\\nb \\\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode() for each in text
    )


def printable(text: str) -> str:
    """As `visible`, on one line.

    >>> printable("a\\nb \\x1b[2J")
    'a b \\\\x1b[2J'
    """
    return visible(" ".join(text.split()))


def check_choice(name: str, value: object, choices: Sequence[str], more: str = "") -> None:
    """more: what else is allowed, in words that follow the choices."""
    if isinstance(value, str) and value in choices:
        return
    nearest = nearest_word(value[:60], choices) if isinstance(value, str) else None
    hint = f"; did you mean {nearest!r}?" if nearest else "."
    raise BadInput(f"{option_name(name)} is {shown(value)}, but must be one of {', '.join(choices)}{more}{hint}")


def check_switch(name: str, value: object) -> bool:
    """True or False, numpy's too, as a plain bool."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise BadInput(f"{option_name(name)} is {shown(value)}, but must be True or False.")
    return bool(value)


def check_integer(name: str, value: object, low: int, high: int | None = None) -> int:
    """A whole number of any library, as a plain int. high: LARGEST where not given."""
    allowed = f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"
    number = whole_number(value)
    if number is None:
        raise BadInput(f"{option_name(name)} is {shown(value)}, but must be {allowed}.")
    if not low <= number <= (most := LARGEST if high is None else high):
        nearest = low if number < low else most
        raise BadInput(f"{option_name(name)} is {shown(number)}, but must be {allowed}; the nearest is {nearest}.")
    return number


def check_seed(value: object, name: str = "seed") -> int:
    """A seed, or the number of a trial, as a plain int."""
    return check_integer(name, value, 0, LARGEST)


def check_number(name: str, value: object, low: float, high: float, *, below: bool = False) -> float:
    """A number of any library, as a plain float. `below`: the upper end itself is not allowed."""
    allowed = (
        f"a number from {low:g} up to, but not including, {high:g}" if below else f"a number from {low:g} to {high:g}"
    )
    number = real_number(value)
    if number is None:
        raise BadInput(f"{option_name(name)} is {shown(value)}, but must be {allowed}.")
    if math.isnan(number):
        raise BadInput(f"{option_name(name)} is not a number (nan), but must be {allowed}.")
    if number < low or number > high or (below and number == high):
        nearest = low if number < low else (high - 0.001 if below else high)
        raise BadInput(f"{option_name(name)} is {plain(number)}, but must be {allowed}; the nearest is {nearest:g}.")
    return number


def plain(number: float) -> str:
    """A number in few digits if they are exact, else in all of them: 1, 0.02, 1.0000001."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def plain_number(value: Any, usual: object) -> Any:
    """A number of any library as Python's, of the kind of `usual`; anything else is left for its check to refuse."""
    number = real_number(value) if isinstance(usual, float) else whole_number(value)
    return value if number is None else number


def whole_number(value: object) -> int | None:
    """A whole number of any library as a plain int; None for anything else, True and False too."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:  # of arrays, which all have __index__, only those of one element can use it
        return None


def real_number(value: object) -> float | None:
    """A number of any library as a plain float; None for anything else, text too."""
    whole = whole_number(value)
    if isinstance(value, (bool, str, bytes)) or (whole is None and not hasattr(value, "__float__")):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.copysign(math.inf, -1 if whole is not None and whole < 0 else 1)
    except (TypeError, ValueError):
        return None
