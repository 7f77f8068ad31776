"""Table 8 and figure 4: hill climbing at the 10th, 500th and 1000th iteration of each season, and its curve."""

from __future__ import annotations

import numpy as np

from hebbarium.agents.hill_climbing import HillClimbing as HillClimbingAgent
from hebbarium.paper.items.base import Figure, Item, Results, Scale, Section, Works
from hebbarium.paper.items.shared_reductions import FORAGING, compare_values, hill_climbs, seasons_of, trials
from hebbarium.paper.printed_numbers import SEASON_NAMES, targets_of
from hebbarium.show.pages import Line, Markup, line_chart

_MARKS = ("10th", "500th", "1000th")
_COUNTS = ("G", "B", "W")


class HillClimbing(Item):
    name = "hill-climbing"
    title = "Foraging: hill climbing, season by season"
    where = "Table 8 and figure 4"
    about = (
        "An optimiser needs about a thousand tries a season, and when the season changes its score drops to about "
        "minus what it was."
    )

    def works(self, scale: Scale, seed: int) -> Works:
        return {"climbs": hill_climbs(scale, seed)}

    def reduce(self, scale: Scale, results: Results) -> Section:
        marks = results["climbs"]["marks"]  # [run, season, mark, count]
        comparisons = []
        for target in targets_of(self.name):
            result, _, iteration = target.row.partition(" at the ")
            season, mark = SEASON_NAMES.index(target.column.split()[0]), _MARKS.index(iteration)
            if result == "Fitness":
                values = FORAGING.fitness(marks[:, :, mark])[:, season]
            else:
                values = marks[:, season, mark, _COUNTS.index(result)]
            comparisons.append(compare_values(target, values))
        return Section(
            ran=f"{trials(scale.climbs, 'climbs')} of {FORAGING.seasons} x 1000 iterations, each iteration one season "
            f"of {FORAGING.season_steps} steps in a fresh world.",
            comparisons=comparisons,
            figures=[
                Figure(
                    "Mean over the climbs",
                    [self._curve(results["climbs"]["fitness"])],
                    "The band reaches one standard deviation to either side.",
                )
            ],
            remarks=[
                f"How it climbs: {HillClimbingAgent.words}",
                "The text speaks of 1000 action steps a season; 55 items cannot be collected in 1000 steps, so these "
                "must be iterations.",
            ],
        )

    def _curve(self, fitness: np.ndarray) -> Markup:
        """The curve of hill climbing beside the paper's. fitness: [run, season, iteration]"""
        curve, iterations = fitness.reshape(len(fitness), -1), fitness.shape[2]
        # Every tenth iteration, and the first of each season, where the curve drops.
        places = np.unique(np.concatenate([np.arange(0, curve.shape[1], 10), np.arange(4) * iterations]))
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
