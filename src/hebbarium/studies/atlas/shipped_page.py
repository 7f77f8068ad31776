"""The atlas that comes with the package as a page, at once: what takes long to compute comes with it, too.

`benchmarks/analysis.py` computes it.
"""

from __future__ import annotations

import json
import os
from typing import Any

from hebbarium.studies.atlas.page import save_map
from hebbarium.studies.atlas.page_sections import sections
from hebbarium.studies.atlas.simulated_searches import Searched
from hebbarium.studies.atlas.table import SHIPPED, Atlas, shipped_name


def save_shipped_map(
    task: str, path: str | os.PathLike[str], layers: str = "same", hidden: int | None = None, playground: str = ""
) -> bool:
    """Write the map of a task's shipped atlas. layers, hidden: as of `Atlas.of`; playground: as of `map_html`

    Returns whether it has all its sections: where the analysis is missing, what depends on it is left out."""
    atlas = Atlas.of(task, layers, hidden)
    analysis = shipped_analysis(atlas)
    save_map(atlas, path, sections(atlas, *(analysis or (None, None))), playground=playground)
    return analysis is not None


def shipped_analysis(atlas: Atlas) -> tuple[dict[str, Any] | None, list[Searched]] | None:
    """What the interventions gave (`why.study`) and what the searches found, where the package has them for just this
    atlas. Where the hidden layer is frozen there are no interventions."""
    path = SHIPPED / f"analysis-{shipped_name(atlas.task, atlas.layers, atlas.about['hidden'])}.json"
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if known.get("digest") != atlas.about["digest"]:
        return None
    return known["why"], [Searched(**one) for one in known["searches"]]
