"""`hebbarium atlas`: every rule there is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from hebbarium.cli import shared_options as shared
from hebbarium.cli.commands import ASKED, TaskVerb
from hebbarium.rules.rule import RULES
from hebbarium.tools.errors import BadInput, check_integer, option_name, printable
from hebbarium.tools.terminal import make_console, table
from hebbarium.worlds.base import World

if TYPE_CHECKING:
    from hebbarium.studies.atlas.finished_atlas import Atlas
    from hebbarium.studies.atlas.phases import Phases


SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Which rules are evaluated, how thoroughly, and where that is kept."""

    layers: Literal["same", "output"] = "same"
    """Which layers learn: both by the same rule (same), or only the output layer while the hidden layer keeps its
    initial weights (output)."""
    etas: str | None = None
    """Learning rates of the survey, such as 0.01,0.02,0.04. The default is a log-spaced grid for the task.
    Later stages look between and beyond them."""
    effort: float = 1.0
    """Multiplies the lifetimes of every stage: 0.5 is coarser and twice as fast."""
    limit: int | None = None
    """A random sample of this many rules, drawn by the seed, instead of all of them. You get a table, but no map. With
    --over, how many rules get an atlas at each point (150)."""
    over: Annotated[tuple[str, ...], Parameter(consume_multiple=False, negative="", show_default=False)] = ()
    """A phase diagram: a coarse atlas at each value of a setting, such as season-steps=500:20000:log or hidden=5,20,80;
    give --over twice for each pair of values of two. All rules are screened in short lives first."""
    top: int = 100
    """Number of rules that --json lists."""
    ages: bool = False
    """Also measure how the best 300 rules age in lives of 32 seasons: the map can then be coloured by it. Can be
    added to a finished atlas."""
    seed: int = 1
    """Random seed: the same seed gives the same atlas, and with --limit the same sample."""
    out: Path | None = None
    """The run's folder. The default is runs/atlas-TASK-SEED, or runs/atlas-TASK-SEED-sample-LIMIT for a sample;
    with --layers output, runs/atlas-TASK-output-HIDDEN-SEED.
    Rerun the same command to resume an interrupted run. With --show, where to write the page."""
    show: bool = False
    """Write the map of the atlas that comes with the package, or of the one given with --atlas, to atlas-TASK.html,
    and open it in the browser; no rule is evaluated."""


def atlas(
    *,
    asked: Annotated[Asked, ASKED],
    life: shared.WayOptions,
    place: shared.PlaceOptions,
    task: World,
    common: shared.CommonOptions,
) -> None:
    out, ages, top = asked.out, asked.ages, asked.top
    check_integer("top", top, 1, RULES)
    if asked.show:
        _show_shipped_map(task, asked.layers, life, out or Path(f"atlas-{task.name}.html"), common)
        return
    from hebbarium.studies.atlas.making import AtlasStudy
    from hebbarium.studies.atlas.stages import make_plan
    from hebbarium.studies.engine import carry_out

    same = {name: getattr(asked, name) for name in ("seed", "limit", "effort", "layers")} | life
    try:
        etas = None if asked.etas is None else [float(word) for word in asked.etas.split(",")]
    except ValueError:
        raise BadInput(f"etas is {asked.etas!r}, but must be numbers with commas, such as 0.01,0.02,0.04.") from None
    if asked.over:
        _run_phases(task, asked, {"etas": etas, **same}, place, common)
        return
    plan = make_plan(task, etas=etas, **same)
    study = AtlasStudy(plan)
    if ages and (not study.has_interventions or plan.widened()):
        raise BadInput("--ages needs the whole atlas of rules for both layers of the usual brain: leave out the rest.")
    folder = out or study.folder
    made = carry_out(study, folder, threads=place, report=common)
    if ages:
        from hebbarium.studies.atlas.ages import FILE, ages_in, measure_ages

        if ages_in(folder, made) is None:
            measured = measure_ages(made, plan.world, threads=place, out=folder / "ages", report=common)
            measured.save(folder / FILE)
            (folder / "atlas.html").unlink(missing_ok=True)  # it is drawn again, now with the ages
            carry_out(study, folder, threads=place, report=common)
    about = made.about
    summary = {
        "task": made.task,
        "layers": made.layers,
        "hidden": about["hidden"],
        "rules": len(made),
        "lifetimes": about["lifetimes"],
        "top": made.top(top),
        "digest": about["digest"],
        "run": str(folder),
        "seed": about["seed"],
        "etas": list(made.etas),
    }
    common.hand_over(summary, _print_atlas, made, folder)


