"""Parts shared by the verbs: common options, rules as arguments, one command per task."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import json
import sys
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import cyclopts
from cyclopts import Group, Parameter

from hebbarium.cli.arguments import MINUS
from hebbarium.rules.layered import read_rule
from hebbarium.tools.errors import BadInput, printable
from hebbarium.tools.progress import progress
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS, find_world

if TYPE_CHECKING:
    from rich.table import Column

    from hebbarium.agents.base import Agent
    from hebbarium.brains.base import Brain
    from hebbarium.executors.base import Done, Executor
    from hebbarium.rules.rule import AnyRule
    from hebbarium.studies.etas import Chosen

LIFE = Group("Life", sort_key=1)
PLACE = Group("Place", sort_key=2)
BRAIN = Group("Brain", sort_key=2)
FILES = Group("Files", sort_key=2)
WORLD = Group("World", sort_key=3)
EVERYWHERE = Group("Everywhere", sort_key=4)

Flag = Annotated[bool, Parameter(negative="", show_default=False)]
"""An option that is there or not."""


@dataclass(frozen=True, kw_only=True)
class Common:
    """Options of every verb."""

    json: Flag = False
    """Print one JSON object and nothing else on standard output."""
    quiet: Annotated[bool, Parameter(alias="-q", negative="", show_default=False)] = False
    """Show no progress and no messages."""
    verbose: Annotated[bool, Parameter(alias="-v", negative="", show_default=False)] = False
    """Show more messages."""
    config: Path | None = None
    """A TOML file with any of these options; the command line takes precedence."""
    debug: Flag = False
    """Show the traceback of an error."""

    def say(self, text: str) -> None:
        """A line on standard error, unless it shall be quiet."""
        if not self.quiet:
            print(printable(text), file=sys.stderr, flush=True)

    def say_eta(self, *rules: Chosen) -> None:
        """Which etas were taken for rules that were given without one."""
        for chosen in rules:
            if chosen.remark is not None:
                self.say(chosen.remark)

    def remark(self, text: str) -> None:
        """A line for a person who watches, or who asked for more."""
        if self.verbose or sys.stderr.isatty():
            self.say(text)


USUAL = Common()
CommonOptions = Annotated[Common, Parameter(name="*", group=EVERYWHERE)]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where lives are lived. The results do not depend on it."""

    threads: int | None = None
    """Number of threads; by default one per core."""
    cluster: str | None = None
    """Run on a Dask cluster: local:N for N worker processes here, tcp://HOST:PORT, or a scheduler's file."""

    @contextlib.contextmanager
    def executor(self, common: Common) -> Iterator[Executor]:
        from hebbarium.executors.threads import Threads

        if self.cluster is None:
            yield Threads(self.threads)
            return
        if self.threads is not None:
            raise BadInput("--threads cannot be used with --cluster, whose workers have their own.")
        from hebbarium.executors.connect import cluster

        with cluster(self.cluster, common.say) as executor:
            yield executor

    @contextlib.contextmanager
    def living(
        self, common: Common, doing: str, lifetimes: int, prepare: Callable[[], None]
    ) -> Iterator[tuple[Executor, Done]]:
        """An executor, and whom it tells of the lifetimes that are over, while progress is shown.

        prepare: compiles the kernels, once the cluster is known to be there."""
        with self.executor(common) as executor:
            prepare()
            with progress(doing, lifetimes, quiet=common.quiet) as advance:
                yield executor, lambda over: advance(over, note=executor.words)


HERE = Place()
PlaceOptions = Annotated[Place, Parameter(name="*", group=PLACE)]


def check_rule(kind: type, tokens: Sequence[cyclopts.Token]) -> str:
    """The rule as it was typed, because a verb needs to know whether it had an eta; nonsense is refused at once."""
    text = tokens[0].value.replace(MINUS, "-")
    read_rule(text)
    return text


RuleArgument = Annotated[str, Parameter(converter=check_rule, metavar="RULE")]
"""A rule as an option or argument, plain or layered, with or without etas; a leading `-` works.

Several are `*rules: RuleArgument`.
"""


def read_weights(name: str, text: str | None, groups: Sequence[str] = ()) -> dict[str, float]:
    """`missed=0.5,wrong=1`, or, for all of some groups, one number; groups named beside it have their own."""
    if not text:
        return {}
    read: dict[str | None, float] = {}
    for part in text.split(","):
        group, weight = _read_weight(name, part)
        if group is None and not groups:
            raise BadInput(f"{name} has {part!r}, but must name a group, such as missed={part}.")
        if group in read:
            twice = "two numbers for all groups" if group is None else f"{group} twice"
            raise BadInput(f"{name} is {text!r}, which has {twice}: give one of them.")
        read[group] = weight
    for_all = dict.fromkeys(groups, read[None]) if None in read else {}
    return for_all | {group: weight for group, weight in read.items() if group is not None}


def _read_weight(name: str, part: str) -> tuple[str | None, float]:
    """A group, or None for all of them, and its weight."""
    group, equals, number = part.partition("=")
    try:
        return (group.strip(), float(number)) if equals else (None, float(part))
    except ValueError:
        raise BadInput(f"{name} has {part!r}, but must be a group and a number, such as missed=0.5.") from None


