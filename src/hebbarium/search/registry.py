"""The searches there are, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hebbarium.rules.shape import LAYERS
from hebbarium.search.base import Search
from hebbarium.search.catcma import CatCMASearch
from hebbarium.search.genes import ETAS
from hebbarium.search.genetic import GeneticAlgorithm
from hebbarium.search.racing import Racing
from hebbarium.search.random import RandomSearch
from hebbarium.search.space import Space, space_of
from hebbarium.tools.errors import BadInput, check_choice

SEARCHES: dict[str, type[Search]] = {
    search.name: search for search in (GeneticAlgorithm, Racing, RandomSearch, CatCMASearch)
}

USUAL_SEARCH = Racing.name


def usual_search(genes: object) -> str:
    """The most reliable one; with genes that racing does not take, the paper's."""
    names = [word.strip() for word in genes.split(",")] if isinstance(genes, str) else genes
    return USUAL_SEARCH if not names or names in ([ETAS], (ETAS,)) else GeneticAlgorithm.name


def make_search(
    name: str,
    seed: int = 1,
    run: int = 0,
    layers: str = "same",
    genes: Sequence[str] = (),
    depth: int = LAYERS,
    **settings: Any,
) -> Search:
    """A search from its name and any of its settings.

    layers: the kind of rules it searches (see `space.py`), for networks of `depth` layers. genes: what each rule has of
    its own, such as `blame:wall-turn` (see `genes.py`).
    """
    check_choice("search", name, tuple(SEARCHES))
    space, search = space_of(layers, genes, depth), SEARCHES[name]
    check_takes(name, space)
    for setting in settings:
        check_choice(f"setting of search {name}", setting, search.settings_class.names())
    return search(search.settings_class(**settings), seed, run, space)


def check_takes(name: str, space: Space) -> None:
    """Refuse a space that the search cannot search: one that goes by the numbers of rules."""
    if SEARCHES[name].takes_genes:
        return
    *others, last = (other for other, search in SEARCHES.items() if search.takes_genes)
    use = f"use {', '.join(others)} or {last}"
    if space.weights or space.real:
        raise BadInput(f"search {name} cannot take genes (blame, eligibility, trace, real entries); {use}.")
    if space.size >= 2**63:
        raise BadInput(f"search {name} cannot number the rules of {space.depth} layers; {use}, or layers two-etas.")
