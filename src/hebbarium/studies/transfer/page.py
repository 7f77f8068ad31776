"""Rules across worlds as one page that needs nothing else."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from hebbarium.show.pages import Markup, bullets, element, figure, header, heat_map, page, section, table
from hebbarium.studies.transfer.etas import HIGHEST, LOWEST, MOST
from hebbarium.tools.errors import shown_setting

if TYPE_CHECKING:
    from hebbarium.studies.transfer.matrix import Scored, Transfer
    from hebbarium.tools.statistics import Estimate

TITLE = "Rules across worlds"
MAPS = {"as_found": "At the rule's own eta", "best": "At the best eta found there"}


def transfer_html(found: Transfer) -> str:
    about = f"{len(found.rules)} rules in {len(found.worlds)} worlds: {found.lifetimes:,} lifetimes each"
    return page(
        TITLE,
        header(TITLE, f"{about}, seed {found.seed}."),
        element(
            "main",
            section("Scores", figure([_map(found, which) for which in MAPS if _rows(found, which).size])),
            section("With intervals", _table(found)),
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


def _rows(found: Transfer, which: str) -> np.ndarray:
    """Which rules have such scores."""
    return np.flatnonzero(~np.isnan(found.scores(which)).any(axis=1))


def _map(found: Transfer, which: str) -> Markup:
    rows = _rows(found, which)
    return heat_map(
        found.scores(which)[rows],
        title=MAPS[which],
        x_label="world",
        y_label="rule",
        x_names=found.world_names,
        y_names=[found.names[row] for row in rows],
        show="{:z.2f}",
    )


def _table(found: Transfer) -> Markup:
    rows = [
        [name, world, *_shown(cell.as_found), *_shown(cell.best)]
        for name, row in zip(found.names, found.cells, strict=True)
        for world, cell in zip(found.world_names, row, strict=True)
    ]
    columns = ["rule", "world", *itertools.chain(*(_columns(which) for which in ("own eta", "best eta there")))]
    return table(columns, rows, words=(0, 1))


def _columns(eta: str) -> list[str]:
    return [eta, "score", "95 % interval"]


def _shown(one: Scored | None) -> list[str]:
    return ["-"] * 3 if one is None else [one.rule.eta_text, f"{one.score.value:z.3f}", interval(one.score)]


def interval(estimate: Estimate) -> str:
    return f"{estimate.low:z.3f} to {estimate.high:z.3f}"
