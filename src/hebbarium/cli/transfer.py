"""`hebbarium transfer`: every rule in every world."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hebbarium.cli import shared_options as shared
from hebbarium.cli.commands import LIFE, Verb
from hebbarium.tools.errors import BadInput
from hebbarium.tools.terminal import NARROW, Folding, make_console, table, tables
from hebbarium.worlds.registry import WORLDS

if TYPE_CHECKING:
    from hebbarium.studies.transfer.scores import Scored, Transfer


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Where the rules live, how often, and what is kept of it."""

    tasks: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative="", show_default=False)] = tuple(WORLDS)
    """The worlds: names, or files of your own such as ./pond.py; by default all worlds of the package."""
    agent: tuple[str, ...] = dataclasses.field(default=(), metadata={"kind": shared.SEVERAL_AGENTS})
    """Also run an agent without a rule, such as tabular or linear. Can be repeated."""
    lifetimes: int = 100
    """Lifetimes of each rule, eta and world."""
    seed: int = 1
    """Random seed: in each world all get the same newborn brains and the same worlds."""
    budget: int = 1000
    """Maximum number of lifetimes for finding the best eta of one rule in one world; 0 for no search."""
    out: Path | None = None
    """The run's folder; by default runs/transfer-SEED. Rerun the same command to resume, or add further rules and
    tasks."""
    plot: shared.Picture | None = None
    """Draw the scores as heat maps to this .svg, .png or .pdf file."""


def transfer(
    *rules: shared.RuleArguments,
    asked: Annotated[Asked, LIFE],
    life: shared.WayOptions,
    learning: shared.LearningOptions,
    settings: shared.AnyWorldOptions,
    place: shared.PlaceOptions,
    common: shared.CommonOptions,
) -> None:
    """Every rule in every world, with its own eta and the best one there.

    Scores are normalised: random actions are 0, the perfect agent is 1. A rule without an eta is run only at the best
    eta of each world.
    """
    if not rules and not asked.agent:
        raise BadInput("a rule is missing: give one or more, such as foraging:1, before --tasks and its worlds.")
    from hebbarium.studies.engine import carry_out
    from hebbarium.studies.plots import draw_transfer
    from hebbarium.studies.transfer.study import plan_of

    same = {name: getattr(asked, name) for name in ("lifetimes", "seed", "budget")}
    plan = plan_of(rules, asked.tasks, asked.agent, **same, **life, **learning, **settings)
    folder = asked.out or plan.folder
    found = carry_out(plan, folder, threads=place, report=common)
    common.draw(lambda: draw_transfer(found), asked.plot)
    common.hand_over({**found.summary(), "run": str(folder)}, _print_scores, found, folder)


def _print_scores(found: Transfer, folder: Path) -> None:
    from hebbarium.studies.transfer.scores import shown

    console = make_console(soft_wrap=True)
    console.print(f"Scores: random actions are 0, the perfect agent is 1; {found.lived}\n", style="bold")
    titles = [{"as_found": "own eta", "best": "best eta"}[which] for which in found.etas]
    scores = [
        (name, *(" / ".join(_score(getattr(cell, which)) for which in found.etas) for cell in row))
        for name, row in zip(found.names, found.cells, strict=True)
    ]
    for part in tables((" / ".join(titles), *found.world_names), scores, console.width):
        console.print(part, "")
    heads = ("", *(head for title in titles for head in (title, "score", "95 % interval")))
    for name, row in zip(found.names, found.cells, strict=True):
        cells = [
            (world, *(part.replace(" and ", ",\n") for which in found.etas for part in shown(getattr(cell, which))))
            for world, cell in zip(found.world_names, row, strict=True)
        ]
        console.print(Folding(name), table(heads, cells, **NARROW | {"padding": 0}), "")
    if found.budget:
        console.print(f"The best eta of a rule in a world was searched for with at most {found.budget:,} lifetimes.")
    console.print(f"The page, with heat maps: {folder / 'transfer.html'}")


def _score(one: Scored | None) -> str:
    return "-" if one is None else f"{one.score.value:z.2f}"


app = Verb(transfer, "Every rule in every world, with its own eta and the best one there.").app
