"""`hebbarium atlas`: every rule there is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import cyclopts

from hebbarium.cli.common import USUAL, Common, CommonOptions, prepare_kernels, print_json, task_commands
from hebbarium.errors import BadInput
from hebbarium.progress import progress
from hebbarium.rule import RULES
from hebbarium.tasks.base import Task

if TYPE_CHECKING:
    from hebbarium.atlas.plan import Plan
    from hebbarium.atlas.table import Atlas

app = cyclopts.App("atlas", help="Evaluate every one of the 6,561 rules: the truth about the search space.")

SHOWN = 20


def atlas(
    *,
    etas: str | None = None,
    effort: float = 1.0,
    limit: int = RULES,
    top: int = 100,
    hidden: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    out: Path | None = None,
    task: Task,
    common: CommonOptions = USUAL,
) -> None:
    """
    Parameters
    ----------
    etas
        Learning rates of the survey, such as 0.01,0.02,0.04; without it a log-spaced grid of the task's own.
        Later stages look between and beyond them.
    effort
        A factor on the lifetimes of every stage: 0.5 is coarser and twice as fast.
    limit
        Only the first rules by index; the map needs all of them, so there is only a table then.
    top
        Rules listed by --json.
    hidden
        Hidden neurons; without it as many as in the paper.
    seed
        Fixes all that is random: the same seed gives the same atlas.
    threads
        Threads to use; without it as many as there are cores.
    out
        The run's folder; without it runs/atlas-TASK-SEED. The same command goes on where it was stopped.
    """
    from hebbarium.atlas.making import finished_atlas
    from hebbarium.atlas.plan import make_plan

    grid = None if etas is None else _read_etas(etas)
    folder = out or Path("runs") / f"atlas-{task.name}-{seed}"
    plan = make_plan(task, hidden=hidden, seed=seed, etas=grid, limit=limit, effort=effort)
    made = finished_atlas(plan, folder)
    if made is None:
        made = _made(plan, folder, threads, common)
    else:
        common.remark(f"The atlas in {folder} is finished.")
    if common.json:
        print_json(_summary(made, folder, top))
    else:
        _show(made, folder)


def _made(plan: Plan, folder: Path, threads: int | None, common: Common) -> Atlas:
    from hebbarium.atlas.making import TABLE, begin, carry_out, expected_seconds
    from hebbarium.lifetime import check_threads

    threads = check_threads(threads)
    if plan.limit < RULES:
        common.say(f"Only {plan.limit:,} of {RULES:,} rules: there will be a table, but no map, which needs them all.")
    with begin(plan, folder) as store:  # before anything is measured: a folder that cannot be used is refused at once
        prepare_kernels(plan.task, common)
        new = not common.quiet and not (folder / TABLE).exists()
        with progress(
            f"atlas of {plan.task.name}",
            plan.expected_lifetimes(),
            "lifetimes",
            quiet=common.quiet,
            expected_seconds=expected_seconds(plan, threads) if new else None,
        ) as advance:
            return carry_out(
                plan,
                store,
                threads=threads,
                tell=lambda lived, note, total: advance(lived, note=note, total=total),
                remark=common.remark,
            )


def _read_etas(text: str) -> list[float]:
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise BadInput(f"etas is {text!r}, but must be numbers with commas, such as 0.01,0.02,0.04.") from None


def _summary(made: Atlas, folder: Path, top: int) -> dict[str, Any]:
    return {
        "task": made.task,
        "rules": len(made),
        "lifetimes": made.about["lifetimes"],
        "top": made.top(top),
        "digest": made.about["digest"],
        "run": str(folder),
        "seed": made.about["seed"],
        "etas": list(made.etas),
    }


def _show(made: Atlas, folder: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"The best of {len(made):,} rules on {made.task}", box=None, pad_edge=False)
    for name in ("rank", "may be", "rule", "eta", "fitness", "lifetimes", "kinds of neurons"):
        table.add_column(name, justify="left" if name == "rule" else "right")
    for row in made.top(SHOWN):
        first, last = row["rank_interval"]
        table.add_row(
            str(row["rank"]),
            f"{first}" if first == last else f"{first} to {last}",
            row["rule"],
            f"{row['eta']:g}",
            f"{row['mean']:.2f} ± {row['sem']:.2f}",
            str(row["lifetimes"]),
            f"{row['kinds_of_hidden']:.1f}",
        )
    console = Console(highlight=False)
    console.print(table)
    where = f"The map: {folder / 'atlas.html'}" if made.complete else f"The table: {folder / 'atlas.npz'}"
    console.print(f"{made.about['lifetimes']:,} lifetimes. {where}", markup=False, soft_wrap=True)


task_commands(app, atlas)
