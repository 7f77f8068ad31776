"""The searches there are, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hebbarium.search.base import Search
from hebbarium.search.catcma import CatCMASearch
from hebbarium.search.genetic import GeneticAlgorithm
from hebbarium.search.racing import Racing
from hebbarium.search.random import RandomSearch
from hebbarium.search.space import space_of
from hebbarium.tools.errors import BadInput, check_choice

SEARCHES: dict[str, type[Search]] = {
    search.name: search for search in (GeneticAlgorithm, Racing, RandomSearch, CatCMASearch)
}

USUAL_SEARCH = Racing.name


def usual_search(genes: object) -> str:
    """The most reliable one; with genes, which racing does not take, the paper's."""
    return GeneticAlgorithm.name if genes else USUAL_SEARCH


def make_search(
    name: str, seed: int = 1, run: int = 0, layers: str = "same", genes: Sequence[str] = (), **settings: Any
) -> Search:
    """A search from its name and any of its settings.

    layers: the kind of rules it searches (see `space.py`). genes: the blame and eligibility that each rule has of its
    own, such as `blame:wall-turn` (see `genes.py`).
    """
    check_choice("search", name, tuple(SEARCHES))
    check_takes(name, genes)
    search = SEARCHES[name]
    for setting in settings:
        check_choice(f"setting of search {name}", setting, search.settings_class.names())
    return search(search.settings_class(**settings), seed, run, space_of(layers, genes))


def check_takes(name: str, genes: Sequence[str]) -> None:
    """Refuse genes for a search that cannot have them."""
    if genes and not SEARCHES[name].takes_genes:
        *others, last = (other for other, search in SEARCHES.items() if search.takes_genes)
        raise BadInput(
            f"search {name} cannot take genes (blame, eligibility, real entries); use {', '.join(others)} or {last}."
        )
