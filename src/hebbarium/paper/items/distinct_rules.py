"""Tables 2 and 5: the distinct rules that the paper's searches found, and those that ours find."""

from __future__ import annotations

import math
from typing import ClassVar

from hebbarium.paper import printed_numbers
from hebbarium.paper.items.base import Figure, Item, Results, Scale, Section, Works
from hebbarium.paper.items.our_searches import FEWEST_RUNS, Found, evolutions_of
from hebbarium.paper.items.shared_reductions import beside_the_paper, percent, rule_lives, trials
from hebbarium.paper.printed_numbers import POOLED, Target, rows_of, targets_of
from hebbarium.paper.verdict import Comparison, compare, error_at
from hebbarium.show.pages import Mark, dot_plot
from hebbarium.tools.errors import counted
from hebbarium.tools.statistics import Estimate, estimate_mean
from hebbarium.worlds.registry import make_world

_NOT_FOUND = "Our own searches did not find this rule."
_MEDIAN = 1.2533
"""The standard error of a median in those of a mean, of many values that spread normally."""


class _DistinctRules(Item):
    text: ClassVar[str]

    def works(self, scale: Scale, seed: int) -> Works:
        rules = rule_lives(scale, seed, *(int(name) for name, *_ in rows_of(self.text)), task=self.task)
        return {**rules, "evolutions": evolutions_of(self.task, scale, seed)}

    def reduce(self, scale: Scale, results: Results) -> Section:
        task = make_world(self.task)
        found = Found(results["evolutions"])
        notations = {f"rule {name}": notation for name, *_, notation in rows_of(self.text)}
        fitness = {row: estimate_mean(task.life_fitness(results[row]["counts"])) for row in notations}
        comparisons = [
            compare_median(target, fitness[target.row])
            if target.column == "Median"
            else _of_search(target, found, notations[target.row])
            for target in targets_of(self.name)
        ]
        first = notations["rule 1"]
        share = found.share(first)
        interval = ""
        if share.error > 0:
            pooled = "164 of 300" if self.task == "foraging" else "10 of 70"
            interval = f", {percent(share.low)} to {percent(share.high)} by resampling runs; the paper pooled {pooled}"
        cut = "" if scale.searches_whole else f", cut short after {scale.max_generations} generations"
        medians = [one for one in comparisons if one.column == "Median"]
        return Section(
            ran=f"Each published rule at its published mean eta: {trials(scale.lives, 'lives')}. The other columns are "
            f"about {counted(len(found.runs), 'run')} of our own genetic algorithm, {POOLED} instances (a rule with "
            f"its eta) of each{cut}.",
            comparisons=comparisons,
            figures=[self._figure(medians, results)],
            tables=[found.table()],
            remarks=[
                "The paper's median is over instances found by a search, each at its own eta; ours is the score at "
                "their mean eta.",
                f"Rule 1 ({first}) is {percent(share.value)} of our pooled instances{interval}.",
                "These runs use other lifetimes than those of 'hebbarium evolve' with the same seed: two samples of "
                "the same search, which find the same rules in different numbers. The other sample is in "
                "docs/findings.md, and docs/reproduce.md has both.",
            ],
            row_notes={
                row: f"{notation} · neurons left {results[row]['distinct'].mean():z.0f}"
                for row, notation in notations.items()
            },
        )

    def _figure(self, medians: list[Comparison], results: Results) -> Figure:
        hidden = make_world(self.task).default_hidden
        distinct = [(one.row, [Mark(float(results[one.row]["distinct"].mean()), "first")]) for one in medians]
        return Figure(
            "Fitness, and hidden neurons that still differ",
            [
                beside_the_paper({one.row: one for one in medians}, "Fitness of each published rule", "fitness"),
                dot_plot(
                    distinct,
                    title="Hidden neurons that still differ",
                    x_label=f"of {hidden}, at the end of life, mean",
                    reach=(0, hidden),
                ),
            ],
            "First chart: our score at the published eta, and the published median. Second chart: how many hidden "
            "neurons are still distinct at the end of a life; under many rules they all end up identical.",
        )


def compare_median(target: Target, ours: Estimate) -> Comparison:
    """The paper's error is that of a median over the instances, each of which carries the noise of its own lives."""
    of_row = {one.column: one.paper for one in targets_of(target.item) if one.row == target.row}
    instances = of_row["Rules"]
    papers = max(_MEDIAN * of_row["Std"], error_at(ours, target.trials)) / math.sqrt(instances)
    return compare(target, ours, papers=papers)


def _of_search(target: Target, found: Found, notation: str) -> Comparison:
    """What our own searches found of a rule."""
    total = sum(one.paper for one in targets_of(target.item) if one.column == "Rules")
    runs = found.runs_with(notation)
    few = f"Only {counted(runs, 'run')} of ours found this rule: too few to say." if runs < FEWEST_RUNS else ""
    remark = "" if target.column == "Rules" and runs else few if runs else _NOT_FOUND
    return compare(target, found.statistic(notation, target.column, total), remark=remark)


class ForagingRules(_DistinctRules):
    name = "foraging-rules"
    title = "Foraging: the distinct rules that evolution found"
    where = "Table 2"
    about = "300 rules from 30 searches fall into 15 types; the best three change weights only when punished."
    text = printed_numbers.FORAGING_RULES


class PreyPredatorRules(_DistinctRules):
    name = "prey-predator-rules"
    title = "Prey-predator: the distinct rules that evolution found"
    where = "Table 5"
    about = "70 rules from 7 searches fall into six types, with far larger learning rates."
    task = "prey-predator"
    text = printed_numbers.PREY_PREDATOR_RULES
