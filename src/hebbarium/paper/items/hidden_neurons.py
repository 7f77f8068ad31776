"""Figure 7: the best rule with 5 to 50 hidden neurons."""

from __future__ import annotations

import numpy as np

from hebbarium.paper.items.base import Figure, Item, PlainTable, Results, Scale, Section, Works
from hebbarium.paper.items.shared_reductions import FORAGING, trials
from hebbarium.paper.works import PaperWork, RuleLives
from hebbarium.show.pages import Line, line_chart
from hebbarium.tools.statistics import estimate_mean, estimate_std

SIZES = tuple(range(5, 51, 5))


def sizes_works(scale: Scale, seed: int) -> dict[str, PaperWork]:
    return {
        f"{size}": RuleLives(task="foraging", rule="foraging:1", hidden=size, lifetimes=scale.lives, seed=seed)
        for size in SIZES
    }


class HiddenNeurons(Item):
    name = "hidden-neurons"
    title = "Foraging: how many hidden neurons?"
    where = "Figure 7"
    about = "Fitness gains 13 points from 5 to 20 hidden neurons and 3 more from 20 to 50, and its spread shrinks."

    def works(self, scale: Scale, seed: int) -> Works:
        return sizes_works(scale, seed)

    def reduce(self, scale: Scale, results: Results) -> Section:
        fitness = [FORAGING.fitness(results[f"{size}"]["counts"]) for size in SIZES]
        means, spreads = [estimate_mean(values) for values in fitness], [estimate_std(values) for values in fitness]
        mean, low, high = (np.array([getattr(one, name) for one in means]) for name in ("value", "low", "high"))
        spread = np.array([estimate.value for estimate in spreads])
        sizes = np.array(SIZES, float)
        chart = line_chart(
            [
                Line("mean, band of one std", sizes, mean, "grey", mean - spread, mean + spread),
                Line("mean and 95 % interval", sizes, mean, "first", low, high, dots=True),
            ],
            title="Fitness of rule 1",
            x_label="hidden neurons",
            y_label="fitness",
        )
        rows = [
            (f"{size}", f"{m.value:z.2f}", m.interval(), f"{s.value:z.2f}")
            for size, m, s in zip(SIZES, means, spreads, strict=True)
        ]
        return Section(
            ran=f"{trials(scale.lives, 'lives')} under rule 1 for each size.",
            figures=[
                Figure(
                    "Fitness over size", [chart], "The band reaches one standard deviation to either side of the mean."
                )
            ],
            tables=[PlainTable("Ours", ("Hidden neurons", "Fitness", "95 % interval", "Std"), rows, words=())],
            remarks=[
                "The paper prints this figure without numbers; its text states the two gains, which are checked "
                "among the statements."
            ],
        )
