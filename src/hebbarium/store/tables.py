"""A run's tables: flat rows with the same columns for everybody, whatever reads them.

- `evaluations`: one row for each evaluation;
- `lifetimes`: one row for each lifetime, with every count of every season;
- `rules`: the distinct rules that were found.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hebbarium.rules.graded import KINDS, weights_of, weights_text
from hebbarium.rules.shape import STATES, signals_of
from hebbarium.store.records import Record
from hebbarium.store.world import Named, world_of_run
from hebbarium.tools.errors import BadInput, RunError, check_choice
from hebbarium.tools.frames import data_frame
from hebbarium.worlds.registry import OTHERS, WORLDS

if TYPE_CHECKING:
    import polars

    from hebbarium.store.store import Run

TABLES = ("evaluations", "lifetimes", "rules")
NAMED = ("stage", "run", "number")
"""Together they name an evaluation."""
RULE = ("rule", "index", "eta", "eta_hidden", "eta_output")
"""eta is that of a plain rule; a frozen layer has none."""
Row = dict[str, Any]
ELSEWHERE = {
    "atlas": "its rules are in atlas.npz there, which numpy reads (and hebbarium.studies.atlas.table.Atlas.load)",
    "reproduce": "its numbers are in comparison.csv there",
    "lifelong": "rerun its command with --json to get its numbers",
    "transfer": "rerun its command with --json to get its numbers",
}
"""Where runs that keep no evaluations have their results."""

_TEXTS = {
    "stage", "rule", "paper", "family", "words", "blame", "eligibility",
    "best_rule", "best_blame", "best_eligibility",
}  # fmt: skip
_NUMBERS = {
    "best_fitness",
    "eta", "eta_hidden", "eta_output", "mean", "std", "min", "max", "score", "median", "eta_mean", "eta_std",
    "eta_hidden_mean", "eta_hidden_std", "searched_median", "searched_max", "rescored_mean", "rescored_sem",
}  # fmt: skip
"""All others are whole numbers."""


def table(run: Run, what: str = "evaluations", world: Named | None = None) -> list[Row]:
    """The rows of one of TABLES. world: that of the run, where it is one's own and its names were not kept."""
    check_choice("table", what, TABLES)
    _check_kept(run)
    if what == "rules":
        return _rule_rows(run)
    return list(_evaluation_rows(run) if what == "evaluations" else _lifetime_rows(run, world))


def _check_kept(run: Run) -> None:
    if run.kind in ELSEWHERE and not run.totals()[0]:
        raise RunError(f"{run.folder} is a run of `{run.kind}`, which has no such table: {ELSEWHERE[run.kind]}.")


def columns(run: Run, what: str = "evaluations", world: Named | None = None) -> dict[str, type]:
    """The columns of a table and what each holds: str, int or float; anything may be missing."""
    if what == "rules":
        rows = table(run, what)
        names = list(rows[0]) if rows else []
    elif what == "evaluations":
        measured = ("lifetimes", "mean", "std", "min", "max")
        names = [*NAMED, "generation", *_rule_names(run), "seed", "first_trial", *measured]
    else:
        counted = [name for season in count_columns(run, world) for name in season]
        names = [*NAMED, *_rule_names(run), "seed", "trial", "score", "distinct_hidden", *counted]
    return {name: str if name in _TEXTS else float if name in _NUMBERS else int for name in names}


def _rule_names(run: Run) -> tuple[str, ...]:
    """Where blame and eligibility are genes, each rule has its own, as they are typed."""
    return (*RULE, *KINDS) if run.configuration.get("genes") else RULE


def frame(run: Run, what: str = "evaluations", world: Named | None = None) -> Any:
    """The same as a data frame: polars where it is installed, otherwise pandas."""
    try:
        import polars  # noqa: F401
    except ImportError:
        rows = table(run, what, world)
        return data_frame({name: [row.get(name) for row in rows] for name in columns(run, what, world)})
    return polars_frame(run, what, world)


def polars_frame(run: Run, what: str = "evaluations", world: Named | None = None) -> polars.DataFrame:
    """With the types of every column, whatever is missing."""
    rows = table(run, what, world)
    try:
        import polars
    except ImportError:
        raise BadInput("this needs polars: pip install 'hebbarium[tables]', or write a .csv instead.") from None
    kinds = {str: polars.String(), int: polars.Int64(), float: polars.Float64()}
    schema = {name: kinds[kind] for name, kind in columns(run, what, world).items()}
    try:
        return polars.DataFrame(rows, schema=schema)
    except (TypeError, ValueError, OverflowError, polars.exceptions.PolarsError):
        raise RunError(f"{run.folder} has a table of {what} with values that Hebbarium would not write.") from None


