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
    own: BaseException | None = error  # our own error, however deep the parser has wrapped it
    while own is not None and not isinstance(own, HebbariumError):
        own = own.__cause__ or own.__context__
    text = str(own or _reworded(error)).replace(MINUS, "-")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def _reworded(error: BaseException) -> str:
    match error:
        case exceptions.UnknownOptionError():
            return _unknown_option(error)
        case exceptions.UnknownCommandError():
            return _unknown_command(error)
        case exceptions.CoercionError(token=token) if token is not None:
            name = token.keyword or (error.argument.name if error.argument else "a value")
            return f"{name} is {shown(token.value)}, but must be {_allowed(error.target_type, token.value)}"
        case exceptions.MissingArgumentError(keyword=None):
            return f"{error.argument.name if error.argument else 'an argument'} is missing; see --help."
        case exceptions.MissingArgumentError():
            return f"{error.keyword} needs a value."
        case exceptions.RepeatArgumentError():
            return f"{error.token.keyword} is given more than once."
        case exceptions.UnusedCliTokensError():
            return _unexpected((error.unused_tokens or ["?"])[0], error.command_chain or ())
        case exceptions.CycloptsError():
            error.verbose = False
        case OSError():  # what the system does not do, such as a path that is too long or a disk that is full
            what = "read or write" if error.filename is None else f"use {shown(error.filename)}"
            return f"cannot {what}: {error.strerror or error}."
    return str(error) or type(error).__name__


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
    from pathlib import Path

    from hebbarium.worlds.registry import WORLDS

    word = (error.unused_tokens or ["?"])[0]
    known = [name for name in (error.app or ()) if not name.startswith("-")]
    kind = "task" if set(known) >= set(WORLDS) else "command"
    one_of = " or ".join([", ".join(known[:-1]), known[-1]] if len(known) > 1 else known)
    if word.startswith("-"):
        return f"a {kind} comes before {word!r}: {one_of}."
    nearest = nearest_word(word, known)
    with contextlib.suppress(OSError, ValueError):  # a name that no file can have
        if kind == "task" and Path(f"{word}.py").is_file():
            nearest = f"./{word}.py"
        elif kind == "task" and Path(word).is_dir():
            return f"{shown(word)} is a folder, not a task; `hebbarium watch` and `runs` take the folder of a run."
        elif kind == "task" and Path(word).exists():
            return f"{shown(word)} is no task: a world of your own is a Python file, such as ./pond.py."
        elif kind == "task" and len(Path(word).parts) > 1:
            return f"there is no file or folder {shown(word)}."
    hint = f"; did you mean {nearest!r}?" if nearest else "."
    return f"there is no {kind} {word!r}, only {one_of}{hint}"


def _unexpected(word: str, chain: Sequence[str]) -> str:
    """Some commands take rules as they are, others as an option: mixing them up gets a sentence."""
    from hebbarium.rules.layered import read_rule

    hint = "--help shows what is."
    if "live" in chain or "sweep" in chain:
        with contextlib.suppress(BadInput):
            read_rule(word)
            hint = f"did you mean --rule={word}?"
    return f"{word!r} is not expected here; {hint}"


def _allowed(kind: Any, value: str) -> str:
    if typing.get_origin(kind) is typing.Literal:
        choices = [str(choice) for choice in typing.get_args(kind)]
        nearest = nearest_word(value, choices)
        if len(choices) == 1:
            return f"{choices[0]}."
        return f"one of {', '.join(choices)}" + (f"; did you mean {nearest!r}?" if nearest else ".")
    return {int: "a whole number.", float: "a number.", bool: "yes or no."}.get(kind, "something else.")
