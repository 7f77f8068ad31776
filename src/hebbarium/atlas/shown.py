"""The atlas that comes with the package as a page, at once: what takes long to compute comes with it, too."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from typing import Any

from hebbarium.atlas.map import save_map
from hebbarium.atlas.searched import Searched
from hebbarium.atlas.sections import searches_of, sections
from hebbarium.atlas.table import SHIPPED, Atlas
from hebbarium.atlas.why import study
from hebbarium.worlds.registry import make_world


def save_shipped_map(task: str, path: str | os.PathLike[str], layers: str = "same", hidden: int | None = None) -> None:
    """Write the map of a task's shipped atlas, with all its sections. layers, hidden: as of `Atlas.of`"""
    atlas = Atlas.of(task, layers, hidden)
    save_map(atlas, path, sections(atlas, *shipped_analysis(atlas)))


def shipped_analysis(atlas: Atlas) -> tuple[dict[str, Any] | None, list[Searched] | None]:
    """What the interventions gave (`why.study`) and what the searches found, where the package has them for just this
    atlas."""
    path = SHIPPED / f"analysis-{atlas.task}.json"
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if known.get("digest") != atlas.about["digest"]:
        return None, None
    return known["why"], [Searched(**one) for one in known["searches"]]


def analyse(atlas: Atlas, done: Callable[[], None]) -> str:
    """The text of that file."""
    why = study(atlas, make_world(atlas.task), seed=atlas.about["seed"], done=done)
    searches = [dataclasses.asdict(one) for one in searches_of(atlas)]
    return json.dumps({"digest": atlas.about["digest"], "why": why, "searches": searches}, indent=1) + "\n"
