"""Every search's settings as options of one command."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from cyclopts import Group

from hebbarium.cli.options import SEARCH, Given
from hebbarium.search.registry import SEARCHES
from hebbarium.tools.errors import BadInput, option_name
from hebbarium.tools.fields import Option, options_of
from hebbarium.worlds.base import World

_GROUPS = {name: Group(f"Search {name}", sort_key=SEARCH.sort_key) for name in SEARCHES}


def _options(world: type[World] | None) -> Iterator[tuple[Group, Option]]:
    """Every setting of every search, once; those of one search stand under its name. What a setting means and is by
    default is said once where the searches agree, and for each where they do not."""
    own = {name: options_of(search.settings_class) for name, search in SEARCHES.items()}
    for name in dict.fromkeys(setting for settings in own.values() for setting in settings):
        owners = {search: settings[name] for search, settings in own.items() if name in settings}
        first, *others = owners.values()
        words, default, kind = first.words, first.default, first.kind
        if any(other.words != words for other in others):
            words = " ".join(f"{search}: {one.words}" for search, one in owners.items())
        if any(other.default != default for other in others):
            default = ", ".join(f"{search} {one.default}" for search, one in owners.items())
        for other in others:
            kind = kind | other.kind
        group = SEARCH if others else _GROUPS[next(iter(owners))]
        yield group, dataclasses.replace(first, kind=kind, default=default, words=words)


SearchOptions = Annotated[dict[str, Any], Given(_options)]


def check_owners(search: str, given: Mapping[str, Any]) -> None:
    """A setting of another search is refused."""
    known = SEARCHES[search].settings_class.names() if search in SEARCHES else given
    for name in given:
        if name not in known:
            owners = [owner for owner, other in SEARCHES.items() if name in other.settings_class.names()]
            option = f"--{option_name(name)} belongs to search {', '.join(owners)}, not to {search}"
            raise BadInput(f"{option}; add --search {owners[0]}.")
