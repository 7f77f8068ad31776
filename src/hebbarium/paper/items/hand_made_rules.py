"""Table 3: three rules defined by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from hebbarium.paper.items.base import Item, Scale, Section
from hebbarium.paper.items.shared import correct_and_incorrect, foraging_fitness, mean_or_std, trials
from hebbarium.paper.targets import targets_of
from hebbarium.paper.verdict import compare, compare_given
from hebbarium.paper.works import Arrays, PaperWork, RuleLives
from hebbarium.rules.rule import PAPER_RULES

ROWS = ("rule 16", "rule 17", "rule 18")
_RESULTS = {"Fit": 0, "Cor": 1, "Inc": 2, "Wal": 3}


class HandMadeRules(Item):
    name: ClassVar[str] = "hand-made-rules"
    title: ClassVar[str] = "Foraging: three rules defined by hand"
    where: ClassVar[str] = "Table 3"
    about: ClassVar[str] = "Rule 16 is rule 1 without one entry; 18 is plain Hebbian learning; 17 lies between."

    def works(self, scale: Scale, seed: int) -> Mapping[str, PaperWork]:
        return {
            row: RuleLives(task="foraging", rule=f"foraging:{row[5:]}", lifetimes=scale.lives, seed=seed)
            for row in ROWS
        }

    def reduce(self, scale: Scale, results: Mapping[str, Arrays]) -> Section:
        comparisons = []
        for target in targets_of(self.name):
            if target.kind == "given":
                comparisons.append(compare_given(target, PAPER_RULES[_name(target.row)][1]))
                continue
            counts = results[target.row]["counts"]
            values = (foraging_fitness(counts), *correct_and_incorrect(counts), counts[:, :, 2])
            place = _RESULTS[target.column.removeprefix("Std ")[:3]]
            comparisons.append(compare(target, mean_or_std(values[place], target)))
        seasons = foraging_fitness(results["rule 16"]["counts"]).mean(axis=0)
        return Section(
            ran=f"{trials(scale.lives, 'lives')} for each rule.",
            comparisons=comparisons,
            remarks=[
                "Rule 16 is the one row that is far off. It learns less and less: its four seasons score "
                f"{', '.join(f'{season:z.1f}' for season in seasons)}. No reading of the paper that was tried gives "
                "this row without losing others; hebbarium reproduce silence compares them."
            ],
            row_notes={row: PAPER_RULES[_name(row)][0] for row in ROWS},
        )


def _name(row: str) -> str:
    return f"foraging:{row.removeprefix('rule ')}"
