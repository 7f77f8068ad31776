"""One file for each table and figure of the paper; the registry of items."""

from __future__ import annotations

from collections.abc import Sequence

from hebbarium.errors import check_choice
from hebbarium.paper.items.associations import ForagingAssociations, PreyPredatorAssociations
from hebbarium.paper.items.base import Item
from hebbarium.paper.items.distinct_rules import ForagingRules, PreyPredatorRules
from hebbarium.paper.items.foraging_comparison import ForagingComparison
from hebbarium.paper.items.genotype import Genotype
from hebbarium.paper.items.hand_made_rules import HandMadeRules
from hebbarium.paper.items.hidden_neurons import HiddenNeurons
from hebbarium.paper.items.hill_climbing import HillClimbing
from hebbarium.paper.items.lifetimes import Lifetimes
from hebbarium.paper.items.prey_predator_comparison import PreyPredatorComparison
from hebbarium.paper.items.rank_sum import RankSum
from hebbarium.paper.items.seasons import Seasons
from hebbarium.paper.items.statements import Statements
from hebbarium.paper.items.validation import Validation
from hebbarium.paper.items.weights import WeightMaps
from hebbarium.paper.items.worlds import Worlds

ITEMS: dict[str, Item] = {
    item.name: item
    for item in (
        ForagingComparison(),
        ForagingRules(),
        HandMadeRules(),
        Lifetimes(),
        PreyPredatorComparison(),
        PreyPredatorRules(),
        HillClimbing(),
        Seasons(),
        Validation(),
        RankSum(),
        HiddenNeurons(),
        WeightMaps(),
        Statements(),
        Genotype(),
        Worlds(),
        ForagingAssociations(),
        PreyPredatorAssociations(),
    )
}
"""In the order of the report."""


def items_of(names: Sequence[str]) -> list[Item]:
    """The items by name; all of them where none is named."""
    for name in names:
        check_choice("item", name, tuple(ITEMS))
    return [item for item in ITEMS.values() if not names or item.name in names]