def count_columns(run: Run, world: Named | None = None) -> list[list[str]]:
    """Names of the counts, [season][count], such as summer1_green."""
    configuration = run.configuration
    kept = run.result("counted") if configuration.get("task") not in WORLDS and world is None else None
    if kept is not None:
        return [[f"{season}_{count}" for count in kept["counts"]] for season in kept["seasons"]]
    if "task_origin" not in configuration and configuration.get("task") not in (*WORLDS, *OTHERS):
        raise RunError(
            f"{run.folder} is a run of `{run.kind}`, which has no such table: its lives are not of one task."
        )
    try:
        task = world_of_run(configuration, world)
    except (LookupError, TypeError, ValueError):
        raise RunError(f"{run.folder} was made with settings that this version of the task does not have.") from None
    return [[f"{season}_{count}" for count in task.counts] for season in task.season_names]


def _evaluation_rows(run: Run) -> Iterator[Row]:
    names = _rule_names(run)
    for record in run.evaluations():
        scores = record.scores
        yield {
            "stage": record.stage,
            "run": record.run,
            "number": record.number,
            "generation": record.generation,
            **_rule_columns(record, names),
            "seed": record.seed,
            "first_trial": record.first_trial,
            "lifetimes": record.lifetimes,
            "mean": record.mean,
            "std": statistics.stdev(scores) if len(scores) > 1 else None,
            "min": min(scores),
            "max": max(scores),
        }


def _lifetime_rows(run: Run, world: Named | None = None) -> Iterator[Row]:
    names, rule_names = count_columns(run, world), _rule_names(run)
    shape = (len(names), len(names[0]))
    for record in run.evaluations():
        if record.counts.shape[1:] != shape:
            raise RunError(f"{run.folder} holds counts of another world than its settings say.")
        for number, score in enumerate(record.scores):
            yield {
                "stage": record.stage,
                "run": record.run,
                "number": record.number,
                **_rule_columns(record, rule_names),
                "seed": record.seed,
                "trial": record.first_trial + number,
                "score": score,
                "distinct_hidden": record.distinct_hidden[number] if record.distinct_hidden else None,
                **_counts(record.counts[number].tolist(), names),
            }


def _rule_columns(record: Record, names: Sequence[str]) -> Row:
    rule = record.rule
    if rule is None:
        return dict.fromkeys(names)
    eta = None if rule.is_layered else rule.eta
    etas = [None if part is None else part.eta for part in (rule.parts[0], rule.parts[-1])]
    weights = [weights_text(weights_of(rule, kind)) for kind in names[len(RULE) :]]
    return dict(zip(names, (rule.notation, rule.index, eta, *etas, *weights), strict=True))


def _counts(counts: Sequence[Sequence[int]], names: Sequence[Sequence[str]]) -> Row:
    return {
        names[season][place]: count for season, of_season in enumerate(counts) for place, count in enumerate(of_season)
    }


def _rule_rows(run: Run) -> list[Row]:
    found: list[Row] | None = run.result("rules")
    if found is None:
        raise RunError(f"{run.folder} has no table of rules yet: it is not finished; rerun its command to resume it.")
    names = found[0].keys()
    if any(row.keys() != names for row in found):
        raise RunError(f"{run.folder} has a table of rules whose rows differ in their columns.")
    width = max(len(entries) for row in found for entries in (row["entries"], row.get("hidden_entries") or ()))
    return [_rule_row(row, width) for row in found]


def _rule_row(row: Row, width: int) -> Row:
    """Flat: the entries a column each, records within the row with their name before theirs."""
    flat: Row = {}
    for name, value in row.items():
        if name == "entries":
            flat |= entry_columns(value, width)
        elif name == "hidden_entries":
            columns = entry_columns(value or (), width)
            flat |= {f"hidden_{column}": entry if value else None for column, entry in columns.items()}
        elif name == "rescored":
            fresh = value or {}
            flat |= {f"rescored_{inner}": fresh.get(inner) for inner in ("mean", "sem", "lifetimes")}
        elif name == "best":
            flat |= {f"best_{inner}": _flat(inner_value) for inner, inner_value in (value or {}).items()}
        elif isinstance(value, dict):
            flat |= {f"{name}_{inner}": inner_value for inner, inner_value in value.items()}
        else:
            flat[name] = " ".join(map(str, value)) if isinstance(value, list) else value
    return flat


def _flat(value: Any) -> Any:
    """Of a best instance: weights as they are typed, and no etas, which its rule has."""
    return weights_text(value) if isinstance(value, dict) else value


def entry_columns(entries: Sequence[float], width: int) -> Row:
    """punished_00 ... rewarded_11, and neutral_11 where any rule has neutral entries: the two digits say whether the
    pre- and the post-synaptic neuron were active. A layered rule's columns are those of its output layer; its hidden
    layer's have `hidden_` before their names."""
    names = [f"{signal}_{pre}{post}" for signal in signals_of(width) for pre, post in STATES]
    return dict(zip(names, (*entries, *(0,) * (width - len(entries))), strict=True))
