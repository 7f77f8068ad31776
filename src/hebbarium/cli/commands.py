"""Verbs as commands. What a verb takes are descriptions, dataclasses, of which each field becomes an option.

A parameter of a verb's function is one of

- `Annotated[Files, FILES]`: a dataclass and the group of the help its options stand in; the verb gets an instance;
- `Annotated[dict[str, Any], Given(...)]`: the verb gets what was given of some options, and only that;
- `task: World`: the settings of the world that the command is for; the verb gets the world;
- anything else: an argument or option as the parser knows them.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import cyclopts
from cyclopts import Group, Parameter

from hebbarium.tools.errors import option_name, shown_setting
from hebbarium.tools.fields import MISSING, Option, options_of
from hebbarium.worlds.base import World
from hebbarium.worlds.checking import taken
from hebbarium.worlds.registry import OTHERS, WORLDS, find_world, is_env_id

ASKED = Group("Study", sort_key=0)
LIFE = Group("Life", sort_key=1)
PLACE = Group("Place", sort_key=2)
FILES = Group("Files", sort_key=2)
EVERYWHERE = Group("Everywhere", sort_key=4)
BRAIN = Group("Brain", sort_key=5)
LEARNERS = Group("Agents that learn", sort_key=5)
WORLD = Group("World", sort_key=6)
SEARCH = Group("Settings of several searches", sort_key=7)
LATER = (BRAIN.sort_key, SEARCH.sort_key)
"""Groups with these keys, and what lies between, are described by --help-all; --help only names their options."""

FLAG = Parameter(negative="", show_default=False)
"""Of an option that is there or not."""
_PLAIN = (bool, int, float, str, Path, type(None))


Listed = Callable[[type[World] | None], Iterable[tuple[Group, Option]]]
"""For the class of a world, or None where the command is not for one, options and their groups."""


class Given:
    """What a verb is handed of some options: a dict of those that were given; the others are as usual."""

    def __init__(self, *listed: Listed) -> None:
        self.listed = listed

    def options(self, world: type[World] | None) -> dict[str, tuple[Group, Option]]:
        return {option.name: (group, option) for some in self.listed for group, option in some(world)}


def given(group: Group, described: type, *names: str) -> Listed:
    """The fields of a dataclass, or some of them."""
    return lambda world: [(group, option) for option in options_of(described, *names).values()]


@dataclass
class _Part:
    """A parameter of a verb's function that is made from options."""

    options: dict[str, tuple[Group, Option]]
    make: Callable[..., Any]
    given: bool = False


def command(
    function: Callable[..., Any],
    world: type[World] | None = None,
    usual: Mapping[str, Any] | None = None,
    *,
    help_all: bool = True,
) -> tuple[Callable[..., Any], str]:
    """The function as the parser takes it, with an option for each field; and a text that names those whose
    description is left for --help-all. usual: options that have another default here."""
    usual = usual or {}
    parts: dict[str, _Part] = {}
    parameters: dict[str, inspect.Parameter] = {}
    later: dict[str, list[str]] = {}
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        part = _part(parameter, world, usual)
        if part is None:
            _add(parameters, parameter, world)
            continue
        parts[name] = part
        for group, option in part.options.values():
            basic = group is WORLD and option.name in getattr(world, "basic", ())
            show = help_all or basic or not LATER[0] <= group.sort_key <= LATER[1]
            if not show:
                later.setdefault(group.name, []).append(f"--{option_name(option.name)}")
            _add(parameters, _parameter(option, group, part.given, show), world)

    @functools.wraps(function)
    def run(*args: Any, **values: Any) -> Any:
        described = {option for part in parts.values() for option in part.options}
        own = {name: value for name, value in values.items() if name not in described}
        for name, part in parts.items():
            given = {option: values[option] for option in part.options if option in values}
            own[name] = part.make(**{k: v for k, v in given.items() if not part.given or v is not None})
        return function(*args, **own)

    ordered = sorted(parameters.values(), key=lambda one: one.kind)
    run.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in ordered}
    del run.__wrapped__  # the parser would look for descriptions there
    return run, "\n\n".join(f"{group}: {' '.join(names)}" for group, names in later.items())


