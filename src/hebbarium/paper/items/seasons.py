"""Table 9 and figure 6: the best rule in each season, over a hundred trials."""

from __future__ import annotations

import numpy as np

from hebbarium.paper.items.base import Figure, Item, Results, Scale, Section, Works
from hebbarium.paper.items.shared_reductions import FORAGING, compare_values, rule_lives, trials
from hebbarium.paper.printed_numbers import SEASON_NAMES, targets_of
from hebbarium.show.pages import histogram
from hebbarium.show.pages.colours import colour


class Seasons(Item):
    name = "seasons"
    title = "Foraging: the best rule, season by season"
    where = "Table 9 and figure 6"
    about = "Rule 1 scores about 50 in every season, with few wrong items and few wall hits."

    def works(self, scale: Scale, seed: int) -> Works:
        return rule_lives(scale, seed, 1)

    def reduce(self, scale: Scale, results: Results) -> Section:
        counts = results["rule 1"]["counts"]
        fitness = FORAGING.fitness(counts)
        values = {
            (season, result): column
            for place, season in enumerate(SEASON_NAMES)
            for result, column in zip(("Fitness", "G", "B", "W"), (fitness[:, place], *counts[:, place].T), strict=True)
        }
        low, high = np.floor(fitness.min() / 5) * 5, np.ceil(fitness.max() / 5) * 5
        bins = np.arange(low, high + 5, 5.0)
        histograms = [
            histogram(
                np.histogram(fitness[:, place], bins)[0].tolist(),
                bins.tolist(),
                title=season,
                x_label="fitness",
                y_label="lives",
                fills=[colour("summer-ink" if season.startswith("S") else "winter-ink")] * (len(bins) - 1),
                mean=float(fitness[:, place].mean()),
            )
            for place, season in enumerate(SEASON_NAMES)
        ]
        return Section(
            ran=f"{trials(scale.lives, 'lives')} under rule 1.",
            comparisons=[
                compare_values(target, values[target.row, target.column.split()[0]]) for target in targets_of(self.name)
            ],
            figures=[Figure("Distribution of fitness in each season", histograms)],
            remarks=[
                "Ours learns a little slower than the published agent after each change, which shows in the wrong "
                "items and the wall hits more than in the fitness."
            ],
        )
