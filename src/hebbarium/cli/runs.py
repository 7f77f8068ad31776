"""`hebbarium runs`: the runs there are, and how far each is."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from hebbarium.cli.commands import FLAG, Verb
from hebbarium.cli.shared_options import Common, CommonOptions, print_json
from hebbarium.tools.errors import BadInput, printable
from hebbarium.tools.terminal import NARROW, make_console, table

_COLUMNS = ("run", "state", "what", "lifetimes", "best rule", "fitness", "when (UTC)")


def runs(
    folder: Path = Path("runs"),
    /,
    *,
    check: Annotated[bool, FLAG] = False,
    repair: Annotated[bool, FLAG] = False,
    common: CommonOptions,
) -> int | None:
    """
    Parameters
    ----------
    folder
        Where to look: a folder of runs, or one run (its folder or its run.sqlite).
    check
        Read everything and verify the checksums; exit code 2 if a run is damaged.
    repair
        Keep everything of a damaged run that is intact; rerun its command to redo the rest. The damaged file is kept
        beside it.
    """
    from hebbarium.store.schema import folder_of

    folder = folder_of(folder)
    if check and repair:
        raise BadInput("--check and --repair cannot be used together.")
    if check:
        from hebbarium.store.listing import run_folders
        from hebbarium.store.repair import examined

        read = [examined(path) for path in sorted(run_folders(folder))]
        if common.json:
            print_json({"folder": str(folder), "runs": [run.summary() for run in read]})
        for run in [] if common.json else read:
            print(printable(f"{run.folder}: {'; '.join([*run.problems, ''])}{run.kept} are intact."))
        return 2 if any(run.problems for run in read) else 0
    if repair:
        _repair(folder, common)
        return None
    from hebbarium.store.listing import list_runs

    found = list_runs(folder)
    if common.json:
        print_json({"folder": str(folder), "runs": found})
    elif not found:
        print(f"There are no runs in {printable(str(folder))}.")
    else:
        _print_runs(found, folder)
    return None


def _repair(folder: Path, common: Common) -> None:
    from hebbarium.store.repair import repair

    found, aside = repair(folder)
    if common.json:
        print_json({**found.summary(), "damaged": None if aside is None else str(aside)})
    elif aside is None:
        print(printable(f"{folder} is intact: {found.kept}. There is nothing to repair."))
    else:
        print(printable(f"{folder} was damaged: {'; '.join(found.problems)}. The damaged file is now {aside}."))
        print(f"{found.kept} are kept. Rerun the command that started the run to redo the rest.")


def _print_runs(found: list[dict[str, Any]], folder: Path) -> None:
    rows = []
    for run in found:
        best, path = run["best"] or {}, Path(run["run"])
        how = f"{run['search']} x {run['runs']}" if run["search"] else run["kind"]
        rows.append(
            (
                printable(str(path.relative_to(folder)) if path != folder else path.name),
                run["state"],
                ", ".join(filter(None, (run["task"], how))),
                "" if run["lifetimes"] is None else f"{run['lifetimes']:,}",
                best.get("rule") or "",
                f"{best['fitness']:z.2f}" if best else "",
                f"{datetime.fromisoformat(run['updated']):%d %b %H:%M}" if run["updated"] else "",
            )
        )
    from rich.text import Text

    console = make_console(soft_wrap=True)
    needed = sum(max(map(len, cells)) + 2 for cells in zip(_COLUMNS, *rows, strict=True))
    if console.is_terminal and needed > console.width:  # names stay whole, since other commands are given them
        for name, state, what, lifetimes, rule, fitness, when in rows:
            best = f"best rule {rule}, fitness {fitness}" if rule else ""
            console.print(Text(name), style="bold")  # not folded, as text is
            parts = (state, what, lifetimes and f"{lifetimes} lifetimes", best, when)
            console.print(f"    {', '.join(filter(None, parts))}")
    else:
        numbers = {_COLUMNS.index(name) for name in ("lifetimes", "fitness")}
        console.width = max(console.width, needed)
        console.print(table(_COLUMNS, rows, {*range(len(_COLUMNS))} - numbers, **NARROW))
    for run in found:
        if run["problem"]:
            console.print(printable(run["problem"]))


app = Verb(runs, "List the runs in a folder: their state, best rule and when; check them for damage.").app
