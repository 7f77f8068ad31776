"""Table 3: three rules defined by hand."""

from __future__ import annotations

from hebbarium.paper.items.base import Item, Results, Scale, Section, Works
from hebbarium.paper.items.shared_reductions import FORAGING, compare_values, correct_and_incorrect, rule_lives, trials
from hebbarium.paper.printed_numbers import targets_of
from hebbarium.paper.verdict import compare_given
from hebbarium.rules.rule import PAPER_RULES

RULES = (16, 17, 18)
_RESULTS = {"Fit": 0, "Cor": 1, "Inc": 2, "Wal": 3}


class HandMadeRules(Item):
    name = "hand-made-rules"
    title = "Foraging: three rules defined by hand"
    where = "Table 3"
    about = "Rule 16 is rule 1 without one entry; 18 is plain Hebbian learning; 17 lies between."

    def works(self, scale: Scale, seed: int) -> Works:
        return rule_lives(scale, seed, *RULES)

    def reduce(self, scale: Scale, results: Results) -> Section:
        rules = {f"rule {rule}": PAPER_RULES[f"foraging:{rule}"] for rule in RULES}
        comparisons = []
        for target in targets_of(self.name):
            if target.kind == "given":
                comparisons.append(compare_given(target, rules[target.row][1]))
                continue
            counts = results[target.row]["counts"]
            values = (FORAGING.fitness(counts), *correct_and_incorrect(counts), counts[:, :, 2])
            place = _RESULTS[target.column.removeprefix("Std ")[:3]]
            comparisons.append(compare_values(target, values[place]))
        seasons = FORAGING.fitness(results["rule 16"]["counts"]).mean(axis=0)
        return Section(
            ran=f"{trials(scale.lives, 'lives')} for each rule.",
            comparisons=comparisons,
            remarks=[
                "Rule 16 is the one row that is far off. It learns less and less: its four seasons score "
                f"{', '.join(f'{season:z.1f}' for season in seasons)}. No reading of the paper that was tried gives "
                "this row without losing others; hebbarium reproduce silence compares them."
            ],
            row_notes={row: notation for row, (notation, _) in rules.items()},
        )
