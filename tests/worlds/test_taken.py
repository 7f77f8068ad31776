"""What a world's settings must not be called: the list of options is that of the verbs, which are above the worlds."""

from __future__ import annotations

import dataclasses
import importlib
import inspect

import hebbarium as hb
from hebbarium.cli import VERBS, common, module_of
from hebbarium.worlds.checking import OPTIONS
from hebbarium.worlds.foraging import Foraging


def options_of_commands() -> set[str]:
    """Of all commands that take a task, beside the world's own settings."""
    for verb in VERBS:
        importlib.import_module(module_of(verb))
    arguments = [
        argument
        for app, _, _ in common._TASK_ADDERS.values()
        for argument in app["foraging"].assemble_argument_collection()
    ]
    words = {name.lstrip("-").replace("-", "_").lower() for argument in arguments for name in argument.names}
    settings = {field.name for field in dataclasses.fields(Foraging)}
    return {word for word in words if len(word) > 1} - settings - {f"no_{setting}" for setting in settings}


def arguments_in_python() -> set[str]:
    """Of all functions that take a world's settings as further arguments."""
    names: set[str] = set()
    for function in (getattr(hb, name) for name in hb.__all__):
        parameters = inspect.signature(function).parameters if inspect.isfunction(function) else {}
        if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
            names |= {name for name, one in parameters.items() if one.kind is not one.VAR_KEYWORD}
    return names


def test_the_list_of_options_is_true() -> None:
    """Where this fails: write the new word into OPTIONS of worlds/checking.py, or take an old one out."""
    assert sorted(options_of_commands() | arguments_in_python()) == sorted(OPTIONS)


def test_the_packages_own_worlds_keep_to_it() -> None:
    for world in hb.WORLDS.values():
        assert not {field.name for field in dataclasses.fields(world)} & {*OPTIONS}
