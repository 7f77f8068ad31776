"""Table 8 and figure 4: hill climbing at the 10th, 500th and 1000th iteration of each season, and its curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hebbarium.agents.hill_climbing import HillClimbing as HillClimbingAgent
from hebbarium.paper.climbs import HillClimbs
from hebbarium.paper.items.base import Figure, Item, Scale, Section
from hebbarium.paper.items.shared import FORAGING, foraging_fitness, mean_or_std, seasons_of, trials
from hebbarium.paper.printed import SEASON_NAMES
from hebbarium.paper.targets import Target, targets_of
from hebbarium.paper.verdict import compare
from hebbarium.paper.works import Arrays, PaperWork
from hebbarium.show.pages import Line, Markup, line_chart

_MARKS = ("10th", "500th", "1000th")
_COUNTS = ("G", "B", "W")


class HillClimbing(Item):
    name: ClassVar[str] = "hill-climbing"
    title: ClassVar[str] = "Foraging: hill climbing, season by season"
    where: ClassVar[str] = "Table 8 and figure 4"
    about: ClassVar[str] = (
        "An optimiser needs about a thousand tries a season, and when the season changes its score drops to about "
        "minus what it was."
    )

    def works(self, scale: Scale, seed: int) -> Mapping[str, PaperWork]:
        return {"climbs": HillClimbs(task="foraging", lifetimes=scale.climbs, iterations=scale.iterations, seed=seed)}

    def reduce(self, scale: Scale, results: Mapping[str, Arrays]) -> Section:
        climbs = results["climbs"]
        comparisons = [
            compare(target, mean_or_std(self._values(climbs["marks"], target), target))
            for target in targets_of(self.name)
        ]
        return Section(
            ran=f"{trials(scale.climbs, 'climbs')} of {FORAGING.seasons} x 1000 iterations, each iteration one season "
            f"of {FORAGING.season_steps} steps in a fresh world.",
            comparisons=comparisons,
            figures=[
                Figure(
                    "Mean over the climbs",
                    [self._curve(climbs)],
                    "The band reaches one standard deviation to either side.",
                )
            ],
            remarks=[
                f"How it climbs: {HillClimbingAgent.words}",
                "The text speaks of 1000 action steps a season; 55 items cannot be collected in 1000 steps, so these "
                "must be iterations.",
            ],
        )

    def _values(self, marks: np.ndarray, target: Target) -> np.ndarray:
        """[run]. marks: [run, season, mark, count]"""
        result, _, iteration = target.row.partition(" at the ")
        season, mark = SEASON_NAMES.index(target.column.split()[0]), _MARKS.index(iteration)
        if result == "Fitness":
            return foraging_fitness(marks[:, :, mark])[:, season]
        values: np.ndarray = marks[:, season, mark, _COUNTS.index(result)]
        return values

    def _curve(self, climbs: Arrays) -> Markup:
        curve = climbs["fitness"].reshape(len(climbs["fitness"]), -1)
        iterations = climbs["fitness"].shape[2]
        places = np.unique(
            np.concatenate([np.arange(0, curve.shape[1], 10), np.arange(4)[:, None].ravel() * iterations])
        )
        mean, spread = curve.mean(axis=0)[places], curve.std(axis=0)[places]
        at = np.array([10, 500, 1000]) + 1000 * np.arange(4)[:, None]
        papers = {(target.row, target.column): target.paper for target in targets_of(self.name)}
        published = np.array(
            [[papers[f"Fitness at the {mark}", f"{season} mean"] for mark in _MARKS] for season in SEASON_NAMES]
        )
        return line_chart(
            [
                Line("ours", places + 1, mean, "first", mean - spread, mean + spread),
                Line("paper", at.ravel(), published.ravel(), "ink", dots=True),
            ],
            title="Score of the kept network",
            x_label="iteration",
            y_label="fitness",
            seasons=seasons_of(FORAGING, iterations),
        )
