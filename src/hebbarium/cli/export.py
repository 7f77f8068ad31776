"""`hebbarium export`: a run's tables as Parquet or CSV."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Literal

from hebbarium.cli.commands import Verb
from hebbarium.cli.shared_options import CommonOptions, print_json
from hebbarium.tools.errors import BadInput, printable, shown


def export(
    run: Path,
    /,
    *,
    to: Path,
    what: Literal["evaluations", "lifetimes", "rules"] = "evaluations",
    world: str | None = None,
    common: CommonOptions,
) -> None:
    """
    Parameters
    ----------
    run
        The run's folder.
    to
        The file to write; it ends in .parquet or .csv.
    what
        What to export: one row per evaluation, per lifetime (with all its counts), or per distinct rule found.
    world
        The file or module of a world of your own, for a table of lifetimes of a run that has not kept the names of its
        counts. Its code is executed, so do this only with code that you trust.
    """
    from hebbarium.store.tables import export
    from hebbarium.store.writing import Run

    rows = export(Run.open(run), to, what, world=world)
    if common.json:
        print_json({"run": str(run), "what": what, "file": str(to), "rows": rows})
    elif not common.quiet:
        print(f"{rows:,} {what} written to {printable(str(to))}.")


class _Export(Verb):
    def make(self, words: list[str], help_all: bool) -> list[str]:
        files = [word for word in words[1:] if word.endswith((".csv", ".parquet"))]
        if files and not any(word.partition("=")[0] == "--to" for word in words):
            raise BadInput(f"{shown(files[0])} is not expected here; did you mean --to {shlex.quote(files[0])}?")
        return super().make(words, help_all)


app = _Export(export, "Write a run's results as Parquet or CSV for other programs.").app
