"""What the paper leaves open: the comparison again under other readings of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from hebbarium.paper.items.base import Item, Scale, Section
from hebbarium.paper.items.found import counted, evolutions_of
from hebbarium.paper.items.hidden_neurons import sizes_works
from hebbarium.paper.items.shared import trials
from hebbarium.paper.items.silence_tables import (
    ROWS,
    Read,
    climbing_table,
    ground_table,
    rows_table,
    seasons_table,
    sizes_table,
    totals_table,
    validation_table,
)
from hebbarium.paper.items.silence_words import answer, remarks
from hebbarium.paper.items.validation import validated
from hebbarium.paper.portraits import Roaming
from hebbarium.paper.readings import READINGS, TEXT
from hebbarium.paper.works import Arrays, HillClimbs, PaperWork, RuleLives

TAIL = 1000
"""Last steps of a life, whose ground is measured."""
CLIMBING = (TEXT, "unscaled-climbing")
LIVED = (TEXT, *(name for name, reading in READINGS.items() if reading.lives_differ))
WANDERING = tuple(
    name for name in LIVED if not READINGS[name].brain and READINGS[name].hidden_layer_learns and name != "literal"
)  # those that differ in random actions only


class Silence(Item):
    name: ClassVar[str] = "silence"
    title: ClassVar[str] = "What the paper leaves open"
    where: ClassVar[str] = "Other readings"
    about: ClassVar[str] = (
        "The paper leaves some choices open. Here the foraging tables are made again under other readings of them, "
        "each a name for 'hebbarium reproduce --reading NAME'."
    )
    of_all_readings: ClassVar[bool] = True

    def works(self, scale: Scale, seed: int) -> Mapping[str, PaperWork]:
        """What is dear comes last."""
        works: dict[str, PaperWork] = {}
        for reading in LIVED:
            works |= {f"{reading}/{name}": replace(work, reading=reading) for name, work in _lives(scale, seed).items()}
        for reading in WANDERING:
            for rule in ROWS:
                works[f"{reading}/ground {rule}"] = Roaming(
                    task="foraging", rule=f"foraging:{rule}", lifetimes=scale.lives, tail=TAIL, seed=seed,
                    reading=reading,
                )  # fmt: skip
        for reading in CLIMBING:
            for task in ("foraging", "prey-predator"):
                works[f"{reading}/climbs {task}"] = HillClimbs(
                    task=task, lifetimes=scale.reading_climbs, iterations=scale.iterations, seed=seed, reading=reading
                )
        for reading in (name for name in LIVED if READINGS[name].searched):
            searches = replace(evolutions_of("foraging", scale, seed), runs=scale.reading_evolutions, reading=reading)
            works[f"{reading}/evolutions"] = searches
        return works

    def reduce(self, scale: Scale, results: Mapping[str, Arrays]) -> Section:
        readings = {name: Read.of(name, scale, results) for name in LIVED}
        climbs = {name: {task: results[f"{name}/climbs {task}"] for task in ("foraging", "prey-predator")}
                  for name in CLIMBING}  # fmt: skip
        wandering = {name: readings[name] for name in WANDERING}
        return Section(
            answer=answer(readings),
            ran=f"For each reading {trials(scale.lives, 'lives')} for each of 18 rules and each number of hidden "
            f"neurons, and {trials(scale.reading_validated, 'lives')} with validation; for some of them "
            f"{counted(scale.reading_evolutions, 'run')} of the genetic algorithm (paper: 30). "
            f"{trials(scale.reading_climbs, 'climbs')} on each task, for each reading of hill climbing.",
            tables=[
                totals_table(readings, scale),
                rows_table(readings),
                seasons_table(readings),
                sizes_table(readings),
                validation_table(readings),
                ground_table(wandering, TAIL),
                climbing_table(climbs),
            ],
            remarks=remarks(readings, wandering, climbs),
        )


def _lives(scale: Scale, seed: int) -> dict[str, PaperWork]:
    """Of one reading, the same for all."""
    rules = {
        f"rule {rule}": RuleLives(task="foraging", rule=f"foraging:{rule}", lifetimes=scale.lives, seed=seed)
        for rule in ROWS
    }
    sizes = {f"size {size}": work for size, work in sizes_works(scale, seed).items()}
    return {**rules, **sizes, "tests": replace(validated(scale, seed), lifetimes=scale.reading_validated)}
