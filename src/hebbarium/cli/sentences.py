"""The parser's complaints as one plain sentence each."""

from __future__ import annotations

import contextlib
import typing
from collections.abc import Sequence
from typing import Any

from cyclopts import exceptions

from hebbarium.cli.arguments import MINUS
from hebbarium.tools.errors import BadInput, HebbariumError, nearest_word, shown

LONGEST = 400


def sentence(error: BaseException) -> str:
    """What is wrong, what is allowed and the nearest good value, where they are known."""
    text = str(_our_own(error) or _reworded(error)).replace(MINUS, "-")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def _our_own(error: BaseException | None) -> HebbariumError | None:
    """Our own error, however deep the parser has wrapped it."""
    while error is not None and not isinstance(error, HebbariumError):
        error = error.__cause__ or error.__context__
    return error


def _reworded(error: BaseException) -> str:
    match error:
        case exceptions.UnknownOptionError():
            return _unknown_option(error)
        case exceptions.UnknownCommandError():
            return _unknown_command(error)
        case exceptions.CoercionError(token=token) if token is not None:
            name = token.keyword or (error.argument.name if error.argument else "a value")
            return f"{name} is {shown(token.value)}, but must be {_allowed(error.target_type, token.value)}"
        case exceptions.MissingArgumentError():
            return _missing(error)
        case exceptions.RepeatArgumentError():
            return f"{error.token.keyword} is given more than once."
        case exceptions.UnusedCliTokensError():
            return _unexpected((error.unused_tokens or ["?"])[0], error.command_chain or ())
        case exceptions.CycloptsError():
            error.verbose = False
        case OSError():
            return _refused(error)
    return str(error) or type(error).__name__


def _refused(error: OSError) -> str:
    """What the system does not do, such as a path that is too long or a disk that is full."""
    what = "read or write" if error.filename is None else f"use {shown(error.filename)}"
    return f"cannot {what}: {error.strerror or error}."


def _unknown_option(error: exceptions.UnknownOptionError) -> str:
    from hebbarium.worlds.registry import WORLDS

    word = (error.token.keyword or error.token.value).partition("=")[0]
    if set(error.app or ()) >= set(WORLDS):
        return f"there is no option {word!r} without a task: name one before it, such as 'foraging', or see --help."
    known = [name for argument in error.argument_collection if argument.parse for name in argument.names]
    nearest = nearest_word(word[2:], [name[2:] for name in known if name.startswith("--")] + ["help"])
    hint = f"did you mean --{nearest}?" if nearest else "--help-all describes those there are."
    return f"there is no option {word!r}; {hint}"


def _unknown_command(error: exceptions.UnknownCommandError) -> str:
    from hebbarium.worlds.registry import WORLDS

    word = (error.unused_tokens or ["?"])[0]
    known = [name for name in (error.app or ()) if not name.startswith("-")]
    kind = "task" if set(known) >= set(WORLDS) else "command"
    if word.startswith("-"):
        return f"a {kind} comes before {word!r}: {_one_of(known)}."
    nearest = f"./{word}.py" if kind == "task" and _is_file(f"{word}.py") else nearest_word(word, known)
    hint = f"; did you mean {nearest!r}?" if nearest else "."
    return f"there is no {kind} {word!r}, only {_one_of(known)}{hint}"


def _is_file(name: str) -> bool:
    from pathlib import Path

    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _unexpected(word: str, chain: Sequence[str]) -> str:
    """Some commands take rules as they are, others as an option: mixing them up gets a sentence."""
    from hebbarium.rules.layered import read_rule

    hint = "--help shows what is"
    if "live" in chain or "sweep" in chain:
        with contextlib.suppress(BadInput):
            read_rule(word)
            hint = f"did you mean --rule={word}?"
    return f"{word!r} is not expected here; {hint}" + ("" if hint.endswith("?") else ".")


def _missing(error: exceptions.MissingArgumentError) -> str:
    name = error.argument.name if error.argument else "an argument"
    if error.keyword is not None:
        return f"{error.keyword} needs a value."
    return f"{name} is missing; see --help."


def _one_of(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _allowed(kind: Any, value: str) -> str:
    choices = [str(choice) for choice in typing.get_args(kind)] if typing.get_origin(kind) is typing.Literal else []
    if choices:
        nearest = nearest_word(value, choices)
        return f"one of {', '.join(choices)}" + (f"; did you mean {nearest!r}?" if nearest else ".")
    return {int: "a whole number.", float: "a number.", bool: "yes or no."}.get(kind, "something else.")
