"""Table 4: hill climbing and rule 1 on prey-predator."""

from __future__ import annotations

from hebbarium.paper.items.base import Item, PlainTable, Results, Scale, Section, Works
from hebbarium.paper.items.shared_reductions import (
    HUNTING,
    agent_lives,
    compare_values,
    hill_climbs,
    rule_lives,
    trials,
)
from hebbarium.paper.printed_numbers import targets_of

_UNITS = {
    "Hill Climbing (HC)": "fitness of one season, when the network was chosen",
    "Evolved Synaptic Plasticity (rule ID:1)": "fitness of a life, summed over two seasons",
}


class PreyPredatorComparison(Item):
    name = "prey-predator-comparison"
    title = "Prey-predator: offline optimisation and lifetime learning"
    where = "Table 4"
    about = (
        "The paper's table has hill climbing above the best rule. What it prints for hill climbing is the best of a "
        "thousand noisy evaluations of one season."
    )
    task = "prey-predator"

    def works(self, scale: Scale, seed: int) -> Works:
        return {
            "climbs": hill_climbs(scale, seed, self.task),
            **rule_lives(scale, seed, 1, 2, task=self.task),
            "perfect": agent_lives(scale, seed, "perfect", self.task),
            "random": agent_lives(scale, seed, "random", self.task),
        }

    def reduce(self, scale: Scale, results: Results) -> Section:
        climbs = HUNTING.fitness(results["climbs"]["marks"][:, :, -1])
        lives = {name: HUNTING.life_fitness(results[name]["counts"]) for name in results if name != "climbs"}
        comparisons = [
            compare_values(target, climbs if target.row.startswith("Hill") else lives["rule 1"])
            for target in targets_of(self.name)
        ]
        again = results["climbs"]["again"]
        names = {"perfect": "perfect agent", "rule 1": "rule 1", "rule 2": "rule 2", "random": "random actions"}
        others = [
            (words, f"{lives[name].mean():z.1f}", f"{lives[name].std(ddof=1):z.1f}") for name, words in names.items()
        ]
        others.insert(3, ("hill climbing, tested again, both seasons", f"{2 * again.mean():z.1f}", "–"))
        below = " Over both seasons that is less than random actions score, so in use the rule is the better one."
        return Section(
            ran=f"{trials(scale.hunting_climbs, 'climbs')} of 2 x 1000 iterations, {trials(scale.lives, 'lives')}.",
            comparisons=comparisons,
            tables=[PlainTable("For comparison: what other agents score", ("Agent", "Fitness", "Std"), others)],
            row_notes=_UNITS,
            remarks=[
                "Hill climbing keeps the best of a thousand noisy evaluations, so its stored score is partly luck: "
                f"{climbs.mean():z.1f} a season when the network was chosen, {again.mean():z.1f} when it is tested "
                "again." + (below if 2 * again.mean() < lives["random"].mean() else "")
            ],
        )
