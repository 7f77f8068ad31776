"""Parts shared by the verbs: common options, what every verb that lives takes, one command per task."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from cyclopts import Group, Parameter

from hebbarium.agents.learner_settings import Learning
from hebbarium.agents.registry import AGENTS
from hebbarium.brains.base import Brain
from hebbarium.cli.commands import BRAIN, EVERYWHERE, LEARNERS, LIFE, PLACE, SEARCH, WORLD, Given, given
from hebbarium.cli.parsing import MINUS
from hebbarium.experiment import Experiment, Ways
from hebbarium.search.registry import SEARCHES
from hebbarium.tools.errors import BadInput, option_name, printable
from hebbarium.tools.fields import Option, options_of
from hebbarium.tools.files import check_writable
from hebbarium.tools.progress import Advance, Report, progress
from hebbarium.tools.terminal import fitted
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS, make_world

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hebbarium.executors.base import Executor
    from hebbarium.studies.choosing_eta import Chosen


@dataclass(frozen=True, kw_only=True)
class Common(Report):
    """Options of every verb, and how a command speaks to the person who typed it."""

    json: bool = False
    """Print one JSON object and nothing else on standard output."""
    quiet: Annotated[bool, Parameter(alias="-q")] = False
    """Show no progress and no messages."""
    verbose: Annotated[bool, Parameter(alias="-v")] = False
    """Show more messages."""
    atlas: Path | None = None
    """Take etas and ranks from this atlas, a run's folder or its atlas.npz, instead of one that was made in `runs` or
    comes with the package."""
    config: Path | None = None
    """A TOML file with any of these options; the command line takes precedence."""
    debug: bool = False
    """Show the traceback of an error."""
    help_all: bool = False
    """Describe every option, also those of the world, the brain and the searches."""

    def __post_init__(self) -> None:
        if self.atlas is not None:
            from hebbarium.studies.atlas.finished_atlas import use_atlas

            found = use_atlas(self.atlas)
            own = found.differs(make_world(found.atlas.task), here="usually") if found.atlas.task in WORLDS else ""
            self.say(f"Using {found.where} of {found.atlas.task}{f', made with {own}' if own else ''}.")

    def say(self, text: str) -> None:
        """A line on standard error, unless --quiet was given."""
        if not self.quiet:
            print(fitted(printable(text), sys.stderr), file=sys.stderr, flush=True)

    def say_eta(self, rules: Iterable[Chosen], *lived: Ways) -> None:
        """Which etas were taken for rules that were given without one, and what else is not as in the atlas that they
        come from. lived: how the rules are lived by"""
        found = None
        for chosen in rules:
            found = chosen.found or found
            if chosen.remark is not None:
                self.say(chosen.remark)
        if found is not None and (differs := found.differs(lived[0].world, *lived)):
            self.say(f"That atlas was made with other settings, so another eta may be better here: {differs}.")

    def remark(self, text: str) -> None:
        """A line for a person who watches, or who asked for more."""
        if self.verbose or sys.stderr.isatty():
            self.say(text)

    def hand_over(self, result: dict[str, Any], show: Callable[..., None], *shown: Any) -> None:
        """A result as it was asked for: as JSON, or as a person reads it."""
        if self.json:
            print_json(result)
        else:
            show(*shown)

    patience: ClassVar[float | None] = 1.5

    def progress(
        self, doing: str, total: float | None, unit: str, done: float
    ) -> contextlib.AbstractContextManager[Advance]:
        return progress(doing, total, unit, quiet=self.quiet, done=done)

    def farewell(self, folder: Path) -> str:
        return "" if self.quiet else super().farewell(folder)

    def draw(self, picture: Callable[[], Figure], path: Path | None) -> None:
        """Save a picture, if a file was named for it."""
        if path is not None:
            from hebbarium.show.plots import save

            save(picture(), path)
            self.say(f"wrote {path}")


CommonOptions = Annotated[Common, EVERYWHERE]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where lives are lived. The results do not depend on it."""

    threads: int | None = None
    """Number of threads; by default one per core."""
    cluster: str | None = None
    """Run on a Dask cluster: local:N for N worker processes here, tcp://HOST:PORT, or a scheduler's file."""
    verify: float = 0.01
    """The share of the work that a cluster does twice, on different workers, and compares bit for bit."""

    @contextlib.contextmanager
    def executor(self, say: Callable[[str], None]) -> Iterator[Executor]:
        from hebbarium.executors.threads import Threads

        if self.cluster is None:
            yield Threads(self.threads)
            return
        if self.threads is not None:
            raise BadInput("--threads cannot be used with --cluster, whose workers have their own.")
        from hebbarium.executors.cluster_connect import cluster

        with cluster(self.cluster, say, self.verify) as executor:
            yield executor


