"""Figure 2: an agent in its world, for both tasks, and the agent's network."""

from __future__ import annotations

from hebbarium.paper import drawings
from hebbarium.paper.items.base import Figure, Item, Results, Scale, Section, Works
from hebbarium.paper.items.shared_reductions import FORAGING, HUNTING
from hebbarium.paper.works import Snapshot

_PICTURES = {
    "Foraging, rule 1": (FORAGING, 1, 4900),
    "Prey-predator, rule 1": (HUNTING, 1, 3900),
    "Prey-predator, rule 2": (HUNTING, 2, 3900),
}
"""World, rule and step."""
TAIL = 300


class Worlds(Item):
    name = "worlds"
    title = "Agents in their worlds"
    where = "Figure 2"
    about = "A walled grid with green and blue things; the agent sees a few cells and has a network."

    def works(self, scale: Scale, seed: int) -> Works:
        return {
            title: Snapshot(task=world.name, rule=f"{world.name}:{rule}", steps=steps, tail=TAIL, seed=seed)
            for title, (world, rule, steps) in _PICTURES.items()
        }

    def reduce(self, scale: Scale, results: Results) -> Section:
        panels = []
        for title, (world, *_) in _PICTURES.items():
            arrays = results[title]
            direction = int(arrays["direction"][0])
            panels.append(drawings.world(arrays["things"][0], arrays["path"][0], direction, world.full_side, title))
        return Section(
            ran=f"One life each, pictured near the end of its first summer with the last {TAIL} steps behind it.",
            figures=[
                Figure(
                    "Worlds",
                    panels,
                    "Red: the agent and where it came from. Prey-predator's rule 1 goes straight, rule 2 diagonally.",
                ),
                Figure("The agent's network", [drawings.network(FORAGING, "Foraging's network")]),
            ],
        )
