"""Table 1: the perfect agent, hill climbing, rule 1 and rule 18 on foraging."""

from __future__ import annotations

from hebbarium.agents.perfect import PerfectAgent
from hebbarium.paper.items.base import Figure, Item, Results, Scale, Section, Works
from hebbarium.paper.items.shared_reductions import (
    FORAGING,
    agent_lives,
    beside_the_paper,
    compare_values,
    hill_climbs,
    rule_lives,
    trials,
)
from hebbarium.paper.printed_numbers import targets_of

ROWS = {
    "perfect": "Perfect Agent (PA)",
    "climbs": "Hill Climbing (HC)",
    "rule 1": "Evolved Synaptic Plasticity (rule ID:1)",
    "rule 18": "Discrete Hebbian/anti-Hebbian (rule ID:18)",
}


class ForagingComparison(Item):
    name = "foraging-comparison"
    title = "Foraging: four ways to control an agent"
    where = "Table 1"
    about = (
        "The best evolved rule comes close to agents that were programmed or optimised offline, although it has to "
        "learn during its life."
    )

    def works(self, scale: Scale, seed: int) -> Works:
        perfect, climbs = agent_lives(scale, seed, "perfect"), hill_climbs(scale, seed)
        return {"perfect": perfect, "climbs": climbs, **rule_lives(scale, seed, 1, 18)}

    def reduce(self, scale: Scale, results: Results) -> Section:
        fitness = {
            row: FORAGING.fitness(results[name]["marks"][:, :, -1] if name == "climbs" else results[name]["counts"])
            for name, row in ROWS.items()
        }
        comparisons = [compare_values(target, fitness[target.row]) for target in targets_of(self.name)]
        rows = dict(zip(("perfect", "hill climbing", "rule 1", "rule 18"), comparisons[::2], strict=True))
        again = results["climbs"]["again"]
        return Section(
            ran=f"{trials(scale.lives, 'lives')} of {FORAGING.seasons} seasons for each rule and the perfect agent; "
            f"{trials(scale.climbs, 'climbs')} of {FORAGING.seasons} x 1000 iterations.",
            comparisons=comparisons,
            figures=[Figure("Ours and the paper's", [beside_the_paper(rows, "Fitness", "items a season")])],
            remarks=[
                f"The perfect agent: {PerfectAgent.words[0].lower()}{PerfectAgent.words[1:]}",
                "Hill climbing's score is that of the evaluation in which the network was chosen. Tested again in "
                f"fresh worlds, the same networks score {again.mean():z.1f}.",
            ],
        )