def print_json(result: dict[str, Any]) -> None:
    print(json.dumps(result, allow_nan=False))


def right(*names: str) -> list[Column]:
    """Columns of numbers."""
    from rich.table import Column

    return [Column(name, justify="right") for name in names]


@contextlib.contextmanager
def resumable(folder: Path | None, common: Common) -> Iterator[None]:
    """Ctrl-C within the block ends the command, and says how to resume. folder: where the run is, if that is known."""
    from hebbarium.executors.signals import PATIENCE, Interrupted, leave_at_once, stopped_by_signals

    try:
        with stopped_by_signals(PATIENCE):
            yield
    except Interrupted as interruption:
        saved = "saved" if folder is None else f"saved in {folder}"
        common.say(f"{interruption}; everything so far is {saved}. Rerun the same command to resume.")
        leave_at_once(interruption.code)


def prepare_kernels(
    world: World,
    brain: Brain | None,
    common: Common,
    agents: Sequence[str] | Mapping[str, Agent] = (),
    blamed: bool = False,
    rules: Sequence[AnyRule] = (),
) -> None:
    """Compile what lives of a brain (None for the usual one), by these rules, and of agents need, or find it compiled.

    A first time is announced."""
    from hebbarium.agents.registry import make_agents
    from hebbarium.life.batch import is_compiled, prepare

    makers = [*(agents if isinstance(agents, Mapping) else make_agents(agents)).values()]
    if not (
        is_compiled(world, brain, blamed=blamed, rules=rules) and all(maker.is_compiled(world) for maker in makers)
    ):
        common.say(
            f"Compiling the simulation of {world.name} for this kind of rule (about half a minute); it is cached for "
            "later runs."
        )
    prepare(world, brain, blamed=blamed, rules=rules)
    for maker in makers:
        maker.prepare(world)


def task_commands(
    app: cyclopts.App, function: Callable[..., Any], is_other: Callable[[str], bool] = lambda word: False, **usual: Any
) -> None:
    """One command of `app` for each task there is, with the task's settings as options.

    `function` takes the finished task as its argument `task`, annotated with World, and any other options.
    is_other: whether the first word stands for something else than a task.
    usual: settings that have another default here.
    """
    app.help_format = "markdown"  # joins the lines of a setting's docstring
    app.help_epilogue = (
        "For a world of your own, give its file, such as ./pond.py, or its module; `hebbarium new-world` writes one to "
        "start from."
    )
    add = functools.partial(_add_task, app, function, usual)
    _TASK_ADDERS[app.name[0]] = app, add, is_other
    for task_class in WORLDS.values():
        add(task_class)


_TASK_ADDERS: dict[str, tuple[cyclopts.App, Callable[[type[World]], None], Callable[[str], bool]]] = {}
"""For verbs whose first word is a task: their app, what makes a world a command of it, and what else it may be."""


def admit_task(verb: str, word: str) -> str:
    """A task that is not the package's own becomes a command of the verb, if it takes tasks; returns its name."""
    from hebbarium.worlds.loading import is_reference

    if verb not in _TASK_ADDERS or word in WORLDS or not is_reference(word):
        return word
    app, add, is_other = _TASK_ADDERS[verb]
    if is_other(word):
        return word
    world = find_world(word)
    if world.name in app:
        del app[world.name]
    add(world)
    return world.name


def _add_task(app: cyclopts.App, function: Callable[..., Any], usual: dict[str, Any], world: type[World]) -> None:
    hints = typing.get_type_hints(world, include_extras=True)
    # The parser would read the annotations of inherited settings in the scope of the world's own module.
    world.__init__.__annotations__ = {field.name: hints[field.name] for field in dataclasses.fields(world)}
    app.command(_for_task(function, world, usual), name=world.name, help=world.__doc__)


def _for_task(function: Callable[..., Any], task_class: type[World], usual: dict[str, Any]) -> Callable[..., Any]:
    options_class = _with_defaults(task_class, usual) if usual else task_class

    @functools.wraps(function)
    def command(*args: Any, **options: Any) -> Any:
        given = options.get("task", options_class())
        options["task"] = task_class(**{field.name: getattr(given, field.name) for field in fields(given)})
        return function(*args, **options)

    settings = Annotated[options_class, Parameter(name="*", group=WORLD)]  # type: ignore[valid-type]
    signature = inspect.signature(function, eval_str=True)
    parameters = [
        parameter.replace(annotation=settings, default=options_class()) if name == "task" else parameter
        for name, parameter in signature.parameters.items()
    ]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _with_defaults(task_class: type[World], usual: dict[str, Any]) -> type[World]:
    """The same settings, some with another default; only for reading options, for a world is told by its class."""
    changed = [(name, type(value), field(default=value)) for name, value in usual.items()]
    home = {"__module__": task_class.__module__}  # where the parser looks for the fields' types and docstrings
    made: Any = make_dataclass(
        task_class.__name__, changed, bases=(task_class,), namespace=home, frozen=True, kw_only=True
    )
    made.__init__.__annotations__ = task_class.__init__.__annotations__
    options: type[World] = made
    return options
