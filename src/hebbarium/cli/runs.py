"""`hebbarium runs`: the runs there are, and how far each is."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import cyclopts

from hebbarium.cli.common import USUAL, CommonOptions, print_json

app = cyclopts.App("runs", help="List the runs in a folder: their state, best rule and when.")

_COLUMNS = ("run", "state", "what", "lifetimes", "best rule", "fitness", "when (UTC)")
_FOLDED = "prey-predator,"
"""The widest line of a folded `what`."""


@app.default
def runs(folder: Path = Path("runs"), /, *, common: CommonOptions = USUAL) -> None:
    """
    Parameters
    ----------
    folder
        Where to look: a folder of runs, or one run.
    """
    from hebbarium.runs.listing import list_runs

    found = list_runs(folder)
    if common.json:
        print_json({"folder": str(folder), "runs": found})
    elif not found:
        print(f"There are no runs in {folder}.")
    else:
        _print_table(found, folder)


def _print_table(found: list[dict[str, Any]], folder: Path) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 0, 0, 1))
    rows = [_cells(run, folder) for run in found]
    least = 0
    for name, *cells in zip(_COLUMNS, *rows, strict=True):
        folds = name == "what"
        table.add_column(name, justify="right" if name in ("lifetimes", "fitness") else "left", no_wrap=not folds)
        least += max(len(_FOLDED) if folds else len(cell) for cell in (name, *cells)) + 2
    for cells in rows:
        table.add_row(*cells)
    console = Console(highlight=False)
    # Names are what other commands are given, so they stay whole, even where lines grow longer than the screen.
    console.width = max(console.width, least)
    console.print(table)
    for run in found:
        if run["problem"]:
            console.print(run["problem"], markup=False)


def _cells(run: dict[str, Any], folder: Path) -> list[str]:
    best = run["best"] or {}
    path = Path(run["run"])
    return [
        str(path.relative_to(folder)) if path != folder else path.name,
        run["state"],
        _what(run),
        "" if run["lifetimes"] is None else f"{run['lifetimes']:,}",
        best.get("rule") or "",
        f"{best['fitness']:.2f}" if best else "",
        f"{datetime.fromisoformat(run['updated']):%d %b %H:%M}" if run["updated"] else "",
    ]


def _what(run: dict[str, Any]) -> str:
    how = f"{run['search']} x {run['runs']}" if run["search"] else run["kind"]
    return ", ".join(word for word in (run["task"], how) if word)
