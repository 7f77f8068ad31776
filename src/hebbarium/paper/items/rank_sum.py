"""The Wilcoxon rank-sum tests of the appendix."""

from __future__ import annotations

from hebbarium.paper.items.base import Item, Results, Scale, Section, Works
from hebbarium.paper.items.shared_reductions import FORAGING, agent_lives, rule_lives, trials
from hebbarium.paper.items.validation import validated, values_of
from hebbarium.paper.printed_numbers import targets_of
from hebbarium.paper.verdict import LEVELS, compare_level
from hebbarium.tools.statistics import rank_sum


class RankSum(Item):
    name = "rank-sum"
    title = "Foraging: rank-sum tests"
    where = "Appendix"
    about = (
        "Are the differences significant? The perfect agent beats rule 1 with validation, which beats rule 1 without."
    )

    def works(self, scale: Scale, seed: int) -> Works:
        perfect, tests = agent_lives(scale, seed, "perfect"), validated(scale, seed)
        return {"perfect": perfect, **rule_lives(scale, seed, 1), "tests": tests}

    def reduce(self, scale: Scale, results: Results) -> Section:
        perfect = FORAGING.fitness(results["perfect"]["counts"])[:, :2].mean(axis=1)
        without = FORAGING.fitness(results["rule 1"]["counts"])[:, :2].mean(axis=1)
        tested = values_of(results["tests"]["again"])
        with_validation = (tested["Summer", "Fitness"][:, 0] + tested["Winter", "Fitness"][:, 0]) / 2
        pairs = ((perfect, with_validation), (perfect, without), (with_validation, without))
        levels = [rank_sum(a, b).p for a, b in pairs]
        return Section(
            ran="Each life with its mean fitness of the first summer and winter: "
            f"{trials(scale.lives, 'lives')}; with validation {trials(scale.validated, 'lives')}.",
            comparisons=[
                compare_level(target, level, min(scale.lives, scale.validated))
                for target, level in zip(targets_of(self.name), levels, strict=True)
            ],
            remarks=[
                LEVELS,
                "The tests are on lives: the summer and the winter of one life share a network and do not count as "
                "two. The paper does not say how many values its p-values are based on.",
                "The paper's first two p-values look swapped: the larger difference has the larger p-value. Swapped "
                f"back, they are 8.2e-05 and 1.9e-28, beside our {levels[0]:.1e} and {levels[1]:.1e}.",
                f"Means: perfect agent {perfect.mean():z.1f}, with validation {with_validation.mean():z.1f}, "
                f"without {without.mean():z.1f}.",
            ],
        )
