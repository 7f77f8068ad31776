"""What came of it: a score for each rule in each world, with its interval."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hebbarium.agents.base import Agent
from hebbarium.brains.sizes import Hidden
from hebbarium.rules.rule import AnyRule
from hebbarium.show.frame_columns import of_rows
from hebbarium.show.pages import table
from hebbarium.show.pages.skeleton import notebook
from hebbarium.studies.transfer.page import transfer_html
from hebbarium.tools.data_frames import data_frame
from hebbarium.tools.errors import BadInput, settings_in_words
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
        """How many lives, and how, for people."""
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
        return data_frame(of_rows(rows))

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
