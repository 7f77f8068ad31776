"""Scores of rules across worlds: one for each rule in each world, with its interval; as a frame and as one page."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.agents.base import Agent
from hebbarium.brains.sizes import Hidden
from hebbarium.rules.rule import AnyRule
from hebbarium.show.pages import bullets, element, figure, header, heat_map, page, section, table
from hebbarium.show.pages.skeleton import notebook
from hebbarium.studies.transfer.best_eta import HIGHEST, LOWEST, MOST
from hebbarium.tools.data_frames import frame_of_rows
from hebbarium.tools.errors import BadInput, settings_in_words, shown_setting
from hebbarium.tools.files import write_text
from hebbarium.tools.statistics import Estimate, estimate_mean
from hebbarium.worlds.base import World


@dataclass(frozen=True)
class Agents:
    """Whose fitness is 0 and 1 in a world. Each: float64 [life]"""

    random: np.ndarray
    perfect: np.ndarray

    def score(self, fitness: np.ndarray) -> Estimate:
        """Where random actions are 0 and the perfect agent is 1. fitness: float64 [life], of the same trials

        The interval holds the errors of all three means, to first order, trial by trial.
        """
        random, span = self.random.mean(), self.perfect.mean() - self.random.mean()
        value = (fitness.mean() - random) / span
        return estimate_mean(value + (fitness - value * self.perfect - (1 - value) * self.random) / span)

    def check(self, world: World) -> None:
        if not self.perfect.mean() > self.random.mean():
            raise BadInput(
                f"the perfect agent of {world.label} has fitness {self.perfect.mean():g} and random actions have "
                f"{self.random.mean():g}, so scores cannot be normalised between them."
            )

    def summary(self) -> dict[str, float]:
        return {"random": float(self.random.mean()), "perfect": float(self.perfect.mean())}


@dataclass(frozen=True)
class Scored:
    """A rule at one eta in one world, or an agent."""

    rule: AnyRule | None
    """None for an agent."""
    fitness: Estimate
    score: Estimate

    @property
    def eta_text(self) -> str:
        return "-" if self.rule is None else self.rule.eta_text

    def summary(self) -> dict[str, Any]:
        return {"eta": self.rule and self.rule.eta, "fitness": _mean(self.fitness), "score": _mean(self.score)}


@dataclass(frozen=True)
class Cell:
    """A rule or an agent in a world."""

    as_found: Scored | None
    """At the eta it came with, if any; an agent has none and is scored here."""
    best: Scored | None
    """At the best eta that was found there, if it was searched for."""
    searched: int
    """Lifetimes spent on that."""

    def summary(self) -> dict[str, Any]:
        both = {name: getattr(self, name) for name in ("as_found", "best")}
        return {name: one and one.summary() for name, one in both.items()} | {"searched": self.searched}


@dataclass(frozen=True, repr=False)
class Transfer:
    """What `hebbarium transfer` shows."""

    names: Sequence[str]
    """Of the rules and agents."""
    rules: Sequence[AnyRule | Agent]
    worlds: Sequence[World]
    hidden: Sequence[Hidden]
    """Hidden neurons in each world."""
    settings: Mapping[str, Any]
    """Of the brain, blame and eligibility, in all worlds, where they were given."""
    lifetimes: int
    seed: int
    budget: int
    agents: Sequence[Agents]
    """Of each world: whose fitness is score 0, and whose is 1."""
    cells: Sequence[Sequence[Cell]]
    """[rule][world]"""

    @property
    def world_names(self) -> list[str]:
        """With the settings that are not the usual ones."""
        return [
            ", ".join(filter(None, (world.name, settings_in_words(world.changed_settings())))) for world in self.worlds
        ]

    @property
    def lived(self) -> str:
        """How many lives each rule had, and how, for people."""
        how = settings_in_words(self.settings)
        return f"{self.lifetimes:,} lifetimes each, seed {self.seed}{how and ', '}{how}"

    @property
    def etas(self) -> list[str]:
        """At which etas there are scores: `as_found`, `best` or both."""
        cells = [cell for row in self.cells for cell in row]
        return [which for which in ("as_found", "best") if any(getattr(cell, which) is not None for cell in cells)]

    def scores(self, which: str) -> np.ndarray:
        """float64 [rule, world]: `as_found` or `best`; nan where there is none."""
        found = [[getattr(cell, which) for cell in row] for row in self.cells]
        return np.array([[np.nan if one is None else one.score.value for one in row] for row in found])

    def summary(self) -> dict[str, Any]:
        """What `hebbarium transfer --json` prints."""
        return {
            "lifetimes": self.lifetimes,
            "seed": self.seed,
            "budget": self.budget,
            "settings": dict(self.settings),
            "tasks": [
                {"task": world.name, "settings": world.changed_settings(), "hidden": hidden, **agents.summary()}
                for world, hidden, agents in zip(self.worlds, self.hidden, self.agents, strict=True)
            ],
            "rules": [
                {"rule": rule.notation, "eta": rule.eta, "tasks": [cell.summary() for cell in row]}
                for rule, row in zip(self.rules, self.cells, strict=True)
                if not isinstance(rule, Agent)
            ],
            "agents": [
                {"agent": agent.name, "settings": agent.settings, "tasks": [cell.summary() for cell in row]}
                for agent, row in zip(self.rules, self.cells, strict=True)
                if isinstance(agent, Agent)
            ],
        }

    def frame(self) -> Any:
        """A row for each rule in each world, at the eta it came with and at the best one there."""
        rows = [
            {
                "rule": rule,
                "world": world,
                "at": at.replace("_", " "),
                "eta": one.eta_text,
                "fitness": one.fitness.value,
                "score": one.score.value,
                "score_low": one.score.low,
                "score_high": one.score.high,
            }
            for rule, row in zip(self.names, self.cells, strict=True)
            for world, cell in zip(self.world_names, row, strict=True)
            for at in ("as_found", "best")
            if (one := getattr(cell, at)) is not None
        ]
        return frame_of_rows(rows)

    def __repr__(self) -> str:
        many = f"{len(self.rules)} rules and agents, {len(self.worlds)} worlds"
        return f"Transfer({many}, {self.lifetimes} lifetimes, seed {self.seed})"

    def _repr_html_(self) -> str:
        own, best = self.scores("as_found"), self.scores("best")
        rows = [
            [name, *(f"{one:z.2f} / {other:z.2f}".replace("nan", "-") for one, other in zip(*row, strict=True))]
            for name, *row in zip(self.names, own, best, strict=True)
        ]
        words = "Scores at the rule's own eta / at the best one there: random actions have 0, the perfect agent has 1"
        return notebook(
            f"{words}; {self.lifetimes} lifetimes, seed {self.seed}", table(["rule", *self.world_names], rows)
        )

    def save_page(self, path: str | os.PathLike[str]) -> None:
        write_text(path, transfer_html(self))


def _mean(estimate: Estimate) -> dict[str, float]:
    return {"mean": estimate.value, "low": estimate.low, "high": estimate.high}


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
    """What the scores of a transfer mean, for its page."""
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
    """Eta, score and its interval, for a table of transfer."""
    if one is None:
        return ["-"] * 3
    return [one.eta_text, f"{one.score.value:z.3f}", one.score.interval("z.3f")]
