"""The command `hebbarium`. A verb is a module here whose `app` holds its commands, and one line in VERBS.

Nothing heavy is imported before a command runs, so that `--help` is there at once.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import cyclopts

from hebbarium import __version__
from hebbarium.cli import parsing
from hebbarium.tools.errors import HebbariumError, printable
from hebbarium.tools.signals import present
from hebbarium.tools.terminal import fitted, let_go, make_console

VERBS = {
    "live": "Run agents with one rule: scores per season, plots, weights.",
    "evolve": "Search for rules; can be interrupted and resumed.",
    "explain": "Explain a rule in words: its rank, its neighbours, what each entry contributes.",
    "atlas": "Evaluate all 6,561 rules, or open the finished map: --show.",
    "compare": "Compare rules and agents on the same seeds, with statistics.",
    "sweep": "Vary one setting, or two at once; with a plot.",
    "transfer": "Run every rule in every world, with its own eta and the best one there.",
    "lifelong": "Does it keep learning? Recovery, savings, forgetting, ageing and tempo.",
    "reproduce": "Rerun the paper's tables and figures and compare, on one page.",
    "watch": "Watch an agent learn in the browser, and change its rule while it runs.",
    "new-world": "Write a small working world as a starting point for your own.",
    "runs": "List, check and repair runs.",
    "merge": "Merge separate runs of evolve into one.",
    "export": "Write a run's results as Parquet or CSV.",
    "cache": "Show where compiled code is kept, or delete it.",
    "completion": "Print what a shell needs to complete commands and options.",
}

BAD_INPUT, INTERRUPTED = 2, 130
FAILED = BROKEN_PIPE = 1
"""As rich, which prints help and tables, leaves when its reader has gone."""


def module_of(verb: str) -> str:
    return f"hebbarium.cli.{verb.replace('-', '_')}"


def make_app(config: parsing.Config | None = None) -> cyclopts.App:
    app = cyclopts.App(
        name="hebbarium",
        help="Discover, test and explain the local rules that let a random network teach itself.",
        version=f"hebbarium {__version__}",
        version_flags=["--version"],
        help_format="plaintext",
        help_flags=["--help", "-h"],
        config=[*([config] if config else []), parsing.check_whole_numbers],
        result_action="return_value",
    )
    for place, (verb, summary) in enumerate(VERBS.items()):
        app.command(f"{module_of(verb)}:app", name=verb, help=summary, sort_key=place)
    return app


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 2 bad input, 130 interrupted; 1 see docs/terminal.md."""
    tokens = list(sys.argv[1:] if argv is None else argv)
    try:
        code = run(tokens)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt as error:
        code, stop = getattr(error, "code", INTERRUPTED), present()
        if stop is None:
            return _complain("interrupted.", code)
        stop.farewell.say(code - 128)
        return int(code)
    except BrokenPipeError:
        let_go(sys.stdout)
        let_go(sys.stderr)
        return BROKEN_PIPE
    except Exception as error:
        if "--debug" in tokens:
            raise
        if isinstance(error, (HebbariumError, cyclopts.CycloptsError, OSError)):
            return _complain(parsing.sentence(error), BAD_INPUT)
        if isinstance(error, MemoryError):
            return _complain("not enough memory; try fewer or smaller networks.", FAILED)
        return _complain(f"internal error: {type(error).__name__}: {error} (use --debug for the traceback).", FAILED)


def run(tokens: list[str]) -> int:
    command, bound = parsed(tokens)
    code = command(*bound.args, **bound.kwargs)
    return code if isinstance(code, int) else 0


def parsed(tokens: list[str]) -> tuple[Callable[..., Any], inspect.BoundArguments]:
    """What these words ask for. A verb's options are made when it is asked for."""
    tokens, config = parsing.prepare(tokens)
    help_all = "--help-all" in tokens
    tokens = ["--help" if token == "--help-all" else token for token in tokens]
    if tokens and tokens[0] in VERBS:
        importlib.import_module(module_of(tokens[0]))
        from hebbarium.cli.commands import Verb

        tokens[1:] = Verb.made[tokens[0]].make(tokens[1:], help_all)
    app = make_app(config)
    if {"--help", "-h"}.intersection(tokens):  # the docstrings of a user's world are shown
        app.console = make_console()
    command, bound, _ = app.parse_args(tokens, exit_on_error=False, print_error=False)
    return command, bound


def _complain(text: str, code: int) -> int:
    """One line on standard error. A stream that takes no more is given up, so that the exit code still says why."""
    for stream, line in ((sys.stdout, ""), (sys.stderr, f"{fitted(f'hebbarium: {printable(text)}', sys.stderr)}\n")):
        try:
            stream.write(line)
            stream.flush()
        except OSError:
            let_go(stream)
    return code
