"""Tables 6 and 7: behaviours and reinforcement signals, as the code has them, beside the paper's."""

from __future__ import annotations

from typing import ClassVar

from hebbarium.paper.items.base import Item, Results, Scale, Section
from hebbarium.paper.printed_numbers import targets_of
from hebbarium.paper.verdict import compare_given
from hebbarium.worlds.registry import WORLDS


class _Associations(Item):
    note: ClassVar[str]

    def reduce(self, scale: Scale, results: Results) -> Section:
        rows = {f"association {row.id}": row for row in WORLDS[self.task].associations}
        comparisons = [
            compare_given(target, rows[target.row].signals[0 if target.column == "Summer" else 1])
            for target in targets_of(self.name)
        ]
        return Section(
            ran="No lives are run: this is the table that the world uses.",
            comparisons=comparisons,
            remarks=[self.note],
            row_notes={name: f"{row.sensor}: {row.behaviour}" for name, row in rows.items()},
        )


class ForagingAssociations(_Associations):
    name = "foraging-associations"
    title = "Foraging: behaviours and reinforcement"
    where = "Table 6"
    about = "Which action is rewarded or punished for what is in view."
    note = (
        "Where several rows apply, the cell moved into decides first, then items in view, then walls, then nothing. "
        "The paper says only that items come before walls; taken literally, wall hits double (option priority)."
    )


class PreyPredatorAssociations(_Associations):
    name = "prey-predator-associations"
    title = "Prey-predator: behaviours and reinforcement"
    where = "Table 7"
    about = "Reinforcement for moving towards or away from the closest thing in view."
    task = "prey-predator"
    note = "Winter swaps the colours' roles. The text repeats summer's colours for winter; the table has the swap."
