"""The command `hebbarium`. A verb is a module here whose `app` holds its commands, and one line in VERBS.

Nothing heavy is imported before a command runs, so that `--help` is there at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import cyclopts

from hebbarium import __version__
from hebbarium.cli import arguments
from hebbarium.cli.sentences import sentence
from hebbarium.errors import HebbariumError

VERBS = {
    "live": "Let agents live under one rule; scores per season.",
    "evolve": "Evolve rules; watch it happen, stop and go on at will.",
    "explain": "A rule in words, its relatives, and what each entry is worth.",
    "atlas": "Evaluate every one of the 6,561 rules; the truth about the search space.",
    "compare": "Rules and agents side by side on the same seeds, with statistics.",
    "sweep": "One setting over several values, with a plot.",
    "reproduce": "The paper's tables and figures beside ours, as one page.",
    "runs": "List runs: their state, best rule and when.",
    "export": "Write a run's results as Parquet or CSV.",
}

INTERRUPTED = 130
BROKEN_PIPE = 1
"""As rich, which prints help and tables, leaves."""


def make_app(config: arguments.Config | None = None) -> cyclopts.App:
    app = cyclopts.App(
        name="hebbarium",
        help="Discover, test and explain the local rules by which a random network teaches itself.",
        version=f"hebbarium {__version__}",
        version_flags=["--version"],
        help_format="plaintext",
        help_flags=["--help", "-h"],
        config=[*([config] if config else []), arguments.check_whole_numbers],
        result_action="return_value",
    )
    for place, (verb, summary) in enumerate(VERBS.items()):
        app.command(f"hebbarium.cli.{verb}:app", name=verb, help=summary, sort_key=place)
    return app


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 2 bad input, 130 interrupted."""
    tokens = list(sys.argv[1:] if argv is None else argv)
    try:
        code = run(tokens)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return _complain("interrupted.", INTERRUPTED)
    except BrokenPipeError:
        # The reader has gone; keep the interpreter's own flush at exit from complaining about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as error:
        if "--debug" in tokens:
            raise
        return _explain(error)


def run(tokens: list[str]) -> int:
    tokens, config = arguments.prepare(tokens)
    app = make_app(config)
    command, bound, _ = app.parse_args(tokens, exit_on_error=False, print_error=False)
    code = command(*bound.args, **bound.kwargs)
    return code if isinstance(code, int) else 0


def _explain(error: Exception) -> int:
    if isinstance(error, (HebbariumError, cyclopts.CycloptsError)):
        return _complain(sentence(error), 2)
    if isinstance(error, MemoryError):
        return _complain("there is not enough memory for this; try fewer or smaller networks.", 1)
    return _complain(f"something went wrong inside: {type(error).__name__}: {error} (--debug shows where).", 1)


def _complain(text: str, code: int) -> int:
    print(f"hebbarium: {' '.join(text.split())}", file=sys.stderr)
    return code
