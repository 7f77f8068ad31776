"""What a page must know of the worlds: names, colours, associations in words, settings, rules to begin with."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hebbarium import __version__
from hebbarium.brains.base import Brain
from hebbarium.rules.rule import PAPER_RULES
from hebbarium.studies.live import BRAIN_SETTINGS
from hebbarium.tools.fields import options_of
from hebbarium.watch.requests import usual_rule
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
    from hebbarium.studies.atlas.finished_atlas import at_hand

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


# Ready links, each with two sentences on what to look for.


@dataclass(frozen=True)
class Story:
    title: str
    words: str
    wish: dict[str, Any]
    """What the address says; `speed` is in steps a second, 0 for as many as possible."""


_BLAME = {
    "open-turn": 0.09,
    "wall-hit": 0.15,
    "beside-wall": 0.06,
    "taken": 0.5,
    "wall-turn": -0.26,
    "3": 0.02,
    "open-straight": 0.0,
}
"""Of the best rule known with 20 neurons, the one with fewer numbers (docs/findings.md)."""

STORIES = (
    Story(
        "It learns and relearns",
        "A random brain soon collects green and avoids blue. After ten seconds winter comes, and blue items are "
        "the good ones: watch it take the wrong items for a while, be punished, and relearn.",
        {"task": "foraging", "rule": "00+-/0000@0.0375", "seed": 7, "speed": 500},
    ),
    Story(
        "Graded blame",
        "The same newborn brain with a rule for each layer, and judgements that count more or less (Blame and "
        "eligibility, below). In four seasons its mean fitness is 61 instead of 50, well above the best plain rule.",
        {"task": "foraging", "rule": "00+-/0000@0.013,00+-/000+@0.16", "seed": 7, "speed": 500, "stop": 4}
        | {"blame": _BLAME, "eligibility": {"missed": 0.3}},
    ),
    Story(
        "Twenty neurons become one",
        "This rule acts on reward, too, so the weights change at nearly every step. Watch the rows of the left heat "
        "map become the same, until after a few hundred steps all 20 hidden neurons are the same.",
        {"task": "foraging", "rule": "-++-/--++@0.0118", "seed": 9, "speed": 60},
    ),
    Story(
        "A rule that ages",
        "The best rule of all, fast-forwarded through 32 seasons. Its bars shrink: in the last seasons sixteen brains "
        "collect about half as much as in the first.",
        {"task": "foraging", "rule": "00+-/0000@0.0375", "seed": 1, "speed": 10000, "brains": 16, "stop": 32},
    ),
    Story(
        "Caught between two walls",
        "Without random actions this brain soon walks back and forth between two walls forever: no step is punished, "
        "so nothing changes. The next story has the same brain and a few random actions.",
        {"task": "foraging", "rule": "00+-/0000@0.0375", "seed": 6, "speed": 200, "random_action": "0"},
    ),
    Story(
        "Freed by a random step",
        "The same brain, but one action in 500 is random. It is caught between the same two walls from step 400 on, "
        "until around step 720 a random turn sets it free and it collects items again.",
        {"task": "foraging", "rule": "00+-/0000@0.0375", "seed": 6, "speed": 200, "random_action": "0.002"},
    ),
    Story(
        "Prey and predators",
        "Prey flee, predators chase, and in winter they swap colours. Within the first fifty steps all 50 hidden "
        "neurons become one: only a single feature is left, yet the agent still catches prey now and then.",
        {"task": "prey-predator", "rule": "0-+0/+-00@0.42", "seed": 9, "speed": 60},
    ),
)
