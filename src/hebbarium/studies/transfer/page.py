"""Rules across worlds as one page that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hebbarium.show.pages import bullets, element, figure, header, heat_map, page, section, table
from hebbarium.studies.transfer.best_eta import HIGHEST, LOWEST, MOST
from hebbarium.tools.errors import shown_setting

if TYPE_CHECKING:
    from hebbarium.studies.transfer.matrix import Scored, Transfer

TITLE = "Rules across worlds"
MAPS = {"as_found": "At the rule's own eta", "best": "At the best eta found there"}


def transfer_html(found: Transfer) -> str:
    """The page: heat maps of the scores, a table with intervals, and what the numbers mean."""
    who = f"{len(found.rules)} rules and agents" if len(found.rules) > 1 else found.names[0]
    about = f"{who} in {len(found.worlds)} world{'s' * (len(found.worlds) > 1)}: {found.lived}"
    maps = []
    for which, title in MAPS.items():
        scores = found.scores(which)
        rows = np.flatnonzero(~np.isnan(scores).any(axis=1))  # the rules that have such scores
        if rows.size:
            names: dict[str, Any] = {
                "x_names": found.world_names,
                "y_names": [found.names[place] for place in rows.tolist()],
            }
            maps.append(heat_map(scores[rows], title=title, x_label="world", y_label="rule", show="{:z.2f}", **names))
    cells = [
        [name, world, *(part for which in found.etas for part in shown(getattr(cell, which)))]
        for name, row in zip(found.names, found.cells, strict=True)
        for world, cell in zip(found.world_names, row, strict=True)
    ]
    titles = [{"as_found": "own eta", "best": "best eta there"}[which] for which in found.etas]
    columns = ("rule", "world", *(head for title in titles for head in (title, "score", "95 % interval")))
    return page(
        TITLE,
        header(TITLE, f"{about}."),
        element(
            "main",
            section("Scores", figure(maps)),
            section("With intervals", table(columns, cells, words=(0, 1))),
            section("What the numbers mean", bullets(meaning(found))),
        ),
    )


def meaning(found: Transfer) -> list[str]:
    searched = (
        f"The best eta there: two races, one over etas from {LOWEST:g} to {HIGHEST:g}, one over etas around its winner "
        f"(up to {MOST:g}), of {found.budget:,} lifetimes at most for each rule and world. Each layer that learns has "
        "its own eta. The score comes from fresh lifetimes."
        if found.budget
        else "No other etas were tried."
    )
    return [
        "Score: the mean fitness of a life, scaled so that random actions score 0 and the perfect agent scores 1. The "
        "perfect agent knows what is good in each season, and takes random actions like every other agent.",
        searched,
        "Intervals are at the 95 % level and include the errors of the two agents' means.",
        *(
            f"{name}: {shown_setting(hidden)} hidden neurons; random actions have fitness "
            f"{agents.random.mean():z.2f}, the perfect agent {agents.perfect.mean():z.2f}."
            for name, hidden, agents in zip(found.world_names, found.hidden, found.agents, strict=True)
        ),
    ]


def shown(one: Scored | None) -> list[str]:
    """Eta, score and its interval, for a table."""
    if one is None:
        return ["-"] * 3
    return [one.eta_text, f"{one.score.value:z.3f}", f"{one.score.low:z.3f} to {one.score.high:z.3f}"]
