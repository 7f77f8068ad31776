"""Readings of the paper: what it leaves open, read in one way or another, each under a name.

`text` is what its words say, and what everything is compared under unless another one is asked for. To add one: an
entry in `READINGS`.
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
    """What is read otherwise."""
    world: Mapping[str, Any] = field(default_factory=dict)
    """Settings of both worlds."""
    brain: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the networks that learn."""
    hidden_layer_learns: bool = True
    agent: str = "hill-climbing"
    """Who climbs hills."""
    keeps_two_percent: bool = True
    """Whether actions are random as often as the text says."""
    searched: bool = False
    """Whether the section on readings searches for rules under it, too, which is dear."""

    def rule(self, rule: AnyRule) -> AnyRule:
        """What lives, where a rule is asked for."""
        return rule if self.hidden_layer_learns else LayeredRule("frozen", rule)


READINGS: dict[str, Reading] = {
    TEXT: Reading("As in the text: with probability 0.02 one of the three actions, all equally likely.", searched=True),
    "turn": Reading(
        "Random actions are Left or Right, at the text's 2 %.", world={"random_kind": "turn"}, searched=True
    ),
    "turn-unseen-2": Reading(
        "Random actions are Left or Right, 2 % of the steps where nothing is sensed, and none elsewhere.",
        world={"random_kind": "turn", "random_where": "nothing-sensed"},
    ),
    "turn-unseen": Reading(
        "The same with 3 % of those steps.",
        world={"random_kind": "turn", "random_where": "nothing-sensed", "random_action": 0.03},
        keeps_two_percent=False,
        searched=True,
    ),
    "three-percent": Reading(
        "One of the three actions at 3 %: as many random turns as under 'turn'.",
        world={"random_action": 0.03},
        keeps_two_percent=False,
    ),
    "no-hidden-bias": Reading("Hidden neurons have no bias.", brain={"hidden_bias": "none"}, searched=True),
    "fixed-hidden-bias": Reading(
        "The hidden neurons' bias is neither changed nor scaled.", brain={"hidden_bias": "fixed"}
    ),
    "frozen-hidden": Reading("Only the output layer learns.", hidden_layer_learns=False),
    "unscaled-climbing": Reading("Hill climbing never scales its networks to unit length.", agent="unscaled-climbing"),
}


def reading_of(name: str) -> Reading:
    check_choice("reading", name, tuple(READINGS))
    return READINGS[name]
