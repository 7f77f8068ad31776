"""Figures 3 and 5: items collected over a life, and what the network was worth at each moment of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hebbarium.paper.items.base import Figure, Item, Scale, Section
from hebbarium.paper.items.shared import FORAGING, seasons_of
from hebbarium.paper.works import Arrays, Course, FrozenTests, PaperWork
from hebbarium.show.pages import Line, Markup, line_chart

RULES = (1, 2, 6)


class Lifetimes(Item):
    name: ClassVar[str] = "lifetimes"
    title: ClassVar[str] = "Foraging: learning within a life"
    where: ClassVar[str] = "Figures 3 and 5"
    about: ClassVar[str] = (
        "After each change of season rules 1 and 2 soon stop taking the wrong items; rule 6 keeps taking both."
    )

    def works(self, scale: Scale, seed: int) -> Mapping[str, PaperWork]:
        works: dict[str, PaperWork] = {}
        for rule in RULES:
            name = f"foraging:{rule}"
            works[f"course {rule}"] = Course(task="foraging", rule=name, lifetimes=1, every=20, seed=seed)
            works[f"tests {rule}"] = FrozenTests(
                task="foraging", rule=name, lifetimes=1, every=scale.test_every, seed=seed
            )
        return works

    def reduce(self, scale: Scale, results: Mapping[str, Arrays]) -> Section:
        courses = [self._course(rule, results[f"course {rule}"]["counts"][0]) for rule in RULES]
        tests = [self._tests(rule, results[f"tests {rule}"]["tests"][0], scale.test_every) for rule in RULES]
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
        )

    def _course(self, rule: int, counts: np.ndarray) -> Markup:
        """counts: [moment, count]"""
        return self._items(
            f"Rule {rule}", np.vstack([np.zeros_like(counts[:1]), counts]), 20, "items collected since birth"
        )

    def _tests(self, rule: int, tests: np.ndarray, every: int) -> Markup:
        return self._items(f"Rule {rule}, frozen", tests, every, "items collected in a test")

    def _items(self, title: str, counts: np.ndarray, every: int, y_label: str) -> Markup:
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
