"""Figure 2: an agent in its world, for both tasks, and the agent's network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from hebbarium.paper import pictures
from hebbarium.paper.items.base import Figure, Item, Scale, Section
from hebbarium.paper.items.shared import FORAGING, HUNTING
from hebbarium.paper.portraits import Snapshot
from hebbarium.paper.works import Arrays, PaperWork

_PICTURES = {
    "Foraging, rule 1": ("foraging", "foraging:1", 4900),
    "Prey-predator, rule 1": ("prey-predator", "prey-predator:1", 3900),
    "Prey-predator, rule 2": ("prey-predator", "prey-predator:2", 3900),
}
TAIL = 300


class Worlds(Item):
    name: ClassVar[str] = "worlds"
    title: ClassVar[str] = "Agents in their worlds"
    where: ClassVar[str] = "Figure 2"
    about: ClassVar[str] = "A walled grid with green and blue things; the agent sees a few cells and has a network."

    def works(self, scale: Scale, seed: int) -> Mapping[str, PaperWork]:
        return {
            title: Snapshot(task=task, rule=rule, steps=steps, tail=TAIL, seed=seed)
            for title, (task, rule, steps) in _PICTURES.items()
        }

    def reduce(self, scale: Scale, results: Mapping[str, Arrays]) -> Section:
        panels = [
            pictures.world(arrays["things"][0], arrays["path"][0], int(arrays["direction"][0]), side, title)
            for (title, arrays), side in zip(
                results.items(), (FORAGING.full_side, HUNTING.full_side, HUNTING.full_side), strict=True
            )
        ]
        return Section(
            ran=f"One life each, pictured near the end of its first summer with the last {TAIL} steps behind it.",
            figures=[
                Figure(
                    "Worlds",
                    panels,
                    "Red: the agent and where it came from. Prey-predator's rule 1 goes straight, rule 2 diagonally.",
                ),
                Figure(
                    "The agent's network",
                    [pictures.network(FORAGING, "Foraging's network")],
                ),
            ],
        )
