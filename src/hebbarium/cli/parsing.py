"""The words of a command line, before and while they are read, and the complaints of the parser in plain sentences."""

from __future__ import annotations

import contextlib
import re
import tomllib
import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cyclopts
from cyclopts import exceptions
from cyclopts.argument import ArgumentCollection

from hebbarium.tools.errors import BadInput, HebbariumError, nearest_word, shown, shown_setting
from hebbarium.tools.files import open_regular

MINUS = "\N{MINUS SIGN}"
"""Stands for a rule's leading `-`, so that the parser takes it for data; rules read it as `-`."""

LONGEST_CONFIG = 20_000
"""Bytes. Options fill a page at most, and reading TOML may take the square of its length: of this a second."""

_LIKE_A_RULE = re.compile(r"(-[-0+/]*[0+/][-0+/]*|-{8}|-{12})([@,].*)?|[-−][0-9.][0-9.e+-]*:.*", re.DOTALL)
_ANYWHERE = {"-q", "--quiet", "-v", "--verbose", "--json", "--debug"}


def prepare(tokens: list[str]) -> tuple[list[str], Config | None]:
    """The words as the parser needs them, and the file named by --config."""
    leading = 0
    while leading < len(tokens) and tokens[leading] in _ANYWHERE:
        leading += 1
    tokens = [*tokens[leading:], *tokens[:leading]]
    tokens = [MINUS + token[1:] if _LIKE_A_RULE.fullmatch(token) else token for token in tokens]
    for place, token in enumerate(tokens):
        name, equals, value = token.partition("=")
        if name != "--config":
            continue
        if not equals and place + 1 == len(tokens):
            raise BadInput("--config needs a file, such as --config settings.toml.")
        path, rest = (value, tokens[place + 1 :]) if equals else (tokens[place + 1], tokens[place + 2 :])
        if any(other.partition("=")[0] == "--config" for other in rest):
            raise BadInput("--config is given more than once.")
        return [*tokens[:place], *rest], Config.read(path)
    return tokens, None


@dataclass(frozen=True)
class Config:
    """Options from a TOML file: `lifetimes = 200` is `--lifetimes 200`; the command line wins."""

    path: str
    values: dict[str, Any]

    @classmethod
    def read(cls, path: str) -> Config:
        """Read a TOML file of options; what cannot be read is refused."""
        try:
            with open_regular(path) as file:
                text = file.read(LONGEST_CONFIG + 1)
        except OSError as error:
            raise BadInput(f"cannot read the config file {shown(path)}: {error.strerror or error}.") from None
        if len(text) > LONGEST_CONFIG:
            raise BadInput(f"the config file {shown(path)} is longer than {LONGEST_CONFIG:,} bytes, the most allowed.")
        try:
            return cls(path, tomllib.loads(text.decode()))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BadInput(f"the config file {shown(path)} is not valid TOML: {error}.") from None
        except (ValueError, RecursionError):  # Python's limits
            raise BadInput(f"the config file {shown(path)} has numbers too long or lists too deep to read.") from None

    def __call__(self, app: cyclopts.App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
        """Called by the parser between reading the command line and using it."""
        names = {name[2:]: argument for argument in arguments for name in argument.names if name.startswith("--")}
        for key, value in self.values.items():
            option = key.replace("_", "-")
            if option not in names:
                nearest = nearest_word(option, [name for name in names if not name.startswith("no-")])
                hint = f"; did you mean {nearest!r}?" if nearest else "."
                raise BadInput(f"{key!r} in {self.path} is not an option of this command{hint}")
            argument = names[option]
            if argument.tokens:
                continue
            several = isinstance(value, list) and typing.get_origin(argument.hint) in (list, tuple, set)
            for index, item in enumerate(value if several else [_as_one(value)]):
                if not isinstance(item, (str, int, float)):
                    raise BadInput(
                        f"{key!r} in {self.path} is {shown(item)}, but must be a text, a number, true or false."
                    )
                text = shown(item).lower() if isinstance(item, (bool, int)) else str(item)
                argument.append(cyclopts.Token(keyword=f"--{option}", value=text, source=self.path, index=index))


def _as_one(value: Any) -> Any:
    """A list or a table of plain values as one text: `hidden = [20, 10]`, `blame = {missed = 0.5}`."""
    numbers = (int, float)
    if isinstance(value, dict) and value and all(type(item) in numbers for item in value.values()):
        return shown_setting(value)
    plain = isinstance(value, list) and value and all(type(item) in (str, *numbers) for item in value)
    return shown_setting(value) if plain else value


def check_whole_numbers(app: cyclopts.App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """The parser would round 2.5 to a whole number; we refuse it."""
    for argument in arguments:
        hint = argument.hint
        kinds = typing.get_args(hint) if isinstance(hint, types.UnionType) or typing.get_origin(hint) else (hint,)
        if int not in kinds or float in kinds or str in kinds:
            continue
        for token in argument.tokens:
            if token.value and not re.fullmatch(r"\s*[-+]?[0-9]+(_[0-9]+)*\s*", token.value):
                raise BadInput(f"{token.keyword or argument.name} is {token.value!r}, but must be a whole number.")


LONGEST = 400


def sentence(error: BaseException) -> str:
    """What is wrong, what is allowed and the nearest good value, where they are known."""
    own: BaseException | None = error  # our own error, however deep the parser has wrapped it
    while own is not None and not isinstance(own, HebbariumError):
        own = own.__cause__ or own.__context__
    text = str(own or _reworded(error)).replace(MINUS, "-")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def _reworded(error: BaseException) -> str:
    """The parser's complaint in our words."""
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
