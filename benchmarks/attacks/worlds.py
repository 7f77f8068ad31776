"""Runs that name somebody's file as their world, with the right hash of it: nobody who reads one may execute it.

The file leaves a mark where it is executed. Every command that takes a run is given one, and must refuse it in one
sentence, or do without the world.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attacks.base import Tally, timed
from hebbarium.cli import main as hebbarium
from hebbarium.kernels.source_hash import digest_of, imported
from hebbarium.store import about, checksums, opening, schema
from hebbarium.store.writing import Run
from hebbarium.studies.evolve.study import Evolution, carry_out

LATER: dict[str, Callable[[Path], Sequence[str]]] = {
    "export": lambda run: ["export", str(run), "--what", "lifetimes", "--to", str(run.parent / "table.csv")],
    "merge": lambda run: ["merge", str(run), str(run), "--out", str(run.parent / "merged")],
    "watch": lambda run: ["watch", str(run), "--no-open", "--port", "0"],
}
"""Commands that need the world of a run."""
READ: dict[str, Callable[[Path], Sequence[str]]] = {
    "runs": lambda run: ["runs", str(run)],
    "check": lambda run: ["runs", "--check", str(run)],
    "evaluations": lambda run: ["export", str(run), "--to", str(run.parent / "table.csv")],
    "rules": lambda run: ["export", str(run), "--what", "rules", "--to", str(run.parent / "table.csv")],
}
"""Commands that do without it."""
NAMES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "file": lambda file: {"task": "evil", "task_origin": str(file), "task_sources": digest_of(imported(file))},
    "class": lambda file: {"task": "evil", "task_origin": f"{file}:Evil", "task_sources": digest_of(imported(file))},
    "package's name": lambda file: {"task_origin": str(file), "task_sources": digest_of(imported(file))},
    "no hash": lambda file: {"task": "evil", "task_origin": str(file)},
    "only as a task": lambda file: {"task": str(file)},
    "module": lambda file: {"task": "evil", "task_origin": "antigravity", "task_sources": ""},
    "function": lambda file: {"task": "gymnasium", "task_settings": {"env": "os:abort"}},
    "scaling": lambda file: {"scaling": str(file)},
    "scaling and its hash": lambda file: {"scaling": f"{file}#{digest_of(imported(file))}"},
    "module of an environment": lambda file: {"task": "gymnasium", "task_settings": {"env": f"{file.stem}:Evil-v0"}},
}
"""Ways to name it."""


def disguised(run: Path, mark: Path, name: str = "file") -> Path:
    """The run, which now names a file that leaves a mark as its world."""
    file = run.parent / "evil.py"
    file.write_text(f"open({str(mark)!r}, 'w')\n")
    configuration = {**Run.open(run).configuration, **NAMES[name](file)}
    with contextlib.closing(opening.writer(run)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        checksums.replace(connection, schema.ABOUT, about.rows(configuration=configuration))
        connection.execute("COMMIT")
    return run


def attack() -> Tally:
    """Every command on every kind."""
    tally = Tally("worlds of runs")
    with tempfile.TemporaryDirectory(prefix="hebbarium-attack-") as folder:
        run, mark = Path(folder) / "run", Path(folder) / "executed"
        world = {"season_steps": 40, "seasons": 2, "grid_size": 12, "green": 5, "blue": 5, "hidden": 4}
        search = {
            "search": "genetic",
            "individuals": 4,
            "elites": 1,
            "lifetimes": 1,
            "max_generations": 1,
            "top": 2,
            "rescore": 2,
        }
        carry_out(Evolution.of("foraging", **world, **search), run, threads=1)
        whole = (run / "run.sqlite").read_bytes()
        for name in NAMES:
            (run / "run.sqlite").write_bytes(whole)
            disguised(run, mark, name)
            for verb, words in (LATER | READ).items():
                with timed(tally):
                    _try(tally, f"{verb} of a run with a {name}", words(run), mark)
    return tally


def _try(tally: Tally, what: str, words: Sequence[str], mark: Path) -> None:
    err = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
        code = hebbarium([*words])
    if mark.exists():
        mark.unlink()
        tally.problem(what, "it was executed")
    elif code not in (0, 2) or "internal error" in err.getvalue() or len(err.getvalue().splitlines()) > 1:
        tally.problem(what, f"exit code {code}: {err.getvalue()}")
    else:
        tally.outcomes["done without" if code == 0 else "refused"] += 1
