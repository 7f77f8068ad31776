"""Figures 3 and 5: items collected over a life, and what the network was worth at each moment of it."""

from __future__ import annotations

import numpy as np

from hebbarium.paper.items.base import Figure, Item, Results, Scale, Section, Works
from hebbarium.paper.items.shared_reductions import FORAGING, seasons_of
from hebbarium.paper.works import Course, FrozenTests, PaperWork
from hebbarium.show.pages import Line, Markup, line_chart

RULES = (1, 2, 6)


class Lifetimes(Item):
    name = "lifetimes"
    title = "Foraging: learning within a life"
    where = "Figures 3 and 5"
    about = "After each change of season rules 1 and 2 soon stop taking the wrong items; rule 6 keeps taking both."

    def works(self, scale: Scale, seed: int) -> Works:
        works: dict[str, PaperWork] = {}
        for rule in RULES:
            name = f"foraging:{rule}"
            works[f"course {rule}"] = Course(task="foraging", rule=name, lifetimes=1, every=20, seed=seed)
            works[f"tests {rule}"] = FrozenTests(
                task="foraging", rule=name, lifetimes=1, every=scale.test_every, seed=seed
            )
        return works

    def reduce(self, scale: Scale, results: Results) -> Section:
        courses, tests = [], []
        for rule in RULES:
            course, tested = results[f"course {rule}"]["counts"][0], results[f"tests {rule}"]["tests"][0]
            since_birth = np.vstack([np.zeros_like(course[:1]), course])
            courses.append(_items(f"Rule {rule}", since_birth, 20, "items collected since birth"))
            tests.append(_items(f"Rule {rule}, frozen", tested, scale.test_every, "items collected in a test"))
        return Section(
            ran=f"One life for each rule; frozen tests of 5000 steps every {scale.test_every} steps.",
            figures=[
                Figure("Items collected since birth", courses, "Background: summer and winter."),
                Figure(
                    "How well the network does at each moment",
                    tests,
                    "Items collected in a frozen test of one season: distinct, stable levels under rules 1 and 2, "
                    "learning and forgetting under rule 6.",
                ),
            ],
            remarks=["What the paper says about these figures is judged among the statements, over many lives."],
        )


def _items(title: str, counts: np.ndarray, every: int, y_label: str) -> Markup:
    """A chart of items collected over a life. counts: [moment, count]"""
    steps = every * np.arange(len(counts))
    thin = slice(None, None, max(1, len(counts) // 500))
    return line_chart(
        [
            Line("green", steps[thin], counts[thin, 0], "green"),
            Line("blue", steps[thin], counts[thin, 1], "blue", dashed=True),
        ],
        title=title,
        x_label="step",
        y_label=y_label,
        seasons=seasons_of(FORAGING, FORAGING.season_steps),
        from_zero=True,
    )
