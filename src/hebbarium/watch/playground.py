"""The page of `watch` as a file: its lives are lived in the browser, by a twin of our kernels that counts the same."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

from hebbarium.rules.notation import PAPER_RULES
from hebbarium.rules.words import half_family, half_words
from hebbarium.studies.live import live
from hebbarium.tools.files import replacing
from hebbarium.watch.page_data import hello
from hebbarium.watch.page_text import playground_page
from hebbarium.watch.requests import usual_rule
from hebbarium.worlds import foraging, prey_predator
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS

FIRST = "index.html"
GOLDEN_STEPS = 300
"""In a season of the short lives by which a page checks its own arithmetic."""

COVERED = ("ties", "arithmetic", "hidden_bias", "output_bias", "weight_noise", "born_alike")
"""Settings of the brain that the twin has, too."""


def write_playground(folder: str | os.PathLike[str], docs: str = "") -> Path:
    """Write the playground to a folder and return its first page. docs: the address of the documentation, to link to.

    The page needs no server and asks for nothing, so it also works when opened as a file."""
    target = Path(folder) / FIRST
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as part:
        part.write_text(playground_page(known(docs)), encoding="utf-8")
    return target


def known(docs: str = "") -> dict[str, Any]:
    """What the twin must know: the worlds as pages describe them, their tables, and lives to check itself by."""
    worlds = {name: world() for name, world in WORLDS.items()}
    described = hello(worlds)
    described["worlds"] = {
        name: {**world, "brain": [setting for setting in world["brain"] if setting["name"] in COVERED]}
        for name, world in described["worlds"].items()
    }
    groups = {}
    for name, world in worlds.items():
        # [season kind, association, action]: by which name each judgement is blamed.
        names = world.groups or [str(place) for place in range(world.group_places)]
        groups[name] = [[[names[place] for place in row] for row in kind] for kind in world.group_table().tolist()]
    return {
        "hello": {**described, "docs": docs},
        "tables": {
            "papers": PAPER_RULES,
            "halves": {
                "".join("-0+"[entry + 1] for entry in half): (half_words(half), half_family(half))
                for half in itertools.product((-1, 0, 1), repeat=4)
            },
            "worlds": {
                "foraging": {name: _judged(*foraging.reinforcement(name)) for name in foraging.PRIORITIES},
                "prey-predator": _judged(*prey_predator.reinforcement()),
            },
            "groups": groups,
        },
        "goldens": {name: _golden(world) for name, world in worlds.items()},
    }


def _judged(signals: Any, associations: Any) -> dict[str, list[int]]:
    return {"signals": signals.ravel().tolist(), "associations": associations.ravel().tolist()}


def _golden(world: World) -> dict[str, Any]:
    """A short life of each world's usual rule, with the digest that it must have."""
    lived = live(world.name, usual_rule(world), lifetimes=1, seed=1, season_steps=GOLDEN_STEPS, seasons=2)
    asked = {"task": world.name, "rule": usual_rule(world), "seed": "1", "season_steps": str(GOLDEN_STEPS)}
    return {"life": asked, "steps": lived.task.steps, "digest": lived.digest}