def _part(parameter: inspect.Parameter, world: type[World] | None, usual: Mapping[str, Any]) -> _Part | None:
    kind, *marks = typing.get_args(parameter.annotation) or (parameter.annotation,)
    if kind is World and world is not None:
        options = {name: (WORLD, option) for name, option in options_of(world).items()}
        own = {name: value for name, value in usual.items() if name in options}
        part = _Part(options, lambda **values: world(**(own | values)))
    elif isinstance(mark := next(iter(marks), None), Given):
        part = _Part(mark.options(world), dict, given=True)
    elif isinstance(mark, Group) and dataclasses.is_dataclass(kind):
        part = _Part({name: (mark, option) for name, option in options_of(kind).items()}, kind)  # type: ignore[arg-type]
    else:
        return None
    for name, (group, option) in part.options.items():
        if name in usual:
            part.options[name] = group, dataclasses.replace(option, default=usual[name])
        elif name == "agent" and world is not None and world.agents:
            words = f"{'Also run' if option.default == () else 'Run'} an agent without a rule."
            part.options[name] = group, dataclasses.replace(option, kind=_among(option.kind, world.agents), words=words)
    return part


def _among(kind: Any, allowed: Collection[str]) -> Any:
    """A type of words, with only those that are allowed."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        return Annotated[_among(parts[0], allowed), *parts[1:]]
    if origin is tuple:
        return tuple[_among(parts[0], allowed), ...]  # type: ignore[misc]
    return (
        typing.Literal[tuple(word for word in parts if word in allowed) or parts] if origin is typing.Literal else kind
    )


def _add(parameters: dict[str, inspect.Parameter], new: inspect.Parameter, world: type[World] | None) -> None:
    if new.name in parameters:
        assert world is not None, f"two options of one verb are called {new.name}"
        raise taken(world, new.name)
    parameters[new.name] = new


def _parameter(option: Option, group: Group, given: bool, show: bool) -> inspect.Parameter:
    kind, default, words = option.kind, option.default, option.words
    how: dict[str, Any] = {"group": group, "show": show}
    if given:
        how["show_default"] = False
        if default not in (None, MISSING, "", False, ()):
            words = f"{words} [default: {shown_setting(default)}]"
        several = isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union
        plain = all(one in _PLAIN for one in (typing.get_args(kind) if several else (kind,)))
        # Lists and weights by name are texts for the parser; those that check them read them.
        read: Any = kind if plain or typing.get_origin(kind) is typing.Literal else str
        kind, default = read | None, None
    if bool in (kind, *typing.get_args(kind)) and option.default in (False, MISSING):
        how |= {"negative": "", "show_default": False}
    annotation = Annotated[kind, Parameter(help=words, **how)]  # type: ignore[valid-type]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


class Verb:
    """A verb, whose options are made when it is asked for.

    words: what it does, for the help. usual: options that have another default here."""

    made: ClassVar[dict[str, Verb]] = {}

    def __init__(self, function: Callable[..., Any], words: str, **usual: Any) -> None:
        self.function, self.usual, name = function, usual, option_name(function.__name__)
        self.app = cyclopts.App(name, help=words, help_format="markdown")
        self.made.setdefault(name, self)

    def make(self, words: list[str], help_all: bool) -> list[str]:
        """Make the command that these words ask for; returns them as the parser needs them."""
        function, self.app.help_epilogue = self.command(self.task(words), help_all)
        self.app.default_command = function
        return words

    def task(self, words: list[str]) -> str | None:
        """The task whose settings are options."""
        return None

    def command(self, task: str | None, help_all: bool) -> tuple[Callable[..., Any], str]:
        """The function that the parser calls, and what --help says at its end."""
        world = None if task is None else find_world(task)
        usual = self.usual | ({"env": task} if is_env_id(task) else {})
        function, later = command(self.function, world, usual, help_all=help_all)
        return function, later and f"Further options, described by --help-all:\n\n{later}"


class TaskVerb(Verb):
    """A verb whose first word is a task: each has a command, with its settings as options."""

    def __init__(self, function: Callable[..., Any], words: str, **usual: Any) -> None:
        super().__init__(function, words, **usual)
        self.app.help_epilogue = (
            "For a world of your own, give its file, such as ./pond.py, or its module; `hebbarium new-world` writes "
            "one to start from. An environment of Gymnasium's is given by its id, such as CartPole-v1."
        )
        for place, (name, world) in enumerate(WORLDS.items()):
            self.app.command(_not_made, name=name, help=world.__doc__, sort_key=place)

    def make(self, words: list[str], help_all: bool) -> list[str]:
        from hebbarium.worlds.loading import is_reference

        if not words or words[0].startswith("-"):
            return words
        environment = is_env_id(words[0])
        if not (environment or words[0] in (*WORLDS, *OTHERS) or is_reference(words[0])):
            return words
        name = words[0] if environment else find_world(words[0]).name
        if name in self.app:
            del self.app[name]
        function, epilogue = self.command(words[0], help_all)
        self.app.command(function, name=name, help=find_world(words[0]).__doc__, help_epilogue=epilogue)
        return [name, *words[1:]]


def _not_made() -> None:
    """Stands for the command of a task until it is asked for."""
    raise AssertionError("the command of a task is made before words are parsed")
