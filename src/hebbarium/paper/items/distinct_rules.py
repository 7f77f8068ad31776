"""Tables 2 and 5: the distinct rules that the paper's searches found, and those that ours find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hebbarium.paper import printed
from hebbarium.paper.charts import Pair, dot_plot
from hebbarium.paper.evolutions import POOLED, Evolutions
from hebbarium.paper.items.base import Figure, Item, PlainTable, Scale, Section
from hebbarium.paper.items.shared import percent, trials
from hebbarium.paper.targets import Target, rows_of, targets_of
from hebbarium.paper.verdict import Comparison, compare
from hebbarium.paper.works import Arrays, Lives, Work
from hebbarium.rule import Rule
from hebbarium.statistics import Estimate, estimate_mean
from hebbarium.tasks.registry import make_task

_NOT_FOUND = "Our own search did not find this rule."


class _DistinctRules(Item):
    text: ClassVar[str]

    def works(self, scale: Scale, seed: int) -> Mapping[str, Work]:
        works: dict[str, Work] = {
            f"rule {name}": Lives(task=self.task, rule=f"{self.task}:{name}", lifetimes=scale.lives, seed=seed)
            for name, *_ in rows_of(self.text)
        }
        works["evolutions"] = evolutions_of(self.task, scale, seed)
        return works

    def reduce(self, scale: Scale, results: Mapping[str, Arrays]) -> Section:
        task = make_task(self.task)
        found = Found(results["evolutions"])
        targets = targets_of(self.name)
        spreads = {target.row: target.paper for target in targets if target.column == "Std"}
        notations = {f"rule {name}": notation for name, *_, notation in rows_of(self.text)}
        total = sum(target.paper for target in targets if target.column == "Rules")
        comparisons: list[Comparison] = []
        for target in targets:
            if target.column == "Median":
                ours = estimate_mean(task.life_fitness(results[target.row]["counts"]))
                comparisons.append(compare(target, ours, spread=spreads[target.row]))
            else:
                of_rule = found.statistic(notations[target.row], target, total)
                comparisons.append(compare(target, of_rule, remark="" if of_rule else _NOT_FOUND))
        medians = [one for one in comparisons if one.column == "Median"]
        return Section(
            ran=f"Each published rule at its published mean eta: {trials(scale.lives, 'lives')}. The other columns are "
            f"about {len(found.runs)} runs of our own genetic algorithm, {POOLED} instances of each.",
            comparisons=comparisons,
            figures=[self._figure(medians, results)],
            tables=[found.table()],
            remarks=self._remarks(found, notations),
            row_notes={
                row: f"{notation} · neurons left {results[row]['distinct'].mean():.0f}"
                for row, notation in notations.items()
            },
        )

    def _figure(self, medians: list[Comparison], results: Mapping[str, Arrays]) -> Figure:
        pairs = [Pair(one.row, one.ours, one.low, one.high, one.paper) for one in medians]
        distinct = [Pair(one.row, float(results[one.row]["distinct"].mean()), None, None, None) for one in medians]
        return Figure(
            "Score and sameness",
            [
                dot_plot(pairs, title="Fitness of each published rule", x_label="fitness"),
                dot_plot(distinct, title="Hidden neurons that still differ", x_label="at the end of life, mean"),
            ],
            "Left: our score at the published eta beside the published median. Right: rules that act on reward press "
            "the same change again and again until the hidden neurons are all alike.",
        )

    def _remarks(self, found: Found, notations: Mapping[str, str]) -> list[str]:
        first = notations["rule 1"]
        share = found.share(first)
        return [
            "The paper's median is over instances found by a search, each at its own eta; ours is the score at their "
            "mean eta, so the published spread between instances counts as part of its error.",
            f"Rule 1 ({first}) is {percent(share)} of our pooled instances; the paper pooled "
            f"{'164 of 300' if self.task == 'foraging' else '10 of 70'}.",
        ]


def evolutions_of(task: str, scale: Scale, seed: int) -> Evolutions:
    """The searches of one task; several items look at them."""
    runs = scale.evolutions if task == "foraging" else scale.hunting_evolutions
    return Evolutions(task=task, runs=runs, max_generations=scale.max_generations, rescored=scale.lives, seed=seed)


class Found:
    """What our own searches found, sorted into distinct rules."""

    def __init__(self, arrays: Arrays) -> None:
        self.notations = np.array([Rule([int(e) for e in entries]).notation for entries in arrays["entries"]])
        self.eta, self.fitness = arrays["eta"], arrays["scores"].mean(axis=1)
        self.runs = arrays["generations"]

    def share(self, notation: str) -> float:
        return float((self.notations == notation).mean())

    def statistic(self, notation: str, target: Target, total: float) -> Estimate | None:
        """A column's number for one rule; None where we never found it. Its error is by resampling whole runs."""
        if not (self.notations == notation).any():
            return None
        value = self._column(notation, target.column, np.arange(len(self.runs)), total)
        random = np.random.default_rng(0)
        samples = [
            self._column(notation, target.column, random.integers(0, len(self.runs), len(self.runs)), total)
            for _ in range(200)
        ]
        known = np.array([sample for sample in samples if np.isfinite(sample)])
        if len(self.runs) < 2 or len(known) < 100:
            return Estimate(value, float("nan"), float("nan"), float("nan"), len(self.runs))
        low, high = np.percentile(known, [2.5, 97.5])
        # The paper's error is scaled by lives / trials; with as many runs as lives it equals ours.
        return Estimate(value, float(known.std(ddof=1)), float(low), float(high), target.trials)

    def _column(self, notation: str, column: str, runs: np.ndarray, total: float) -> float:
        instances = (runs[:, None] * POOLED + np.arange(POOLED)).ravel()
        chosen = instances[self.notations[instances] == notation]
        if column == "Rules":
            return float(len(chosen) / len(instances) * total)
        if len(chosen) == 0:
            return float("nan")
        values = self.eta[chosen] if column.startswith("eta") else self.fitness[chosen]
        if column.endswith("Std"):
            return _spread(values)
        return float({"Max": values.max(), "Min": values.min(), "eta Mean": values.mean()}[column])

    def table(self) -> PlainTable:
        """Our own table of distinct rules, ranked by median like the paper's."""
        rows = []
        for notation in set(self.notations):
            chosen = self.notations == notation
            fitness, eta = self.fitness[chosen], self.eta[chosen]
            rows.append((float(np.median(fitness)), str(notation), fitness, eta))
        rows.sort(key=lambda row: -row[0])
        return PlainTable(
            f"Distinct rules of our own {len(self.runs)} runs",
            ("Rule", "In the paper", "Rules", "Median", "Std", "Max", "Min", "η mean", "η std"),
            [
                (
                    notation,
                    ", ".join(Rule(notation).paper) or "-",
                    f"{len(eta)}",
                    f"{median:.2f}",
                    f"{_spread(fitness):.2f}",
                    f"{fitness.max():.2f}",
                    f"{fitness.min():.2f}",
                    f"{eta.mean():.4f}",
                    f"{_spread(eta):.4f}",
                )
                for median, notation, fitness, eta in rows[:20]
            ],
            f"The first {min(20, len(rows))} of {len(rows)}; generations a run: "
            f"{', '.join(str(generations) for generations in self.runs)}.",
        )


def _spread(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


class ForagingRules(_DistinctRules):
    name: ClassVar[str] = "foraging-rules"
    title: ClassVar[str] = "Foraging: the distinct rules that evolution found"
    where: ClassVar[str] = "Table 2"
    about: ClassVar[str] = (
        "300 rules from 30 searches fall into 15 types; the best three change weights only when punished."
    )
    text: ClassVar[str] = printed.FORAGING_RULES


class PreyPredatorRules(_DistinctRules):
    name: ClassVar[str] = "prey-predator-rules"
    title: ClassVar[str] = "Prey-predator: the distinct rules that evolution found"
    where: ClassVar[str] = "Table 5"
    about: ClassVar[str] = "70 rules from 7 searches fall into six types, with far larger learning rates."
    task: ClassVar[str] = "prey-predator"
    text: ClassVar[str] = printed.PREY_PREDATOR_RULES
