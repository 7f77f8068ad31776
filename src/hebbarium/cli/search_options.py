"""Every search's settings as options of one command."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from cyclopts import Group, Parameter
from docstring_parser import parse_from_object

from hebbarium.search.base import Settings
from hebbarium.search.registry import SEARCHES
from hebbarium.tools.errors import BadInput, option_name

SHARED = Group("Search", sort_key=1)
"""Settings that several searches have; those of one search stand under its name."""


def chosen_settings(search: str, given: SearchOptions) -> Settings:
    """The settings of the search from what was given; a setting of another search is refused."""
    settings_class = SEARCHES[search].settings_class
    settings = {name: value for name, value in vars(given).items() if value is not None}
    for name in settings:
        if name not in settings_class.names():
            owners = ", ".join(owner for owner, other in SEARCHES.items() if name in other.settings_class.names())
            own = ", ".join(f"--{option_name(own)}" for own in settings_class.names())
            raise BadInput(f"--{option_name(name)} belongs to search {owners}, not to {search}, whose own are {own}.")
    return settings_class(**settings)


def _options() -> type:
    """A dataclass with every setting of every search, all optional."""
    fields: dict[str, Any] = {}
    for name in dict.fromkeys(name for search in SEARCHES.values() for name in search.settings_class.names()):
        owners = {owner: search.settings_class for owner, search in SEARCHES.items()}
        owners = {owner: settings for owner, settings in owners.items() if name in settings.names()}
        fields[name] = _field(name, owners)
    specifications = [(name, kind, dataclasses.field(default=None)) for name, kind in fields.items()]
    return dataclasses.make_dataclass("SearchOptions", specifications, frozen=True, kw_only=True)


def _field(name: str, owners: dict[str, type[Settings]]) -> Any:
    kinds = [get_type_hints(settings)[name] for settings in owners.values()]
    kind = kinds[0]
    for other in kinds[1:]:
        kind = kind | other
    group = Group(f"Search {next(iter(owners))}", sort_key=1) if len(owners) == 1 else SHARED
    return Annotated[kind | None, Parameter(group=group, help=_help(name, owners), show_default=False)]


def _help(name: str, owners: dict[str, type[Settings]]) -> str:
    """What the setting means, said once where the searches agree, and for each where they do not."""
    texts = {owner: " ".join(_documentation(owner)[name].split()) for owner in owners}
    meant = " ".join(f"{owner}: {text}" for owner, text in texts.items())
    text = next(iter(texts.values())) if len(set(texts.values())) == 1 else meant
    defaults = {owner: _default(settings, name) for owner, settings in owners.items()}
    values = list(dict.fromkeys(defaults.values()))
    if values == [None]:
        return text
    shown = f"{values[0]}" if len(values) == 1 else ", ".join(f"{owner} {value}" for owner, value in defaults.items())
    return f"{text} [default: {shown}]"


def _default(settings: type[Settings], name: str) -> Any:
    return next(field.default for field in dataclasses.fields(settings) if field.name == name)


@functools.cache
def _documentation(search: str) -> dict[str, str]:
    """What stands below each field of its settings, in the class and those it derives from."""
    found: dict[str, str] = {}
    for kind in reversed(SEARCHES[search].settings_class.__mro__):
        if dataclasses.is_dataclass(kind):
            found |= {entry.arg_name: entry.description or "" for entry in parse_from_object(kind).params}
    return found


if TYPE_CHECKING:

    class SearchOptions:
        """Any setting of any search, or None."""
else:
    SearchOptions = _options()
    SearchOptions.__module__ = __name__
