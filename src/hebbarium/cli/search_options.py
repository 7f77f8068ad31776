"""Every search's settings as options of one command."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from cyclopts import Group

from hebbarium.cli.options import SEARCH, Given
from hebbarium.search.registry import SEARCHES
from hebbarium.tools.describe import Option, options_of
from hebbarium.tools.errors import BadInput, option_name
from hebbarium.worlds.base import World

_GROUPS = {name: Group(f"Search {name}", sort_key=SEARCH.sort_key) for name in SEARCHES}


def _options(world: type[World] | None) -> Iterator[tuple[Group, Option]]:
    """Every setting of every search, once; those of one search stand under its name."""
    own = {name: options_of(search.settings_class) for name, search in SEARCHES.items()}
    for name in dict.fromkeys(setting for settings in own.values() for setting in settings):
        owners = {search: settings[name] for search, settings in own.items() if name in settings}
        yield _GROUPS[next(iter(owners))] if len(owners) == 1 else SEARCH, _joined(name, owners)


def _joined(name: str, owners: Mapping[str, Option]) -> Option:
    """What a setting means and is by default, said once where the searches agree, and for each where they do not."""
    first = next(iter(owners.values()))
    words, kind, default = (
        {search: getattr(one, what) for search, one in owners.items()} for what in ("words", "kind", "default")
    )
    text = (
        first.words if len(set(words.values())) == 1 else " ".join(f"{search}: {one}" for search, one in words.items())
    )
    usual = (
        first.default
        if len(set(default.values())) == 1
        else ", ".join(f"{search} {one}" for search, one in default.items())
    )
    kinds = first.kind
    for other in list(kind.values())[1:]:
        kinds = kinds | other
    return dataclasses.replace(first, kind=kinds, default=usual, words=text)


SearchOptions = Annotated[dict[str, Any], Given(_options)]


def check_owners(search: str, given: Mapping[str, Any]) -> None:
    """A setting of another search is refused."""
    known = SEARCHES[search].settings_class.names() if search in SEARCHES else given
    for name in given:
        if name not in known:
            owners = [owner for owner, other in SEARCHES.items() if name in other.settings_class.names()]
            option = f"--{option_name(name)} belongs to search {', '.join(owners)}, not to {search}"
            raise BadInput(f"{option}; add --search {owners[0]}.")
