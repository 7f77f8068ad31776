"""Table 1: the perfect agent, hill climbing, rule 1 and rule 18 on foraging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from hebbarium.agents.perfect import PerfectAgent
from hebbarium.paper.climbs import HillClimbs
from hebbarium.paper.items.base import Figure, Item, Scale, Section
from hebbarium.paper.items.shared import FORAGING, beside_the_paper, foraging_fitness, mean_or_std, trials
from hebbarium.paper.targets import targets_of
from hebbarium.paper.verdict import compare
from hebbarium.paper.works import AgentLives, Arrays, PaperWork, RuleLives

ROWS = {
    "perfect": "Perfect Agent (PA)",
    "climbs": "Hill Climbing (HC)",
    "rule 1": "Evolved Synaptic Plasticity (rule ID:1)",
    "rule 18": "Discrete Hebbian/anti-Hebbian (rule ID:18)",
}


class ForagingComparison(Item):
    name: ClassVar[str] = "foraging-comparison"
    title: ClassVar[str] = "Foraging: four ways to control an agent"
    where: ClassVar[str] = "Table 1"
    about: ClassVar[str] = (
        "The best evolved rule comes close to agents that were programmed or optimised offline, although it has to "
        "learn during its life."
    )

    def works(self, scale: Scale, seed: int) -> Mapping[str, PaperWork]:
        return {
            "perfect": AgentLives(task="foraging", agent="perfect", lifetimes=scale.lives, seed=seed),
            "climbs": HillClimbs(task="foraging", lifetimes=scale.climbs, iterations=scale.iterations, seed=seed),
            "rule 1": RuleLives(task="foraging", rule="foraging:1", lifetimes=scale.lives, seed=seed),
            "rule 18": RuleLives(task="foraging", rule="foraging:18", lifetimes=scale.lives, seed=seed),
        }

    def reduce(self, scale: Scale, results: Mapping[str, Arrays]) -> Section:
        fitness = {
            row: foraging_fitness(results[name]["marks"][:, :, -1] if name == "climbs" else results[name]["counts"])
            for name, row in ROWS.items()
        }
        comparisons = [compare(target, mean_or_std(fitness[target.row], target)) for target in targets_of(self.name)]
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
