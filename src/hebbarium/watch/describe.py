"""What a page must know of the worlds: names, colours, associations in words, settings, rules to begin with."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import typing
from collections.abc import Mapping
from typing import Any

from hebbarium import __version__
from hebbarium.brains.base import Brain
from hebbarium.rule import PAPER_RULES
from hebbarium.verbs.live import BRAIN_SETTINGS
from hebbarium.watch.stories import STORIES
from hebbarium.watch.wishes import usual_rule
from hebbarium.worlds.base import World

BEST = 8
"""Rules of an atlas that are offered."""
_FIELD = re.compile(r'^    (\w+): [^\n]*\n    """(.*?)"""', re.DOTALL | re.MULTILINE)
_SPOKEN = {"W": "wall", "G": "green", "B": "blue"}


def hello(worlds: Mapping[str, World], run: str | None = None) -> dict[str, Any]:
    """run: the name of the evolution that is watched, too."""
    return {
        "type": "hello",
        "version": __version__,
        "worlds": {name: about_world(world) for name, world in worlds.items()},
        "stories": [dataclasses.asdict(story) for story in STORIES if story.wish["task"] in worlds],
        "run": run,
    }


@functools.lru_cache(maxsize=32)
def about_world(world: World) -> dict[str, Any]:
    brain = Brain.of(world)
    return {
        "name": world.name,
        "about": inspect.cleandoc(type(world).__doc__ or "").partition("\n")[0],
        "actions": list(world.actions),
        "counts": list(world.counts),
        "counted": list(world.counted or world.counts),
        "kinds": list(world.kinds),
        "inputs": list(world.input_names),
        "hidden": world.default_hidden,
        "legend": [dataclasses.asdict(thing) for thing in world.legend],
        "associations": {row.id: [spoken(row.sensor), row.behaviour] for row in world.associations},
        "groups": list(world.group_names),
        "settings": [*_settings(world, [field.name for field in dataclasses.fields(world)])],
        "brain": [*_settings(brain, BRAIN_SETTINGS)],
        "presets": presets(world),
        "usual": usual_rule(world),
    }


def spoken(sensor: str) -> str:
    """The paper's letters as words.

    >>> spoken("G on left")
    'green on left'
    """
    return re.sub(r"\b[WGB]\b", lambda letter: _SPOKEN[letter[0]], sensor)


def presets(world: World) -> list[dict[str, str]]:
    from hebbarium.atlas.table import shipped

    rules = [
        {"name": name, "rule": f"{notation}@{eta:g}", "group": "of the paper"}
        for name, (notation, eta) in PAPER_RULES.items()
        if name.startswith(f"{world.name}:")
    ]
    atlas = shipped(world.name)
    for row in [] if atlas is None else atlas.top(BEST):
        name = f"#{row['rank']}, fitness {row['mean']:.1f}"
        rules.append({"name": name, "rule": f"{row['rule']}@{row['eta']:.4g}", "group": "best of all 6,561"})
    return rules


def _settings(owner: World | Brain, names: typing.Iterable[str]) -> typing.Iterator[dict[str, Any]]:
    """Each with its present value, what it may be, and its docstring."""
    kinds = typing.get_type_hints(type(owner))
    words = _docstrings(type(owner))
    for name in names:
        value = getattr(owner, name)
        choices = ["true", "false"] if isinstance(value, bool) else [str(one) for one in typing.get_args(kinds[name])]
        text = str(value).lower() if isinstance(value, bool) else str(value)
        yield {"name": name, "value": text, "choices": choices, "words": words.get(name, "")}


def _docstrings(owner: type) -> dict[str, str]:
    """What stands under each field in the source."""
    words: dict[str, str] = {}
    for kind in reversed(owner.__mro__):
        if kind is not object and dataclasses.is_dataclass(kind):
            found = re.findall(
                r'^    (\w+): [^\n]*\n    """(.*?)"""', inspect.getsource(kind), re.DOTALL | re.MULTILINE
            )
            words |= {name: " ".join(text.split()) for name, text in found}
    return words