PlaceOptions = Annotated[Place, PLACE]


def _written(*endings: str) -> Callable[[Any, Path | None], object]:
    """A file that cannot be written is refused before a single step is lived."""
    return lambda kind, path: path and check_writable(path, endings)


Picture = Annotated[Path, Parameter(validator=_written(".svg", ".png", ".pdf"))]
NetworksFile = Annotated[Path, Parameter(validator=_written(".npz"))]
PageFile = Annotated[Path, Parameter(validator=_written(".html"))]
Film = Annotated[Path, Parameter(validator=_written(".mp4", ".gif", ".apng"))]


RuleArgument = Annotated[
    str, Parameter(converter=lambda kind, tokens: tokens[0].value.replace(MINUS, "-"), metavar="RULE")
]
"""A rule as an option or argument, plain or layered, with or without etas; a leading `-` works."""
_SEVERAL = "The rules, by notation, index or name in the paper, each with its own eta after an @: -0+-/0000@0.0099."
RuleArguments = Annotated[RuleArgument, Parameter(help=_SEVERAL)]
"""Of `*rules`."""


ETA = (
    "The learning rate, from 0 up to 1, of rules without an @; by default the paper's for a rule given by name, "
    "otherwise the best in the atlas of the task."
)


def _of_brain(world: type[World] | None) -> Iterator[tuple[Group, Option]]:
    """The brain's options, with the defaults of the world."""
    usual = {} if world is None else vars(Brain.of(world()))
    for name, option in options_of(Brain).items():
        yield LIFE if name == "hidden" else BRAIN, replace(option, default=usual.get(name))


WayOptions = Annotated[dict[str, Any], Given(_of_brain, given(LIFE, Experiment, "blame", "eligibility"))]
"""How a brain lives: what every verb that lives takes beside the settings of the world."""
LifeOptions = Annotated[
    dict[str, Any],
    Given(
        lambda world: [(LIFE, Option("eta", float, None, ETA))],
        given(LIFE, Experiment, "lifetimes", "seed"),
        _of_brain,
        given(LIFE, Experiment, "blame", "eligibility"),
    ),
]
"""The same and more, for verbs that live by rules that are given."""
_AGENT: Any = typing.Literal[tuple(AGENTS)]
SEVERAL_AGENTS: Any = Annotated[tuple[_AGENT, ...], Parameter(consume_multiple=False, negative="", show_default=False)]
LearningOptions = Annotated[dict[str, Any], Given(given(LEARNERS, Learning))]
"""How agents learn that have no rule."""
AnyWorldOptions = Annotated[dict[str, Any], Given(given(WORLD, World))]
"""Settings that every world has, for verbs that live in several."""


def print_json(result: dict[str, Any]) -> None:
    print(json.dumps(result, allow_nan=False))


# Every search's settings as options of one command.

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
    """Refuse a setting of another search."""
    known = SEARCHES[search].settings_class.names() if search in SEARCHES else given
    for name in given:
        if name not in known:
            owners = [owner for owner, other in SEARCHES.items() if name in other.settings_class.names()]
            option = f"--{option_name(name)} belongs to search {', '.join(owners)}, not to {search}"
            raise BadInput(f"{option}; add --search {owners[0]}.")
