"""One file for each table and figure of the paper; the registry of items."""

from __future__ import annotations

from collections.abc import Sequence

from hebbarium.paper.items.associations import ForagingAssociations, PreyPredatorAssociations
from hebbarium.paper.items.base import Item
from hebbarium.paper.items.distinct_rules import ForagingRules, PreyPredatorRules
from hebbarium.paper.items.foraging_comparison import ForagingComparison
from hebbarium.paper.items.genotype import Genotype
from hebbarium.paper.items.hand_made_rules import HandMadeRules
from hebbarium.paper.items.hidden_neurons import HiddenNeurons
from hebbarium.paper.items.hill_climbing import HillClimbing
from hebbarium.paper.items.lifetimes import Lifetimes
from hebbarium.paper.items.other_readings import Silence
from hebbarium.paper.items.prey_predator_comparison import PreyPredatorComparison
from hebbarium.paper.items.rank_sum import RankSum
from hebbarium.paper.items.seasons import Seasons
from hebbarium.paper.items.statements import Statements
from hebbarium.paper.items.validation import Validation
from hebbarium.paper.items.weights import WeightMaps
from hebbarium.paper.items.worlds import Worlds
from hebbarium.paper.readings import TEXT
from hebbarium.tools.errors import BadInput, check_choice

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
        Silence(),
        WeightMaps(),
        Statements(),
        Genotype(),
        Worlds(),
        ForagingAssociations(),
        PreyPredatorAssociations(),
    )
}
"""In the order of the report."""


def items_of(names: Sequence[str], reading: str = TEXT) -> list[Item]:
    """The items by name, or all of them. Those that compare readings exist under the text's reading only."""
    for name in names:
        check_choice("item", name, tuple(ITEMS))
        if reading != TEXT and ITEMS[name].of_all_readings:
            raise BadInput(f"item {name} compares all readings, so there is none of reading {reading}; leave one out.")
    possible = [item for item in ITEMS.values() if reading == TEXT or not item.of_all_readings]
    return [item for item in possible if not names or item.name in names]
