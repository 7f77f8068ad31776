"""Figure 1: the genotype, and how agent and environment interact."""

from __future__ import annotations

from hebbarium.paper import drawings
from hebbarium.paper.items.base import Figure, Item, Results, Scale, Section
from hebbarium.rules.rule import Rule


class Genotype(Item):
    name = "genotype"
    title = "Genotype and agent-environment interaction"
    where = "Figure 1"
    about = "A rule is a learning rate and eight ternary entries, looked up at every synapse."

    def reduce(self, scale: Scale, results: Results) -> Section:
        return Section(
            ran="No lives are run.",
            figures=[
                Figure(
                    "A rule at work",
                    [drawings.genotype(Rule("foraging:1"), "Foraging's rule 1"),
                     drawings.genotype(Rule("prey-predator:1"), "Prey-predator's rule 1")],
                    "After each action every synapse looks up its change by whether its two neurons were active and "
                    "whether the agent was punished or rewarded.",
                )
            ],
        )  # fmt: skip
