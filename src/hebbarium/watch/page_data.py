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
from hebbarium.rules.rule import PAPER_RULES
from hebbarium.studies.live import BRAIN_SETTINGS
from hebbarium.tools.fields import options_of
from hebbarium.watch.requests import usual_rule
from hebbarium.watch.stories import STORIES
from hebbarium.worlds.base import World

BEST = 8
"""Rules of an atlas that are offered."""
HIDDEN = ("seasons",)
"""Settings without effect on a page, where a life has no last season unless `stop` is given."""
KNOWN = {
    "t-maze": (
        ("+++-/0000@0.0065", "found by evolve"),
        ("00+-/0000@0.04", "foraging's best"),
        ("0-+0/--00@0.91", "first of a coarse atlas"),
        ("00+-/0000@0.005,00+-/0000@0.08", "an eta for each layer"),
    ),
    "association": (
        ("0++-/0000@0.0065", "found by evolve"),
        ("00+-/0000@0.0091", "foraging's best, at its best eta here"),
        ("00+-/0000@0.005,00+-/0000@0.08", "an eta for each layer"),
        ("frozen,000-/0000@0.03", "only the outputs learn"),
    ),
}
"""Rules that are known to learn (docs/worlds.md, docs/transfer.md) where the paper has none and no atlas is shipped."""
MARKS = {
    "foraging": (0.0, 47.8, 66.3),
    "prey-predator": (-23.6, 18.3, 97.0),
    "t-maze": (0.0, 96.9, 97.5),
    "association": (0.0, 93.9, 98.0),
}
"""Fitness of a season: random actions, the best plain rule (`usual_rule`) and the perfect agent; means of 400 lifetimes
(`hebbarium live TASK --agent random --lifetimes 400 --seed 21` and so on)."""
ELSEWHERE = (
    ("00+-/0000@0.03", "foraging's best"),
    ("+++-/0000@0.0065", "found in the T-maze"),
    ("00+-/0000@0.005,00+-/0000@0.08", "an eta for each layer"),
    ("frozen,000-/0000@0.03", "only the outputs learn"),
)
"""Rules that learn in several worlds (docs/transfer.md), for worlds of one's own."""
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
        "inputs": list(world.all_input_names),
        "hidden": world.default_hidden,
        "legend": [dataclasses.asdict(thing) for thing in world.legend],
        "meanings": {name: list(words) for name, words in world.meanings.items()},
        "associations": {row.id: [spoken(row.sensor), row.behaviour] for row in world.associations},
        "groups": list(world.group_names),
        "settings": [*_settings(world, [one.name for one in dataclasses.fields(world) if one.name not in HIDDEN])],
        "brain": [*_settings(brain, BRAIN_SETTINGS)],
        "presets": presets(world),
        "usual": usual_rule(world),
        "marks": [*zip(("random", "best plain rule", "perfect"), MARKS[world.name], strict=True)]
        if world.name in MARKS
        else None,
    }


def spoken(sensor: str) -> str:
    """The paper's letters as words.

    >>> spoken("G on left")
    'green on left'
    """
    return re.sub(r"\b[WGB]\b", lambda letter: _SPOKEN[letter[0]], sensor)


def presets(world: World) -> list[dict[str, str]]:
    """Rules to choose from, in groups: the paper's and the best of an atlas, or else some that are known to learn, here
    or elsewhere."""
    from hebbarium.studies.atlas.lookup import at_hand

    found = at_hand(world)
    chosen = [
        (name, f"{notation}@{eta:g}", "of the paper")
        for name, (notation, eta) in PAPER_RULES.items()
        if name.startswith(f"{world.name}:")
    ]
    for row in [] if found is None else found.atlas.top(BEST):
        name = f"#{row['rank']}, fitness {row['fitness']:z.1f}"
        chosen.append((name, f"{row['rule']}@{row['eta']:.4g}", "best of all 6,561"))
    if not chosen:
        group = "known to learn here" if world.name in KNOWN else "to begin with"
        rules = {usual_rule(world): "usual here"} | dict(KNOWN.get(world.name, ELSEWHERE))
        chosen = [(name, rule, group) for rule, name in rules.items()]
    return [{"name": name, "rule": rule, "group": group} for name, rule, group in chosen]


def _settings(owner: World | Brain, names: typing.Iterable[str]) -> typing.Iterator[dict[str, Any]]:
    """Each with its present value, what it may be, and its docstring."""
    for option in options_of(type(owner), *names).values():
        value = getattr(owner, option.name)
        choices = ["true", "false"] if isinstance(value, bool) else [*option.choices]
        text = str(value).lower() if isinstance(value, bool) else str(value)
        yield {"name": option.name, "value": text, "choices": choices, "words": option.words}
