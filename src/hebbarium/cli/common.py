"""Parts shared by the verbs: common options, rules as arguments, one command per task."""

from __future__ import annotations

import functools
import inspect
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import cyclopts
from cyclopts import Group, Parameter

from hebbarium.cli.arguments import MINUS
from hebbarium.rule import Rule
from hebbarium.tasks.base import Task
from hebbarium.tasks.registry import TASKS

LIFE = Group("Life", sort_key=1)
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
    """Show no progress and no remarks."""
    verbose: Annotated[bool, Parameter(alias="-v", negative="", show_default=False)] = False
    """Say more about what is done."""
    config: Path | None = None
    """A TOML file that holds any of these options; the command line wins."""
    debug: Flag = False
    """Show the traceback of an error."""

    def say(self, text: str) -> None:
        """A line on standard error, unless it shall be quiet."""
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)

    def remark(self, text: str) -> None:
        """A line for a person who watches, or who asked for more."""
        if self.verbose or sys.stderr.isatty():
            self.say(text)


USUAL = Common()
CommonOptions = Annotated[Common, Parameter(name="*", group=EVERYWHERE)]


def read_rule(kind: type, tokens: Sequence[cyclopts.Token]) -> Rule:
    return Rule(tokens[0].value.replace(MINUS, "-"))


class _OneWord:
    """Stands for Rule before the parser, which would expect a word for each of its entries."""


if TYPE_CHECKING:
    RuleArgument = Rule
else:
    RuleArgument = Annotated[_OneWord, Parameter(converter=read_rule, n_tokens=1, accepts_keys=False, metavar="RULE")]
"""A rule as an option or argument: notation, index or one of the paper's names; a leading `-` works.

Several are `*rules: RuleArgument`.
"""


def print_json(result: dict[str, Any]) -> None:
    print(json.dumps(result, allow_nan=False))


def prepare_kernels(task: Task, common: Common, agents: Sequence[str] = ()) -> None:
    """Compile the kernels of the task and of agents, or find them compiled; a first time is announced."""
    from hebbarium.agents.registry import make_agent
    from hebbarium.lifetime import is_compiled, prepare

    makers = [make_agent(name) for name in agents]
    if not (is_compiled(task) and all(maker.is_compiled(task) for maker in makers)):
        common.say(f"Compiling the kernels of {task.name}, once on this machine: about half a minute.")
    prepare(task)
    for maker in makers:
        maker.prepare(task)


def task_commands(app: cyclopts.App, function: Callable[..., Any]) -> None:
    """One command of `app` for each task there is, with the task's settings as options.

    `function` takes the finished task as its argument `task`, annotated with Task, and any other options.
    """
    app.help_format = "markdown"  # joins the lines of a setting's docstring
    for name, task_class in TASKS.items():
        app.command(_for_task(function, task_class), name=name, help=task_class.__doc__)


def _for_task(function: Callable[..., Any], task_class: type[Task]) -> Callable[..., Any]:
    @functools.wraps(function)
    def command(*args: Any, **options: Any) -> Any:
        options.setdefault("task", task_class())
        return function(*args, **options)

    settings = Annotated[task_class, Parameter(name="*", group=WORLD)]  # type: ignore[valid-type]
    signature = inspect.signature(function, eval_str=True)
    parameters = [
        parameter.replace(annotation=settings, default=task_class()) if name == "task" else parameter
        for name, parameter in signature.parameters.items()
    ]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command
