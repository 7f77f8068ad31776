"""Readings of the paper: named ways to read what it leaves open.

`text` is used unless another one is asked for. It follows the paper's words except for the choices in `FITTED`, which
every reading shares unless it says otherwise. To add one: an entry in `READINGS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hebbarium.rules.layered import LayeredRule
from hebbarium.rules.rule import AnyRule
from hebbarium.tools.errors import check_choice

TEXT = "text"


@dataclass(frozen=True)
class Reading:
    words: str
    """How it differs from the text."""
    world: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the worlds that have them."""
    brain: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the networks that learn."""
    hidden_layer_learns: bool = True
    agent: str = "hill-climbing"
    """The agent that does hill climbing."""
    search: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings of the genetic algorithm, by task."""
    fitted: bool = False
    """Whether it was found by looking at the paper's numbers."""

    @property
    def lives_differ(self) -> bool:
        """Whether lives under a rule differ from those under the text."""
        return bool(self.world or self.brain) or not self.hidden_layer_learns

    def rule(self, rule: AnyRule) -> AnyRule:
        """The rule that is lived when this one is asked for."""
        return rule if self.hidden_layer_learns else LayeredRule("frozen", rule)


READINGS: dict[str, Reading] = {
    TEXT: Reading("As in the text: with probability 0.02 one of the three actions, all equally likely."),
    "literal": Reading(
        "Items outrank walls, as the text says: a bump into the wall while leaving an item alone is not punished.",
        world={"priority": "items"},
    ),
    "turn": Reading("Random actions are Left or Right, at the text's 2 %.", world={"random_kind": "turn"}),
    "turn-unseen-2": Reading(
        "Random actions are Left or Right, 2 % of the steps where nothing is sensed, and none elsewhere.",
        world={"random_kind": "turn", "random_where": "nothing-sensed"},
    ),
    "turn-unseen": Reading(
        "The same with 3 % of those steps.",
        world={"random_kind": "turn", "random_where": "nothing-sensed", "random_action": 0.03},
    ),
    "three-percent": Reading(
        "One of the three actions at 3 %: as many random turns as under 'turn'.", world={"random_action": 0.03}
    ),
    "no-hidden-bias": Reading("Hidden neurons have no bias.", brain={"hidden_bias": "none"}),
    "fixed-hidden-bias": Reading(
        "The hidden neurons' bias is neither changed nor scaled.", brain={"hidden_bias": "fixed"}
    ),
    "frozen-hidden": Reading("Only the output layer learns.", hidden_layer_learns=False),
    "unscaled-climbing": Reading("Hill climbing never scales its networks to unit length.", agent="unscaled-climbing"),
    "scaled-eta": Reading(
        "On foraging the genetic algorithm's eta is a tenth of its gene (--eta-scale 0.1).",
        search={"foraging": {"eta_scale": 0.1}},
        fitted=True,
    ),
    "scaled-eta-other": Reading(
        "The same, and an entry that is drawn again always becomes another one (--redraw different).",
        search={"foraging": {"eta_scale": 0.1, "redraw": "different"}},
        fitted=True,
    ),
}

FITTED: dict[str, str] = {
    "alpha, notice-distance, notice-probability": "Prey-predator: what a prey is worth (8), and the distance (3 cells) "
    "and probability (0.4) at which prey and predators notice the agent, are not published. They were fitted to tables "
    "4 and 5, and other combinations fit as well (for example probability 0.5 with alpha 11).",
    "priority": "Foraging: where several things are in view, the cell moved into decides first ('entered'). The text "
    "gives items priority over walls. This order was chosen among eight by rule 1's wall hits (7 to 25 a season); its "
    "fitness was 48.1 to 48.8 under all of them. Reading 'literal' has the text's.",
    "perfect agent": "The paper gives only the score of foraging's perfect agent. We chose, of several agents, one "
    "that comes near 67: without memory and turning from every wall it scored 63.5, following walls 69, sweeping "
    "lanes 71 to 74. The p-values of the rank-sum tests against it depend on this choice.",
    "hill climbing's scaling": "Hill climbing scales its candidates to unit length, which the appendix does not say. "
    "This was chosen for its result on foraging. Reading 'unscaled-climbing' does without.",
}
"""Choices of every reading that were made by looking at the paper's numbers. Figures without a command come from an
earlier prototype."""


def reading_of(name: str) -> Reading:
    check_choice("reading", name, tuple(READINGS))
    return READINGS[name]