def _run_phases(
    task: World, asked: Asked, settings: dict[str, Any], place: shared.Place, common: shared.Common
) -> None:
    from hebbarium.studies.atlas.phases import PAGE, make_phases
    from hebbarium.studies.sweep import read_overs

    if asked.ages:
        raise BadInput("--ages cannot be used with --over: it needs the whole atlas at one point.")
    over = read_overs(asked.over, task)
    names = "-".join(map(option_name, over))
    folder = asked.out or Path("runs") / f"atlas-{task.label}-{asked.seed}-over-{names}"
    made = make_phases(task, folder, over, threads=place, report=common, **settings)
    common.hand_over({**made.summary(), "seed": asked.seed, "run": str(folder)}, _print_phases, made, folder / PAGE)


def _print_phases(made: Phases, page: Path) -> None:
    from hebbarium.studies.atlas.phases import prediction_words

    heads = (*map(option_name, made.over), "rule", "eta", "fitness ± s.e.", "as good", "family")
    rows = []
    for point in made.points:
        best, family = point.best, point.families[0] if len(point.families) == 1 else "not certain"
        score = f"{best['fitness']:z.2f} ± {best['sem']:.2f}"
        as_good = str(len(point.leaders) - 1)
        rows.append((*map(str, point.values), best["rule"], f"{best['eta']:.3g}", score, as_good, family))
    words, title = (len(made.over), len(heads) - 1), f"The best rules on {made.task.label}"
    console = make_console()
    console.print(table(heads, rows, words, title=title, box=None, padding=(0, 1, 0, 0)))
    console.print(prediction_words(made.prediction()))
    console.print(f"The map: {printable(str(page))}", soft_wrap=True)


def _show_shipped_map(task: World, layers: str, life: dict[str, Any], path: Path, common: shared.Common) -> None:
    from hebbarium.studies.atlas.finished_atlas import use_atlas
    from hebbarium.studies.atlas.page import save_map, save_shipped_map

    hidden = life.pop("hidden", None)
    if changed := {**task.changed_settings(), **life}:
        names = ", ".join(f"--{option_name(name)}" for name in changed)
        raise BadInput(f"--show shows the atlas that comes with the package, so {names} cannot be changed.")
    if common.atlas is not None:
        save_map(use_atlas(common.atlas).atlas, path)
    elif not save_shipped_map(task.name, path, layers, hidden):
        common.say("The package has no analysis of this atlas, so the page lacks the interventions and the searches.")
    if common.json:
        shared.print_json({"task": task.name, "map": str(path)})
        return
    import webbrowser

    print(f"The map: {printable(str(path))}", flush=True)
    if not webbrowser.open(path.resolve().as_uri()):
        common.say("No browser was found here; open the file in one.")


def _print_atlas(made: Atlas, folder: Path) -> None:
    from hebbarium.studies.atlas.finished_atlas import span

    which = "rules" if made.complete else f"rules drawn at random (seed {made.about['seed']})"
    frozen = made.layers == "output"
    which = f"output {which}, {made.about['hidden']} frozen hidden neurons," if frozen else which
    heads = ("rank", "rank range", "rule", "eta", "fitness ± s.e.", "lifetimes", "kinds of\nneurons")
    rows = [
        (
            str(row["rank"]),
            span(*row["rank_interval"]),
            row["rule"],
            f"{row['eta']:g}{'*' if row['eta_edge'] else ''}",
            f"{row['fitness']:z.2f} ± {row['sem']:.2f}",
            str(row["lifetimes"]),
            f"{row['kinds_of_hidden']:.1f}",
        )
        for row in made.top(SHOWN)
    ]
    console = make_console()
    title = f"The best of {len(made):,} {which} on {made.task}"
    shown = -1 if frozen else None  # frozen neurons stay as different as they were born
    console.print(
        table(heads[:shown], [row[:shown] for row in rows], words=(2,), title=title, box=None, pad_edge=False)
    )
    if any(row["eta_edge"] for row in made.top(SHOWN)):
        console.print("* at the end of the etas that were tried: a better one may lie beyond.")
    where = f"The map: {folder / 'atlas.html'}" if made.complete else f"The table: {folder / 'atlas.npz'}"
    console.print(f"{made.brain}; {made.about['lifetimes']:,} lifetimes. {printable(where)}", soft_wrap=True)


app = TaskVerb(atlas, "Evaluate all 6,561 rules: an exhaustive map of the search space.").app
